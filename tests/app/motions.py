"""Motions computed with SciPy alone, as results with a scene: what the pictures are tested on."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from sharnir.results import Channel, Result, Scene, SceneItem, SceneSpring


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
