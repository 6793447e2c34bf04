"""Emergency braking from 30 m/s with locked wheels and with a slip controller: tyres by Pacejka's formula."""

import os
import tempfile
from pathlib import Path

import sharnir as sr

SPEED, PEAK, GRAVITY = 30.0, 1.0, 9.81


def car(control: bool) -> sr.Model:
    """Half a car in its plane: body, two axles on springs, brakes."""
    m = sr.Model("braking car")
    m.add(sr.Body("car", mass=600, shape=sr.Box((4, 0.1, 0.6)), inertia=(200, 800, 800), position=(0, 0, 0.6)))
    freedoms = (sr.Translation("x"), sr.Translation("z"), sr.Rotation("y"))
    m.add(sr.FreedomSequence("road", "ground", "car", freedoms=freedoms, v=(SPEED, 0, 0)))
    tyre = sr.MagicFormula(x=(12, 1.7, PEAK, 0.3), y=(10, 1.4, PEAK, 0))
    for end, x, part in (("front", 1.2, 1.4 / 2.6), ("rear", -1.4, 1.2 / 2.6)):
        load = part * 600 * GRAVITY
        m.add(sr.Body(f"{end} hub", mass=15, inertia=(0.3, 0.3, 0.3), position=(x, 0, 0.3)))
        m.add(sr.Body(f"{end} wheel", mass=20, shape=sr.Cylinder(0.3, 0.2, axis="y"), position=(x, 0, 0.3)))
        spring = {"stiffness": 25e3, "damping": 2e3, "rest": -load / 25e3}
        m.add(sr.Prismatic(f"{end} strut", "car", f"{end} hub", axis="z", **spring))
        m.add(sr.Revolute(f"{end} axle", f"{end} hub", f"{end} wheel", axis="y", v=SPEED / 0.3))
        radius = 0.3 + (load + 35 * GRAVITY) / 2e5  # it stands 0.3 m above the road
        m.add(sr.Wheel(f"{end}_tyre", f"{end} wheel", radius=radius, law=sr.LinearLaw(2e5, 300), tyre=tyre))
        m.add(sr.LowPass(f"{end}_slip", input=f"{end}_tyre.slip", time_constant=0.005))
        let_go = f"*min(1, max(0, ({end}_slip + 0.13)/0.05))" if control else ""
        m.add(sr.JointForce(f"{end} brake", f"{end} axle", f"-2500*tanh(v)*min(1, 10*t){let_go}"))
    m.add(sr.Event("slow", "car.x_dot < 2", sr.Stop("nearly at rest")))
    return m


locked = car(control=False).simulate(8.0, step=0.01)
result = car(control=True).simulate(8.0, step=0.01)

distance = {"locked": float(locked["car.position.x"][-1]), "controlled": float(result["car.position.x"][-1])}
best = (SPEED**2 - 2**2) / (2 * PEAK * GRAVITY)
for name, metres in distance.items():
    print(f"{name}: {metres:.1f} m; the best that friction allows is {best:.1f} m")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot(
    "car.velocity.x", "front_tyre.slip", "rear_tyre.slip", "front_tyre.load", "rear_tyre.load", path=folder / "braking_car.png"
)
print(f"picture: {folder / 'braking_car.png'}")
