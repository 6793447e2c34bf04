"""The equations of motion of a model as expressions: M v̇ + h = τ + Gᵀ λ, G v̇ + γ = 0, to print, to export, to evaluate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import number, numbers, shown
from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.symbolic.differentiation import gradient
from sharnir.symbolic.evaluation import Evaluator, evaluated
from sharnir.symbolic.expression_graph import Swapped
from sharnir.symbolic.functions import CONSTANTS, FUNCTIONS
from sharnir.symbolic.nodes import Name, Node

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism
    from sharnir.equations.presentation import Presentation, Row
    from sharnir.integrate.setting_types import State

NEWTON_STEPS = 50
CLOSED = 1e-9  # what constraints may be off, at most, in a position that counts as one of the mechanism


@dataclass(frozen=True)
class ConstraintRow:
    """One constraint equation: g (None for velocity equations), ġ, ∂ġ/∂v, and g̈ without v̇.

    slopes : ∂g/∂q, where functions in g have no derivatives of their own.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> for name in ("a", "b"):
    ...     _ = m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)), sr.Revolute(name.upper(), "ground", name, axis="y"))
    >>> _ = m.add(sr.Gear("pair", "A", "B", ratio=2))
    >>> row = m.equations().constraints[0]
    >>> row.name, str(row.value)
    ('pair', '-2*q_A + q_B')
    """

    name: str
    value: Node | None
    rate: Node
    jacobian: list[Node]
    bias: Node
    slopes: list[Node] | None = None


@dataclass
class Equations:
    """Equations of motion M v̇ + h = τ + Gᵀ λ with constraints g = 0; made by `Model.equations`.

    coordinates, speeds : symbols of q and v, in the order of rows and columns; those beyond the tree's belong to cut joints.
    mass_matrix, bias, applied : M, h (velocities and gravity) and τ (all other forces) as expressions.
    constraints : rows with g, ġ, G and γ.
    letters : values of the letters, if letters were requested.

    `print(eq)`, `eq.latex()`, `eq.sympy()`, `eq.html()` write them; `eq.accelerations(q, v, t)` evaluates them.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
    >>> eq = m.equations()
    >>> print(eq.rows[0])
    2*x'' = -8*x
    >>> eq.latex().splitlines()[1]
    '2 \\\\ddot{x} &= -8 x'
    """

    name: str
    mechanism: Mechanism
    mass_matrix: list[list[Node]]
    bias: list[Node]
    applied: list[Node]
    constraints: list[ConstraintRow]
    _closed_by: Any = field(default=None, repr=False)
    samples: list[np.ndarray] = field(default_factory=list, repr=False)  # G in positions near the drawing, rows of length 1

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Symbols of the coordinates q."""
        return tuple(x.name for x in self.mechanism.coordinates)

    @property
    def speeds(self) -> tuple[str, ...]:
        """Symbols of the speeds v."""
        return tuple(x.name for x in self.mechanism.speeds)

    @property
    def acceleration_symbols(self) -> tuple[str, ...]:
        """Symbols of v̇."""
        return tuple(x.name for x in self.mechanism.accelerations)

    @property
    def rates(self) -> tuple[Node, ...]:
        """q̇ as expressions of q and v."""
        return tuple(self.mechanism.rates[x] for x in self.mechanism.coordinates)

    @property
    def letters(self) -> dict[str, float]:
        """Values of the letters."""
        return dict(self.mechanism.letters.values)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Symbols without a value of their own: signals, and forces without a closed form."""
        return (*self.mechanism.entries.signals, *self.mechanism.opaque)

    @property
    def nodes(self) -> list[Node]:
        """All expressions of the equations."""
        found = [x for row in self.mass_matrix for x in row] + self.bias + self.applied + list(self.rates)
        for row in self.constraints:
            found += [*row.jacobian, row.rate, row.bias, *([] if row.value is None else [row.value])]
        return found

    def renamed(self, names: Mapping[str, str]) -> Equations:
        """The same equations with other names of letters, coordinates or inputs; nothing else changes.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=2, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> print(m.equations(letters=True).renamed({"c_bob": "l", "m_bob": "m"}).rows[0])
        m*l^2*q_O'' + m*g*l*sin(q_O) = 0
        """
        if not names:
            return self
        self._check_names(names)
        every = {name + dots: other + dots for name, other in names.items() for dots in ("", "'", "''")}
        swap: dict[Node, Node] = {Name(name): Name(other) for name, other in every.items()}
        done = Swapped(swap)
        rows = [
            ConstraintRow(
                row.name, None if row.value is None else done(row.value), done(row.rate), done.all(row.jacobian), done(row.bias)
            )
            for row in self.constraints
        ]
        mass = [done.all(row) for row in self.mass_matrix]
        return Equations(self.name, self.mechanism.renamed(every, done), mass, done.all(self.bias), done.all(self.applied), rows)

    def _check_names(self, names: Any) -> None:
        """Refuse names that are unknown, taken, or none in formulas."""
        label, known = f"equations of '{self.name}'", [x for x in self.symbols if not x.endswith("'")]
        if not isinstance(names, Mapping):
            raise ModelError(f"{label}: names = {shown(names)} must be new names by old ones, such as {{'m_bob': 'm'}}")
        for old, new in names.items():
            if old not in known:
                raise ModelError(f"{label}: {shown(old)} is not one of its symbols; there are {', '.join(known)}")
            if not isinstance(new, str) or not re.fullmatch(r"[A-Za-z_]\w*", new) or new in {"t", *FUNCTIONS, *CONSTANTS}:
                raise ModelError(
                    f"{label}: {shown(new)} is not a name for {old}; use letters, digits and _, and no function's name"
                )
        clash = sorted(set(names.values()) & set(self.symbols) - set(names))
        if clash or len(set(names.values())) < len(names):
            raise ModelError(f"{label}: the name {(clash or list(names.values()))[0]!r} is taken; choose another")

    @property
    def symbols(self) -> tuple[str, ...]:
        """All symbols: coordinates, speeds, letters, inputs, given motions, definitions."""
        m = self.mechanism
        return (*self.coordinates, *self.speeds, *self.letters, *self.inputs, *m.given, *m.definitions.values())

    # numbers

    def values(self, q: State, v: State, t: float = 0.0, given: Mapping[str, float] | None = None) -> dict[str, float]:
        """Numbers of all symbols at a state."""
        m = self.mechanism
        found = {"t": float(t), **m.letters.values, **m.followed_start, **(given or {})}
        for name, course in m.given.items():
            for symbol, value in zip((name, name + "'", name + "''"), evaluated(course, found, m.entries.functions), strict=True):
                found.setdefault(symbol, value)
        found |= {x.name: float(y) for x, y in zip(m.coordinates, np.atleast_1d(q), strict=True)}
        return found | {x.name: float(y) for x, y in zip(m.speeds, np.atleast_1d(v), strict=True)}

    def evaluate(self, nodes: Sequence[Node], q: State, v: State, t: float = 0.0, **given: float) -> np.ndarray:
        """Numbers of expressions at a state; `given` are inputs by their symbols.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> eq = m.equations()
        >>> eq.evaluate(eq.applied, [0.5], [0.0])
        array([-4.])
        """
        return np.array(evaluated(nodes, self.values(q, v, t, given), self.mechanism.entries.functions))

    def constraint_jacobian(self, q: State, v: State, t: float = 0.0) -> np.ndarray:
        """G at a state."""
        nodes = [node for row in self.constraints for node in row.jacobian]
        known = dict.fromkeys(self.inputs, 0.0)
        return self.evaluate(nodes, q, v, t, **known).reshape(-1, len(self.speeds))

    def closed_state(self, q: np.ndarray, fixed: int = 0, t: float = 0.0) -> np.ndarray:
        """Coordinates on the constraints near given ones, by Newton's method; the first `fixed` stay."""
        rows = [row for row in self.constraints if row.value is not None]
        if not rows:
            return q
        residuals, slopes = self._closing
        rest, known = np.zeros(len(self.speeds)), dict.fromkeys(self.inputs, 0.0)
        names = self._names
        for _ in range(NEWTON_STEPS):
            numbers = self.values(q, rest, t, known)
            x = [numbers[name] for name in names]
            g = np.array(residuals(x))
            if np.abs(g).max() < 1e-14:
                break
            if not np.isfinite(g).all():
                raise np.linalg.LinAlgError("a constraint is not a number there")
            J = np.array(slopes(x)).reshape(len(rows), -1)
            q = q.copy()
            q[fixed:] -= np.linalg.lstsq(J[:, fixed:], g, rcond=1e-10)[0]
        return q

    def positions_near(self, q: np.ndarray, spread: Any, count: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Random positions of the mechanism about given coordinates, at most `count`: those that Newton's method can close."""
        found, rest, known = [], np.zeros(len(self.speeds)), dict.fromkeys(self.inputs, 0.0)
        for _ in range(count):
            drawn = q + spread * rng.uniform(-1.0, 1.0, len(q))
            try:
                with np.errstate(all="ignore"):
                    closed = self.closed_state(drawn)
                    residuals = self._closing[0]([self.values(closed, rest, 0.0, known)[name] for name in self._names])
            except np.linalg.LinAlgError:  # formulas without a value there
                continue
            if np.isfinite(closed).all() and np.abs(residuals).max(initial=0.0) < CLOSED:
                found.append(closed)
        return found

    @cached_property
    def _names(self) -> list[str]:
        """Symbols that have a number at a state."""
        zeros = np.zeros(len(self.coordinates)), np.zeros(len(self.speeds))
        return list(self.values(*zeros, 0.0, dict.fromkeys(self.inputs, 0.0)))

    @property
    def _closing(self) -> tuple[Evaluator, Evaluator]:
        """Residuals of positions and their slopes, made again when constraints were left out."""
        rows = [row for row in self.constraints if row.value is not None]
        if self._closed_by is None or self._closed_by[0] != len(rows):
            functions = self.mechanism.entries.functions
            values = Evaluator([row.value for row in rows if row.value is not None], self._names, functions)
            slopes = Evaluator([node for row in rows for node in _slopes(self, row)], self._names, functions)
            self._closed_by = len(rows), values, slopes
        found: tuple[Evaluator, Evaluator] = self._closed_by[1:]
        return found

    def accelerations(self, q: State, v: State, t: float = 0.0, **given: float) -> np.ndarray:
        """v̇ at a state, from the equations as they stand; coordinates and speeds beyond the tree's may be left out.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.equations().accelerations([0.0], [0.0])
        array([9.81])
        """
        q, v, t = self._checked_state(q, v, t, given)
        q, v = self._completed(q, v, t)
        n, rows = len(self.speeds), self.constraints
        nodes = [x for row in self.mass_matrix for x in row] + self.bias + self.applied
        nodes += [x for row in rows for x in row.jacobian] + [row.bias for row in rows]
        numbers = self.evaluate(nodes, q, v, t, **given)
        M, h, tau = numbers[: n * n].reshape(n, n), numbers[n * n : n * n + n], numbers[n * n + n : n * n + 2 * n]
        G = numbers[n * n + 2 * n : n * n + 2 * n + len(rows) * n].reshape(-1, n)
        gamma = numbers[len(numbers) - len(rows) :]
        K = np.block([[M, -G.T], [G, np.zeros((len(rows), len(rows)))]])
        return np.linalg.solve(K, np.concatenate([tau - h, -gamma]))[: self.mechanism.n_tree]

    def _checked_state(self, q: Any, v: Any, t: Any, given: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray, float]:
        """A state as arrays; its sizes and the names of given values are checked."""
        label, m = f"equations of '{self.name}'", self.mechanism
        known = {*self.letters, *m.model.parameters, *self.inputs, *(name + dots for name in m.given for dots in ("", "'", "''"))}
        for name, value in given.items():
            if name not in known:
                raise ModelError(f"{label}: {name!r} is not a symbol with a value; there are {', '.join(sorted(known))}")
            number(value, label, name, finite=False)
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise ModelError(f"{label}: give a value for {', '.join(missing)}")
        state = numbers(q, label, "q", finite=False), numbers(v, label, "v", finite=False)
        for values, name, symbols, least in zip(state, "qv", (m.coordinates, m.speeds), (m.n_tree_q, m.n_tree), strict=True):
            if values.ndim != 1 or not least <= len(values) <= len(symbols):  # those of cut joints may be left out
                asked = ", ".join(x.name for x in symbols[:least])
                raise ModelError(f"{label}: {name} has the shape {values.shape}; it must have {least} numbers: {asked}")
        return *state, number(t, label, "t")

    def _completed(self, q: np.ndarray, v: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """A state with the coordinates and speeds of cut joints and curves, which follow from those of the tree."""
        m = self.mechanism
        if len(q) < len(m.coordinates):
            fixed = len(q)
            q = self.closed_state(np.concatenate([q, np.array(m.start[fixed:])]), fixed, t)
        if len(v) < len(m.speeds):
            known = dict.fromkeys(self.inputs, 0.0)
            extra = len(m.speeds) - len(v)
            v = np.concatenate([v, np.zeros(extra)])
            rate = self.evaluate([row.rate for row in self.constraints], q, v, t, **known)
            G = self.constraint_jacobian(q, v, t)
            v[-extra:] -= np.linalg.lstsq(G[:, -extra:], rate, rcond=1e-10)[0]
        return q, v

    # words

    @cached_property
    def presentation(self) -> Presentation:
        """How the equations are written: closed, or with named intermediate results where that would be too long."""
        from sharnir.equations.presentation import presented

        return presented(self)

    @property
    def rows(self) -> list[Row]:
        """The equations of motion as they are printed."""
        return self.presentation.rows

    def __str__(self) -> str:
        return self.presentation.text()

    def latex(self) -> str:
        """The equations as LaTeX: an `aligned` block, to be put between $$ and $$.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> m.equations(letters=True).latex().splitlines()[1]
        'm_{\\\\mathrm{car}} \\\\ddot{x} &= -k_{x} x'
        """
        return self.presentation.latex()

    def html(self) -> str:
        """A page of its own, with formulas in MathML, which browsers render directly.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> m.equations().html().splitlines()[0]
        '<!DOCTYPE html>'
        """
        from sharnir.equations.equation_page import page

        return page(self)

    def sympy(self) -> Any:
        """The equations of motion as a list of sympy.Eq (needs the extra `symbols`); coordinates are functions of t.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> m.equations().sympy()  # doctest: +SKIP
        [Eq(2*Derivative(x(t), (t, 2)), -8*x(t))]
        """
        return upward("sharnir.equations.exports.sympy_expressions", "sympy_equations")(self)

    def sympy_matrices(self) -> dict[str, Any]:
        """M, h, tau, g, gdot, G, gamma, q and v as matrices of SymPy (needs the extra `symbols`), as derived.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> m.equations().sympy_matrices()["tau"]  # doctest: +SKIP
        Matrix([[-8*x(t)]])
        """
        found: dict[str, Any] = upward("sharnir.equations.exports.sympy_expressions", "sympy_matrices")(self)
        return found

    # programs

    def c(self) -> str:
        """The equations as one file in C99 that needs nothing but the C library; `c_header` declares its functions.

        All functions take t, q, v, inputs u and parameters p (the letters), and fill arrays: `<name>_accelerations`, `_rates`,
        `_mass_matrix`, `_bias`, `_applied`, `_constraints`. `<name>_parameters` are the values of the letters.

        >>> import sharnir as sr
        >>> m = sr.Model("cart")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> [line for line in m.equations(letters=True).c().splitlines() if "tau[0]" in line]
        ['  tau[0] = -p[1]*q[0];']
        """
        found: str = upward("sharnir.equations.exports.c_source", "c_source")(self)
        return found

    def c_header(self) -> str:
        """The header of `c()`: sizes of the arrays, what they hold, functions.

        >>> import sharnir as sr
        >>> m = sr.Model("cart")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> "#define CART_NQ 1" in m.equations().c_header()
        True
        """
        found: str = upward("sharnir.equations.exports.c_source", "c_header")(self)
        return found

    def cuda(self) -> str:
        """The same functions in CUDA C, for the device, and a kernel `<name>_batch` that computes one state per thread.

        >>> import sharnir as sr
        >>> m = sr.Model("cart")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> "__global__ void cart_batch(" in m.equations().cuda()
        True
        """
        found: str = upward("sharnir.equations.exports.c_source", "cuda_source")(self)
        return found

    def numpy(self) -> str:
        """The same functions as a Python module that needs NumPy alone; they take single states or arrays of states.

        >>> import sharnir as sr
        >>> m = sr.Model("cart")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> module = {}
        >>> exec(m.equations().numpy(), module)
        >>> module["accelerations"](0.0, [[0.5], [1.0]], [[0.0], [0.0]])[0]
        array([[-2.],
               [-4.]])
        """
        found: str = upward("sharnir.equations.exports.numpy_source", "numpy_source")(self)
        return found

    def casadi(self) -> dict[str, Any]:
        """The same functions as `casadi.Function`s of (t, q, v, u, p), by name (needs the extra `casadi`).

        >>> import sharnir as sr
        >>> m = sr.Model("cart")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> m.equations().casadi()["accelerations"](0, 0.5, 0, [], [])[0]  # doctest: +SKIP
        DM(-2)
        """
        found: dict[str, Any] = upward("sharnir.equations.exports.casadi_functions", "casadi_functions")(self)
        return found

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _repr_html_(self) -> str:
        from sharnir.equations.equation_page import body

        return body(self)


def _slopes(equations: Equations, row: ConstraintRow) -> list[Node]:
    """∂g/∂q of a position equation."""
    assert row.value is not None
    if row.slopes is not None:
        return row.slopes
    return gradient(row.value, equations.mechanism.coordinates, equations.mechanism.entries.slopes)
