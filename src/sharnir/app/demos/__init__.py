"""Demonstration models: `sharnir demo` runs one and writes its animation and plot."""

from sharnir.app.demos import machines, motions, spacecraft, vehicles
from sharnir.app.demos.demo import Demo
from sharnir.families import import_room

FIRST = "satellite"  # shown if no demo is named

_modules = [module for room in (machines, motions, spacecraft, vehicles) for module in import_room(room)]
_modules.sort(key=lambda module: module.__name__.rpartition(".")[2])
_found = [x for module in _modules for x in vars(module).values() if isinstance(x, Demo)]
ALL_DEMOS: dict[str, Demo] = {demo.name: demo for demo in sorted(_found, key=lambda demo: demo.name != FIRST)}

__all__ = ["ALL_DEMOS", "FIRST", "Demo"]
