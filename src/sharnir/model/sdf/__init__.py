"""Reading models of Gazebo and Drake (SDFormat)."""

from sharnir.model.sdf.sdf_file import load_sdf

__all__ = ["load_sdf"]
