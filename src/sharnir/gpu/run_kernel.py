"""The text of a kernel in CUDA C: rates, constraints and outputs of one model, and what integrates them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sharnir.dynamics.evaluation.stabilization import residual_limits
from sharnir.equations.entries import TIME
from sharnir.gpu.cuda_text import CudaText, literal
from sharnir.gpu.device_reductions import DEVICE_REDUCTIONS
from sharnir.gpu.kernel_constants import KernelConstants
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.output_plan import OutputPlan
from sharnir.gpu.tree_kernel import TreeKernel, is_tree
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.nodes import ZERO, Name, Node, negative, plus

FOLDER = Path(__file__).parent
ROLLED_FROM = 12  # bodies: code of a longer chain does not fit into the instruction cache (docs/decisions/0035)
CORRECTIONS = 10  # Newton steps onto the constraints
ROUNDING = 16.0  # in single precision a state is on its constraints to so many roundings of the size of the mechanism
EPSILON = 2.0**-23


class Kernel:
    """Text of the kernels of a model.

    plan : outputs of runs; None: `states` only.   single : precision.   fixed : equal steps.
    rolled : loops over the bodies of a tree; default: for long ones.
    """

    def __init__(
        self,
        model: KernelModel,
        plan: OutputPlan | None = None,
        single: bool = False,
        fixed: bool = True,
        rolled: bool | None = None,
    ) -> None:
        self.model, self.plan, self.single, self.fixed = model, plan, single, fixed
        self.constants = KernelConstants(model)
        if plan is not None:
            m = model.solution.mechanism
            plan.resolve(model.channels, {x.name for x in m.accelerations}, model.same)
        self.tree = None
        if is_tree(model):
            n = len(model.solution.mechanism.recursion.motion)
            self.tree = TreeKernel(model, self.constants, n >= ROLLED_FROM if rolled is None else rolled)
        self.rolled = self.tree is not None and self.tree.rolled
        functions = [self._rates(), self._restore(), *self._stretched(), self._project()]
        if plan is not None:
            functions += [self._quantities(plan), self._reduce(plan)]
        functions.append(self._constants())  # behind the others, which ask for them
        self.text = "\n".join([*self._head(), self.constants.table_text(), *functions, *self._kernels()])

    def _head(self) -> list[str]:
        plan = self.plan
        quantities, numbers = (len(plan.quantities), plan.size) if plan is not None else (0, 0)
        sizes = {
            "N_Y": len(self.model.state.rates),
            "N_C": len(self.constants.own),
            "N_P": len(self.model.varied),
            "N_X": quantities,
            "N_R": numbers,
            "NEEDS_RATES": int(plan is not None and plan.needs_rates),
            # values of a short tree stay in registers; others are in the memory of a thread, and rates need no second copy
            "RATES": "DEVICE" if self._inline else "FUNCTION",
            "SWEEP": "" if self._inline else "ROLLED",
            "BOUNDS": "__launch_bounds__(THREADS)",
        }
        first = ["#define SINGLE"] if self.single else []
        return [*first, (FOLDER / "kernels.cuh").read_text(), *(f"#define {name} {value}" for name, value in sizes.items())]

    @property
    def _inline(self) -> bool:
        return self.tree is not None and not self.rolled and self.fixed and not (self.plan is not None and self.plan.needs_rates)

    def _kernels(self) -> list[str]:
        names = ("states",) if self.plan is None else ("runs", "fixed_steps" if self.fixed else "controlled_steps")
        return [(FOLDER / f"{name}.cuh").read_text() for name in names]

    # functions of the state

    def _code(self, prefix: str = "z") -> CudaText:
        """Code that knows the state, the time and given motions."""
        m, state = self.model.solution.mechanism, self.model.state
        known: dict[Node, str] = {TIME: "t", **{x: f"y[{k}]" for x, k in state.places.items()}}
        code = CudaText(known, self.constants.tables, self.model.fixed, self.constants.text, prefix)
        for name, course in m.given.items():
            for dots, text in zip(("", "'", "''"), code.texts(course), strict=True):
                code.known[Name(name + dots)] = text
        return code

    def _rates(self) -> str:
        """ẏ from t, y and c."""
        if self.tree is not None:
            return self.tree.text(HEAD.format(self._name, "y"))
        code = self._code()
        texts = code.texts(self.model.state.rates)
        pivots = code.texts(self.model.solution.pivots)
        lines = [*code.lines, *(f"dy[{k}] = {text};" for k, text in enumerate(texts))]
        if pivots:  # near a singular position the run is left to the engine
            far = " && ".join(f"{x} > {literal(least)}" for x, least in zip(pivots, self.model.least, strict=True))
            lines.append(f'if (!({far})) dy[0] = (real)nan("");')
        return function(HEAD.format(self._name, "y"), lines)

    @property
    def _name(self) -> str:
        return "rates_at" if len(self.model.system.assembly.coordinates.quaternions) else "rates"

    def _restore(self) -> str:
        """Quaternions of unit length."""
        lines = []
        for k in self.model.system.assembly.coordinates.quaternions:
            squares = " + ".join(f"y[{k + j}] * y[{k + j}]" for j in range(4))
            lines.append(f"{{ const real f = R(1.0) / sqrt({squares}); {' '.join(f'y[{k + j}] *= f;' for j in range(4))} }}")
        return function("DEVICE void restore(real* y)", lines or ["(void)y;"])

    def _stretched(self) -> list[str]:
        """Within a step quaternions are not of unit length: as in the engine, rotations are those of the unit ones."""
        found = self.model.system.assembly.coordinates.quaternions
        if not len(found):
            return []
        lines = ["real y[N_Y];", "ROLLED for (int k = 0; k < N_Y; ++k) y[k] = state[k];", "restore(y);", "rates_at(t, y, c, dy);"]
        for k in found:
            squares = " + ".join(f"state[{k + j}] * state[{k + j}]" for j in range(4))
            lines.append(f"{{ const real f = sqrt({squares}); {' '.join(f'dy[{k + j}] *= f;' for j in range(4))} }}")
        return [function(HEAD.format("rates", "state"), lines)]

    def _constants(self) -> str:
        return function("DEVICE void constants(const real* p, real* c)", ["(void)p; (void)c;", *self.constants.statements()])

    # constraints

    def _project(self) -> str:
        """Positions and speeds onto the constraints, as `constrained_right_hand_side.projection` does it."""
        head = "DEVICE bool project(const real t, real* y, const real* c)"
        if not self.model.system.constrained:
            return function(head, ["(void)t; (void)y; (void)c;", "return true;"])
        positions, speeds = residual_limits(self.model.system)
        if self.single:
            least = ROUNDING * EPSILON * float(max(1.0, abs(self.model.system.q0).max(initial=0.0)))
            positions, speeds = (None if x is None else max(x, least) for x in (positions, speeds))
        rows = self.model.solution.constraints
        values = [row.value for row in rows if row.value is not None]
        parts = [self._largest("position_residual", values), self._largest("speed_residual", [row.rate for row in rows])]
        parts += [self._step(True), self._step(False), self._follow()]
        body: list[str] = []
        if positions is not None:
            body += [
                "real g = position_residual(t, y, c);",
                f"for (int k = 0; k < {CORRECTIONS} && !(g <= {literal(positions)}); ++k) {{",
                "  step_positions(t, y, c);",
                "  restore(y);",
                "  g = position_residual(t, y, c);",
                "}",
                f"if (!(g <= {literal(positions)})) return false;",
            ]
        if speeds is not None:
            body.append(f"if (!(speed_residual(t, y, c) <= {literal(speeds)})) step_speeds(t, y, c);")
        body += ["follow(t, y, c);", "return true;"]
        return "\n".join([*parts, function(head, body)])

    def _largest(self, name: str, nodes: Sequence[Node]) -> str:
        code = self._code()
        texts = code.texts(nodes)
        lines = ["real worst = R(0.0);", *code.lines]
        lines += [f"if (!(fabs({text}) <= worst)) worst = fabs({text});" for text in texts]
        return function(f"FUNCTION real {name}(const real t, const real* y, const real* c)", [*lines, "return worst;"])

    def _step(self, positions: bool) -> str:
        """The least motion in the metric of the masses that takes residuals away."""
        s, code = self.model.solution, self._code()
        rows = s.constraints
        residuals = [(row.value or ZERO) if positions else row.rate for row in rows]
        change = s.correction([negative(x) for x in residuals])
        along: dict[Node, Node] = dict(zip(s.mechanism.speeds, change, strict=True))
        q, v = self.model.state.coordinates, self.model.state.speeds
        entries = [(x, rate) for x, rate in q] if positions else [(x, x) for x, _ in v]
        moved = substituted([rate for _, rate in entries], along)
        texts = code.texts([plus(x, change) for (x, _), change in zip(entries, moved, strict=True)])
        lines = list(code.lines)
        first = 0 if positions else len(q)
        lines += [f"y[{first + k}] = {text};" for k, text in enumerate(texts)]
        name = "step_positions" if positions else "step_speeds"
        return function(f"FUNCTION void {name}(const real t, real* y, const real* c)", lines)

    def _follow(self) -> str:
        """Tracked coordinates from the positions of bodies."""
        state, code = self.model.state, self._code()
        first = len(state.coordinates) + len(state.speeds)
        texts = code.texts(state.values)
        lines = [*code.lines, *(f"y[{first + k}] = {text};" for k, text in enumerate(texts))]
        return function("FUNCTION void follow(const real t, real* y, const real* c)", lines)

    # outputs

    def _quantities(self, plan: OutputPlan) -> str:
        code = self._code()
        places = {x: len(self.model.state.coordinates) + k for k, (x, _) in enumerate(self.model.state.speeds)}
        for speed, acceleration in zip(
            self.model.solution.mechanism.speeds, self.model.solution.mechanism.accelerations, strict=True
        ):
            code.known[acceleration] = f"dy[{places[speed]}]"
        texts = code.texts(plan.quantities)
        head = "DEVICE void quantities(const real t, const real* y, const real* dy, const real* c, double* x)"
        return function(head, [*code.lines, *(f"x[{k}] = {text};" for k, text in enumerate(texts))])

    def _reduce(self, plan: OutputPlan) -> str:
        lines = []
        for reduction in plan.reductions:
            r = {f"r{k or ''}": f"r[{reduction.place + k}]" for k in range(3)}
            texts = r | {"x": f"x[{reduction.quantity}]", "past": f"past[{reduction.quantity}]", "m": f"x[{reduction.moment}]"}
            lines.append(DEVICE_REDUCTIONS[reduction.function].update.format(**texts))
        arguments = "double* r, const double* x, const double* past, const double t, const double before, const bool first"
        head = f"DEVICE void reduce({arguments})"
        return function(head, ["(void)r; (void)x; (void)past; (void)t; (void)before; (void)first;", *lines])


HEAD = "RATES void {}(const real t, const real* {}, const real* c, real* dy)"


def function(head: str, lines: Sequence[str]) -> str:
    """A function of statements."""
    return "\n  ".join([f"{head} {{", "(void)0;", *lines]) + "\n}"
