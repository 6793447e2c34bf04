"""What mypy says of users' code: correct code passes in strict mode, and every mistake is found at its line."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import sharnir as sr
import sharnir.flexible
import sharnir.symbolic
from sharnir.integrate import setting_types

ROOT = Path(__file__).parents[1]
STRICT = """# mypy: disallow-any-generics, disallow-subclassing-any, disallow-untyped-calls, disallow-untyped-defs
# mypy: disallow-incomplete-defs, check-untyped-defs, disallow-untyped-decorators, warn-redundant-casts
# mypy: warn-unused-ignores, warn-return-any, no-implicit-reexport, strict-equality, extra-checks
"""
GOOD = """
import numpy as np

import sharnir as sr
import sharnir.symbolic as sy


def torque(q: float, v: float, t: float) -> float:
    return -q


m = sr.Model("arm", gravity=(0, 0, -9.81), parameters={"k": 200.0})
l = m.parameter("l", 0.5, unit="m", range=(0.1, 2))
bob = m.add(sr.Body("bob", mass=2 * l, inertia=np.eye(3), position=[0, 0, l], shape=sr.Sphere(0.1), color="steelblue"))
m.add(sr.Body("rod", mass=sy.expression("2*l"), position=np.zeros(3), shape=[sr.Box((1, l, 1)), sr.Rod((0, 0, 0), (1, 0, 0))]))
hinge, slide = m.add(
    sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y", q="90 deg", limits=(-1, "120 deg"), torque=torque),
    sr.Prismatic("slide", "ground", "rod", axis=(1, 0, 0), motion=("sin(t)", "cos(t)", "-sin(t)")),
)
m.add(sr.Spring("spring", bob, "rod", stiffness=200, force="-k*x", at_a=(0, 0, 0)))
m.add(sr.JointForce("drive", hinge, sr.Table((0, 1), (0, 2)), freedom=0))
m.add(sr.Event("high", "bob.z > 1", [sr.Stop("high")], direction="rising"))
mass: float = bob.mass
place: tuple[float, float, float] = bob.position
name: str = hinge.parent
start: tuple[float, ...] = hinge.q
result = m.simulate(1.0, step=0.1, integrator="dopri5", method="articulated", solver="dense", initial="equilibrium")
largest: float = float(result["hinge.q"].max())
system = m.compile("absolute")
system.accelerations([0.1], np.zeros(1))
system.equilibrium(stable=True)
numbers: dict[str, float] = {"hinge": 0.3}
sr.Initial(q=numbers, guess={"hinge": "90 deg", "free": (1, 2)})
sr.Parameter(0.5, range=(0.1, 2)), sr.OneOf([1, 2]), sr.Truncated(sr.Normal(0.0, 1.0), 0.0, 1.0)
sr.load_mjcf("robot.xml", stops=sr.HuntCrossley(1e4, damping=0.5)), sr.load_mjcf("robot.xml", stops="soft", contacts=None)
page = result.animate("arm.html", look="dark")
page.name
"""
# one mistake per line
BAD = """
sr.Body("b", mass="heavy")
sr.Body("b", mass=[1])
sr.Body("b", mass=None, position="there")
sr.Body(3, mass=1)
sr.Body("b", mas=1)
sr.Body("b", mass=1, shape="box")
sr.Body("b", mass=1, color=5)
sr.Sphere("big")
sr.Sphere()
sr.Revolute("h", "ground", "b", axis=5)
sr.Revolute("h", "ground", "b", axis="w")
sr.Revolute("h", "ground", "b")
sr.Revolute("h", "ground", axis="z")
sr.Revolute("h", "ground", 3, axis="z")
sr.Revolute("h", "ground", "b", axis="z", limits=3)
sr.Revolute("h", "ground", "b", axis="z", torque=[["x"]])
sr.Spring("s", "ground", "b", stiffness="hard")
sr.Spring("s", "ground", "b", force=[1, 2])
sr.Table((0, 1), (0, 1), kind="cubik")
sr.Contact("c", "a", "b", law="hertz")
sr.JointForce("f", 5, "sin(t)")
sr.Event("e", "q > 0", actions=["stop"])
sr.Gear("g", "a", "b", "two")
sr.Input("u", initial="zero")
m.add("body")
m.add(sr.Box((1, 1, 1)))
m.simulate(1.0, integrator="rk5")
m.simulate("long")
m.simulate(1.0, stp=0.1)
m.simulate(1.0, method="articulate")
m.simulate(1.0, solver=3)
m.simulate(1.0, initial="rest")
m.compile("absolut")
m.bodies["b"].mass = 3
m.bodies["b"].mass + "kg"
m.simulate(1.0).animate("a.html", look="blue")
m.simulate(1.0).animate("a.html").lenght
sr.load_urdf("robot.urdf", inertia="mend")
sr.load_urdf("robot.urdf", inertai="keep")
sr.load_urdf("robot.urdf", stops="hard")
sr.load_mjcf("robot.xml", stops="hard")
sr.Initial(q=3)
sr.Initial(q={"hinge": None})
sr.Parameter(1.0, range="wide")
sr.OneOf("ab")
sr.Truncated(3, 0.0, 1.0)
sr.nothing
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """What mypy says of each file, by lines; one run for all, with the project's settings and memory."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed: pip install sharnir[test]")
    folder = tmp_path_factory.mktemp("typed")
    every = "".join(f"print(sr.{name})\n" for name in sr.__all__)
    texts = {
        "good": STRICT + GOOD,
        "bad": 'import sharnir as sr\nm = sr.Model("m")\n' + BAD,
        "every": STRICT + "import sharnir as sr\n" + every,
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    files = [str(folder / f"{name}.py") for name in texts]
    said = api.run(["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", *files])[0]
    found: dict[str, dict[int, str]] = {name: {} for name in texts}
    for path, line, kind, message in re.findall(r"^(.+?):(\d+): (error|note): (.*)$", said, re.M):
        if kind == "error":
            found.setdefault(Path(path).stem, {})[int(line)] = message
    return found


def test_correct_code_passes_in_strict_mode(findings: dict[str, dict[int, str]]) -> None:
    assert findings["good"] == {}


def test_every_public_name_is_known_in_strict_mode(findings: dict[str, dict[int, str]]) -> None:
    assert findings["every"] == {}


def test_modules_that_define_public_names_are_checked_strictly() -> None:
    """The last of mypy's overrides names them all, so that running it finds what --strict would."""
    defining = {"sharnir.arguments", "sharnir.errors"}
    for owner in (sr, sharnir.flexible, sharnir.symbolic):
        things = [inspect.unwrap(getattr(owner, name)) for name in owner.__all__]
        warnings_and_errors = {x for x in things if inspect.isclass(x) and issubclass(x, BaseException)}
        named = {str(getattr(x, "__module__", "")) for x in things if x not in warnings_and_errors}
        defining |= {owner.__name__} | {x for x in named if x.startswith("sharnir")}
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    (strict,) = (x for x in overrides if x.get("warn_return_any"))
    assert sorted(defining) == strict["module"]
    flags = {"any_generics", "incomplete_defs", "subclassing_any", "untyped_calls", "untyped_decorators", "untyped_defs"}
    expected = {f"disallow_{flag}" for flag in flags} | {"extra_checks", "no_implicit_reexport", "warn_return_any"}
    assert {flag for flag, value in strict.items() if value is True} == expected


def test_every_mistake_is_found(findings: dict[str, dict[int, str]]) -> None:
    lines = ("", "", *BAD.split("\n"))
    wrong = {number for number, line in enumerate(lines) if line}
    assert {lines[number] for number in wrong - {number - 1 for number in findings["bad"]}} == set()


def test_words_of_settings_are_those_that_exist() -> None:
    from sharnir.dynamics.methods.all_methods import ALL_METHODS
    from sharnir.integrate.choice import EXTERNAL_INTEGRATORS
    from sharnir.integrate.stepping.integrator import Integrator

    words = {"auto", *Integrator.family.classes(own=True), *EXTERNAL_INTEGRATORS}
    assert set(get_args(setting_types.Integrator)) == words
    with pytest.raises(sr.ModelError) as caught:
        pendulum().compile(method="no such method")
    listed = str(caught.value).partition("choose one of ")[2].split(", ")
    words = get_args(setting_types.Method)
    assert [x for x in listed if x in words] == list(words) and {*words} >= {*ALL_METHODS}


@cache
def pendulum() -> sr.Model:
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    return m


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sr.Body("a", mas=1), "Body 'a': 'mas' is not an argument; did you mean 'mass'"),
        (lambda: sr.Revolute("h", "ground", "b", axsi="y"), "'axsi' is not an argument; did you mean 'axis'"),
        (lambda: replace(pendulum().bodies["bob"], mas=2), "did you mean 'mass'"),
        (lambda: pendulum().simulate(1.0, stp=0.1), "simulate: 'stp' is not an argument; did you mean 'step'"),
        (lambda: pendulum().compile(metod="auto"), "did you mean 'method'"),
        (lambda: pendulum().simulate(1.0, integrator="radau"), "did you mean 'radau5'"),
        (lambda: pendulum().compile(method="articulate"), "did you mean 'articulated'"),
        (lambda: pendulum().compile(solver="dens"), "did you mean 'dense'"),
        (lambda: pendulum().simulate(1.0, integrator="generalized-alpha", options={"rh": 0.5}), "did you mean 'rho'"),
        (lambda: sr.Table((0, 1), (0, 1), kind="cubik"), "did you mean 'cubic'"),
        (lambda: sr.Model("m", gravty=(0, 0, 0)), "Model: 'gravty' is not an argument; did you mean 'gravity'"),
        (lambda: sr.load_urdf("robot.urdf", inertai="keep"), "load_urdf: 'inertai' is not an argument; did you mean 'inertia'"),
        (lambda: sr.load_mjcf("robot.xml", keyfram="home"), "did you mean 'keyframe'"),
        (lambda: sr.Target("bob", posiiton=(0, 0, 0)), "Target: 'posiiton' is not an argument; did you mean 'position'"),
        (lambda: sr.Study(pendulum(), parameters={}, outputs={}, t_end=1.0, desing="grid"), "did you mean 'design'"),
        (lambda: pendulum().export_fmu("pendulum.fmu", inptus=["u"]), "did you mean 'inputs'"),
        (lambda: pendulum().stepper(stp=0.1), "Stepper: 'stp' is not an argument; did you mean 'step'"),
        (lambda: sr.Normal(1.0, deviaton=2.0), "Normal: 'deviaton' is not an argument; did you mean 'deviation'"),
        (lambda: pendulum().compile().linearize(inpts=[]), "linearize: 'inpts' is not an argument; did you mean 'inputs'"),
    ],
)
def test_misspelt_words_are_told_what_may_have_been_meant(call: Callable[[], object], message: str) -> None:
    with pytest.raises(sr.ModelError, match=re.escape(message)):
        call()


QUICK = {"System.accelerations", "System.inverse_dynamics"}  # called in loops, where checking names takes a fifth of the time


def test_every_public_function_with_options_gives_such_advice() -> None:
    found = set()
    for owner in (sr, sharnir.flexible):
        for name in owner.__all__:
            thing = getattr(owner, name)
            members = [thing] if inspect.isfunction(thing) else [x for _, x in inspect.getmembers(thing, inspect.isroutine)]
            for x in members:
                if str(getattr(x, "__module__", "")).startswith("sharnir.") and not x.__name__.startswith("_"):
                    given = inspect.signature(x).parameters.values()
                    named, optional = (p.kind is p.KEYWORD_ONLY for p in given), (p.default is not p.empty for p in given)
                    passes_on = any(p.kind is p.VAR_KEYWORD for p in given)
                    if (sum(named) > 1 or sum(optional) > 2) and not passes_on and not hasattr(x, "__wrapped__"):
                        found.add(x.__qualname__)
    assert found == QUICK


def test_names_of_the_package() -> None:
    assert set(dir(sr)) == {*sr.__all__, "__version__"}
    with pytest.raises(AttributeError, match="did you mean 'Body'"):
        _ = sr.Boddy


def test_signatures_name_all_fields() -> None:
    for kind in (sr.Body, sr.Revolute, sr.Spring, sr.Event, sr.PID):
        assert list(inspect.signature(kind).parameters) == [
            x.name for x in sorted(fields(kind), key=lambda x: x.kw_only) if x.init
        ]
        assert kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(")
