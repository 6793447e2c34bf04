"""The house: no circles of imports, not even through imports inside functions; rooms that can be taken in at a glance."""

import ast
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import sharnir

SOURCE = Path(sharnir.__file__).parent
MODULES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}
# annotations of lower rooms may name these, and theirs may name what their methods return
FACE = {"sharnir.model.model", "sharnir.model.contents", "sharnir.results.result"}
FACE |= {"sharnir.model.values", "sharnir.integrate.setting_types"}  # they say of what types fields and settings are
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
MOST_FILES = 20


def typing_only(tree):
    """Imports that only annotations use."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {id(inner) for block in blocks for inner in ast.walk(block)}


@cache
def imports(path):
    """Modules of the package that a file imports, anywhere in it: (module, whether only annotations use it)."""
    return list(_imports(path))


def _imports(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = typing_only(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sharnir":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (full if full in MODULES else node.module), id(node) in skipped
        elif isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in skipped) for alias in node.names if alias.name in MODULES)


@cache
def import_graph():
    """Module -> modules that it imports; all files are parsed, once, and only where a test asks for it."""
    return {name: [other for other, annotation in imports(path) if not annotation] for name, path in MODULES.items()}


@cache
def needed_by(name):
    """A module and all that it imports, however far away."""
    found, waiting = {name}, [name]
    while waiting:
        new = set(import_graph().get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def circle(graph):
    """Modules of one circle in a graph, or nothing: depth first, a module on the way that is met again closes it."""
    done, way = set(), []

    def visit(name):
        if name in way:
            return way[way.index(name) :]
        if name in done:
            return []
        way.append(name)
        found = next((found for other in graph.get(name, ()) if (found := visit(other))), [])
        way.pop()
        done.add(name)
        return found

    return next((found for name in graph if (found := visit(name))), [])


def test_a_circle_would_be_found():
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c"]
    assert circle({"a": ["b", "c"], "b": ["c"]}) == []


def test_what_a_module_needs():
    assert "sharnir.kernel.mode" in needed_by("sharnir.dynamics.system")
    assert "sharnir.dynamics.system" not in needed_by("sharnir.kernel.mode")


def test_no_circles_of_imports():
    assert circle(import_graph()) == []


@pytest.mark.parametrize("room", ROOMS)
def test_annotations_point_upward_only_at_the_face(room):
    """A file says what it needs by what it imports; annotations that name a room above hide it."""
    upward = []
    for name, path in MODULES.items():
        if name.startswith(f"sharnir.{room}.") and name not in FACE:
            for other, annotation in imports(path):
                elsewhere = other.rpartition(".")[0] != name.rpartition(".")[0] and other not in FACE
                if annotation and elsewhere and name in needed_by(other):
                    upward.append((name, other))
    assert upward == []


def test_rooms_are_small():
    rooms = defaultdict(int)
    for path in SOURCE.rglob("*"):
        rooms[path.parent] += path.suffix in (".py", ".js", ".css", ".html") and path.name not in ("__init__.py", "bundle.js")
    large = {str(room.relative_to(SOURCE)): count for room, count in rooms.items() if count > MOST_FILES}
    assert large == {}


def test_every_room_with_rooms_inside_has_a_contract():
    """It names all that stands in the room, so that a new file or room has to find its place."""
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layered = {name for x in contracts if x["type"] == "layers" and x["exhaustive"] for name in x["containers"]}
    rooms = {path.parent for path in SOURCE.rglob("*/__init__.py")}
    divided = {".".join(room.parent.relative_to(SOURCE.parent).parts) for room in rooms}
    assert len(divided) > 10
    assert divided - layered == set()


def test_every_room_says_what_it_is_for():
    for path in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
