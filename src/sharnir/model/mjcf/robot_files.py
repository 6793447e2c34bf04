"""Robot descriptions of either format by their content: URDF begins with <robot>, MJCF with <mujoco>."""

from __future__ import annotations

import re
from pathlib import Path

from sharnir.input_file import content
from sharnir.model.mjcf.mjcf_file import load_mjcf
from sharnir.model.model import Model
from sharnir.model.urdf.robot import load_urdf

NOT_ELEMENTS = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)


def robot_model(path: Path) -> Model:
    """The model of a file."""
    text = NOT_ELEMENTS.sub(b"", content(path)).lstrip(b"\xef\xbb\xbf \t\r\n")
    return load_mjcf(path) if text.startswith(b"<mujoco") else load_urdf(path)
