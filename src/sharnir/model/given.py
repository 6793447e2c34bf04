"""Fields that accept more than they store, such as a body or its name: both types as editors and type checkers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Never, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
Accepted = TypeVar("Accepted", contravariant=True)
Stored = TypeVar("Stored", covariant=True)


class Given(Generic[Accepted, Stored]):
    """The type of a field: what the constructor accepts, and what it stores.

    To type checkers it is a descriptor: `__set__` says what the constructor accepts, `__get__` what is read. Since no object is
    an instance of Never, they refuse assignments to elements. It exists for them only and is never called.
    """

    def __get__(self, instance: object, owner: Any) -> Stored:
        raise NotImplementedError

    def __set__(self, instance: Never, value: Accepted) -> None:
        raise NotImplementedError


def default(value: Any) -> Any:
    """The default of a field: itself. Type checkers compare defaults with neither of its types.

    >>> default((0.0, 0.0, 0.0))
    (0.0, 0.0, 0.0)
    """
    return value


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def element(cls: Class) -> Class:
    """A frozen dataclass whose fields may be of types `Given`.

    >>> @element
    ... class Knot:
    ...     name: str
    >>> Knot("a")
    Knot(name='a')
    """
    return dataclass(frozen=True)(cls)  # type: ignore[return-value]
