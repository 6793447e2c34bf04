"""Signals of a model → sensors, memory and functions of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.assemble import Blocks
from sharnir.dynamics.assemble_measures import Drawing, Measures
from sharnir.dynamics.signal_program import SignalProgram, compiled_program, signal_program
from sharnir.kernel import PLAIN


def make_program(drawing: Drawing) -> SignalProgram:
    """The program of the model's signals; its states join those of the mechanism."""
    model = drawing.model
    program = signal_program(model.signals, model.parameters, model.joints)
    drawing.coordinates.z0.extend(program.states.values())
    drawing.coordinates.z_names.extend(program.states)
    return program


def append_signals(blocks: Blocks, program: SignalProgram, drawing: Drawing) -> None:
    """Record of the sensors, memory of signals, held values and states, addresses."""
    from sharnir.dynamics.signals import EARLY, PROGRAMS

    m, c = Measures(drawing), drawing.coordinates
    for variable in program.measures:
        m.variable(variable)
    n, row = len(m.records), np.zeros(L.T_ELEMENT_SIZE, np.int64)
    row[L.E_TERM] = blocks.append("table", None, [(target, 0) for target in m.targets])
    row[L.E_TERMS] = len(m.targets)
    row[L.E_PARAMS] = blocks.append("params", None, m.params)
    row[L.E_WORK] = blocks.append("work", None, np.zeros(16 * n + 4))
    row[L.E_DATA] = blocks.append("table", None, [n, 0, *(x for record in m.records for x in record)])
    blocks.append("table", L.T_SENSOR, row)
    signals, held, states = len(program.signals), list(program.held.values()), list(program.states.values())
    blocks.append("work", L.W_SIGNAL, [*np.zeros(signals), *held, *states])
    header = blocks.header
    header[L.N_SIGNAL], header[L.N_HELD], header[L.N_CONTROL] = signals, len(held), len(states)
    header[L.SENSES_CUTS] = any(record[0] == L.CUT_MEASURE for record in m.records)
    header[L.SENSES_LATE] = program.senses_late
    blocks.append("work", L.W_SENSED, np.concatenate([np.zeros(c.n_q + c.n_v), c.z0]))
    blocks.append("table", L.T_FELT, [])
    blocks.append("work", L.W_FELT, [])
    parts: tuple[Any, Any] = compiled_program(program)
    if PLAIN:
        key = len(PROGRAMS) + 1
        PROGRAMS[key] = parts
        header[L.F_SIGNALS] = header[L.F_PROGRAM] = header[L.F_LATE] = key
    else:
        header[L.F_SIGNALS] = EARLY.address
        header[L.F_PROGRAM], header[L.F_LATE] = (part.address for part in parts)
