"""How far a step may go before bodies meet: conservative advancement (Mirtich 1996, §2.3) along the predicted motion.

Every body goes on from where a step begins with its velocity and acceleration; how much the acceleration may change is known
from the step before. Between two shapes there is a gap, and a bound of the speed at which it closes. The time that the bound
needs for the gap is safe, and from there the same begins again. A step may end a little inside, so that a contact can begin:
by no more than the law of the contact lets the bodies penetrate at that speed, and by a small part of the smaller of them.

Where the gap passes zero, at touch and at lift-off, the law of a contact is not smooth. That time is found too, so that a step
can end there.
"""

import math
from typing import NamedTuple

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact.box_box import Box, least_overlap
from sharnir.dynamics.contact.contact_laws import EXPONENT, EXPONENTIAL, LAW_KIND, LINEAR, STIFFNESS
from sharnir.dynamics.contact.contact_pair import (
    AXIS,
    BOX,
    CENTER,
    COUNT,
    EXTENT,
    FIELD,
    FORMULA,
    FRAME_SIZE,
    HALF_SIZES,
    JOURNAL,
    POINTS,
    PROBE,
    RIM,
    SPACE,
    boundary_frame,
    into,
    point_number,
)
from sharnir.dynamics.contact.distance_fields import CONVEX_MESH, HALF_EDGES, HOLE, NOWHERE, PROFILE, field_gap
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_params, pose_work
from sharnir.kernel import inline, jit
from sharnir.spatial.rotation import axis_rotation
from sharnir.spatial.vector import (
    add,
    cross,
    dot,
    load3,
    load9,
    multiply,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    sub,
)

# numbers at W_APPROACH: step that is asked for, what elements answer; then per body its motion
ASKED, SAFE, CROSSING, BEGINS, DEEP, LOCATES = 0, 1, 2, 3, 4, 5
HEADER = L.W_APPROACH_HEADER
ACCELERATION, TURNING, JERK, TURNING_JERK, POSE = 0, 3, 6, 7, 8  # of a body: of its origin, of its turn; bounds of their change
EACH = L.W_APPROACH_SIZE
# of an element: deepest penetration over its size, when; number of steps longer than what is safe, least safe one, when
DEEPEST, DEEPEST_AT, LONG, LEAST, LEAST_AT = 0, 1, 2, 3, 4
OF_SIZE = 0.1  # of a body that one step may penetrate more
LEAST_OF_SIZE = 1e-3  # of a body that it always may
AT_ZERO = 1e-6  # of the penetration to be expected: a gap is zero
MARCHES = 12  # how often a bound is made anew within a step
CONVEX = CONVEX_MESH  # boundaries up to this one are convex


class Ball(NamedTuple):
    """A ball around the shape of the first body of a pair: where its centre stands in `params`, its radius."""

    center: int
    radius: float


@jit
def body_memory(tab, i):
    """What is known of the motion of body i."""
    return tab[L.W_APPROACH] + HEADER + EACH * i


@jit
def distance(a, b):
    d = sub(a, b)
    return math.sqrt(dot(d, d))


@jit
def size_of(a):
    return math.sqrt(dot(a, a))


@jit
def move_body(tab, w, i, s):
    """Pose and velocity of body i a time s behind the beginning of the step; s = 0: as it was."""
    if i < 0:
        return
    p, m = pose_work(tab, i), body_memory(tab, i)
    if s == 0.0:
        for k in range(L.W_POSE_SIZE):
            w[p + k] = w[m + POSE + k]
        return
    R, o = load9(w, m + POSE), load3(w, m + POSE + 9)
    v, om = load3(w, m + POSE + 12), load3(w, m + POSE + 15)
    a, al = load3(w, m + ACCELERATION), load3(w, m + TURNING)
    turn = add(scale(om, s), scale(al, 0.5 * s * s))
    angle = size_of(turn)
    if angle > 0.0:
        R = multiply(axis_rotation(scale(turn, 1.0 / angle), angle), R)
    store9(w, p, R)
    store3(w, p + 9, add(o, add(scale(v, s), scale(a, 0.5 * s * s))))
    store3(w, p + 12, add(v, scale(a, s)))
    store3(w, p + 15, add(om, scale(al, s)))


@inline
def move_pair(tab, w, pair, s):
    """Both bodies of a pair."""
    move_body(tab, w, pair.i, s)
    move_body(tab, w, pair.j, s)


@jit
def point_motion(tab, w, i, c):
    """Velocity and acceleration of the point of body i that is at c, and a bound of the rate of the latter."""
    if i < 0:
        return NOWHERE, NOWHERE, 0.0
    _, o, v, om = pose_of(tab, w, i, 0.0)
    m, r = body_memory(tab, i), sub(c, o)
    al, s = load3(w, m + TURNING), cross(om, r)
    a = add(load3(w, m + ACCELERATION), add(cross(al, r), cross(om, s)))
    turn, arm = size_of(om), size_of(r)
    return add(v, s), a, w[m + JERK] + arm * (turn * (turn * turn + 3.0 * size_of(al)) + w[m + TURNING_JERK])


@jit
def turn_of(tab, w, i):
    """Angular velocity and acceleration of a body."""
    if i < 0:
        return NOWHERE, NOWHERE
    return load3(w, pose_work(tab, i) + 15), load3(w, body_memory(tab, i) + TURNING)


@jit
def relative_point_motion(tab, w, i, j, c):
    """Velocity and acceleration of the point of body i at c as body j sees them, and a bound of the rate of the latter."""
    va, aa, ja = point_motion(tab, w, i, c)
    vb, ab, jb = point_motion(tab, w, j, c)
    u, om = sub(va, vb), turn_of(tab, w, j)[0]
    return u, sub(sub(aa, ab), scale(cross(om, u), 2.0)), ja + jb


@jit
def closing_of_points(tab, w, i, j, c, n, F, field):
    """Closing speed, acceleration and bound of its rate of a point of body i against a boundary with normal n at its foot.

    In front of something convex the plane through the foot is met first, whatever stands behind it.
    """
    u, a, jerk = relative_point_motion(tab, w, i, j, c)
    if field <= CONVEX:
        return -dot(n, u), -dot(n, a), jerk
    if field in (HOLE, PROFILE):  # along the axis nothing is met
        z = (F[2], F[5], F[8])
        u, a = sub(u, scale(z, dot(u, z))), sub(a, scale(z, dot(a, z)))
    return size_of(u), size_of(a), jerk


@jit
def with_turns(tab, w, i, j, closing, reach, axis):
    """As `closing`, but for what moves with a body within a reach of the point; a turn about its own axis moves nothing."""
    v, a, jerk = closing
    (oma, ala), (omb, alb) = turn_of(tab, w, i), turn_of(tab, w, j)
    om, al = sub(oma, omb), sub(ala, alb)
    turn, more = size_of(sub(om, scale(axis, dot(om, axis)))), size_of(sub(al, scale(axis, dot(al, axis))))
    return v + turn * reach, max(a, 0.0) + (turn * turn + more) * reach, jerk


@jit
def approach(tab, par, w, pair, k, ball):
    """Point k of a pair at the present poses: gap, closing speed, acceleration, bound of its rate."""
    i, j, probe, d = pair.i, pair.j, pair.probe, pair.data
    kind, field, q = tab[d + PROBE], tab[d + FIELD], pair.boundary + FRAME_SIZE
    RA, oa, _, _ = pose_of(tab, w, i, 0.0)
    frame = boundary_frame(tab, par, w, pair)
    F = frame.axes
    if kind == POINTS:
        c = add(oa, rotate(RA, load3(par, probe + 3 * k)))
        gap, n = field_gap(par, w, field, tab[d + FORMULA], tab[d + SPACE], q, into(frame, c))
        closing = closing_of_points(tab, w, i, j, c, rotate(F, n), F, field)
        return gap - par[probe - 1], closing[0], closing[1], closing[2]
    middle = add(oa, rotate(RA, load3(par, ball.center)))
    x = into(frame, add(oa, rotate(RA, load3(par, probe + CENTER))))
    if kind == BOX:
        Q = multiply_back(F, multiply(RA, load9(par, probe + AXIS)))
        _, gap, n, least = least_overlap(Box(x, Q, load3(par, probe + HALF_SIZES)), load3(par, q + HALF_EDGES))
        u, a, jerk = relative_point_motion(tab, w, i, j, middle)
        closing = (-dot(rotate(F, n), u), -dot(rotate(F, n), a), jerk) if gap == least else (size_of(u), size_of(a), jerk)
        closing = with_turns(tab, w, i, j, closing, ball.radius, NOWHERE)
        return least, closing[0], closing[1], closing[2]
    axis = rotate(RA, load3(par, probe + AXIS))
    c = point_number(par, kind, k, x, rotate_back(F, axis), into(frame, add(oa, axis)), probe + EXTENT, q)
    gap, n = field_gap(par, w, field, tab[d + FORMULA], tab[d + SPACE], q, c)
    closing = closing_of_points(tab, w, i, j, middle, rotate(F, n), F, field)
    closing = with_turns(tab, w, i, j, closing, ball.radius, axis if kind in (RIM, JOURNAL) else NOWHERE)
    return gap - par[probe - 1], closing[0], closing[1], closing[2]


@jit
def travel_time(way, v, a, jerk, longest):
    """When v s + a s²/2 + j s³/6 has come to a positive way, at the latest `longest`; a and j are not negative."""
    if (v + (0.5 * a + jerk * longest / 6.0) * longest) * longest <= way:
        return longest
    s = longest
    if v > 0.0:
        s = min(s, way / v)
    if v >= 0.0 and a > 0.0:
        s = min(s, math.sqrt(2.0 * way / a))
    for _ in range(40):  # Newton's method from the far side of the root of a convex function
        slope = v + (a + 0.5 * jerk * s) * s
        change = ((v + (0.5 * a + jerk * s / 6.0) * s) * s - way) / slope if slope > 0.0 else 0.0
        s -= change
        if change <= 1e-3 * s:
            break
    return s


@jit
def expected_depth(par, p, mass, v, a):
    """How far a law lets a mass in that comes with speed v under acceleration a; an exponential one, from where it acts."""
    k, n = par[p + STIFFNESS], par[p + EXPONENT]
    if not k > 0.0:
        return math.inf
    if par[p + LAW_KIND] == EXPONENTIAL:
        energy = 0.5 * mass * v * v * n / k
        return (1.0 + (math.log(energy) if energy > 1.0 else 0.0)) / n
    if par[p + LAW_KIND] == LINEAR:
        n = 1.0
    return (0.5 * (n + 1.0) * mass * v * v / k) ** (1.0 / (n + 1.0)) + (mass * a / k) ** (1.0 / n)


@jit
def lighter(tab, par, i, j):
    """Mass of the lighter of two bodies; one without mass does not count."""
    mass = math.inf
    if i >= 0 and par[body_params(tab, i) + L.MASS] > 0.0:
        mass = par[body_params(tab, i) + L.MASS]
    if j >= 0 and par[body_params(tab, j) + L.MASS] > 0.0:
        mass = min(mass, par[body_params(tab, j) + L.MASS])
    return mass if mass < math.inf else max(par[L.TOTAL_MASS], 1e-300)


@jit
def pair_horizon(tab, par, w, pair, ball, size):
    """Lower SAFE and CROSSING to what all points of a pair allow; size: of the smaller body, or infinite."""
    for k in range(1 if tab[pair.data + PROBE] == BOX else tab[pair.data + COUNT]):
        point_horizon(tab, par, w, pair, k, ball, size)


@jit
def point_horizon(tab, par, w, pair, k, ball, size):
    """One point of a pair."""
    g, p, d = tab[L.W_APPROACH], pair.law, pair.data
    dt, smooth = w[g + ASKED], par[p + LAW_KIND] == EXPONENTIAL
    gap, v, a, jerk = approach(tab, par, w, pair, k, ball)
    if not gap < math.inf:
        return
    w[g + DEEP] = max(w[g + DEEP], -gap / size)
    if gap > 0.0 and not smooth and travel_time(gap, v, max(a, 0.0), jerk, dt) == dt:
        return
    law = math.inf
    if size == math.inf:
        law = expected_depth(par, p, lighter(tab, par, pair.i, pair.j), abs(v), abs(a))
        size = law / OF_SIZE
    if gap < -AT_ZERO * OF_SIZE * size and not smooth:  # it touches, and the force is there to be seen
        w[g + SAFE] = min(w[g + SAFE], at_most(travel_time(OF_SIZE * size, v, max(a, 0.0), jerk, dt), dt))
        bound = tab[d + PROBE] != POINTS or tab[d + FIELD] > CONVEX  # then v is no more than a bound
        if w[g + LOCATES] == 1.0 and (bound or gap - (v + 0.5 * a * dt) * dt > 0.0):
            locate(tab, par, w, pair, k, ball, gap, w[g + SAFE], AT_ZERO * LEAST_OF_SIZE * size)
        return
    if law == math.inf:
        law = expected_depth(par, p, lighter(tab, par, pair.i, pair.j), max(v, 0.0), max(a, 0.0))
    inside = min(OF_SIZE * size, max(law, LEAST_OF_SIZE * size))
    safe = march(tab, par, w, pair, k, ball, inside, dt)
    if gap <= AT_ZERO * inside and safe < w[g + SAFE]:
        w[g + BEGINS] = 1.0
    w[g + SAFE] = min(w[g + SAFE], safe)
    if gap > AT_ZERO * inside and not smooth and w[g + LOCATES] == 1.0:
        locate(tab, par, w, pair, k, ball, gap, safe, AT_ZERO * inside)


@jit
def at_most(s, dt):
    """A time within a step; infinite if it is all of it."""
    return s if s < dt else math.inf


@jit
def march(tab, par, w, pair, k, ball, inside, dt):
    """Until when a point is no further inside than it may; not less than dt: for all of the step."""
    s = 0.0
    for _ in range(MARCHES):
        move_pair(tab, w, pair, s)
        gap, v, a, jerk = approach(tab, par, w, pair, k, ball)
        way = gap + inside - jerk * s * s * s / 6.0
        if s > 0.0 and way <= 0.1 * inside:
            break
        s += travel_time(max(way, 0.1 * inside), v, max(a, 0.0), jerk, dt - s)
        if s >= dt * (1.0 - 1e-12):
            s = math.inf
            break
    move_pair(tab, w, pair, 0.0)
    return s


@jit
def locate(tab, par, w, pair, k, ball, start, safe, zero):
    """Lower CROSSING to when the gap of a point passes zero on the way that is expected, if it does (regula falsi, Illinois)."""
    g = tab[L.W_APPROACH]
    low, high, at_low = 0.0, min(safe, w[g + ASKED]), start
    move_pair(tab, w, pair, high)
    at_high = approach(tab, par, w, pair, k, ball)[0]
    found = math.inf
    if at_low * at_high < 0.0:
        for _ in range(30):
            s = (low * at_high - high * at_low) / (at_high - at_low)
            move_pair(tab, w, pair, s)
            gap = approach(tab, par, w, pair, k, ball)[0]
            found = s
            if abs(gap) <= max(0.1 * zero, 1e-12 * abs(start)):
                break
            if gap * at_high < 0.0:
                low, at_low = high, at_high
            else:
                at_low *= 0.5
            high, at_high = s, gap
    move_pair(tab, w, pair, 0.0)
    w[g + CROSSING] = min(w[g + CROSSING], found)
