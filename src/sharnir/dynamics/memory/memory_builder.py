"""The engine's memory under construction, and everything determined during the assembly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.kernel.bounds import guards, note_guards
from sharnir.kernel.mode import CHECKED
from sharnir.model import Model
from sharnir.topology import Tree


@dataclass
class Blocks:
    """The engine's memory under construction: sections are appended, their offsets go into the header."""

    header: np.ndarray = field(default_factory=lambda: np.zeros(L.HEADER, np.int64))
    table: list[np.ndarray] = field(default_factory=list)
    params: list[np.ndarray] = field(default_factory=list)
    work: list[np.ndarray] = field(default_factory=list)
    _sizes: dict[str, int] = field(default_factory=lambda: {"table": L.HEADER, "params": 0, "work": 0})

    def append(self, block: str, slot: int | None, values: Any) -> int:
        """Add a section to a block, note its offset in the header slot, and return the offset."""
        kind = np.int64 if block == "table" else np.float64
        empty = isinstance(values, np.ndarray) and values.strides == (0,) and not CHECKED
        section = values if empty else np.ascontiguousarray(values, kind).ravel()
        if CHECKED:
            section = np.concatenate([section, guards(kind)])
        at = self._sizes[block]
        if slot is not None:
            self.header[slot] = at
        getattr(self, block).append(section)
        self._sizes[block] = at + section.size
        return at

    def size(self, block: str) -> int:
        """Numbers in a block so far."""
        return self._sizes[block]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers in table, params and work so far."""
        return self._sizes["table"], self._sizes["params"], self._sizes["work"]

    def finish(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The three blocks as contiguous arrays; the sections are let go, a large model needs the memory."""
        blocks = np.concatenate([self.header, *self.table]), np.concatenate(self.params), aligned(self.work)
        self.table, self.params, self.work = [], [], []
        if CHECKED:
            for block in blocks:
                note_guards(block)
        return blocks


def aligned(sections: list[np.ndarray]) -> np.ndarray:
    """Sections one after the other from the beginning of a cache line on, so that vectors do not lie across two lines.

    >>> aligned([np.ones(2), np.zeros(1)]).tolist()
    [1.0, 1.0, 0.0]
    """
    ends = np.cumsum([section.size for section in sections])
    raw = np.zeros(int(ends[-1]) + 8)
    start = -raw.ctypes.data // 8 % 8
    whole = raw[start : start + int(ends[-1])]
    for section, end in zip(sections, ends.tolist(), strict=True):
        if section.strides != (0,):
            whole[end - section.size : end] = section
    return whole


def nothing(count: int) -> np.ndarray:
    """Zeros for a section of `work`. They take no memory, and in a large model that is never touched here no time.

    >>> nothing(3).tolist(), nothing(3).strides
    ([0.0, 0.0, 0.0], (0,))
    """
    return np.broadcast_to(0.0, (count,))


@dataclass
class Assembly:
    """Everything `assemble` found out: memory, coordinates, frames, compiled functions."""

    blocks: Blocks
    coordinates: Coordinates
    placement: Placement
    functions: Functions
    force_outputs: dict[str, int]  # force name -> where its numbers stand in work
    tree: Tree
    model: Model
    elements: list[Any] = field(default_factory=list)  # constraint elements: cut joints and constraints
    pairs: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # elements that share speeds
    program: Any = None  # SignalProgram, if the model has signals
    way: tuple[bool, bool] = (True, True)  # whether mimic joints are folded, and bodies that fly by themselves need no tree

    @property
    def structure(self) -> Model:
        """A model with the same elements, whose numbers may be others."""
        return self.model

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints of the tree."""
        return [joint.name for joint in self.tree.joints]

    @property
    def count(self) -> int:
        return int(self.blocks.header[L.N_BODY])
