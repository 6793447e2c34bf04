"""The right-hand side, its power balance and the projection onto the constraints of one model, as machine code of its own.

The code reads the state and writes rates, as the engine's kernels do, but leaves the engine's memory alone. Near singular
positions it hands over to the engine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import FAR, LARGE, PROJECTION_STEPS
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import MOMENT
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.straight_line.graph_code import GraphCode, Lines, declarations, literal
from sharnir.equations.entries import TIME
from sharnir.equations.solution import Solution, solution_of
from sharnir.equations.tracking import Track, tracks_of
from sharnir.errors import ModelError
from sharnir.kernel import PLAIN
from sharnir.kernel.formulas.machine_code import MachineCode
from sharnir.model.constraints.vector_formula import table_function
from sharnir.symbolic.graph import substituted
from sharnir.symbolic.matrices import dot
from sharnir.symbolic.nodes import ZERO, Name, Node, negative, plus

ARGUMENTS = "double %t, i64 %y, i64 %out, i64 %table, i64 %params, i64 %work"
NEAR = 1.0  # times the distance from singular positions at which the engine begins to correct states: from there on it computes
LONG = 20_000  # lines of code that are translated as they stand: the compiler takes time with the square of their number
AROUND, SPREAD = 4, 0.5  # positions at which constraints are looked at, and how far they are from the start
UNKNOWN = 0.05  # the same where the engine knows of no distance


class DerivedFunctions:
    """Machine code of one system: addresses of `derivative`, `balanced` (with the power behind the rates) and `projection`.

    most : operations of an evaluation above which a ModelError is raised instead.
    """

    def __init__(self, system: Equations, derivative: int, projection: int | None, most: float = math.inf) -> None:
        self.solution = solution_of(system.model, system.tree)
        self.state = State(system, self.solution, tracks_of(self.solution.mechanism))
        writer = self._writer = Writer(system, self.solution, self.state)  # it keeps functions alive
        parts = [declarations(), MEMORY, *writer.derivatives(derivative, WITH_BALANCE.address)]
        if projection is not None:
            parts += writer.projection(projection)
        operations = parts[2].count("\n")
        if operations > most:
            raise ModelError(f"method 'symbolic' needs {operations} operations, more than {most:.0f}, which the engine needs")
        text = "\n".join(parts)
        self.code = MachineCode(text, "derivative", 1 if text.count("\n") < LONG else 0)
        self.derivative = self.code.address
        self.balanced = self.code.address_of("balanced")
        self.projection = None if projection is None else self.code.address_of("projection")


class State:
    """Where symbols stand in the engine's state, and what its rates are in symbols.

    places : symbol -> number in y.   coordinates, speeds, tracked : for each number in y what it is, and how fast it changes.
    """

    def __init__(self, system: Equations, solution: Solution, tracks: Sequence[Track]) -> None:
        m, c = solution.mechanism, system.assembly.coordinates
        own_q = dict(zip(m.coordinate_channels, m.coordinates, strict=True))
        own_v = dict(zip(m.speed_channels, m.speeds, strict=True))
        rates = dict(zip(m.coordinates, solution.rates, strict=True))
        accelerations = dict(zip(m.speeds, solution.accelerations, strict=True))
        followers = {f"{name}.q": x for name, x in m.dependent.items()} | {f"{name}.v": x for name, x in m.dependent.items()}
        self.coordinates, self.speeds = [], []  # type: list[tuple[Node, Node]], list[tuple[Node, Node]]
        for names, own, change, found in (
            (c.q_names, own_q, rates, self.coordinates),
            (c.v_names, own_v, accelerations, self.speeds),
        ):
            for name in names:
                if name in own:
                    found.append((own[name], change[own[name]]))
                elif name in followers:  # a multiple of what it follows
                    x = followers[name]
                    total = dot([accelerations[m.speeds[k]] for k in x.speeds], list(x.speeds.values()))
                    found.append((x.value, x.rate) if names is c.q_names else (x.rate, total))
                else:
                    raise ModelError(f"model '{system.model.name}': method 'symbolic' does not know the coordinate '{name}'")
        by_name = {track.channel: track for track in tracks}
        unknown = [name for name in c.z_names if name not in by_name]
        if unknown:
            raise ModelError(f"model '{system.model.name}': method 'symbolic' does not know the state '{unknown[0].lstrip('.')}'")
        self.tracked = [(by_name[name].symbol, by_name[name].rate) for name in c.z_names]
        self.values = [by_name[name].value for name in c.z_names]
        whole = [*self.coordinates, *self.speeds, *self.tracked]
        self.places = {x: k for k, (x, _) in enumerate(whole) if isinstance(x, Name)}

    @property
    def rates(self) -> list[Node]:
        """ẏ."""
        return [rate for _, rate in (*self.coordinates, *self.speeds, *self.tracked)]


class Writer:
    """Functions in LLVM's language."""

    def __init__(self, system: Equations, solution: Solution, state: State) -> None:
        self.solution, self.state = solution, state
        self.kept = {name: table_function(*x) for name, x in solution.mechanism.entries.tables.items()}
        self.functions = {name: partial(called, f.address) for name, f in self.kept.items()}
        usual = usual_constraints(system, solution)
        self.most_alone = [1.0 / (singular_limit(system) * x) if x > 0.0 else 0.0 for x in usual]

    def start(self) -> GraphCode:
        """Code that knows the state, the time, and given motions."""
        m = self.solution.mechanism
        loads, known = Lines("y"), {TIME: "%t"}  # type: Lines, dict[Node, str]
        for symbol, k in self.state.places.items():
            known[symbol] = loads.new(f"load double, double* {place(loads, '%y', k)}")
        code = GraphCode(known, self.functions)
        code.lines = loads.lines
        if m.given:  # at t = 0 as right behind it, where a run begins
            first = code.new(f"fcmp une double %t, {literal(0.0)}")
            moment = code.new(f"select i1 {first}, double %t, double {literal(MOMENT)}")
            code.known[TIME] = moment
            for name, course in m.given.items():
                for dots, value in zip(("", "'", "''"), code.values(course), strict=True):
                    code.known[Name(name + dots)] = value
        return code

    def guard(self, code: GraphCode) -> str:
        """Whether the position is far from singular ones."""
        ok = "true"
        for value, most in zip(code.values(self.solution.alone), self.most_alone, strict=True):
            far = code.new(f"fcmp olt double {value}, {literal(most)}")
            ok = far if ok == "true" else code.new(f"and i1 {ok}, {far}")
        return ok

    def derivatives(self, engine: int, with_power: int) -> list[str]:
        """ẏ alone, and with the power behind it: one piece of code for both."""
        code = self.start()
        *values, power = code.values([*self.state.rates, self.solution.power])
        ok, stores = self.guard(code), Lines("o")
        for k, value in enumerate(values):
            stores.lines.append(f"store double {value}, double* {place(stores, '%out', k)}")
        behind = place(stores, "%out", len(values))
        lines = [*code.lines, f"br i1 {ok}, label %good, label %bad", "good:", *stores.lines]
        lines += ["br i1 %balanced, label %more, label %end", "more:", f"store double {power}, double* {behind}", "br label %end"]
        lines += ["end:", "ret void", "bad:", "br i1 %balanced, label %balance, label %plain"]
        lines += ["balance:", handed_over(with_power), "ret void", "plain:", handed_over(engine), "ret void"]
        body = "\n".join(lines)
        return [
            f"define internal void @rates({ARGUMENTS}, i1 %balanced) noinline {{\n{body}\n}}",
            f"define void @derivative({ARGUMENTS}) {{\ncall void @rates({ARGUMENTS}, i1 false)\nret void\n}}",
            f"define void @balanced({ARGUMENTS}) {{\ncall void @rates({ARGUMENTS}, i1 true)\nret void\n}}",
        ]

    # projection

    def projection(self, engine: int) -> list[str]:
        """Positions and speeds onto the constraints, as constrained_right_hand_side.projection does it."""
        holonomic = [row for row in self.solution.constraints if row.value is not None]
        found = [self.largest("position_residual", [row.value for row in holonomic if row.value is not None])]
        found.append(self.largest("speed_residual", [row.rate for row in self.solution.constraints]))
        found.append(self.step())
        found.append(self.follow())
        return [*found, projection_code(engine)]

    def largest(self, name: str, nodes: Sequence[Node]) -> str:
        """The largest of some absolute values; not a number if any is."""
        code, worst = self.start(), literal(0.0)
        for value in code.values(nodes):
            x = code.call("llvm.fabs.f64", value)
            keep = code.new(f"fcmp ole double {x}, {worst}")
            worst = code.new(f"select i1 {keep}, double {worst}, double {x}")
        body = "\n".join(code.lines)
        return f"define internal double @{name}(double %t, i64 %y) {{\n{body}\nret double {worst}\n}}"

    def step(self) -> str:
        """The least motion in the metric of the masses that takes residuals of positions, or of speeds, away; near singular
        positions it does nothing and says so."""
        s, code = self.solution, self.start()
        assert s.metric is not None
        residuals: list[Node] = [Name(f"residual {k}") for k in range(len(s.constraints))]
        wanted = code.values([x for row in s.constraints for x in (row.value or ZERO, row.rate)])
        for k, x in enumerate(residuals):
            code.known[x] = code.new(f"select i1 %positions, double {wanted[2 * k]}, double {wanted[2 * k + 1]}")
        change = s.metric.correction([negative(x) for x in residuals])
        along: dict[Node, Node] = dict(zip(s.mechanism.speeds, change, strict=True))
        q, v = self.state.coordinates, self.state.speeds
        moved = substituted([*(rate for _, rate in q), *(x for x, _ in v)], along)
        values = code.values([plus(x, change) for (x, _), change in zip((*q, *v), moved, strict=True)])
        ok = self.guard(code)
        lines = [*code.lines, f"br i1 {ok}, label %good, label %bad", "good:", "br i1 %positions, label %first, label %second"]
        for label, first, some in (("first", 0, values[: len(q)]), ("second", len(q), values[len(q) :])):
            stores = Lines(f"{label}.")
            for k, value in enumerate(some):
                stores.lines.append(f"store double {value}, double* {place(stores, '%y', first + k)}")
            lines += [f"{label}:", *stores.lines, "ret i1 true"]
        body = "\n".join([*lines, "bad:", "ret i1 false"])
        return f"define internal i1 @step(double %t, i64 %y, i1 %positions) noinline {{\n{body}\n}}"

    def follow(self) -> str:
        """Tracked coordinates from the positions of bodies."""
        code, first = self.start(), len(self.state.coordinates) + len(self.state.speeds)
        values = code.values(self.state.values)
        stores = Lines("o")
        for k, value in enumerate(values):
            stores.lines.append(f"store double {value}, double* {place(stores, '%y', first + k)}")
        body = "\n".join([*code.lines, *stores.lines])
        return f"define internal void @follow(double %t, i64 %y) {{\n{body}\nret void\n}}"


def called(address: int, lines: Lines, arguments: list[str]) -> str:
    """A call of a C function of three numbers, of which those that are missing do not matter."""
    given = ", ".join(f"double {x}" for x in [*arguments, literal(0.0), literal(0.0)][:3])
    return lines.new(f"call double inttoptr (i64 {address} to double (double, double, double)*)({given})")


def place(lines: Lines, base: str, k: int) -> str:
    """The address of a double."""
    at = lines.new(f"add i64 {base}, {8 * k}") if k else base
    return lines.new(f"inttoptr i64 {at} to double*")


def handed_over(engine: int) -> str:
    """A call of the engine's function with the same arguments."""
    return f"call void inttoptr (i64 {engine} to void (double, i64, i64, i64, i64, i64)*)({ARGUMENTS})"


def projection_code(engine: int) -> str:
    """Newton's method for positions, one step for speeds; what is out of the ordinary goes to the engine.

    The third argument takes the largest residuals before, whether the state has changed, and whether that has failed.
    """
    return f"""define void @projection({ARGUMENTS}) {{
start:
  %g = call double @position_residual(double %t, i64 %y)
  %s = call double @speed_residual(double %t, i64 %y)
  %reach = {loaded("%params", L.REACH)}
  %large = fmul double %reach, {literal(LARGE)}
  %usual = fcmp ole double %s, %large
  %near = fcmp ole double %g, %large
  %plain = and i1 %usual, %near
  %where = {loaded_int("%table", L.CORRECT_POSITION)}
  %how = {loaded_int("%table", L.CORRECT_SPEED)}
  %tolerance = {loaded("%params", L.POSITION_TOLERANCE)}
  %slow = {loaded("%params", L.SPEED_TOLERANCE)}
  %open = fcmp ugt double %g, %tolerance
  %wanted = icmp eq i64 %where, 1
  %positions = and i1 %open, %wanted
  br i1 %plain, label %first, label %engine
first:
  br i1 %positions, label %newton, label %speeds
newton:
  %k = phi i64 [0, %first], [%k1, %next]
  %good = call i1 @step(double %t, i64 %y, i1 true)
  br i1 %good, label %again, label %engine
again:
  %k1 = add i64 %k, 1
  %g1 = call double @position_residual(double %t, i64 %y)
  %done = fcmp ole double %g1, %tolerance
  %more = icmp ult i64 %k1, {PROJECTION_STEPS}
  br i1 %done, label %speeds, label %next
next:
  br i1 %more, label %newton, label %engine
speeds:
  %changed = phi i1 [false, %first], [true, %again]
  %s1 = call double @speed_residual(double %t, i64 %y)
  %fast = fcmp ugt double %s1, %slow
  %asked = icmp eq i64 %how, 1
  %both = and i1 %fast, %asked
  br i1 %both, label %correct, label %end
correct:
  %fine = call i1 @step(double %t, i64 %y, i1 false)
  br i1 %fine, label %end, label %engine
end:
  %any = phi i1 [%changed, %speeds], [true, %correct]
  call void @follow(double %t, i64 %y)
  %flag = uitofp i1 %any to double
  {stored("%g", 0)}
  {stored("%s", 1)}
  {stored("%flag", 2)}
  {stored(literal(0.0), 3)}
  ret void
engine:
  {handed_over(engine)}
  ret void
}}"""


def loaded(base: str, k: int) -> str:
    """A double of a block of memory, as one expression."""
    return f"call double @number_at(i64 {base}, i64 {8 * k})"


def loaded_int(base: str, k: int) -> str:
    """An integer of a block of memory."""
    return f"call i64 @integer_at(i64 {base}, i64 {8 * k})"


def stored(value: str, k: int) -> str:
    """A double written to the third argument."""
    return f"call void @write_at(i64 %out, i64 {8 * k}, double {value})"


MEMORY = """define internal double @number_at(i64 %base, i64 %at) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to double*
  %x = load double, double* %p
  ret double %x
}
define internal i64 @integer_at(i64 %base, i64 %at) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to i64*
  %x = load i64, i64* %p
  ret i64 %x
}
define internal void @write_at(i64 %base, i64 %at, double %x) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to double*
  store double %x, double* %p
  ret void
}"""


def usual_constraints(system: Equations, solution: Solution) -> np.ndarray:
    """The largest G M⁻¹ Gᵀ of every constraint by itself, in positions around the start, with its speeds."""
    if solution.equations is None:
        return np.zeros(0)
    equations, rng = solution.equations, np.random.default_rng(1)
    sizes = np.array([system.params[L.REACH] if unit == "m" else 1.0 for unit in system.assembly.coordinates.q_units])
    numbers = [system.assembly.coordinates.q_names.index(name) for name in solution.mechanism.coordinate_channels]
    start, sizes, found = system.q0[numbers], sizes[numbers], np.zeros(len(solution.own))
    speeds = system.v0[[system.assembly.coordinates.v_names.index(name) for name in solution.mechanism.speed_channels]]
    for k in range(AROUND):
        q = start + (SPREAD * sizes * rng.uniform(-1.0, 1.0, len(start)) if k else 0.0)
        try:
            with np.errstate(all="ignore"):
                closed = equations.closed_state(q) if k else q
        except np.linalg.LinAlgError:  # formulas without a value there
            continue
        found = np.fmax(found, equations.evaluate(solution.own, closed, speeds))
    return found


def singular_limit(system: Equations) -> float:
    """What part of a constraint the others must not have, at least: below that the engine computes."""
    return float(NEAR * FAR * system.params[L.SINGULAR]) or UNKNOWN


def check_derivable(system: Equations) -> None:
    """Refuse models whose rates need the engine's memory, saying what asks for it."""
    table, who = system.table, f"model '{system.model.name}': method 'symbolic'"
    if PLAIN:
        raise ModelError(f"{who} is machine code, which plain Python (NUMBA_DISABLE_JIT=1) does not use; choose another method")
    if table[L.N_ELASTIC]:
        names = ", ".join(f"'{name}'" for name in system.assembly.coordinates.elastic)
        raise ModelError(f"{who} is for rigid bodies, and {names} can deform; use 'articulated' or 'auto'")
    for slot, what in NEEDS.items():
        if table[slot]:
            raise ModelError(f"{who} has no closed form for {what}; use 'articulated' or 'auto'")
    if system.constrained and table[L.SOLVER] == L.NULL_SPACE:
        raise ModelError(f"{who} divides by the inertia of every body; use solver='null-space' with method='auto'")
    if system.params[L.STABILIZE_POSITION] or system.params[L.STABILIZE_SPEED]:
        raise ModelError(f"{who} keeps constraints by projection; leave stabilization out")


NEEDS = {
    L.N_CONTROL: "signals with states",
    L.N_SWITCH: "formulas that jump or bend with the state",
    L.T_FRICTION: "friction that depends on reactions",
    L.F_MASSES: "bodies that lose mass",
}
