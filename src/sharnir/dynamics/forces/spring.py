"""A spring-damper between two points, with any characteristic."""

import math

import numpy as np

from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record, function_record
from sharnir.dynamics.forces.potential import potential_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import Spring
from sharnir.spatial.vector import dot, load3, scale, sub

# params: points in engine axes of their bodies, then numbers; F_DATA: address of the characteristic f(x, v, t), 0: there is none
POINT_A, POINT_B, STIFFNESS, DAMPING, FREE_LENGTH = 0, 3, 6, 7, 8
LENGTH, RATE, TENSION = 0, 1, 2  # outputs
COINCIDENT = 1e-14  # of how far two points are from the origins of the world and of their bodies


@jit
def sum_of(a):
    """|x| + |y| + |z|."""
    return abs(a[0]) + abs(a[1]) + abs(a[2])


def add_spring(t, f, _, table, params, work):
    """Tension k x + c ẋ + f(x, ẋ, t) along the line between two points, x = length - free length."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, i, j, out = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.BODY_B], tab[f + L.W_OUT]
    a, va = point_state(tab, w, i, load3(par, p + POINT_A))
    b, vb = point_state(tab, w, j, load3(par, p + POINT_B))
    d = sub(b, a)
    length = math.sqrt(dot(d, d))
    size = sum_of(a) + sum_of(b) + sum_of(load3(par, p + POINT_A)) + sum_of(load3(par, p + POINT_B))
    # closer ends have a direction by rounding only
    n = scale(d, 1.0 / length) if length > COINCIDENT * size else (0.0, 0.0, 0.0)
    rate = dot(sub(vb, va), n)
    x = length - par[p + FREE_LENGTH]
    tension = par[p + STIFFNESS] * x + par[p + DAMPING] * rate
    if tab[f + L.F_DATA] != 0:
        tension += given(tab, w, tab[f + L.F_DATA], x, rate, t)
    zero = (0.0, 0.0, 0.0)
    apply(tab, w, i, a, scale(n, tension), zero)
    apply(tab, w, j, b, scale(n, -tension), zero)
    w[out + LENGTH], w[out + RATE], w[out + TENSION] = length, rate, tension


def spring_potential(t, f, place, table, params, work):
    """½ k x² and the work of the characteristic at rest; needs its length."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p = tab[f + L.F_PARAMS]
    x = w[tab[f + L.W_OUT] + LENGTH] - par[p + FREE_LENGTH]
    total = 0.5 * par[p + STIFFNESS] * x * x
    if tab[f + L.F_DATA] != 0:
        total += potential_of(tab, par, f + L.F_DATA, x, t)
    w[place] = total


SPRING, POTENTIAL = Pointer(add_spring, DERIVATIVE), Pointer(spring_potential, DERIVATIVE)


@force_record(Spring, SPRING, potential=POTENTIAL)
def spring_row(blocks: Blocks, row: np.ndarray, force: Spring, drawing: Drawing) -> None:
    """The record of a spring; without a free length it is relaxed in the drawing."""
    a, b = str(force.a), str(force.b)
    length = force.length
    if length is None:
        length = float(np.linalg.norm(drawing.world(b, force.at_b) - drawing.world(a, force.at_a)))
    numbers = [*drawing.point(a, force.at_a), *drawing.point(b, force.at_b), force.stiffness, force.damping, length]
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    row[L.F_PARAMS] = blocks.append("params", None, numbers)
    if force.force is not None:
        functions = drawing.functions
        row[L.F_DATA : L.F_DATA + 3] = function_record(blocks, force.force, ("x", "v", "t"), force.label, functions)
