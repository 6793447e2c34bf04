"""Models made for showing: `sharnir demo` runs one and writes its animation and plot."""

import sys

from sharnir.app.demos.demo import Demo
from sharnir.families import import_room

FIRST = "satellite"  # shown to those who name none

_found = [x for module in import_room(sys.modules[__name__]) for x in vars(module).values() if isinstance(x, Demo)]
ALL_DEMOS: dict[str, Demo] = {demo.name: demo for demo in sorted(_found, key=lambda demo: demo.name != FIRST)}

__all__ = ["ALL_DEMOS", "FIRST", "Demo"]
