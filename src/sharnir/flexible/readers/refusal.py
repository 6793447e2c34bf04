"""Foreign files that cannot be read: any failure of a reader becomes one error that names the file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from sharnir.errors import ModelError, SharnirError

Reader = TypeVar("Reader", bound=Callable[..., Any])


def refusing(read: Reader) -> Reader:
    """A reader whose first argument is a file; what it cannot read raises a ModelError.

    >>> @refusing
    ... def read_number(path):
    ...     return float("three")
    >>> read_number("beam.sti")
    Traceback (most recent call last):
    sharnir.errors.ModelError: beam.sti cannot be read (could not convert string to float: 'three'); is it complete?
    """
    signature = inspect.signature(read)

    @wraps(read)
    def guarded(*given: Any, **options: Any) -> Any:
        signature.bind(*given, **options)  # a wrong argument is not the fault of the file
        try:
            return read(*given, **options)
        except SharnirError:
            raise
        except Exception as error:
            name = Path(given[0]).name if given and isinstance(given[0], (str, Path)) else repr(given[0] if given else options)
            reason = (str(error) or type(error).__name__).splitlines()[0][:200]
            raise ModelError(f"{name} cannot be read ({reason}); is it complete?", field="path") from error

    return cast("Reader", guarded)
