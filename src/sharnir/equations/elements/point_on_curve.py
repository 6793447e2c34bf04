"""A point on a curve whose place is tracked: it follows from the motion, so that no unknown is added. For code.

With x the point in the curve's frame, c(s) the curve and n, b across its tangent: n·(x - c) = b·(x - c) = 0, ṡ = c'·ẋ/c'². As the
engine does it, n and b count as constant in the rates, which differ by multiples of the equations themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.equations.tracking import Track
from sharnir.model import Table
from sharnir.model.constraints.profiles import profile_expressions
from sharnir.symbolic.matrices import Vector, cross, dot, scale, sub
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, plus, quotient, times
from sharnir.symbolic.printing import plain_name

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism


def tracked_point(m: Mechanism, x: Any, point: Vector) -> None:
    """Two equations, and the place as a tracked coordinate; `point` in the frame of the curve."""
    s = Name(f"{x.name}.s")
    c, c1, c2 = curve_at(m, x, s)
    gap, speed = sub(point, c), tuple(m.rate(y) for y in point)
    rate = quotient(dot(c1, speed), dot(c1, c1))
    m.rates[s], m.followed_start[s.name] = rate, float(x.s)
    m.curve_tracks.append(Track(s.name, s, plus(s, quotient(dot(c1, gap), dot(c1, c1))), rate))
    lin = sub(tuple(m.rate(y) for y in speed), scale(c2, times(rate, rate)))
    for side in normals(c1):
        m.explicit_rows.append((x.name, dot(side, gap), dot(side, speed), dot(side, lin), None))


def curve_at(m: Mechanism, x: Any, s: Node) -> tuple[Vector, Vector, Vector]:
    """c, c' and c'' at s."""
    found: list[list[Node]] = [[], [], []]
    for k, entry in enumerate(x.curve):
        orders, helpers = profile_expressions(entry, "s", f"{plain_name(x.name)}{k}.", m.model.parameters, "s")
        values: dict[str, Node] = {"s": s}
        for helper in helpers:
            if isinstance(helper.function, Table):
                names = m.entries.table_names(helper.function, f"{x.name}{k}")
                values[helper.name] = Call(names[helper.derivative], (s,))
            else:
                values[helper.name] = m.entries.opaque(helper.function, (s,), f"{x.name}{k}")
        for order, expression in zip(found, orders, strict=True):
            order.append(m.entries.node(expression.node, values))
    c, c1, c2 = (tuple(part) for part in found)
    return c, c1, c2


def normals(tangent: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors across it: with the coordinate axis that it is farthest from, as in surface_and_curve.py."""
    size = Call("sqrt", (dot(tangent, tangent),))
    u = scale(tangent, quotient(ONE, size))
    axis = farthest(u)
    b = cross(u, axis)
    b = scale(b, quotient(ONE, Call("sqrt", (dot(b, b),))))
    return cross(b, u), b


def farthest(u: Vector) -> Vector:
    """The coordinate axis of which a direction has least; the one of which it has nothing at all where there is one."""
    for k in (2, 1, 0):
        if u[k] is ZERO:
            return tuple(ONE if j == k else ZERO for j in range(3))
    x, y, z = (Call("abs", (c,)) for c in u)
    is_y = times(Call("<", (y, x)), Call("<=", (y, z)))
    is_z = times(Call("<", (z, x)), Call("<", (z, y)))
    return tuple(Call("if", (which, ONE, ZERO)) for which in (Call("==", (plus(is_y, is_z), ZERO)), is_y, is_z))
