"""Records of arrays ⇄ plain data and named arrays: dataclasses with numbers, text, arrays and other such dataclasses inside.

A record is read back by the types that its class declares: nothing in a file says which class to make, or runs.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from sharnir.errors import ModelError

Arrays = dict[str, np.ndarray]


def flattened(value: Any, arrays: Arrays, place: str = "") -> Any:
    """Plain data of a record; its arrays go to `arrays` under their places, which stand in the data.

    >>> arrays = {}
    >>> flattened({"a": np.ones(2), "b": (1, None)}, arrays)
    {'a': 'a', 'b': [1, None]}
    >>> list(arrays)
    ['a']
    """
    if isinstance(value, np.ndarray):
        arrays[place] = value
        return place
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {key: flattened(part, arrays, f"{place}.{key}" if place else key) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [flattened(part, arrays, f"{place}[{k}]") for k, part in enumerate(value)]
    return value.item() if isinstance(value, np.generic) else value


def restored(kind: Any, data: Any, arrays: Arrays, place: str = "") -> Any:
    """The value of a declared type from the result of `flattened`.

    >>> restored(dict[str, float], {"a": 1.0}, {})
    {'a': 1.0}
    """
    options = [kind] if get_origin(kind) not in (Union, UnionType) else list(get_args(kind))
    if data is None and NoneType in options:
        return None
    kind = next(option for option in options if option is not NoneType)
    outer, inner = get_origin(kind) or kind, get_args(kind)
    if outer is np.ndarray:
        if not isinstance(data, str) or data not in arrays:
            raise ModelError(f"the array '{place}' is missing")
        return arrays[data]
    if is_dataclass(outer):
        return _record(outer, data, arrays, place)
    if outer is dict:
        return {key: restored(inner[1], part, arrays, f"{place}.{key}") for key, part in _of(dict, data, place).items()}
    if outer in (tuple, list):
        parts = _of(list, data, place)
        kinds = [inner[0]] * len(parts) if len(inner) < 2 or inner[1] is Ellipsis else inner
        return outer(restored(one, part, arrays, f"{place}[{k}]") for k, (one, part) in enumerate(zip(kinds, parts, strict=True)))
    return _of((int, float) if outer is float else outer, data, place)


def _record(kind: Any, data: Any, arrays: Arrays, place: str) -> Any:
    """A dataclass; what has a default may be missing."""
    given, hints, values = _of(dict, data, place), get_type_hints(kind), {}
    for field in fields(kind):
        where = f"{place}.{field.name}" if place else field.name
        if field.name in given:
            values[field.name] = restored(hints[field.name], given[field.name], arrays, where)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ModelError(f"'{where}' is missing")
    return kind(**values)


def _of(kind: Any, data: Any, place: str) -> Any:
    if not isinstance(data, kind):
        raise ModelError(f"'{place}' = {str(data)[:40]!r} is not what it should be")
    return data
