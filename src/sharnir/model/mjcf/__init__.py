"""Reading models of MuJoCo (MJCF)."""

from sharnir.model.mjcf.mjcf_file import load_mjcf

__all__ = ["load_mjcf"]
