"""Reductions of the formulas of a study, step by step on the device: how each begins, goes on and ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NAN = 'nan("")'


class DeviceReduction(NamedTuple):
    """`update` : statements with {r}, {r1}, {r2} for its numbers, {x}, {past} for the quantity now and at the output before, and
    {m} for the second argument; t, before, first: the time, that of the output before, and whether there was none.

    result : the number from its own and the length of the run.
    """

    size: int
    update: str
    result: Callable[..., np.ndarray]


def _same(length: float, x: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return x


AREA = "if (first) {r} = 0.0; else {r} += 0.5 * (t - before) * ({x} + {past});"
SQUARES = "if (first) {r} = 0.0; else {r} += 0.5 * (t - before) * ({x} * {x} + {past} * {past});"
SPREAD = """if (first) {{ {r} = {r1} = 0.0; {r2} = {x}; }} else {{
    const double a = {x} - {r2}, b = {past} - {r2};
    {r} += 0.5 * (t - before) * (a + b); {r1} += 0.5 * (t - before) * (a * a + b * b); }}"""
AT = f"""if (first) {{r}} = t == {{m}} ? {{x}} : {NAN};
  else if (before < {{m}} && {{m}} <= t) {{r}} = {{past}} + ({{x}} - {{past}}) * (({{m}} - before) / (t - before));"""
HOLDS = "if (first) {r} = 0.0; else {r} += 0.5 * (t - before) * (({x} != 0.0) + ({past} != 0.0));"

DEVICE_REDUCTIONS: dict[str, DeviceReduction] = {
    "max": DeviceReduction(1, "if (first || {x} > {r}) {r} = {x};", _same),
    "min": DeviceReduction(1, "if (first || {x} < {r}) {r} = {x};", _same),
    "span": DeviceReduction(
        2, "if (first || {x} > {r}) {r} = {x}; if (first || {x} < {r1}) {r1} = {x};", lambda length, a, b: a - b
    ),
    "mean": DeviceReduction(1, AREA, lambda length, a: a / length),
    "rms": DeviceReduction(1, SQUARES, lambda length, a: np.sqrt(a / length)),
    "deviation": DeviceReduction(3, SPREAD, lambda length, a, b, _: np.sqrt(np.maximum(b / length - (a / length) ** 2, 0.0))),
    "initial": DeviceReduction(1, "if (first) {r} = {x};", _same),
    "final": DeviceReduction(1, "{r} = {x};", _same),
    "at": DeviceReduction(1, AT, _same),
    "integral": DeviceReduction(1, AREA, _same),
    "time_of_max": DeviceReduction(2, "if (first || {x} > {r1}) {{ {r1} = {x}; {r} = t; }}", _same),
    "time_of_min": DeviceReduction(2, "if (first || {x} < {r1}) {{ {r1} = {x}; {r} = t; }}", _same),
    "first_time": DeviceReduction(1, f"if (first) {{r}} = {NAN}; if ({{x}} != 0.0 && !({{r}} == {{r}})) {{r}} = t;", _same),
    "duration": DeviceReduction(1, HOLDS, _same),
}
