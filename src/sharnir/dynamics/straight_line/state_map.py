"""Where symbols of a derivation stand in the engine's state, and what its rates are in symbols."""

from __future__ import annotations

from collections.abc import Sequence

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.signals.signal_records import STILL_KEY
from sharnir.equations.solved_equations import Solution
from sharnir.equations.tracking import Track
from sharnir.errors import ModelError
from sharnir.symbolic.matrices import dot
from sharnir.symbolic.nodes import ZERO, Name, Node

STILL = f"{STILL_KEY}.s"


class State:
    """Where symbols stand in the engine's state, and what its rates are in symbols.

    places : symbol -> number in y.   kept : symbol -> number in `work`.
    coordinates, speeds, tracked : for each number in y what it is, and how fast it changes.
    """

    def __init__(self, system: Equations, solution: Solution, tracks: Sequence[Track]) -> None:
        m, c = solution.mechanism, system.assembly.coordinates
        own_q = dict(zip(m.coordinate_channels, m.coordinates, strict=True))
        own_v = dict(zip(m.speed_channels, m.speeds, strict=True))
        rates = dict(zip(m.coordinates, solution.rates, strict=True))
        accelerations = dict(zip(m.speeds, solution.accelerations, strict=True))
        followers = {f"{name}.q": x for name, x in m.dependent.items()} | {f"{name}.v": x for name, x in m.dependent.items()}
        self.coordinates, self.speeds = [], []  # type: list[tuple[Node, Node]], list[tuple[Node, Node]]
        for names, own, change, found in (
            (c.q_names, own_q, rates, self.coordinates),
            (c.v_names, own_v, accelerations, self.speeds),
        ):
            for name in names:
                if name in own:
                    found.append((own[name], change[own[name]]))
                elif name in followers:  # a multiple of what it follows
                    x = followers[name]
                    total = dot([accelerations[m.speeds[k]] for k in x.speeds], list(x.speeds.values()))
                    found.append((x.value, x.rate) if names is c.q_names else (x.rate, total))
                else:
                    raise ModelError(f"model '{system.model.name}': method 'symbolic' does not support the coordinate '{name}'")
        by_name = {track.channel: track for track in tracks}
        still = Name(STILL)
        by_name[f".{STILL}"] = Track(STILL, still, still, ZERO)  # the state of a mechanism in which nothing may be left to move
        unknown = [name for name in c.z_names if name not in by_name]
        if unknown:
            raise ModelError(
                f"model '{system.model.name}': method 'symbolic' does not support the state '{unknown[0].lstrip('.')}'"
            )
        self.tracked = [(by_name[name].symbol, by_name[name].rate) for name in c.z_names]
        self.values = [by_name[name].value for name in c.z_names]
        whole = [*self.coordinates, *self.speeds, *self.tracked]
        program, kept = system.assembly.program, {} if m.engine is None else m.engine.kept
        self.kept = {x: int(system.table[L.W_SIGNAL]) + program.place(name) for x, name in kept.items()}
        self.places = {x: k for k, (x, _) in enumerate(whole) if isinstance(x, Name)}

    @property
    def rates(self) -> list[Node]:
        """ẏ."""
        return [rate for _, rate in (*self.coordinates, *self.speeds, *self.tracked)]
