"""Accelerations of an open tree as CUDA C: articulated bodies, one after the other, so that few values live at a time.

Straight-line code of a long chain keeps hundreds of values between the passes; they do not fit into the registers of a thread.
Here a pass hands a handful of numbers from body to body, and what a later pass needs again is written down once: sine and cosine
of every angle, and for every freedom the column U/D and u/D of the elimination (Featherstone's letters), some eight numbers for a
hinge. Velocities are not written down: the inward pass turns them back. Bodies with the same equations share their code, in loops
over the bodies whose numbers stand in constant memory; or each body has its own code with its numbers in it (`rolled`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sharnir.equations.entries import TIME
from sharnir.equations.exports.assignments import is_negative
from sharnir.equations.joint_motion import RelativeMotion
from sharnir.equations.recursion import Motion
from sharnir.equations.separate_bodies import Articulated, rigid
from sharnir.gpu.cuda_text import CudaText, literal
from sharnir.gpu.kernel_constants import KernelConstants
from sharnir.gpu.kernel_model import KernelModel
from sharnir.symbolic.expression_graph import names_of, ordered
from sharnir.symbolic.matrices import (
    IDENTITY,
    NOTHING,
    Vector,
    add,
    cross,
    dot,
    opposite,
    scale,
    sub,
    symmetric_times,
)
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, Number, minus, negative, plus, quotient, times

OMEGA, LINEAR, ANGULAR = (tuple(f"{x}{k}" for k in range(3)) for x in ("w", "a", "b"))
CARRY = tuple(f"{x}{k}" for x, count in (("M", 6), ("H", 9), ("J", 6), ("f", 3), ("n", 3)) for k in range(count))
TWO = Number(2)


def is_tree(model: KernelModel) -> bool:
    """Whether the accelerations are those of an open tree on a ground at rest, without controllers and prescribed motions."""
    m = model.solution.mechanism
    more = m.positions or m.velocities or m.dependent or m.given or m.recursion.moving or m.entries.signals or m.tank_symbols
    return bool(m.recursion.motion) and not more


@dataclass
class Place:
    """Where a body has its numbers.

    q, v : its first coordinate and speed in y.   slots : in the memory of a thread, beginning with sines and cosines.
    region : what it keeps for other bodies than the next one, -1 if nothing.   loads : its first entry among forces that depend
    on other bodies.   table, own : its numbers in tables, and where those that differ between runs stand in c.
    """

    q: int
    v: int
    region: int = -1
    slots: int = 0
    loads: int = 0
    kind: int = 0
    table: list[float] = field(default_factory=list)
    own: list[int] = field(default_factory=list)


class TreeKernel:
    """Text of `rates` with the tables that it reads.

    rolled : in loops over bodies, with their numbers in tables.
    """

    def __init__(self, model: KernelModel, constants: KernelConstants, rolled: bool) -> None:
        self.model, self.constants, self.rolled = model, constants, rolled
        m = self.mechanism = model.solution.mechanism
        self.recursion = m.recursion
        self.parents = [x.parent for x in self.recursion.motion]
        self.n = len(self.parents)
        self.memory = 0
        self.loads: list[Node] = []
        self.places = [self._place(i) for i in range(self.n)]
        self.bodies = [self._body(i) for i in range(self.n)]
        self.kinds: list[tuple[str, ...]] = []
        for place, texts in zip(self.places, self.bodies, strict=True):
            if texts not in self.kinds:
                self.kinds.append(texts)
            place.kind = self.kinds.index(texts)

    # where numbers stand

    def _place(self, i: int) -> Place:
        """Leaves keep their angular velocity for the inward pass, bodies with branches what these need or bring."""
        axes = self.recursion.motion[i].axes
        symbols, state = self._symbols(i), self.model.state.places
        q = min((state[x] for x in symbols if x in self.mechanism.coordinates), default=0)
        v = state[self.mechanism.speeds[axes[0][0]]] if axes else 0
        place = Place(q, v)
        children = [k for k in range(self.n) if self.parents[k] == i]
        if any(k != i + 1 for k in children):
            place.region = self._reserved(len(CARRY))
        elif not children and i + 1 < self.n:
            place.region = self._reserved(3)
        return place

    def _reserved(self, count: int) -> int:
        self.memory += count
        return self.memory - count

    def _symbols(self, i: int) -> list[Name]:
        """Coordinates and speeds of the joint that leads to a body."""
        m, joint = self.mechanism, self.mechanism.tree.joints[i]
        numbers = [k for k, _, _ in self.recursion.motion[i].axes]
        channels = {f"{joint.name}.q"} | {f"{joint.name}.q.{x}" for x in joint.coordinate_names}
        own = [x for x, channel in zip(m.coordinates, m.coordinate_channels, strict=True) if channel in channels]
        return [*own, *(m.speeds[k] for k in numbers)]

    # equations of one body

    def _body(self, i: int) -> tuple[str, ...]:
        """Statements of the three passes."""
        place, motion, x = self.places[i], self.recursion.motion[i], self.recursion.relative[i]
        leaf, root = i + 1 == self.n or self.parents[i + 1] != i, self.parents[i] < 0
        self._known: dict[Node, str] = {TIME: "t"}
        self._fixed: dict[Node, str] = {}
        place.loads = len(self.loads)
        for symbol in self._symbols(i):
            k = self.model.state.places[symbol]
            is_speed = k >= self.model.system.n_q
            self._known[symbol] = f"y[{self._at('v', place.v, k - place.v) if is_speed else self._at('q', place.q, k - place.q)}]"
        turned = [*motion.R, *motion.rho, *x.om, *x.v, *x.al, *x.aa, *(e for turn in motion.turns for e in turn)]
        turned += [e for _, s, w in motion.axes for e in (*s, *w)]
        place.slots, self._slot = self.memory, 0
        still = NOTHING if root and not self.rolled else running_vector(OMEGA)
        texts = (
            self._angles(i, turned, still),
            self._inward(i, motion, x, leaf and not self.rolled),
            self._outward(i, motion, x, root and not self.rolled),
        )
        self.memory = place.slots + self._slot
        return texts

    def _at(self, what: str, first: int, k: int) -> str:
        """An address: relative to that of the body in loops, else as a number."""
        return f"{what} + {k}" if self.rolled else str(first + k)

    def _new_slot(self, i: int) -> str:
        self._slot += 1
        return f"W({self._at('s', self.places[i].slots, self._slot - 1)})"

    def _constant(self, i: int, node: Node) -> str:
        """In loops an entry of a table, or of c; numbers that belong to the equations themselves stay."""
        value = self.constants.value(node)
        place = self.places[i]
        if value is None and not self.rolled:
            return f"c[{self.constants.place(node)}]"
        if value is None:
            where = self.constants.place(node)
            if where not in place.own:
                place.own.append(where)
            return f"c[x[{place.own.index(where)}]]"
        if not self.rolled or (isinstance(node, Number) and not isinstance(node.value, float)):
            return literal(value)
        if node not in self._fixed:
            self._fixed[node] = f"k[{len(place.table)}]"
            place.table.append(value)
        return self._fixed[node]

    def _code(self, i: int, more: dict[Node, str], prefix: str) -> CudaText:
        return CudaText(
            {**self._known, **more}, self.constants.tables, self.model.fixed, lambda node: self._constant(i, node), prefix
        )

    def _angles(self, i: int, turned: Sequence[Node], above: Vector) -> str:
        """Sines and cosines, which the other passes read, and the angular velocity."""
        motion, x = self.recursion.motion[i], self.recursion.relative[i]
        code = self._code(i, _running(OMEGA), "p")
        angles = [e for e in dict.fromkeys(ordered(turned)) if isinstance(e, Call) and e.function in ("sin", "cos")]
        angles = [e for e in angles if names_of(e) - self.model.fixed]
        lines = []
        for node, text in zip(angles, code.texts(angles), strict=True):
            self._known[node] = slot = self._new_slot(i)
            lines.append(f"{slot} = {text};")
        return block(code, dict(zip(OMEGA, add(motion.outwards(above), x.om), strict=True)), lines)

    def _inward(self, i: int, m: Motion, x: RelativeMotion, leaf: bool) -> str:
        """Elimination of the freedoms of a body: what is left of its inertia and forces is handed to its parent."""
        om = running_vector(OMEGA)
        own = self.recursion.bodies.inertia[i]
        within = sub(om, x.om)  # of the parent, in axes of the body
        above = m.inwards(within)
        linear, angular = bias_of(m, x, within, above)
        I = rigid(own)
        f = cross(om, cross(om, own.first))
        n = cross(om, symmetric_times(own.second, om))
        if not leaf:
            carry = running_vector(CARRY)
            I = I.plus(Articulated(carry[:6], carry[6:15], carry[15:21]))
            f, n = add(f, carry[21:24]), add(n, carry[24:])
        known = _running((*OMEGA, *CARRY))
        force, torque = self.mechanism.wrenches[i]
        local = self._local(i, [*force, *torque, *(self.mechanism.tau[k] for k, _, _ in m.axes)], known)
        f, n, tau = sub(f, tuple(local[:3])), sub(n, tuple(local[3:6])), local[6:]
        stored: list[Node] = []
        self._freed: list[tuple[int, Vector, Vector, Vector, Vector, Node]] = []
        for j, (k, s, w) in reversed(list(enumerate(m.axes))):
            u, turn = I.times(s, w)
            rotor = self.recursion.rotors.get((k, k), ZERO)
            share = quotient(ONE, plus(plus(dot(s, u), dot(w, turn)), rotor))
            rest = times(minus(minus(tau[j], dot(s, f)), dot(w, n)), share)
            I = I.without(u, turn, share)
            I = I.at_rest_along(s, w) if rotor is ZERO else I
            f, n = add(f, scale(u, rest)), add(n, scale(turn, rest))
            U, T = scale(u, share), scale(turn, share)
            if rotor is ZERO:  # U/D along the freedom itself
                U = tuple(ONE if s == IDENTITY[3 * a : 3 * a + 3] and w == NOTHING else e for a, e in enumerate(U))
                T = tuple(ONE if w == IDENTITY[3 * a : 3 * a + 3] and s == NOTHING else e for a, e in enumerate(T))
            self._freed.append((k, s, w, U, T, rest))
            stored += [negative(e) if is_negative(e) else e for e in (*U, *T, rest)]  # products take signs off
        code = self._code(i, known, "p")
        F, N = I.times(linear, angular)
        f, n = add(f, F), add(n, N)
        found: dict[str, Node] = {}
        if self.rolled or m.parent >= 0:
            I = I.seen_from(m.turns, m.rho)
            f, n = m.inwards(f), m.inwards(n)
            found = dict(zip(CARRY, (*I.M, *I.H, *I.J, *f, *add(n, cross(m.rho, f))), strict=True))
            found |= dict(zip(OMEGA, above, strict=True))
        lines = []
        kept = [node for node in dict.fromkeys(stored) if names_of(node) - self.model.fixed]
        for node, text in zip(kept, code.texts(kept), strict=True):
            self._known[node] = slot = self._new_slot(i)
            lines.append(f"{slot} = {text};")
        return block(code, found, lines)

    def _local(self, i: int, nodes: Sequence[Node], known: dict[Node, str]) -> list[Node]:
        """Forces of a body; those that depend on more than its own joint are computed before (`loads`)."""
        here = {x.name for x in self._symbols(i)} | {TIME.name} | self.model.fixed
        found = list(nodes)
        for k, node in enumerate(nodes):
            if not names_of(node) <= here:
                found[k] = Name(f"load {k}")
                known[found[k]] = f"F[{self._at('l', self.places[i].loads, len(self.loads) - self.places[i].loads)}]"
                self.loads.append(node)
        return found

    def _outward(self, i: int, m: Motion, x: RelativeMotion, root: bool) -> str:
        """Accelerations of a body and of the freedoms that lead to it."""
        om, a, alpha = running_vector(OMEGA), running_vector(LINEAR), running_vector(ANGULAR)
        if root:
            om, alpha = NOTHING, NOTHING
        within = m.outwards(om)
        linear, angular = bias_of(m, x, within, om)
        a, alpha = add(m.outwards(add(a, cross(alpha, m.rho))), linear), add(m.outwards(alpha), angular)
        code = self._code(i, _running((*OMEGA, *LINEAR, *ANGULAR)), "p")
        found: dict[str, Node] = {}
        for k, s, w, U, T, rest in reversed(self._freed):
            rate = minus(rest, plus(dot(U, a), dot(T, alpha)))
            place = self.model.state.places[self.mechanism.speeds[k]]
            found[f"dy[{self._at('v', self.places[i].v, place - self.places[i].v)}]"] = rate
            a, alpha = add(a, scale(s, rate)), add(alpha, scale(w, rate))
        for names, vector in ((OMEGA, add(within, x.om)), (LINEAR, a), (ANGULAR, alpha)):
            found |= dict(zip(names, vector, strict=True))
        return block(code, found, [])

    # the whole

    def text(self, head: str) -> str:
        """A function of t, y and c that fills dy."""
        lines = [*self._coordinate_rates(), *self._loads()]
        lines += [
            f"real W_[{max(1, self.memory)}];",
            f"real {', '.join(f'{x} = R(0.0)' for x in (*OMEGA, *LINEAR, *ANGULAR, *CARRY))};",
        ]
        inner = self._loops() if self.rolled else self._straight()
        body = "\n  ".join([*lines, *inner])
        return f"{self._tables()}{head} {{\n  {body}\n}}"

    def _coordinate_rates(self) -> list[str]:
        """q̇."""
        rows, places = self.model.state.coordinates, self.model.state.places
        n = len(rows)
        if all(places.get(rate) == n + k for k, (_, rate) in enumerate(rows)):  # type: ignore[arg-type]
            return [f"for (int k = 0; k < {n}; ++k) dy[k] = y[{n} + k];"]
        known: dict[Node, str] = {x: f"y[{k}]" for x, k in places.items()}
        code = CudaText(known, self.constants.tables, self.model.fixed, self.constants.text, "d")
        texts = code.texts([rate for _, rate in rows])
        return ["{", *code.lines, *(f"dy[{k}] = {text};" for k, text in enumerate(texts)), "}"]

    def _loads(self) -> list[str]:
        """Forces that depend on several bodies."""
        if not self.loads:
            return []
        known: dict[Node, str] = {TIME: "t", **{x: f"y[{k}]" for x, k in self.model.state.places.items()}}
        code = CudaText(known, self.constants.tables, self.model.fixed, self.constants.text, "l")
        texts = code.texts(self.loads)
        return [f"real F[{len(texts)}];", "{", *code.lines, *(f"F[{k}] = {text};" for k, text in enumerate(texts)), "}"]

    def _gravity(self) -> list[str]:
        """The acceleration of the ground, upwards instead of gravity."""
        names = [f"g{k}" for k in range(3)]
        texts = [self.constants.text(x) for x in opposite(self.recursion.gravity)]
        return [f"const real {name} = {text};" for name, text in zip(names, texts, strict=True)]

    def _above(self, i: int, names: Sequence[str]) -> list[str]:
        """What a body finds in the running values if its parent is not the body before it."""
        p = self.parents[i]
        if i and p == i - 1:
            return []
        if p < 0:
            start = {name: f"g{k}" for k, name in enumerate(LINEAR)}
            return [f"{name} = {start.get(name, 'R(0.0)')};" for name in names]
        return [f"{name} = W({self.places[p].region + k});" for k, name in enumerate(names)]

    def _straight(self) -> list[str]:
        """Every body with code of its own."""
        lines = self._gravity()
        for i, place in enumerate(self.places):
            lines += [*self._above(i, OMEGA), self.bodies[i][0]]
            if place.region >= 0:
                lines += [f"W({place.region + k}) = {name};" for k, name in enumerate(OMEGA)]
        begun: set[int] = set()
        for i in reversed(range(self.n)):
            place, p = self.places[i], self.parents[i]
            if place.region in begun:
                lines += [f"{name} += W({place.region + k});" for k, name in enumerate(CARRY)]
            elif place.region >= 0:
                lines += [f"{name} = W({place.region + k});" for k, name in enumerate(OMEGA)]
            lines.append(self.bodies[i][1])
            if 0 <= p < i - 1:
                region, sign = self.places[p].region, "+=" if self.places[p].region in begun else "="
                lines += [f"W({region + k}) {sign} {name};" for k, name in enumerate(CARRY)]
                begun.add(region)
        for i, place in enumerate(self.places):
            lines += [*self._above(i, (*OMEGA, *LINEAR, *ANGULAR)), self.bodies[i][2]]
            if place.region in begun:
                lines += [f"W({place.region + k}) = {name};" for k, name in enumerate((*OMEGA, *LINEAR, *ANGULAR))]
        return lines

    # in loops

    def _columns(self) -> list[list[int]]:
        """What loops read of every body: see LOOPS."""
        rows, begun, number, own = [], set(), 0, 0
        for place in self.places:
            rows.append([place.kind, place.q, place.v, place.slots, place.loads, number, own, place.region])
            number, own = number + len(place.table), own + len(place.own)
        for i in reversed(range(self.n)):
            p = self.parents[i]
            how = JOINED if i and p == i - 1 else ALONE if p < 0 else self.places[p].region
            first = int(0 <= p < i - 1 and p not in begun)
            if 0 <= p < i - 1:
                begun.add(p)
            rows[i] += [how, first]
        return [[*row, int(i in begun)] for i, row in enumerate(rows)]

    def _tables(self) -> str:
        """Numbers of the bodies in constant memory."""
        if not self.rolled:
            return ""
        places = ", ".join(str(x) for row in self._columns() for x in row)
        numbers = ", ".join(literal(x) for place in self.places for x in place.table) or "R(0.0)"
        own = ", ".join(str(x) for place in self.places for x in place.own) or "0"
        parts = (("int", "PLACES", places), ("real", "NUMBERS", numbers), ("int", "OWN", own))
        return "".join(f"CONSTANT {kind} {name}[] = {{{entries}}};\n" for kind, name, entries in parts)

    def _loops(self) -> list[str]:
        """One loop for each pass; bodies of the same kind share their code."""
        found = self._gravity()
        for k in range(3):
            codes = list(dict.fromkeys(kind[k] for kind in self.kinds))
            if len(codes) == 1:
                chosen = [codes[0]]
            else:
                chosen = ["switch (p[0]) {"]
                for code in codes:
                    chosen += [f"case {n}:" for n, kind in enumerate(self.kinds) if kind[k] == code] + [code, "break;"]
                chosen += ["}"]
            found += [LOOPS[k][0].format(n=self.n, last=self.n - 1), *chosen, LOOPS[k][1]]
        return found


JOINED, ALONE = -1, -2  # the parent is the body before; it is the ground
HERE = """const int* p = PLACES + i * 11;
    const int q = p[1], v = p[2], s = p[3], l = p[4], region = p[7], above = p[8];
    const real* k = NUMBERS + p[5]; const int* x = OWN + p[6];
    (void)q; (void)v; (void)s; (void)l; (void)k; (void)x;"""


def _copied(names: Sequence[str], pattern: str) -> str:
    return " ".join(pattern.format(name=name, k=k) for k, name in enumerate(names))


RUNNING = (*OMEGA, *LINEAR, *ANGULAR)
FORWARD = (
    "ROLLED for (int i = 0; i < {{n}}; ++i) {{{{\n    "
    + HERE
    + """
    if (above == -2) {{{{ {ground} }}}} else if (above >= 0) {{{{ {load} }}}}"""
)
GROUND_STATE = {name: f"g{k}" for k, name in enumerate(LINEAR)}
LOOPS = (
    (
        FORWARD.format(ground=_copied(OMEGA, "{name} = R(0.0);"), load=_copied(OMEGA, "{name} = W(above + {k});")),
        f"    if (region >= 0) {{ {_copied(OMEGA, 'W(region + {k}) = {name};')} }}\n  }}",
    ),
    (
        "ROLLED for (int i = {last}; i >= 0; --i) {{\n    "
        + HERE
        + f"""
    if (p[10]) {{{{ {_copied(CARRY, "{name} += W(region + {k});")} }}}}
    else if (region >= 0) {{{{ {_copied(OMEGA, "{name} = W(region + {k});")} }}}}""",
        f"""    if (above != -1) {{
      if (above >= 0 && p[9]) {{ {_copied(CARRY, "W(above + {k}) = {name};")} }}
      else if (above >= 0) {{ {_copied(CARRY, "W(above + {k}) += {name};")} }}
      {_copied(CARRY, "{name} = R(0.0);")}
    }}
  }}""",
    ),
    (
        FORWARD.format(
            ground=" ".join(f"{name} = {GROUND_STATE.get(name, 'R(0.0)')};" for name in RUNNING),
            load=_copied(RUNNING, "{name} = W(above + {k});"),
        ),
        f"    if (p[10]) {{ {_copied(RUNNING, 'W(region + {k}) = {name};')} }}\n  }}",
    ),
)


def running_vector(names: Sequence[str]) -> Vector:
    """Symbols of values that are handed from body to body."""
    return tuple(map(Name, names))


def _running(names: Sequence[str]) -> dict[Node, str]:
    """Values that are handed from body to body, as they were when its statements began."""
    return {Name(name): f"{name}_" for name in names}


def block(code: CudaText, found: dict[str, Node], lines: Sequence[str]) -> str:
    """Statements in braces: what they need of the running values, their own, then the new values."""
    texts = code.texts(found.values())
    results = [f"{name} = {text};" for name, text in zip(found, texts, strict=True)]
    written = "\n    ".join([*code.lines, *lines, *results])
    used = [name for name in (*RUNNING, *CARRY) if f"{name}_" in written]
    first = "\n    ".join(f"const real {name}_ = {name};" for name in used)
    return f"{{ {first}\n    {written} }}"


def bias_of(m: Motion, x: RelativeMotion, within: Vector, above: Vector) -> tuple[Vector, Vector]:
    """Accelerations of a body beside those of its parent and of its own freedoms; ω of the parent in axes of both."""
    centripetal = m.outwards(cross(above, cross(above, m.rho)))
    return add(centripetal, add(x.al, scale(cross(within, x.v), TWO))), add(x.aa, cross(within, x.om))
