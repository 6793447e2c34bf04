"""Documents for the tests of the studio, and mechanisms that they describe."""

import sharnir as sr

PENDULUM = {
    "model": {"name": "pendulum"},
    "parameters": {"l": {"value": 1.0, "unit": "m", "range": [0.1, 2.0]}},
    "bodies": {"bob": {"mass": 1, "position": [0, 0, "-l"]}},
    "joints": {"O": {"type": "revolute", "parent": "ground", "child": "bob", "at": [0, 0, 0], "axis": "y", "q": 0.5}},
    "simulation": {"t_end": 2.0, "step": 0.01},
}


def slider_crank() -> sr.Model:
    """The model that the test of the page builds by mouse and keyboard."""
    m = sr.Model("model")
    m.add(sr.Body("crank", mass=0.4, shape=sr.Rod((0, 0, 0), (0.15, 0, 0)), position=(0, 0, 0)))
    m.add(sr.Body("rod", mass=0.2, shape=sr.Rod((0, 0, 0), (0.35, 0, 0)), position=(0.15, 0, 0)))
    m.add(sr.Body("slider", mass=0.1, shape=sr.Box((0.1, 0.08, 0.08)), position=(0.5, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", axis="y", motion="10*t"))
    m.add(sr.Revolute("A", "crank", "rod", at=(0.15, 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=(0.5, 0, 0), axis="y"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x"))
    return m
