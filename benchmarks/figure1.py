"""Figure 1 of Ivanov et al. 2012: time of an integration step against the number of bodies of a chain, for every method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from checks import Check
from trees import chain

from sharnir.app.bench import COMPILED_METHODS, step_times

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "figures" / "figure1.png"
SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150)
STYLE = {  # colour, marker, label (the number in Ivanov et al. 2012)
    "composite": ("#0072b2", "o", "composite bodies + Cholesky (1)"),
    "articulated": ("#d55e00", "s", "separate bodies (2)"),
    "lagrange1": ("#009e73", "^", "Lagrange I + Cholesky (3)"),
    "inverse-iterative": ("#cc79a7", "v", "inverse iterative (4)"),
    "direct-iterative": ("#e69f00", "D", "direct iterative (5)"),
    "direct": ("#777777", "x", "direct, BᵀMB + Cholesky"),
}

Times = dict[int, dict[int, dict[str, float]]]  # freedoms -> bodies -> method -> seconds per step


def measured(quick: bool) -> Times:
    """Seconds per Runge–Kutta step of 1 ms (four evaluations) of chains with 1-, 2- and 3-freedom joints."""
    found: Times = {}
    for freedoms in (1, 2, 3):
        found[freedoms] = {}
        for n in SIZES[::3] if quick else SIZES:
            slow = n * freedoms > 200  # the direct method is of no use here and takes seconds
            names = tuple(name for name in COMPILED_METHODS if not (slow and name == "direct"))
            found[freedoms][n] = step_times(chain(n, freedoms), names, repeat=2 if quick else 5)
            print(
                f"{freedoms} freedoms, {n} bodies: " + ", ".join(f"{k} {1e6 * t:.3g} µs" for k, t in found[freedoms][n].items())
            )
    return found


def draw(times: Times, path: Path = PICTURE) -> None:
    """Three panels, logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(13, 4.6), sharey=True, layout="constrained")
    words = {1: "one freedom per joint (hinges)", 2: "two freedoms (universal joints)", 3: "three freedoms (balls)"}
    for panel, (freedoms, rows) in zip(panels, times.items(), strict=True):
        for name, (color, marker, label) in STYLE.items():
            n = [k for k, row in rows.items() if name in row]
            panel.loglog(n, [1e6 * rows[k][name] for k in n], color=color, marker=marker, ms=5, lw=1.6, label=label)
        panel.set_title(words[freedoms], fontsize=11)
        panel.set_xlabel("bodies N")
        panel.grid(True, which="major", color="#dddddd")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("time per step (4 evaluations), µs")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def crossing(rows: dict[int, dict[str, float]], slow_growth: str, other: str) -> str:
    """From which N on `slow_growth` is faster than `other`."""
    both = [n for n, row in rows.items() if slow_growth in row and other in row]
    wins = [n for n in both if rows[n][slow_growth] < rows[n][other]]
    first = next((n for n in both if all(m in wins for m in both if m >= n)), None)
    return "never" if first is None else "always" if first == both[0] else f"from N = {first}"


def findings(times: Times) -> str:
    """Who wins where, as a Markdown table of ratios."""
    lines = [
        "| freedoms per joint | fastest | Lagrange I wins | iterative methods win | composite / separate, N = 1, 10, 100 |",
        "|---:|---|---|---|---|",
    ]
    for freedoms, rows in times.items():
        fastest = {min(row, key=lambda k, row=row: row[k]) for row in rows.values()}
        iterative = " / ".join(crossing(rows, name, "composite") for name in ("inverse-iterative", "direct-iterative"))
        ratios = ", ".join(f"{rows[n]['composite'] / rows[n]['articulated']:.2g}" for n in (1, 10, 100) if n in rows)
        lines.append(
            f"| {freedoms} | {', '.join(sorted(fastest))} | {crossing(rows, 'lagrange1', 'composite')} | {iterative} | {ratios} |"
        )
    return "\n".join(lines)


def growth(rows: dict[int, dict[str, float]], name: str) -> float:
    """Exponent of time against N over the longer half of the chains."""
    n = [k for k, row in rows.items() if name in row and k >= 20]
    return float(np.polyfit(np.log(n), np.log([rows[k][name] for k in n]), 1)[0]) if len(n) > 1 else float("nan")


def run(quick: bool = False) -> tuple[list[Check], str]:
    """Measures, draws (unless quick); the checks are empty (the figure has no target), the text is for the documentation."""
    times = measured(quick)
    if not quick:
        draw(times)
    powers = ["", "| exponent of time, N ≥ 20 | " + " | ".join(STYLE) + " |", "|---|" + "---:|" * len(STYLE)]
    for freedoms, rows in times.items():
        powers.append(
            f"| {freedoms} freedom{'' if freedoms == 1 else 's'} | " + " | ".join(f"{growth(rows, k):.2f}" for k in STYLE) + " |"
        )
    return [], findings(times) + "\n" + "\n".join(powers)


if __name__ == "__main__":
    print(run()[1])
