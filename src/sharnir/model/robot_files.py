"""Robot descriptions of all formats by their content: URDF begins with <robot>, MJCF with <mujoco>, SDF with <sdf>."""

from __future__ import annotations

import re
from pathlib import Path

from sharnir.input_file import content
from sharnir.model.mjcf import load_mjcf
from sharnir.model.model import Model
from sharnir.model.sdf import load_sdf
from sharnir.model.urdf import load_urdf

ROBOTS = (".urdf", ".xml", ".sdf", ".world")  # endings of such files
NOT_ELEMENTS = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)


def robot_model(path: Path) -> Model:
    """The model of a file."""
    text = NOT_ELEMENTS.sub(b"", content(path)).lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<mujoco"):
        return load_mjcf(path)
    return load_sdf(path) if text.startswith((b"<sdf", b"<gazebo")) else load_urdf(path)
