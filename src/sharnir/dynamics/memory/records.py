"""Where a record stands: the record of body i in `table`, in `params`, in `work`, and those of freedoms and elements.

A section of `layout` holds one record after the other, all of one size. An accessor `…_record(tab, i)` is the offset of
record i in `table`, `…_params` its offset in `params`, `…_work` in `work`; `…_of` is what a record says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline
from sharnir.spatial.vector import load3

if TYPE_CHECKING:
    import numpy as np

    from sharnir.dynamics.memory.equations import Equations

# ---- bodies -----------------------------------------------------------------------------------------------------------


@inline
def body_record(tab, i):
    """Body i: PARENT, KIND, FIRST_Q, …"""
    return tab[L.T_BODY] + i * L.T_BODY_SIZE


@inline
def parent_of(tab, i):
    """The body before body i on the way to the base, or -1."""
    return tab[tab[L.T_BODY] + i * L.T_BODY_SIZE + L.PARENT]


@inline
def body_params(tab, i):
    """Body i: TREE_ROTATION, TREE_POSITION, MASS, FIRST_MOMENT, INERTIA."""
    return tab[L.P_BODY] + i * L.P_BODY_SIZE


@inline
def body_work(tab, i):
    """Body i: G, RHO, VEL, BIAS, ACC."""
    return tab[L.W_BODY] + i * L.W_BODY_SIZE


@inline
def frame_params(tab, i):
    """The user's frame of body i in the engine's: rotation 9, position 3."""
    return tab[L.P_FRAME] + i * L.P_FRAME_SIZE


@inline
def pose_work(tab, i):
    """Body i in the world: rotation 9, origin 3, velocity of the origin 3, angular velocity 3."""
    return tab[L.W_POSE] + i * L.W_POSE_SIZE


def world_pose(system: Equations, i: int) -> np.ndarray:
    """The numbers of `pose_work` as Python reads them, those of the last evaluation."""
    return system.work[int(system.table[L.W_POSE]) + i * L.W_POSE_SIZE :][: L.W_POSE_SIZE]


def user_frame(system: Equations, i: int) -> tuple[np.ndarray, np.ndarray]:
    """The user's frame of body i in the engine's, as Python reads it: axes (user → engine) and origin."""
    frame = system.params[int(system.table[L.P_FRAME]) + i * L.P_FRAME_SIZE :][: L.P_FRAME_SIZE]
    return frame[:9].reshape(3, 3), frame[9:]


@inline
def external_work(tab, i):
    """Force and torque of force elements on body i."""
    return tab[L.W_EXTERNAL] + i * L.W_EXTERNAL_SIZE


@inline
def reaction_work(tab, i):
    """Force and torque through the joint of body i."""
    return tab[L.W_REACTION] + i * L.W_REACTION_SIZE


@inline
def branch_work(tab, k):
    """What the children of a body with several hand over: A, B, C and force."""
    return tab[L.W_BRANCH] + k * L.W_BRANCH_SIZE


# ---- freedoms and speeds ----------------------------------------------------------------------------------------------


@inline
def first_freedom(tab, b):
    """The first elementary freedom of a joint, given the record of its body or of its constraint element."""
    return tab[b + L.FIRST_FREEDOM]


@inline
def end_freedom(tab, b):
    """One past the last elementary freedom of a joint: `range(first_freedom(tab, b), end_freedom(tab, b))`."""
    return tab[b + L.FIRST_FREEDOM] + tab[b + L.COUNT_FREEDOM]


@inline
def freedom_record(tab, k):
    """Elementary freedom k: TYPE, SPEED, COORDINATE, MOTION, BODY."""
    return tab[L.T_FREEDOM] + k * L.T_FREEDOM_SIZE


@inline
def speed_of(tab, k):
    """The speed of freedom k, or -1 if its motion is prescribed."""
    return tab[tab[L.T_FREEDOM] + k * L.T_FREEDOM_SIZE + L.SPEED]


@inline
def motion_of(tab, k):
    """The prescribed motion of freedom k, or -1 if it is free."""
    return tab[tab[L.T_FREEDOM] + k * L.T_FREEDOM_SIZE + L.MOTION]


@inline
def freedom_params(tab, k):
    """Freedom k: axis 3, pitch; the first one of a free joint: axes of the drawing -> joint axes, 9."""
    return tab[L.P_FREEDOM] + k * L.P_FREEDOM_SIZE


@inline
def axis_work(tab, k):
    """The motion axis s of freedom k: linear 3, angular 3, body axes."""
    return tab[L.W_AXES] + k * L.W_AXES_SIZE


@inline
def axis_of(tab, w, k):
    """The motion axis of freedom k as two vectors, linear and angular."""
    s = tab[L.W_AXES] + k * L.W_AXES_SIZE
    return load3(w, s), load3(w, s + 3)


@inline
def motion_record(tab, k):
    """Prescribed motion k: addresses of its value, rate, acceleration."""
    return tab[L.T_MOTION] + k * L.T_MOTION_SIZE


@inline
def motion_work(tab, k):
    """Prescribed motion k: value, rate, acceleration."""
    return tab[L.W_MOTION] + k * L.W_MOTION_SIZE


@inline
def elimination_work(tab, k):
    """Speed k, eliminated: U = I s 6, 1/sᵀU, u."""
    return tab[L.W_ELIMINATION] + k * L.W_ELIMINATION_SIZE


@inline
def drive_work(tab, k):
    """Prescribed motion k in the elimination: U = I s 6, sᵀp; behind the speeds."""
    return tab[L.W_ELIMINATION] + (tab[L.N_V] + k) * L.W_ELIMINATION_SIZE


@inline
def armature_of(tab, par, k):
    """Inertia of the rotor that turns with speed k."""
    return par[tab[L.P_ARMATURE] + k]


@inline
def rotor_load(tab, par, w, k):
    """Force along prescribed freedom k that accelerates its rotor."""
    return par[tab[L.P_ARMATURE] + tab[L.N_V] + k] * w[motion_work(tab, k) + 2]


@inline
def has_rotor(tab, k):
    """Whether a rotor turns with elementary freedom k."""
    return tab[tab[L.T_FREEDOM] + k * L.T_FREEDOM_SIZE + L.HAS_ROTOR] == 1


@inline
def mimic_record(tab, k):
    """Speed k that is a multiple of another: FOLLOWER, LEADER; its multiplier stands in P_MIMIC."""
    return tab[L.T_MIMIC] + k * L.T_MIMIC_SIZE


# ---- forces -----------------------------------------------------------------------------------------------------------


@inline
def coordinate_params(tab, k):
    """Speed k: constant force, damping, stiffness, rest value."""
    return tab[L.P_COORDINATE] + k * L.P_COORDINATE_SIZE


@inline
def joint_force_record(tab, k):
    """Force k along one coordinate: speed, coordinate, address of f(q, v, t)."""
    return tab[L.T_JOINT_FORCE] + k * L.T_JOINT_FORCE_SIZE


@inline
def ball_spring_record(tab, k):
    """Spring k in a ball joint: first speed, first coordinate."""
    return tab[L.T_BALL_SPRING] + k * L.T_BALL_SPRING_SIZE


@inline
def force_record(tab, k):
    """Force element k: F_PARAMS, BODY_A, BODY_B, FUNCTION, F_DATA, W_OUT."""
    return tab[L.T_FORCE] + k * L.T_FORCE_SIZE


@inline
def held_spring_record(tab, k):
    """Spring or drive k in a freedom that an event has locked: HELD_MOTION, HELD_ADDRESS."""
    return tab[L.T_HELD_SPRING] + k * L.T_HELD_SPRING_SIZE


@inline
def held_spring_params(tab, k):
    """Spring or drive k in a freedom that an event has locked: HELD_CONSTANT, HELD_STIFFNESS, HELD_REST, HELD_VALUE."""
    return tab[L.P_HELD_SPRING] + k * L.P_HELD_SPRING_SIZE


@inline
def potential_record(tab, k):
    """Potential k of a force element: address of what computes it or 0, record of the element, place of the energy in `work`."""
    return tab[L.T_POTENTIAL] + k * L.T_POTENTIAL_SIZE


@inline
def approach_record(tab, k):
    """Element k that acts on one side only: address of what bounds a step, its record, place of what it reports in `work`."""
    return tab[L.T_APPROACH] + k * L.T_APPROACH_SIZE


# ---- constraint elements ----------------------------------------------------------------------------------------------


@inline
def element_record(tab, x):
    """Constraint element x: E_KIND, E_ROW, E_COUNT, …"""
    return tab[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE


@inline
def target_of(tab, e, k):
    """What term k of a constraint element acts on: a body, -1 the base, -2 - i speed i. A cut joint: 0 parent, 1 child."""
    return tab[tab[e + L.E_TERM] + 2 * k]


@inline
def pair_record(tab, k):
    """Pair k of elements that share speeds: PAIR_E, PAIR_F, PAIR_RUNS, PAIR_COUNT."""
    return tab[L.T_PAIR] + k * L.T_PAIR_SIZE


@inline
def run_record(tab, pair, r):
    """Run r of the speeds that a pair of elements shares: RUN_E, RUN_F, RUN_LENGTH."""
    return tab[pair + L.PAIR_RUNS] + r * L.T_RUN_SIZE


@inline
def cut_force_record(tab, k):
    """Force k along a coordinate of a cut joint: element, freedom, address of f(q, v, t) or 0."""
    return tab[L.T_CUT_FORCE] + k * L.T_CUT_FORCE_SIZE


@inline
def cut_force_params(tab, k):
    """Force k along a coordinate of a cut joint: constant force, damping, stiffness, rest value."""
    return tab[L.P_CUT_FORCE] + k * L.P_CUT_FORCE_SIZE
