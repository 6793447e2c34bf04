"""Results as tables: structured arrays of NumPy, pandas, xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.errors import MissingExtraError

if TYPE_CHECKING:
    from sharnir.results.result import Result


def columns(result: Result, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Scalar channels by name: vectors as their components."""
    scalars = dict.fromkeys(part for name in names or result.channels for part in result.components(name))
    return {name: result[name] for name in scalars}


def structured(result: Result, names: tuple[str, ...]) -> np.ndarray:
    """A structured array with a row for each time; vectors keep their components together."""
    found = {"t": result.t} | {name: result[name] for name in names or result.channels}
    table = np.empty(len(result.t), [(name, values.dtype, values.shape[1:]) for name, values in found.items()])
    for name, values in found.items():
        table[name] = values
    return table


def pandas_for(purpose: str) -> Any:
    """The module pandas."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("frames", purpose) from None
    return pandas


def data_frame(result: Result, names: tuple[str, ...]) -> Any:
    """A pandas DataFrame over the times, one column for each scalar."""
    pandas = pandas_for("Result.to_pandas")
    found = columns(result, names)
    frame = pandas.DataFrame(found, index=pandas.Index(result.t, name="t"))
    frame.attrs = {"title": result.title, "units": {"t": "s"} | {name: result.unit(name) for name in found}}
    return frame


def dataset(result: Result, names: tuple[str, ...]) -> Any:
    """An xarray Dataset over the times: vectors keep their components as a dimension."""
    try:
        import xarray
    except ImportError:
        raise MissingExtraError("frames", "Result.to_xarray") from None
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"t": ("t", result.t, {"units": "s"})}
    for name in names or result.channels:
        values, dimensions = result[name], ["t"]
        if values.ndim == 2:
            parts = [part.rpartition(".")[2] for part in result.components(name)]
            axis = f"component {', '.join(parts)}"  # channels with the same components share a dimension
            dimensions.append(axis)
            coordinates[axis] = (axis, parts, {})
        variables[name] = (dimensions, values, {"units": result.unit(name)})
    return xarray.Dataset(variables, coordinates, {"title": result.title})
