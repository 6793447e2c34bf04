"""Arguments of public functions: each check returns the value in its stored form, or raises a ModelError that names it."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from sharnir.errors import ModelError, UnknownArgumentError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")
LONGEST = 300  # characters of a value in a message
EXACT = 2**53  # below that, floats are exact for whole numbers
FLOATS, NUMBERS = frozenset({float}), frozenset({float, int})


def fail(label: str, field: str, message: str) -> NoReturn:
    """Raise the ModelError "<element>: <field> <message>"."""
    raise ModelError(f"{label}: {field} {message}", field=field.partition(" ")[0])


def shown(value: Any) -> str:
    """A value as text for a message: cut if it is long, its type if it has no text.

    >>> shown((1, 2)), shown("x" * 1000)[-3:]
    ('(1, 2)', 'xx…')
    """
    try:
        words = repr(value)
    except Exception:  # a list inside itself, nested too deeply, or an object that cannot say what it is
        return f"a {type(value).__name__} that cannot be printed"
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def number(
    value: Any, label: str, field: str, *, low: float | None = None, above: float | None = None, finite: bool = True
) -> float:
    """A float; NaN, text and booleans are refused, infinity too unless `finite=False`.

    >>> number(3, "Body 'arm'", "mass", low=0)
    3.0
    """
    if type(value) is int and -EXACT < value < EXACT:
        value = float(value)
    if type(value) is float and math.isfinite(value) and (low is None or value >= low) and (above is None or value > above):
        return value
    if isinstance(value, (str, bytes, bytearray, bool, np.bool_)) or value is None:
        fail(label, field, f"= {shown(value)} must be a number")
    try:
        result = float(value)
    except Exception:  # whatever an object raises that is asked to be a number
        fail(label, field, f"= {shown(value)} must be a number")
    if math.isnan(result) or (finite and math.isinf(result)):
        fail(label, field, f"= {result!r} must be a {'finite number' if finite else 'number, not NaN'}")
    if low is not None and result < low:
        remedy = "must not be negative" if low == 0 else f"must be at least {low!r}"
        fail(label, field, f"= {result!r} {remedy}")
    if above is not None and result <= above:
        remedy = "must be positive" if above == 0 else f"must be greater than {above!r}"
        fail(label, field, f"= {result!r} {remedy}")
    return result


def moment(value: Any) -> float:
    """A time: a finite number."""
    return value if type(value) is float and math.isfinite(value) else number(value, "state", "t")


def integer(value: Any, label: str, field: str, *, low: int | None = None, most: int | None = None) -> int:
    """A whole number; 2.0 and True are none.

    >>> integer(3, "straight_beam", "elements", low=1)
    3
    """
    try:
        result = operator.index(value)
    except Exception:  # whatever an object raises that is asked to be an index
        fail(label, field, f"= {shown(value)} must be a whole number")
    if isinstance(value, (bool, np.bool_)):
        fail(label, field, f"= {value!r} must be a whole number")
    if low is not None and result < low:
        fail(label, field, f"= {result} must be at least {low}")
    if most is not None and result > most:
        fail(label, field, f"= {shown(result)} must be at most {most}")
    return result


def is_triple(value: Any) -> bool:
    """True for a tuple of three finite floats, the stored form of points; of huge ones it may say False.

    >>> is_triple((1.0, 2.0, 3.0)), is_triple((1, 2, 3)), is_triple((1.0, 2.0, math.inf))
    (True, False, False)
    """
    if type(value) is not tuple or len(value) != 3:
        return False
    x, y, z = value
    return type(x) is float and type(y) is float and type(z) is float and math.isfinite(x + y + z)


def vector(value: Any, size: int, label: str, field: str, **bounds: Any) -> tuple[float, ...]:
    """A tuple of `size` floats.

    >>> vector([1, 2, 3], 3, "Body 'arm'", "position")
    (1.0, 2.0, 3.0)
    """
    if type(value) is tuple and len(value) == size and not bounds:  # what most are, in the stored form or with whole numbers
        if size == 3 and is_triple(value):
            return value
        if FLOATS.issuperset(map(type, value)):
            if all(map(math.isfinite, value)):
                return value
        elif NUMBERS.issuperset(map(type, value)) and all(map(float(EXACT).__gt__, map(abs, value))):
            return tuple(map(float, value))
    entries = sequence(value, label, field, f"{size} numbers")
    if len(entries) != size:
        fail(label, field, f"= {shown(value)} has {len(entries)} entries; {size} are needed")
    if size == 1:
        return (number(entries[0], label, field, **bounds),)
    return tuple(number(entry, label, f"{field}[{k}]", **bounds) for k, entry in enumerate(entries))


def sequence(value: Any, label: str, field: str, expected: str) -> tuple[Any, ...]:
    """The entries of a list, tuple or array; text and other things are refused."""
    if type(value) is tuple:
        return value
    if isinstance(value, (str, bytes, bytearray, memoryview, dict, set, frozenset, type)) or not isinstance(value, Iterable):
        fail(label, field, f"= {shown(value)} must be {expected}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        fail(label, field, f"= {shown(value)} must be {expected}")
    try:
        return tuple(value.tolist()) if isinstance(value, np.ndarray) else tuple(value)
    except Exception:  # whatever an object raises that is asked for its entries
        fail(label, field, f"= {shown(value)} must be {expected}")


def numbers(
    value: Any, label: str, field: str, *, shape: tuple[int | None, ...] | None = None, finite: bool = True
) -> np.ndarray:
    """An array of floats; `shape` with None where any length is right.

    >>> numbers([[1, 2], [3, 4]], "reduce", "shapes", shape=(2, None)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    try:
        given = np.asarray(value)
        array = given.astype(float) if given.dtype.kind in "fiu" else np.array(value, dtype=float)
    except Exception:  # ragged lists, text, objects, numbers too large
        fail(label, field, f"= {shown(value)} must be an array of numbers")
    if given.dtype.kind not in "fiuO":
        fail(label, field, f"= {shown(value)} must be an array of numbers")
    wrong = shape is not None and len(shape) != array.ndim
    if shape is not None and (wrong or any(w not in (None, n) for w, n in zip(shape, array.shape, strict=True))):
        wanted = " × ".join("n" if n is None else str(n) for n in shape)
        fail(label, field, f"has the shape {array.shape}; it must be {wanted}")
    if finite and not np.isfinite(array).all():
        fail(label, field, "must hold finite numbers only")
    return array


def whole_numbers(value: Any, label: str, field: str) -> np.ndarray:
    """An array of integers, such as labels of nodes.

    >>> whole_numbers([3, 4], "beam", "labels")
    array([3, 4])
    """
    given = numbers(value, label, field)
    if given.size and (np.abs(given).max() > 2**62 or (given != np.floor(given)).any()):
        fail(label, field, f"= {shown(value)} must be whole numbers")
    return given.astype(np.int64)


def meant(word: Any, known: Iterable[str]) -> str:
    """What a misspelt word may have meant, for messages; nothing if no known word is like it.

    >>> meant("rk5", ("rk4", "abm")), meant("park", ("rk4", "abm"))
    ("; did you mean 'rk4'?", '')
    """
    close = difflib.get_close_matches(word, list(known), n=1) if isinstance(word, str) else []
    return f"; did you mean {close[0]!r}?" if close else ""


def check_settings(settings: Iterable[str], known: Iterable[str], label: str, elsewhere: Mapping[str, str] | None = None) -> None:
    """Refuse a setting, field or argument that does not exist, with what may have been meant.

    elsewhere : names that belong to something else, with the advice where to.

    >>> check_settings(["stp"], ["step", "output"], "simulate")
    Traceback (most recent call last):
    sharnir.errors.UnknownArgumentError: simulate: 'stp' is not an argument; did you mean 'step'?
    """
    words = list(known)
    for name in settings:
        if name not in words:
            moved = (elsewhere or {}).get(name, "")
            advice = f"; {moved}" if moved else meant(name, words) or f"; it takes {', '.join(words)}"
            raise UnknownArgumentError(f"{label}: {name!r} is not an argument{advice}", field=name)


def with_advice(function: Callable[P, R]) -> Callable[P, R]:
    """A public function that says what a misspelt keyword may have meant.

    >>> @with_advice
    ... def run(step: float = 0.1) -> float:
    ...     return step
    >>> run(stp=0.2)
    Traceback (most recent call last):
    sharnir.errors.UnknownArgumentError: run: 'stp' is not an argument; did you mean 'step'?
    """
    parameters = inspect.signature(function).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        raise TypeError(f"{function.__qualname__} passes settings on and has to check them itself")
    known = {name for name, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    shown_names = [name for name in parameters if name in known and name != "self"]

    @wraps(function)
    def checked(*arguments: P.args, **settings: P.kwargs) -> R:
        if settings and not settings.keys() <= known:
            made: type | None = type(arguments[0]) if function.__name__ == "__init__" and arguments else None
            check_settings(settings, shown_names, (made or function).__name__, getattr(made, "elsewhere", None))
        return function(*arguments, **settings)

    return checked


def advising(cls: type[C]) -> type[C]:
    """A class whose constructor says what a misspelt keyword may have meant.

    >>> @advising
    ... class Point:
    ...     def __init__(self, height: float) -> None: ...
    >>> Point(hight=0.2)
    Traceback (most recent call last):
    sharnir.errors.UnknownArgumentError: Point: 'hight' is not an argument; did you mean 'height'?
    """
    cls.__init__ = with_advice(cls.__init__)  # type: ignore[method-assign]
    return cls


def choice(value: Any, options: Iterable[str], label: str, field: str) -> str:
    """One of the words in `options`."""
    words = tuple(options)
    if not isinstance(value, str) or value not in words:
        fail(label, field, f"= {shown(value)} must be one of {', '.join(map(repr, words))}{meant(value, words)}")
    return value


def bool_of(value: Any, label: str, field: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        fail(label, field, f"= {shown(value)} must be True or False")
    return bool(value)


def text(value: Any, label: str, field: str) -> str:
    """A text."""
    if not isinstance(value, str):
        fail(label, field, f"= {shown(value)} must be text")
    return value


def mapping(value: Any, label: str, field: str, expected: str) -> dict[str, Any]:
    """A dict whose keys are text."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        fail(label, field, f"= {shown(value)} must be {expected}")
    return dict(value)


def file_path(value: Any, label: str, field: str = "path") -> Path:
    """The path of a file, from text or a path.

    >>> file_path("motion.csv", "Result.save").name
    'motion.csv'
    """
    if not isinstance(value, (str, os.PathLike)) or not isinstance(name := os.fspath(value), str) or not name or "\0" in name:
        fail(label, field, f"= {shown(value)} must be the name of a file")
    return Path(name)
