"""The rocket: free-free frequency of the whole FE model, momentum, angles, rest in the rail, and what changes little."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sharnir.app.demos.spacecraft import rocket, rocket_body
from sharnir.results import Result


@cache
def launch() -> Result:
    return rocket.model().simulate(**(rocket.ROCKET.settings | {"step": 1e-3}))


def bending_of_the_whole_fe_model() -> float:
    """The lowest frequency of both FE models with all their freedoms, welded to the rigid bodies between and behind [Hz]."""
    from scipy.sparse import block_diag, coo_array
    from scipy.sparse.linalg import eigsh

    m, parts = rocket_body.rocket(), rocket_body.sections()
    columns, rows, values, start = 12, [], [], 0  # six of the middle at its origin, six of the fins at the nozzle
    places = {"middle": 0.5 * (rocket_body.TAIL + rocket_body.MIDDLE), "fins": 0.0}
    welds = {
        ("nose", "base"): ("middle", 0, rocket_body.MIDDLE),
        ("tail", "fore"): ("middle", 0, rocket_body.TAIL),
        ("tail", "aft"): ("fins", 6, 0.0),
    }
    for name in ("nose", "tail"):
        fe, held = parts[name], {}
        for (part, interface), (body, first, z) in welds.items():
            if part == name:
                for k, row in enumerate(fe.freedoms_of(fe.node(rocket_body.NODES[name][interface]))):
                    held[int(row)] = (k, first, z - places[body])
        for row in range(fe.size):
            if row not in held:
                entries = [(columns, 1.0)]
                columns += 1
            else:  # shift + rotation × (0, 0, arm)
                k, first, arm = held[row]
                lever = {0: [(first + 4, arm)], 1: [(first + 3, -arm)]}.get(k, [])
                entries = [(first + k, 1.0), *lever]
            for column, value in entries:
                rows.append((start + row, column))
                values.append(value)
        start += fe.size
    i, j = np.array(rows).T
    T = coo_array((values, (i, j)), shape=(start, columns)).tocsr()
    K, M = (
        T.T @ block_diag([getattr(parts[n], what) for n in ("nose", "tail")], format="csr") @ T for what in ("stiffness", "mass")
    )
    extra = coo_array((columns, columns)).tolil()
    for first, body in ((0, m.bodies["middle"]), (6, m.bodies["fins"])):
        c = np.array(body.com)
        tilde = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
        J = np.diag(body.inertia[:3]) - body.mass * tilde @ tilde
        extra[first : first + 6, first : first + 6] = np.block(
            [[body.mass * np.eye(3), -body.mass * tilde], [body.mass * tilde, J]]
        )
    M = (M + extra.tocsr()).tocsc()
    values = np.sort(eigsh(K.tocsc(), 10, M, sigma=-100.0, return_eigenvectors=False))
    frequencies = np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi)
    assert (frequencies[:6] < 0.1).all() and frequencies[6] > 5.0
    return float(frequencies[6])


def test_the_nose_swings_at_the_free_frequency_of_the_whole_fe_model():
    """Coasting, that of the reduced sections with shifted bodies; under thrust, which follows the bent tail, a percent higher."""
    whole = bending_of_the_whole_fe_model()
    weightless = rocket_body.rocket()
    weightless.gravity = (0.0, 0.0, 0.0)
    modes = np.sort(weightless.modes().frequencies)
    assert modes[:6].max() < 1e-3 and modes[6:8] == pytest.approx(whole, rel=0.005)  # six rigid motions, two planes of bending
    coasting = rocket_body.rocket().simulate(1.5, step=0.001, tolerance=1e-8)
    assert rocket.bending_frequency(coasting, 0.1, 1.5) == pytest.approx(modes[6], rel=0.001)
    assert rocket.bending_frequency(launch()) == pytest.approx(whole, rel=0.02)


def axes_of(r: Result, body: str) -> np.ndarray:
    """(nt, 3, 3) rotation matrices from the quaternions of a body."""
    w, x, y, z = r[f"{body}.rotation"].T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def test_momentum_is_the_impulse_of_thrust_rail_air_and_weight():
    r, P, zero = launch(), rocket.PARAMETERS, np.zeros(len(launch().t))
    pushed = r["thrust"] * (r["pitch_nozzle"] + P["off"]), r["thrust"] * (P["off"] - r["yaw_nozzle"]), r["thrust"]
    local = {  # axes of the bodies
        "fins": np.stack(pushed, axis=1) + np.stack([-r["fin_up"], r["fin_side"], zero], axis=1),
        "nose:shoulder": np.stack([-r["nose_up"], r["nose_side"], zero], axis=1),
        "middle": np.stack([zero, zero, -P["air"] * P["drag"] * r["speed"] * np.abs(r["speed"])], axis=1),
    }
    force = sum(np.einsum("tij,tj->ti", axes_of(r, body), f) for body, f in local.items())
    for name, axis in (("up", rocket_body.UP), ("left", rocket_body.LEFT)):
        force = force + np.outer(r[f"front_{name}"] + r[f"rear_{name}"], axis)
    force = force + np.outer(r["stop"], rocket_body.FORWARD) - (0, 0, rocket_body.GRAVITY * sum(rocket_body.MASSES.values()))
    change = r["system.momentum"][-1] - r["system.momentum"][0]
    assert np.abs(np.trapezoid(force, r.t, axis=0) - change).max() < 1e-4 * np.linalg.norm(change)
    assert np.linalg.norm(change) > 8e4


def test_angles_are_those_of_the_middle():
    """Nose direction from the quaternion of the body; small roll from its y axis."""
    r = launch()
    w, x, y, z = r["middle.rotation"].T
    nose = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    left = 2 * (y * z + w * x)
    assert np.abs(np.sin(r["pitch"]) - nose[:, 2]).max() < 1e-9
    assert np.abs(np.tan(r["yaw"]) - nose[:, 1] / nose[:, 0]).max() < 1e-9
    assert np.abs(np.sin(r["roll"]) * np.cos(r["pitch"]) - left).max() < 1e-9
    for name in ("pitch", "yaw", "roll"):
        slope = np.gradient(r[name], r.t)[50:-50]
        assert np.abs(slope - r[f"{name}_rate"][50:-50]).max() < 0.02 * np.abs(r[f"{name}_rate"]).max() + 1e-3


def test_it_rests_in_the_rail_until_ignition_and_then_obeys():
    r = launch()
    rest = r.t < rocket.IGNITION
    weight = rocket_body.GRAVITY * sum(rocket_body.MASSES.values())
    assert np.abs(r["speed"][rest]).max() < 1e-5 and np.ptp(r["pitch"][rest]) < 1e-5
    assert np.hypot(r["front_up"] + r["rear_up"], r["stop"])[rest] == pytest.approx(weight, rel=1e-3)
    assert r["rear_hold"][-1] == 0.0 and np.abs(r["rear_up"][r["rear_hold"] == 0]).max() == 0.0
    steered = (r.t > 2.1) & (r.t < rocket.BURNOUT - 0.1)
    assert np.abs(r["pitch"] - r["wanted"])[steered].max() < 0.02
    assert np.abs(r["yaw"])[steered].max() < 0.03 and np.abs(r["roll"]).max() < 0.2


def test_modes_tolerance_and_integrator_change_little():
    settings = rocket.ROCKET.settings | {"t_end": 0.8}
    found = []
    for modes, change in ((8, {}), (14, {}), (8, {"tolerance": 1e-8}), (8, {"integrator": "radau5", "tolerance": 1e-7})):
        r = rocket.model(modes).simulate(**(settings | change))
        found.append([r["pitch"][-1], r["yaw"][-1], r["roll"][-1], 10 * r["nose.largest_displacement"].max()])
    difference = np.abs(np.array(found) - found[0]).max(axis=1)
    assert difference[1] < 2e-4 and difference[2] < 1e-5 and difference[3] < 1e-5


def test_falling_freely_it_keeps_its_energy():
    """Without motor, rail and air only the damping of the sections takes energy, while they swing out of their sag."""
    r = rocket_body.rocket().simulate(0.2, step=0.001, tolerance=1e-9)
    taken = 0.0
    for name in ("nose", "tail"):
        D, xi = rocket_body.rocket().bodies[name].reduced.damping, r[f"{name}.xi"]
        taken += np.trapezoid(np.einsum("ti,ij,tj->t", xi, D, xi), r.t)
    lost = r.energy.total[0] - r.energy.total[-1]
    assert lost == pytest.approx(taken, rel=1e-2) and 0.0 < lost < 1.0
    assert np.ptp(np.diff(r["system.momentum"][:, 2])) < 1e-6
