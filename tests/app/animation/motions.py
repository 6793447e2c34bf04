"""Motions computed with SciPy alone, as results with a scene: what the pictures are tested on."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from sharnir.results import Channel, Result, Scene, SceneItem, SceneSpring
from sharnir.results.flexible_shapes import FlexibleShapes


def about_y(angle: np.ndarray) -> np.ndarray:
    """Quaternions (w, x, y, z) of rotations about y."""
    zero = np.zeros_like(angle)
    return np.column_stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero])


def double_pendulum(t_end: float = 4.0, samples: int = 801, lengths: tuple[float, float] = (1.0, 0.8)) -> Result:
    """Two equal point masses on massless rods, drawn as sticks."""
    l1, l2, g = *lengths, 9.81

    def derivative(t: float, y: np.ndarray) -> list[float]:
        a, b, u, v = y
        coupling = l1 * l2 * np.cos(a - b)
        mass = np.array([[2 * l1**2, coupling], [coupling, l2**2]])
        force = [
            -l1 * l2 * v**2 * np.sin(a - b) - 2 * g * l1 * np.sin(a),
            l1 * l2 * u**2 * np.sin(a - b) - g * l2 * np.sin(b),
        ]
        return [u, v, *np.linalg.solve(mass, force)]

    t = np.linspace(0.0, t_end, samples)
    a, b, u, v = solve_ivp(derivative, (0.0, t_end), [2.2, 2.6, 0.0, 0.0], t_eval=t, rtol=1e-9, atol=1e-9).y
    elbow = np.column_stack([l1 * np.sin(a), np.zeros_like(a), -l1 * np.cos(a)])
    channels = [
        Channel("shoulder.q", a, "rad"),
        Channel("elbow.q", b - a, "rad"),
        Channel("shoulder.v", u, "rad/s"),
        Channel("elbow.v", v - u, "rad/s"),
        Channel("upper.position", np.zeros((samples, 3)), "m"),
        Channel("upper.rotation", about_y(-a)),
        Channel("lower.position", elbow, "m"),
        Channel("lower.rotation", about_y(-b)),
    ]
    scene = Scene(
        [
            SceneItem("ground", pins=[((0, 0, 0), "y")]),
            SceneItem("upper", lines=[((0, 0, 0), (0, 0, -l1))], pins=[((0, 0, -l1), "y")], color="#2f6fde"),
            SceneItem("lower", lines=[((0, 0, 0), (0, 0, -l2))], com=(0, 0, -l2), color="#e8590c"),
        ]
    )
    return Result(t, channels, title="Double pendulum", scene=scene, events=[{"t": 1.5, "name": "half way"}])


def tumbling_box(t_end: float = 5.0, samples: int = 501) -> Result:
    """A free box spun about its middle axis, on a spring that is only drawn."""
    inertia = np.array([1.0, 2.0, 3.0])

    def derivative(t: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        rate = [-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))]
        return np.concatenate([0.5 * np.array(rate), -np.cross(w, inertia * w) / inertia])

    t = np.linspace(0.0, t_end, samples)
    y = solve_ivp(derivative, (0.0, t_end), [1, 0, 0, 0, 0.05, 4.0, 0.0], t_eval=t, rtol=1e-9, atol=1e-9).y.T
    channels = [
        Channel("box.position", np.column_stack([0.2 * np.sin(t), 0 * t, 0.8 + 0 * t]), "m"),
        Channel("box.rotation", y[:, :4] / np.linalg.norm(y[:, :4], axis=1, keepdims=True)),
        Channel("box.angular_velocity", y[:, 4:], "rad/s"),
    ]
    shapes = [{"kind": "box", "size": (0.9, 0.6, 0.2)}, {"kind": "cylinder", "radius": 0.06, "length": 0.5, "color": "#e8590c"}]
    post = SceneItem("post", shapes=[{"kind": "rod", "start": (0.9, 0, 0), "end": (0.9, 0, 1.2), "radius": 0.03}])
    spring = SceneSpring("spring", "post", "box", (0.9, 0, 0.8), (0.45, 0, 0))
    return Result(t, channels, title="Tumbling box", scene=Scene([post, SceneItem("box", shapes=shapes)], [spring]))


def waving_beam(t_end: float = 2.0, samples: int = 101) -> Result:
    """A beam whose frame turns about y while it bends and stretches as sines say; a block of solids stands beside it."""
    from sharnir.flexible import Section, reduce, straight_beam

    t = np.linspace(0.0, t_end, samples)
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    reduced = reduce(beam, interfaces={"root": 0, "tip": 8}, modes=2).fixed_at("root")
    # a tip that goes up and down by 5 cm and sideways by 2 cm
    wanted = np.column_stack([0.05 * np.sin(5 * t), 0.02 * np.sin(8 * t)])
    w = wanted @ np.linalg.pinv(reduced.interfaces["tip"].shape[[2, 1]]).T
    cube = np.array([[x, y, z] for x in (0, 0.2) for y in (0, 0.2) for z in (0, 0.2)], float) + (0.3, 0.3, 0.0)
    faces = [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
    shear = np.zeros((8, 3, 1))
    shear[:, 0, 0] = cube[:, 2]
    channels = [
        Channel("beam.position", np.zeros((samples, 3)), "m"),
        Channel("beam.rotation", about_y(0.3 * np.sin(t))),
        Channel("beam.w", w),
        Channel("cube.w", 0.1 * np.sin(3 * t)[:, None]),
    ]
    ends = {"root": 0, "tip": 8}
    bodies = [
        flexible("beam", reduced.nodes, reduced.shapes, reduced.lines, interfaces=ends),
        flexible("cube", cube, shear, faces=faces),
        flexible("cloud", cube + (0, -0.8, 0), shear),
    ]
    items = [SceneItem(name) for name in ("beam", "beam:root", "beam:tip", "cube", "cloud")]
    places = np.array([reduced.places(row)[8] for row in w])
    turn = Rotation.from_quat(np.roll(about_y(0.3 * np.sin(t)), -1, axis=1))
    channels.append(Channel("beam:tip.position", turn.apply(places), "m"))
    return Result(t, channels, title="Waving beam", scene=Scene(items), flexible={body.name: body for body in bodies})


def flexible(name: str, nodes, shapes, lines=(), faces=(), interfaces=None) -> FlexibleShapes:
    """Shapes without rotations."""
    nodes, shapes, ends = np.asarray(nodes, float), np.asarray(shapes, float), interfaces or {}
    turning = (
        np.concatenate([shapes[list(ends.values())], 0 * shapes[list(ends.values())]], axis=1)
        if ends
        else np.zeros((0, 6, shapes.shape[2]))
    )
    rows = [np.array(table, int).reshape(-1, width) for table, width in ((lines, 2), (faces, 3))]
    return FlexibleShapes(name, nodes, np.arange(len(nodes)), shapes, None, ends, turning, *rows)
