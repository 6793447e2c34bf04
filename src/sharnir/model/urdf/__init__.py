"""Reading robot descriptions (URDF)."""

from sharnir.model.urdf.robot import load_urdf

__all__ = ["load_urdf"]
