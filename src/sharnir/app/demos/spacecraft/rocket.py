"""A guided launch from an inclined rail: a rocket with elastic nose and tail sections and a rigid middle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.app.demos.spacecraft.rocket_body import (
    ELEVATION,
    FORWARD,
    FRONT_SHOE,
    LEFT,
    RADIUS,
    REAR_SHOE,
    SHOULDER,
    TURN,
    UP,
    loads_at_rest,
    place,
    rocket,
    tail_at_rest,
)
from sharnir.model import (
    PID,
    Body,
    Box,
    DirectionCosine,
    Fixed,
    Force,
    LowPass,
    Model,
    PointCoordinate,
    PointVelocity,
    Signal,
    Torque,
    TransferFunction,
)
from sharnir.model.checks import AXES
from sharnir.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THRUST, IGNITION, BURNOUT = 42e3, 0.05, 2.4  # N, s
RAIL = 6.0  # its end, from the nozzle at first [m]
PARAMETERS = {
    "k": 2e7,  # N/m, a shoe in the rail
    "c": 2e4,  # N s/m
    "grip": 1e5,  # N m/rad
    "end": 0.05,  # m, over which a shoe leaves the rail
    "air": 0.5 * 1.2 * math.pi * RADIUS**2,  # ρ S / 2 [kg/m]
    "nose_slope": 2.0,  # side force per angle of attack
    "fin_slope": 9.0,
    "drag": 0.45,
    "wind": 8.0,  # m/s, from the right
    "cant": 0.006,  # rad, of the fins
    "fin_roll": 1.5,  # m, roll torque per angle of the fins
    "fin_damping": 0.35,  # m², roll torque per roll rate and speed
    "off": 0.002,  # rad, error of the nozzle's direction
    "start": ELEVATION,
}
GAINS: dict[str, Any] = {"kp": 0.3, "ki": 0.5, "kd": 0.07, "limits": (-0.07, 0.07)}  # of the autopilot
BENDING = 2 * math.pi * 21.0  # rad/s, about which the autopilot is deaf
NOTCH: dict[str, Any] = {"numerator": (1, 0.1 * BENDING, BENDING**2), "denominator": (1, 1.4 * BENDING, BENDING**2)}
STEEL, DARK = "#adb5bd", "#495057"
SWINGS = ("nose:shoulder.displacement.x", "tail:aft.displacement.x")


def model(modes: int = 8) -> Model:
    """The rocket, its rail, its motor, the air, and the autopilot that turns it from 65 to 55 degrees.

    >>> model()
    Model('rocket': 5 bodies, 5 joints, 10 forces, 27 signals)
    """
    m = rocket(modes)
    m.parameters.update(PARAMETERS)
    add_sensors(m)
    add_rail(m, modes)
    add_motor(m)
    add_air(m)
    return m


def add_sensors(m: Model) -> None:
    """Pitch, yaw and roll of the rigid middle, and their rates."""
    f, u = ({k: DirectionCosine("ground", AXES[k], "middle", axis) for k in "xyz"} for axis in (FORWARD, UP))
    side = DirectionCosine("ground", "z", "middle", LEFT)
    roll = {"a": side, "b": u["z"]}
    m.add(
        Signal("pitch", "asin(z)", {"z": f["z"]}, unit="rad"),
        Signal("yaw", "atan2(y, x)", {"x": f["x"], "y": f["y"]}, unit="rad"),
        Signal("roll", "atan2(a, b)", roll, unit="rad"),
        Signal("pitch_rate", "z_dot/sqrt(1 - z^2)", {"z": f["z"]}, unit="rad/s"),
        Signal("yaw_rate", "(x*y_dot - y*x_dot)/(x^2 + y^2)", {"x": f["x"], "y": f["y"]}, unit="rad/s"),
        Signal("roll_rate", "(b*a_dot - a*b_dot)/(a^2 + b^2)", roll, unit="rad/s"),
        Signal("speed", "u", {"u": PointVelocity("middle", axis=FORWARD, axes_of="middle")}, unit="m/s"),
    )


def add_rail(m: Model, modes: int) -> None:
    """Two shoes between the flanges of a rail, each until it has run off; a stop behind."""
    rail = Body("rail", mass=100, position=place(0), rotation=TURN, shape=rail_shapes())
    m.add(rail, Fixed("mast", m.ground, "rail"))
    loads, moved = loads_at_rest(), tail_at_rest(modes)
    for name, body, z in (("rear", "fins", REAR_SHOE), ("front", "middle", FRONT_SHOE)):
        at = place(z, up=-RADIUS)
        along, across = (PointCoordinate(body, at=at, axis=axis) for axis in (FORWARD, LEFT))
        s0, h0 = (float(np.dot(at, axis)) for axis in (FORWARD, UP))
        if name == "rear":  # where the bent tail rests; x points down
            h0 -= float(moved[0] + moved[4] * REAR_SHOE)
        m.add(
            Signal(f"{name}_hold", f"min(1, max(0, ({RAIL - z + s0!r} - s)/end))", {"s": along}),
            Signal(
                f"{name}_up",
                f"{name}_hold*({loads[name]!r} - k*(h - {h0!r}) - c*h_dot)",
                {"h": PointCoordinate(body, at=at, axis=UP)},
                unit="N",
            ),
            Signal(f"{name}_left", f"{name}_hold*(-k*y - c*y_dot)", {"y": across}, unit="N"),
        )
        push = [f"{u!r}*{name}_up + {left!r}*{name}_left" for u, left in zip(UP, LEFT, strict=True)]
        m.add(Force(f"{name}_shoe", body, push, at=at))
        # a shoe is as wide as the rail and keeps the rocket from tipping over
        m.add(Torque(f"{name}_grip", body, (0, 0, f"-{name}_hold*(grip*roll + 1e-3*grip*roll_rate)"), axes="body"))
    back = PointCoordinate("fins", at=place(0), axis=FORWARD)
    begin = float(np.dot(place(0), FORWARD) + moved[2])
    m.add(Signal("stop", f"max(0, {loads['stop']!r} - k*(s - {begin!r}) - c*s_dot)", {"s": back}, unit="N"))
    m.add(Force("tail_stop", "fins", [f"{x!r}*stop" for x in FORWARD], at=place(0)))


def rail_shapes() -> tuple[Box, ...]:
    """The rail below the rocket and its two posts."""
    beam = Box((0.09, 0.12, RAIL + 0.4), (RADIUS + 0.07, 0, 0.5 * RAIL), color=STEEL)
    return (beam, Box((0.04, 0.3, RAIL + 0.4), (RADIUS + 0.13, 0, 0.5 * RAIL), color=DARK))


def add_motor(m: Model) -> None:
    """Thrust over time, from a nozzle that the autopilot swings and that does not point quite straight."""
    m.add(
        Signal("thrust", f"{THRUST}*min(1, max(0, (t - {IGNITION})/0.04))*min(1, max(0, ({BURNOUT} - t)/0.06))", unit="N"),
        Signal("wanted", "start - 0.15*min(1.2, max(0, t - 0.7))", unit="rad"),
        PID("pitch_order", "(1 - rear_hold)*(wanted - pitch)", rate="(rear_hold - 1)*pitch_rate", **GAINS),
        PID("yaw_order", "(rear_hold - 1)*yaw", rate="(rear_hold - 1)*yaw_rate", **GAINS),
        # without these filters the autopilot would feel the bending and feed it
        TransferFunction("pitch_filtered", "pitch_order", **NOTCH),
        TransferFunction("yaw_filtered", "yaw_order", **NOTCH),
        LowPass("pitch_nozzle", "pitch_filtered", time_constant=0.02, unit="rad"),
        LowPass("yaw_nozzle", "yaw_filtered", time_constant=0.02, unit="rad"),
    )
    # axes of the body: x points down, y to the left, z forward; a push of the tail downward lifts the nose
    swung = ("thrust*(pitch_nozzle + off)", "thrust*(off - yaw_nozzle)", "thrust")
    m.add(Force("motor", "fins", swung, at=place(0), axes="body"))


def add_air(m: Model) -> None:
    """Side forces on nose and fins by their own angles of attack in a cross wind, drag, and the roll torque of the fins."""
    for name, body, z in (("nose", "nose:shoulder", SHOULDER), ("fin", "fins", 0.2)):
        for word, axis in (("up", UP), ("side", LEFT)):
            measured = {
                "u": PointVelocity(body, at=place(z), axis=axis, axes_of=body),
                "e": DirectionCosine("ground", LEFT, body, axis),
            }
            m.add(Signal(f"{name}_{word}", f"-air*{name}_slope*speed*(u - wind*e)", measured, unit="N"))
        m.add(Force(f"{name}_lift", body, (f"-{name}_up", f"{name}_side", 0), at=place(z), axes="body"))
    m.add(Force("air_drag", "middle", (0, 0, "-air*drag*speed*abs(speed)"), axes="body"))
    # less deflection at higher speed, and a slow servo: the rocket twists, and a fast one would make it twist more and more
    order = "-(1 - rear_hold)*(0.4*roll + 0.1*roll_rate)/(1 + (speed/120)^2)"
    m.add(LowPass("fin_angle", f"min(0.1, max(-0.1, {order}))", time_constant=0.05, unit="rad"))
    turn = "air*speed*(fin_roll*speed*(cant + fin_angle) - fin_damping*roll_rate)"
    m.add(Torque("fin_torque", "fins", (0, 0, turn), axes="body"))


def largest_bend(result: Result) -> float:
    """The time at which the nose deforms most [s]."""
    return float(result.t[result["nose.largest_displacement"].argmax()])


def bending_frequency(result: Result, start: float = 0.5, end: float = 1.3) -> float:
    """The frequency at which the nose swings up and down after it has left the rail [Hz]: the highest peak of the spectrum."""
    chosen = (result.t >= start) & (result.t <= end)
    swing, dt = result["nose:shoulder.displacement.x"][chosen], float(result.t[1] - result.t[0])
    swing = (swing - np.polyval(np.polyfit(result.t[chosen], swing, 3), result.t[chosen])) * np.hanning(len(swing))
    spectrum = np.abs(np.fft.rfft(swing, 64 * len(swing)))
    return float(np.fft.rfftfreq(64 * len(swing), dt)[spectrum.argmax()])


def picture(result: Result) -> Figure:
    """Both sections when they are bent most, the three angles, and how the ends of the sections swing."""
    from sharnir.app.animation.deformed_picture import deformed_picture

    plots = ("pitch", "wanted", "yaw", "roll", "speed", *SWINGS, "front_up", "rear_up")
    return deformed_picture(
        result, ["tail", "nose"], largest_bend(result), plots, scale=100.0, right=(0.25, 0.1, 1), up=(-1, 0.35, 0)
    )


def finding(result: Result) -> str:
    """Where it points in the end, how much it bends, and at which frequency."""
    angles = {name: math.degrees(result[name][-1]) for name in ("pitch", "yaw", "roll")}
    off = float(result.t[np.flatnonzero(result["rear_hold"] > 0)[-1]])
    bends = [1000 * result[f"{name}.largest_displacement"].max() for name in ("nose", "tail")]
    return (
        f"off the rail after {off:.2f} s; at the end pitch {angles['pitch']:.1f}, yaw {angles['yaw']:.1f}, roll"
        f" {angles['roll']:.1f} degrees at {result['speed'][-1]:.0f} m/s; nose and tail deflect by up to {bends[0]:.1f} and"
        f" {bends[1]:.1f} mm and swing at {bending_frequency(result):.1f} Hz"
    )


ROCKET = Demo(
    name="rocket",
    story="A guided launch: a rocket with elastic nose and tail leaves its rail, follows its autopilot and bends (slow motion).",
    model=model,
    settings={"t_end": 2.8, "step": 0.004, "integrator": "dopri5", "tolerance": 1e-6},
    plots=("pitch", "yaw", "roll", "speed", *SWINGS),
    finding=finding,
    traces=("middle",),
    speed=0.25,
    scale=100.0,
    picture=picture,
)
