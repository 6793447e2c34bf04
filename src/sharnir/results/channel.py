"""A channel: one named quantity over time, given as an array or computed on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

import numpy as np

from sharnir.arguments import fail, sequence, shown, text
from sharnir.errors import ModelError, SharnirError

LABELS = {
    3: ("x", "y", "z"),
    4: ("w", "x", "y", "z"),
    6: ("fx", "fy", "fz", "tx", "ty", "tz"),
}


class UnknownChannelError(SharnirError, KeyError):
    """A result has no channel of that name; the message offers the nearest ones.

    >>> print(UnknownChannelError("O.p", ["O.q", "O.v", "A.q"]))
    no channel 'O.p'; did you mean 'O.v' or 'O.q'?
    """

    def __init__(self, name: str, known: Iterable[str] = (), hint: str = "") -> None:
        known = list(known)
        near = nearest(name, known)
        if near:
            hint = hint or f"did you mean {' or '.join(map(repr, near))}?"
        elif not hint:
            hint = f"there are {', '.join(known[:6])}{', …' if len(known) > 6 else ''}" if known else "the result has no channels"
        self.name, self.suggestions, self.hint = name, near, hint
        super().__init__(f"no channel {name!r}; {hint}")

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[str, list[str], str]]:
        return UnknownChannelError, (self.name, self.suggestions, self.hint)


def nearest(name: str, known: list[str], count: int = 3) -> list[str]:
    """Up to `count` known names that resemble `name`, capitals not counting.

    >>> nearest("crank.pos", ["crank.position", "rod.position", "crank.velocity"])
    ['crank.position']
    """
    folded: dict[str, str] = {}
    for item in known:
        folded.setdefault(item.casefold(), item)
    wanted = str(name).casefold()
    begins = [item for key, item in folded.items() if key.startswith(wanted)][:count]
    close = [folded[key] for key in get_close_matches(wanted, folded, n=count, cutoff=0.6)]
    return (begins or close)[:count]


class Channel:
    """A named quantity: values of shape (nt,) or (nt, k), a unit, and a label for each of the k components.

    Parameters
    ----------
    name : "<element>.<quantity>", such as "elbow.q" or "arm.position".
    values : array, or a function without arguments that returns it (called once, on first use).
    unit : one unit, or one for each component, such as ("m", "rad").
    labels : names of the components; None for a scalar channel, and "x", "y", "z" for a function that returns (nt, 3).
    in_file : the function reads the values from a file, and may be called again.

    >>> tip = Channel("tip.position", np.zeros((5, 3)), "m")
    >>> tip.components
    ('tip.position.x', 'tip.position.y', 'tip.position.z')
    >>> Channel("crank.q", lambda: np.ones(5), "rad").values
    array([1., 1., 1., 1., 1.])
    """

    def __init__(
        self,
        name: str,
        values: np.ndarray | Callable[[], np.ndarray],
        unit: str | Iterable[str] = "",
        labels: Iterable[str] | None = None,
        in_file: bool = False,
    ) -> None:
        self.name = text(name, "Channel", "name")
        self.unit: str | tuple[str, ...] = unit if isinstance(unit, str) else _same_or_all(_texts(unit, name, "unit"))
        self._labels = None if labels is None else tuple(labels) if isinstance(labels, str) else _texts(labels, name, "labels")
        self._in_file = in_file
        self._compute = values if callable(values) else None
        self._values = None if callable(values) else self._checked(values)

    @property
    def is_computed(self) -> bool:
        """Whether the values are in memory."""
        return self._values is not None

    @property
    def values(self) -> np.ndarray:
        """The values, read-only; computed on first use."""
        if self._values is None:
            assert self._compute is not None
            self._values = self._checked(self._computed(self._compute))
            self._compute = None  # lets go of what the function held
        return self._values

    def values_once(self) -> np.ndarray:
        """The values; those in a file are not kept, so that many channels can be written one by one.

        >>> crank = Channel("crank.q", lambda: np.ones(5), "rad", in_file=True)
        >>> crank.values_once().sum(), crank.is_computed
        (np.float64(5.0), False)
        """
        if self._values is None and self._in_file and self._compute is not None:
            return self._checked(self._computed(self._compute))
        return self.values

    @property
    def labels(self) -> tuple[str, ...]:
        """One label for each component; empty for a scalar channel."""
        if self._labels is None:
            shape = self.values.shape
            self._labels = () if len(shape) == 1 else LABELS.get(shape[1], tuple(str(k) for k in range(shape[1])))
        return self._labels

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the scalar channels in this one: its own if it is a scalar."""
        return tuple(f"{self.name}.{label}" for label in self.labels) or (self.name,)

    @property
    def known_components(self) -> tuple[str, ...]:
        """Names of the components as far as they are known without computing anything."""
        return self.components if self._labels or self.is_computed else ()

    def component_units(self) -> tuple[str, ...]:
        """One unit for each of `components`.

        >>> Channel("tip.position", np.zeros((5, 3)), "m").component_units()
        ('m', 'm', 'm')
        """
        return self.unit if isinstance(self.unit, tuple) else (self.unit,) * len(self.components)

    def _computed(self, compute: Callable[[], np.ndarray]) -> np.ndarray:
        try:
            return compute()
        except SharnirError:
            raise
        except Exception as error:
            raise ModelError(f"channel {self.name!r}: its function raised {shown(error)}") from error

    def _checked(self, values: np.ndarray) -> np.ndarray:
        """The values as a read-only array whose columns fit labels and units."""
        try:
            array = np.asarray(values)
        except Exception:  # ragged lists, odd objects
            raise ModelError(f"channel {self.name!r}: values = {shown(values)} must be an array of numbers") from None
        if array.dtype.kind not in "fiub":
            raise ModelError(f"channel {self.name!r}: values must be real numbers, not {array.dtype}")
        if array.ndim not in (1, 2):
            raise ModelError(f"channel {self.name!r}: values have shape {array.shape}; one or two axes are possible")
        width = array.shape[1] if array.ndim == 2 else 0
        if self._labels is not None and len(self._labels) != width:
            raise ModelError(f"channel {self.name!r}: {len(self._labels)} labels for {width} components")
        if isinstance(self.unit, tuple) and len(self.unit) != width:
            raise ModelError(f"channel {self.name!r}: {len(self.unit)} units for {width} components")
        view = array.view()
        view.flags.writeable = False
        return view


def _texts(given: Iterable[str], name: str, field: str) -> tuple[str, ...]:
    """One text for each component."""
    found = sequence(given, f"channel {name!r}", field, "text, or one text per component")
    if not all(isinstance(one, str) for one in found):
        fail(f"channel {name!r}", field, f"= {shown(given)} must be text, or one text per component")
    return found


def _same_or_all(units: tuple[str, ...]) -> str | tuple[str, ...]:
    """One unit where all components share it."""
    return units[0] if len(set(units)) == 1 else units
