"""The engine's accelerations and those of the printed or derived equations, at the same state."""

from __future__ import annotations

import re

import numpy as np

from sharnir.model.formula import parse
from sharnir.symbolic.evaluation import evaluated


def picked(equations, system, q, v):
    """Coordinates and speeds of a system in the order of the equations; those of cut joints are left out."""
    c, m = system.assembly.coordinates, equations.mechanism
    q_numbers = [c.q_names.index(name) for name in m.coordinate_channels if name in c.q_names]
    v_numbers = [c.v_names.index(name) for name in m.speed_channels[: m.n_tree]]
    return q[q_numbers], v[v_numbers], v_numbers


def difference(equations, system, q, v, t=0.0, **given):
    """Largest difference of accelerations, relative to the largest of them."""
    own_q, own_v, numbers = picked(equations, system, q, v)
    found = equations.accelerations(own_q, own_v, t, **given)
    wanted = system.accelerations(q, v, t)[numbers]
    return np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max())


def residuals_of_text(equations, system, q, v, t=0.0):
    """Left minus right of the equations of motion as printed, at the engine's accelerations: every line is read as a formula.

    Multipliers are those that fit best. The result is relative to the largest inertia force.
    """
    m = equations.mechanism
    own_q, own_v, numbers = picked(equations, system, q, v)
    own_q, own_v = equations._completed(own_q, own_v, t)
    values = equations.values(own_q, own_v, t)
    accelerations = np.zeros(len(m.speeds))
    accelerations[: m.n_tree] = system.accelerations(q, v, t)[numbers]
    values |= {x.name: y for x, y in zip(m.accelerations, accelerations, strict=True)}
    shown = equations.presentation
    for row in shown.definitions:
        values[row.left.name] = of_text(str(row.right), values, m.entries.functions)
    lambdas = [f"lambda_{k + 1}" for k in range(len(equations.constraints))]

    def motion(multipliers):
        known = values | dict(zip(lambdas, multipliers, strict=True))
        return np.array(
            [of_text(f"({row.left}) - ({row.right})".replace("''", "''"), known, m.entries.functions) for row in shown.rows]
        )

    rest = motion(np.zeros(len(lambdas)))
    columns = np.array([motion(e) - rest for e in np.eye(len(lambdas))]).T.reshape(len(rest), -1)
    if len(lambdas):
        rest = rest + columns @ np.linalg.lstsq(columns, -rest, rcond=None)[0]
    M = np.array(evaluated([x for row in equations.mass_matrix for x in row], values, m.entries.functions))
    size = np.abs(M.reshape(len(rest), -1) @ accelerations).max()
    return np.abs(rest).max() / max(1.0, size)


def of_text(text, values, functions):
    """The value of a printed expression, read by the parser of formulas; primes become words."""
    plain = re.sub(r"(\w)''", r"\1_ddot", text)
    plain = re.sub(r"(\w)'", r"\1_dot", plain)
    known = {re.sub(r"'$", "_dot", re.sub(r"''$", "_ddot", name)): value for name, value in values.items()}
    node = parse(plain, (), tuple(known), tables=dict.fromkeys(functions, 1)).node
    return evaluated([node], known, functions)[0]
