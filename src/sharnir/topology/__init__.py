"""Model → Tree: the graph of bodies and joints, the choice of cut joints, its regular numbering, and its description."""

from sharnir.topology.structure import Loop, Topology, topology
from sharnir.topology.tree import Tree, build_tree, free_tree

__all__ = ["Loop", "Topology", "Tree", "build_tree", "free_tree", "topology"]
