"""Many runs with values of parameters of their own, against the same runs with one set of values: what does a refill cost?

`python benchmarks/parameter_runs.py [runs]` prints, for a tree of ten bodies, a slider-crank with a loop and a bouncing ball
with events, runs per second of CPU time with and without parameters, their ratio, and the time of `System.with_parameters`.
"""

import json
import sys
import time

import numpy as np

import sharnir as sr


def chain(n: int) -> sr.Model:
    """n rods on hinges; every number is a formula."""
    m = sr.Model(f"tree of {n} bodies", gravity=(0, 0, "-g"), parameters={"g": 9.81})
    l, rho = m.parameter("l", 0.2), m.parameter("rho", 3.0)
    for k in range(n):
        m.add(sr.Body(f"b{k}", mass=rho * l, inertia=(rho * l**3 / 12,) * 3, position=((k + 0.5) * l, 0, 0)))
        m.add(sr.Revolute(f"j{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(k * l, 0, 0), axis="y", damping="rho/100"))
    return m


def slider_crank() -> sr.Model:
    """A loop, and a spring whose formula names a parameter."""
    m = sr.Model("slider-crank", parameters={"l": 0.35, "r": 0.1, "k": 50.0, "m1": 1.0})
    m.add(sr.Body("crank", mass="m1", inertia=("m1*r^2/12",) * 3, position=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="2*m1", inertia=("m1*l^2/6",) * 3, position=("r + l/2", 0, 0)))
    m.add(sr.Body("piston", mass=0.5, inertia=(1e-3,) * 3, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=10))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "piston", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("C", "ground", "piston", at=("r + l", 0, 0), axis="x", torque="-k*q"))
    return m


def bouncing_ball() -> sr.Model:
    """Events whose condition and action name parameters."""
    m = sr.Model("bouncing ball", parameters={"l": 1.0, "e": 0.8, "d": 0.1})
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q="l", damping="d/10"))
    m.add(sr.Event("bounce", when="P.q - d", direction="falling", actions=[sr.Rebound("P", "e")]))
    return m


def seconds(run, *arguments) -> float:
    """CPU time of the quickest of three."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        run(*arguments)
        found.append(time.process_time() - begin)
    return min(found)


def measured(m: sr.Model, runs: int) -> dict[str, float]:
    """Rates of runs with and without parameters of their own, and the time of a refill."""
    system = m.compile()
    rng = np.random.default_rng(0)
    q, l = np.tile(system.q0, (runs, 1)), m.parameters["l"] * rng.uniform(0.9, 1.1, runs)
    settings = {"t_end": 0.2, "step": 0.02, "threads": 1}
    sr.simulate_many(m, q=q[:4], parameters={"l": l[:4]}, **settings)  # compiles
    plain = seconds(lambda: sr.simulate_many(m, q=q, **settings))
    varied = seconds(lambda: sr.simulate_many(m, parameters={"l": l}, **settings))
    for value in l[:3]:
        system.with_parameters(l=value)
    refill = seconds(lambda: [system.with_parameters(l=value) for value in l]) / runs
    return {"plain": runs / plain, "varied": runs / varied, "ratio": varied / plain, "refill": 1e3 * refill}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    found = {}
    for m in (chain(10), chain(30), slider_crank(), bouncing_ball()):
        row = found[m.name] = measured(m, runs)
        print(
            f"{m.name:20} {row['plain']:7.0f} runs/s, with parameters {row['varied']:7.0f} runs/s, ratio {row['ratio']:.2f}, "
            f"refill {row['refill']:.2f} ms"
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
