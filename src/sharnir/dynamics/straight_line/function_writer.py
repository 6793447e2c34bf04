"""The right-hand side, its power balance and the projection of one model as text of LLVM functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sharnir.dynamics.evaluation.constrained_right_hand_side import LARGE, PROJECTION_STEPS
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import MOMENT
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.memory.switch_memory import HELD, LAST, LEAST, MOST, SIDE
from sharnir.dynamics.straight_line.called_functions import arguments_of, called_names
from sharnir.dynamics.straight_line.engine_calls.left_calls import LeftCalls
from sharnir.dynamics.straight_line.graph_code import GraphCode, Lines, literal, place
from sharnir.dynamics.straight_line.module_text import (
    ARGUMENTS,
    BALANCED,
    DERIVATIVE,
    FIRST_FUNCTION,
    PROJECTION,
    called,
    course_value,
    divided,
    handed_over,
    loaded,
    loaded_int,
    noted,
    number_value,
    stored,
    written,
)
from sharnir.dynamics.straight_line.state_map import State
from sharnir.equations.entries import TIME
from sharnir.equations.model_numbers import ModelNumbers, number_symbol
from sharnir.equations.solved_equations import Solution
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, negative, plus

MEMORY = "double %t, i64 %y, i64 %table, i64 %work"


class Writer:
    """Functions in LLVM's language.

    functions : what they call, in the order of their slots.   handed_over : where a run counts in its memory
    how often the engine has computed.   held : switches, and where their memory stands.   left : what is left to the engine.
    """

    def __init__(
        self,
        solution: Solution,
        state: State,
        least: Sequence[float],
        handed_over: int,
        held: Mapping[Call, Sequence[int]],
        system: Equations,
    ) -> None:
        self.solution, self.state, self.least, self.handed_over, self.held = solution, state, least, handed_over, held
        self.told: set[int] = set()  # switches whose range over a step the code notes
        self.entries = solution.mechanism.entries
        names = called_names(self.entries)
        self.functions = {name: called(FIRST_FUNCTION + k, arguments_of(self.entries, name)) for k, name in enumerate(names)}
        self.left = LeftCalls(system, solution.mechanism, FIRST_FUNCTION + len(names))
        numbers = solution.mechanism.letters
        self.numbers = list(numbers.varying) if isinstance(numbers, ModelNumbers) else []

    @property
    def slots(self) -> int:
        """How many addresses its code asks for."""
        return FIRST_FUNCTION + len(self.functions) + len(self.left.kernels)

    def start(self) -> GraphCode:
        """Code that knows the state, the time, and given motions."""
        m = self.solution.mechanism
        loads, known = Lines("y"), {TIME: "%t"}  # type: Lines, dict[Node, str]
        for symbol, k in self.state.places.items():
            known[symbol] = loads.new(f"load double, double* {place(loads, '%y', k)}")
        code = GraphCode(known, self.functions)
        code.lines = loads.lines
        for k, number in enumerate(self.numbers):
            code.known[number_symbol(number)] = number_value(code, k)
        for symbol, at in self.state.courses.items():
            code.known[symbol] = course_value(code, at, self.state.memory_of_courses)
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
        for value, least in zip(code.values(self.solution.pivots), self.least, strict=True):
            far = code.new(f"fcmp ogt double {value}, {literal(least)}")
            ok = far if ok == "true" else code.new(f"and i1 {ok}, {far}")
        return ok

    def derivatives(self) -> list[str]:
        """ẏ alone, and with the power behind it: one piece of code for both."""
        lines = ["br label %bad"] if self.left.whole else self._computed()
        lines += ["bad:", *noted(self.handed_over), "br i1 %balanced, label %balance, label %plain"]
        lines += ["balance:", *handed_over(BALANCED, "b"), "ret void", "plain:", *handed_over(DERIVATIVE, "d"), "ret void"]
        body = "\n".join(lines)
        return [
            f"define internal void @rates({ARGUMENTS}, i1 %balanced) noinline {{\n{body}\n}}",
            f"define void @derivative({ARGUMENTS}) {{\ncall void @rates({ARGUMENTS}, i1 false)\nret void\n}}",
            f"define void @balanced({ARGUMENTS}) {{\ncall void @rates({ARGUMENTS}, i1 true)\nret void\n}}",
        ]

    def _computed(self) -> list[str]:
        """Rates and power, and where to if the position is near a singular one."""
        code = self.start()
        for node, (k, *_) in self.held.items():
            code.held[node] = code.new(loaded("%work", k + HELD)), code.new(loaded("%work", k + SIDE))
        for symbol, at in self.state.kept.items():
            code.known[symbol] = code.new(loaded("%work", at))
        self.left.write(code)
        *values, power = code.values([*self.state.rates, self.solution.power])
        ok, stores = self.guard(code), Lines("o")
        for held in (held for node, (held, _) in code.held.items() if node.function not in ("min", "max")):
            # a jump between both branches: the engine
            ok = code.new(f"and i1 {ok}, {code.new(f'fcmp oge double {held}, {literal(0.0)}')}")
        for k, value in enumerate(values):
            stores.lines.append(f"store double {value}, double* {place(stores, '%out', k)}")
        for node, g in code.watched.items():
            for k in [k for k in self.held[node] if k not in self.told]:
                self.told.add(k)
                stores.lines += noted_range(stores, k, g)
        behind = place(stores, "%out", len(values))
        lines = [*divided(code.lines), f"br i1 {ok}, label %good, label %bad", "good:", *stores.lines]
        lines += ["br i1 %balanced, label %more, label %end", "more:", f"store double {power}, double* {behind}", "br label %end"]
        return [*lines, "end:", "ret void"]

    # projection

    def projection(self) -> list[str]:
        """Positions and speeds onto the constraints, as constrained_right_hand_side.projection does it."""
        holonomic = [row for row in self.solution.constraints if row.value is not None]
        found = [self.largest("position_residual", [row.value for row in holonomic if row.value is not None])]
        found.append(self.largest("speed_residual", [row.rate for row in self.solution.constraints]))
        found.append(self.step())
        found.append(self.follow())
        return [*found, projection_code(self.handed_over)]

    def largest(self, name: str, nodes: Sequence[Node]) -> str:
        """The largest of some absolute values; not a number if any is."""
        code, worst = self.start(), literal(0.0)
        for value in code.values(nodes):
            x = code.call("llvm.fabs.f64", value)
            keep = code.new(f"fcmp ole double {x}, {worst}")
            worst = code.new(f"select i1 {keep}, double {worst}, double {x}")
        body = "\n".join(code.lines)
        return f"define internal double @{name}({MEMORY}) {{\n{body}\nret double {worst}\n}}"

    def step(self) -> str:
        """The least motion in the metric of the masses that takes residuals of positions, or of speeds, away; near singular
        positions it does nothing and says so."""
        s, code = self.solution, self.start()
        residuals: list[Node] = [Name(f"residual {k}") for k in range(len(s.constraints))]
        wanted = code.values([x for row in s.constraints for x in (row.value or ZERO, row.rate)])
        for k, x in enumerate(residuals):
            code.known[x] = code.new(f"select i1 %positions, double {wanted[2 * k]}, double {wanted[2 * k + 1]}")
        change = s.correction([negative(x) for x in residuals])
        along: dict[Node, Node] = dict(zip(s.mechanism.speeds, change, strict=True))
        q, v = self.state.coordinates, self.state.speeds
        moved = substituted([*(rate for _, rate in q), *(x for x, _ in v)], along)
        values = code.values([plus(x, change) for (x, _), change in zip((*q, *v), moved, strict=True)])
        ok = self.guard(code)
        lines = [
            *divided(code.lines),
            f"br i1 {ok}, label %good, label %bad",
            "good:",
            "br i1 %positions, label %first, label %second",
        ]
        for label, first, some in (("first", 0, values[: len(q)]), ("second", len(q), values[len(q) :])):
            stores = Lines(f"{label}.")
            for k, value in enumerate(some):
                stores.lines.append(f"store double {value}, double* {place(stores, '%y', first + k)}")
            lines += [f"{label}:", *stores.lines, "ret i1 true"]
        body = "\n".join([*lines, "bad:", "ret i1 false"])
        return f"define internal i1 @step({MEMORY}, i1 %positions) noinline {{\n{body}\n}}"

    def follow(self) -> str:
        """Tracked coordinates from the positions of bodies."""
        code, first = self.start(), len(self.state.coordinates) + len(self.state.speeds)
        values = code.values(self.state.values)
        stores = Lines("o")
        for k, value in enumerate(values):
            stores.lines.append(f"store double {value}, double* {place(stores, '%y', first + k)}")
        body = "\n".join([*code.lines, *stores.lines])
        return f"define internal void @follow({MEMORY}) {{\n{body}\nret void\n}}"


def noted_range(code: Lines, k: int, g: str) -> list[str]:
    """The range of what is watched of a switch over the stages of a step, as note_switches leaves it."""
    found = [written("%work", k + LAST, g)]
    for at, sign in ((k + LEAST, "olt"), (k + MOST, "ogt")):
        before = code.new(loaded("%work", at))
        beyond = code.new(f"fcmp {sign} double {g}, {before}")
        found.append(written("%work", at, code.new(f"select i1 {beyond}, double {g}, double {before}")))
    return found


def lines(text: Sequence[str]) -> str:
    """Lines as one text."""
    return "\n  ".join(text)


def projection_code(handed: int) -> str:
    """Newton's method for positions, one step for speeds; what is out of the ordinary goes to the engine.

    The third argument takes the largest residuals before, whether the state has changed, and whether that has failed.
    """
    return f"""define void @projection({ARGUMENTS}) {{
start:
  %g = call double @position_residual({MEMORY})
  %s = call double @speed_residual({MEMORY})
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
  %good = call i1 @step({MEMORY}, i1 true)
  br i1 %good, label %again, label %engine
again:
  %k1 = add i64 %k, 1
  %g1 = call double @position_residual({MEMORY})
  %done = fcmp ole double %g1, %tolerance
  %more = icmp ult i64 %k1, {PROJECTION_STEPS}
  br i1 %done, label %speeds, label %next
next:
  br i1 %more, label %newton, label %engine
speeds:
  %changed = phi i1 [false, %first], [true, %again]
  %s1 = call double @speed_residual({MEMORY})
  %fast = fcmp ugt double %s1, %slow
  %asked = icmp eq i64 %how, 1
  %both = and i1 %fast, %asked
  br i1 %both, label %correct, label %end
correct:
  %fine = call i1 @step({MEMORY}, i1 false)
  br i1 %fine, label %end, label %engine
end:
  %any = phi i1 [%changed, %speeds], [true, %correct]
  call void @follow({MEMORY})
  %flag = uitofp i1 %any to double
  {stored("%g", 0)}
  {stored("%s", 1)}
  {stored("%flag", 2)}
  {stored(literal(0.0), 3)}
  ret void
engine:
  {lines(noted(handed))}
  {lines(handed_over(PROJECTION, "e"))}
  ret void
}}"""
