"""A stone that falls from a height, and functions of its runs that workers can import: some take their process with them."""

import os
import signal
import time
from pathlib import Path

import numpy as np

import sharnir as sr

G = 9.81
OUTPUTS = {"end": "final(rail.q)", "speed": "max(abs(rail.v))"}


def stone():
    m = sr.Model("stone", gravity=(0, 0, "-g"), parameters={"g": {"value": G, "unit": "m/s^2", "range": (0.0, 100.0)}})
    m.parameter("h", 1.0, unit="m")
    m.parameter("mass", 2.0, unit="kg")
    m.add(sr.Body("stone", mass="mass"), sr.Prismatic("rail", "ground", "stone", axis="z", q="h"))
    return m


def study(**given):
    parameters = {"h": np.linspace(1.0, 3.0, 24), "rail.v": 0.5}
    return sr.Study(stone(), **{"parameters": parameters, "outputs": OUTPUTS, "t_end": 0.5, "step": 0.125} | given)


def slow_end(result):
    time.sleep(0.03)
    return result["rail.q"][-1]


def takes_its_process_once(result):
    mark = Path(os.environ["SHARNIR_TEST_MARK"])
    if result["rail.q"][0] > 2.0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return result["rail.q"][-1]


def takes_its_process(result):
    if abs(result["rail.q"][0] - 2.0) < 0.05:
        os.kill(os.getpid(), signal.SIGKILL)
    return result["rail.q"][-1]


def fails_sometimes(result):
    if result["rail.q"][0] > 2.95:
        raise ValueError("too high")
    return result["rail.q"][-1]
