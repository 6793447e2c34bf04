"""Numbers as text inside a page."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np


def packed(values: Any, kind: str) -> str:
    """Numbers as base64 text of their bytes.

    >>> packed(np.array([0.0]), "<f4")
    'AAAAAA=='
    """
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
