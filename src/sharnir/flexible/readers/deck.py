"""Nodes, elements and node sets of input decks (.inp) of CalculiX and Abaqus."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.surface import surface_triangles
from sharnir.input_file import is_file, permitted

MOST_INCLUDES, MOST_LABELS = 1000, 10**7

#: element types by the beginning of their names, longest first: kind of cell
SOLIDS = (
    ("C3D20", "hexahedron20", 20),
    ("C3D15", "wedge15", 15),
    ("C3D10", "tetra10", 10),
    ("C3D8", "hexahedron", 8),
    ("C3D6", "wedge", 6),
    ("C3D4", "tetra", 4),
)
LINES = (("B31", 2), ("B33", 2), ("T3D2", 2), ("B32", 3), ("T3D3", 3), ("PIPE31", 2), ("PIPE32", 3))
SHELLS = (("S3", 3), ("STRI3", 3), ("M3D3", 3), ("S4", 4), ("M3D4", 4), ("S6", 6), ("STRI65", 6), ("S8", 8), ("M3D8", 8))


@dataclass
class Deck:
    """What of an input deck a body needs. nodes: label → place.

    Solids, lines, shells: tables of labels by kind; sets: labels by name.
    """

    path: Path
    nodes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    solids: dict[str, list[list[int]]] = field(default_factory=dict)
    lines: list[tuple[int, int]] = field(default_factory=list)
    shells: list[list[int]] = field(default_factory=list)
    sets: dict[str, list[int]] = field(default_factory=dict)
    instances: list[tuple[str, list[float]]] = field(default_factory=list)
    keywords: set[str] = field(default_factory=set)

    @property
    def labels(self) -> np.ndarray:
        return np.array(list(self.nodes), dtype=np.int64)

    @property
    def places(self) -> np.ndarray:
        return np.array(list(self.nodes.values()), dtype=float).reshape(-1, 3)

    def faces(self) -> np.ndarray:
        """(k, 3) labels of triangles: the surface of solids, and shells."""
        parts = []
        if self.solids:
            parts.append(surface_triangles([(kind, np.array(table)) for kind, table in self.solids.items()]))
        for shell in self.shells:
            corners = shell[:3] if len(shell) in (3, 6) else shell[:4]
            parts += [np.array([[corners[0], corners[k], corners[k + 1]]]) for k in range(1, len(corners) - 1)]
        return np.vstack(parts) if parts else np.empty((0, 3), dtype=np.int64)


def read_deck(path: Path) -> Deck:
    """The mesh of an input deck. INCLUDEd files are followed.

    Everything but nodes, elements, sets and instances is passed over.
    """
    deck = Deck(path)
    for keyword, options, data in _blocks(path):
        deck.keywords.add(keyword)
        if keyword == "NODE":
            _add_nodes(deck, options, data)
        elif keyword == "ELEMENT":
            _add_elements(deck, options, data)
        elif keyword == "NSET":
            _add_set(deck, options, data)
        elif keyword == "INSTANCE":
            deck.instances.append((options.get("NAME", ""), [float(word) for line in data[:1] for word in line]))
            if len(data) > 1:
                raise ModelError(
                    f"{path.name}: the instance {options.get('NAME')!r} is rotated; write the deck without parts and assembly",
                    field="mesh",
                )
    if not deck.nodes:
        raise ModelError(f"{path.name}: the deck has no *NODE table; give the file with the mesh", field="mesh")
    return deck


def _blocks(path: Path) -> Any:
    """(keyword, options, data lines as lists of words) of a deck, included files in their place."""
    keyword, options, data = "", {}, []  # type: str, dict[str, str], list[list[str]]
    for line in _lines(path, ()):
        if line.startswith("*"):
            if keyword:
                yield keyword, options, data
            head, *rest = (word.strip() for word in line[1:].split(","))
            keyword, data = head.upper(), []
            options = {key.strip().upper(): value.strip().strip('"') for key, _, value in (word.partition("=") for word in rest)}
        elif keyword:
            data.append([word.strip() for word in line.split(",") if word.strip()])
    if keyword:
        yield keyword, options, data


def _lines(path: Path, parents: tuple[Path, ...], opened: list[Path] | None = None) -> Any:
    opened = [] if opened is None else opened
    if path.resolve() in parents:
        raise ModelError(f"{path.name}: the deck includes itself", field="mesh")
    opened.append(permitted(path))
    if len(opened) > MOST_INCLUDES:
        raise ModelError(f"{path.name}: more than {MOST_INCLUDES} files are included; write one deck", field="mesh")
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        line = line.strip()
        if not line or line.startswith("**"):
            continue
        if line.upper().replace(" ", "").startswith("*INCLUDE,"):
            inner = path.parent / line.partition("=")[2].strip().strip('"')
            if not is_file(inner):
                raise ModelError(f"{path.name}: the included file {inner.name!r} does not exist", field="mesh")
            yield from _lines(inner, (*parents, path.resolve()), opened)
        else:
            yield line


def _add_nodes(deck: Deck, options: dict[str, str], data: list[list[str]]) -> None:
    labels = []
    for words in data:
        label = int(words[0])
        numbers = [float(word) for word in words[1:4]] + [0.0] * (4 - len(words))
        if label in deck.nodes and deck.nodes[label] != tuple(numbers):
            raise ModelError(
                f"{deck.path.name}: node {label} is defined twice, at different positions; write the deck without parts "
                "and assembly",
                field="mesh",
            )
        deck.nodes[label] = (numbers[0], numbers[1], numbers[2])
        labels.append(label)
    if options.get("NSET"):
        deck.sets.setdefault(options["NSET"], []).extend(labels)


def _add_elements(deck: Deck, options: dict[str, str], data: list[list[str]]) -> None:
    """Cells of known types; an element may run over several lines."""
    kind = options.get("TYPE", "").upper()
    table = next(((name, width) for start, name, width in SOLIDS if kind.startswith(start)), None)
    width = table[1] if table else next((width for start, width in LINES + SHELLS if kind.startswith(start)), 0)
    if not width:
        return
    words = [int(word) for line in data for word in line]
    for first in range(0, len(words), width + 1):
        cell = words[first + 1 : first + 1 + width]
        if len(cell) < width:
            raise ModelError(
                f"{deck.path.name}: element {words[first]} of type {kind} has {len(cell)} nodes instead of {width}", field="mesh"
            )
        if table:
            deck.solids.setdefault(table[0], []).append(cell)
        elif any(kind.startswith(start) for start, _ in LINES):
            deck.lines += [(cell[k], cell[k + 1]) for k in range(width - 1)]
        else:
            deck.shells.append(cell)


def _add_set(deck: Deck, options: dict[str, str], data: list[list[str]]) -> None:
    """Labels, names of other sets, or first, last, step with GENERATE."""
    members = deck.sets.setdefault(options.get("NSET", ""), [])
    if "GENERATE" in options:
        for words in data:
            first, last, step = (int(word) for word in (*words, "1")[:3])
            if step <= 0 or (last - first) // step > MOST_LABELS:
                name = options.get("NSET", "")
                raise ModelError(f"{deck.path.name}: the set {name!r} from {first} to {last} by {step} is too long", field="mesh")
            members.extend(range(first, last + 1, step))
        return
    for word in (word for line in data for word in line):
        if word.lstrip("-").isdigit():
            members.append(int(word))
        else:
            members.extend(deck.sets.get(word, []))
