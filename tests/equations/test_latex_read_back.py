"""Printed LaTeX, read back by SymPy's own parser, gives the engine's accelerations at random states and parameters."""

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.symbolic.printing import Latex

from .states import picked
from .test_parameter_formulas import double_pendulum

sympy = pytest.importorskip("sympy")
pytest.importorskip("antlr4", reason="SymPy reads LaTeX by antlr4-python3-runtime")


def gyroscope():
    m = sr.Model("gyroscope", parameters={"mu": 0.5, "h": 0.1})
    m.add(sr.Body("top", mass="mu", inertia=(1e-3, 1e-3, 2e-3), com=(0, 0, "h")))
    turns = (sr.Rotation("z"), sr.Rotation("x"), sr.Rotation("z"))
    m.add(sr.FreedomSequence("q", "ground", "top", freedoms=turns, q=(0, 0.5, 0), v=(0, 0, 20), damping=(0.1, 0.2, 0.3)))
    return m


def slider_crank():
    m = sr.Model("slider-crank", parameters={"r": 0.15, "L": 0.35})
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-3, 1e-3, 1e-3), com=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass=0.2, inertia=(2e-3, 2e-3, 2e-3), com=("L/2", 0, 0), position=("r", 0, 0)))
    m.add(sr.Body("slider", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), position=("r + L", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", q=0.4, v=5, damping=0.01))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=("r + L", 0, 0), axis="y"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping=0.2))
    return m


class ReadBack:
    """All rows of the LaTeX of equations as (left, right) of SymPy; `symbol` gives that of a name."""

    def __init__(self, equations):
        shown = equations.presentation
        names = {x for row in [r for _, part in shown.parts for r in part] for x in every_name(row)}
        style = Latex()
        ordered = sorted(names, key=lambda name: -len(style.name(name)))
        self.symbols = {name: sympy.Symbol(f"x_{{{k}}}") for k, name in enumerate(ordered)}
        block = equations.latex().removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
        for k, name in enumerate(ordered):  # symbols with words below and dots above, which the parser does not know
            block = block.replace(style.name(name), f"x_{{{k}}}") if len(style.name(name)) > 1 else alone(block, name, k)
        self.rows = [tuple(map(self.read, line.split(" &= "))) for line in block.split(" \\\\\n")]
        self.n_motion, self.n_definitions = len(shown.rows), len(shown.definitions)
        self.n_constraints = len(shown.constraints)

    def read(self, latex):
        from sympy.core.function import AppliedUndef
        from sympy.parsing.latex import parse_latex

        def product(e):  # a (b + c) may also be read as a function a of b + c
            return sympy.Symbol(e.func.__name__) * e.args[0]

        found = parse_latex(latex)
        while found.atoms(AppliedUndef):
            found = found.replace(lambda e: isinstance(e, AppliedUndef), product)
        return found


def alone(block, letter, k):
    """A single letter, where it is not part of a command."""
    import re

    return re.sub(rf"(?<![\\A-Za-z{{]){letter}(?![A-Za-z])|(?<={{){letter}(?= |\^|}}{{)", f"x_{{{k}}}", block)


def every_name(row):
    from sharnir.symbolic.expression_graph import names_of

    return names_of(row.left, row.right)


def accelerations(equations, q, v, letters):
    """v̇ from the LaTeX: M and forces by unit vectors, constraints differentiated twice along the motion."""
    read, m = ReadBack(equations), equations.mechanism
    s = read.symbols
    rows = list(read.rows)
    definitions = rows[len(rows) - read.n_definitions :] if read.n_definitions else []
    defined = {}
    for left, right in definitions:
        defined[left] = right.subs(defined)
    known = {s[name]: value for name, value in letters.items() if name in s}
    known |= {s[x.name]: value for x, value in zip(m.coordinates, q, strict=True) if x.name in s}
    known |= {s[x.name]: value for x, value in zip(m.speeds, v, strict=True) if x.name in s}
    unknown = [s.get(x.name, sympy.Dummy()) for x in m.accelerations] + [
        s[f"lambda_{k + 1}"] for k in range(len(equations.constraints))
    ]
    residuals = [(left - right).subs(defined) for left, right in rows[: read.n_motion]]
    for left, _ in rows[read.n_motion : read.n_motion + read.n_constraints]:
        rate, unknown_rates = sympy.Integer(0), {}
        for x, speed, acceleration in zip(m.coordinates, m.speeds, unknown, strict=False):
            dot = s.get(speed.name, sympy.Symbol(f"v_{speed.name}"))
            known.setdefault(dot, v[list(m.speeds).index(speed)])
            unknown_rates[s.get(x.name, sympy.Dummy())] = (dot, acceleration)
        rate = sum(sympy.diff(left, x) * dot for x, (dot, _) in unknown_rates.items())
        second = sum(sympy.diff(rate, x) * dot + sympy.diff(rate, dot) * a for x, (dot, a) in unknown_rates.items())
        residuals.append(second)
    A = [[float(sympy.diff(r, x).subs(known)) for x in unknown] for r in residuals]
    b = [float(r.subs(dict.fromkeys(unknown, 0)).subs(known)) for r in residuals]
    return np.linalg.solve(np.array(A), -np.array(b))[: m.n_tree]


@pytest.mark.parametrize("make", [double_pendulum, gyroscope, slider_crank])
def test_latex_gives_the_accelerations_at_other_parameters(make):
    """The model's own parameters have other values; those of the engine are built anew."""
    model, rng = make(), np.random.default_rng(6)
    equations = model.equations(letters=True)
    values = {name: value * rng.uniform(0.8, 1.2) for name, value in model.parameters.items()}
    system = model.with_parameters(**values).compile()
    q, v = (system.q0, system.v0) if system.constrained else rng.uniform(-1, 1, (2, system.n_v))
    own_q, own_v, numbers = picked(equations, system, q, v)
    found = accelerations(equations, own_q, own_v, equations.letters | values)
    want = system.accelerations(q, v)[numbers]
    assert np.abs(found - want).max() < 1e-11 * max(1.0, np.abs(want).max())


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.sample(2)
def test_latex_of_a_slider_crank(letters):
    model = mechanisms.slider_crank()
    equations, system = model.equations(letters), model.compile()
    q, v, numbers = picked(equations, system, system.q0, system.v0)
    want = system.accelerations(system.q0, system.v0)[numbers]
    found = accelerations(equations, q, v, equations.letters)
    assert np.abs(found - want).max() < 1e-11 * max(1.0, np.abs(want).max())
