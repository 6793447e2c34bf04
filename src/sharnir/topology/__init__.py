"""Model → Tree: the graph of bodies and joints, its regular numbering, and messages about what does not hang together."""

from sharnir.topology.tree import Tree, build_tree

__all__ = ["Tree", "build_tree"]
