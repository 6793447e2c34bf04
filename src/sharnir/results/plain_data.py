"""Plain data as JSON text, arrays included: the metadata of result files."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np


def dump(value: Any) -> str:
    """JSON text of plain data, arrays included."""
    return json.dumps(value, default=_plain)


def load(text: str | bytes) -> Any:
    """The data that `dump` wrote.

    >>> load(dump({"residual": np.array([1.0, 2.0])}))
    {'residual': array([1., 2.])}
    """
    return json.loads(text, object_hook=_array)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def _array(record: dict[str, Any]) -> Any:
    return np.array(record["array"], record["dtype"]) if record.keys() == {"array", "dtype"} else record
