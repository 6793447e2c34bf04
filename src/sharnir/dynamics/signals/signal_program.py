"""A model's signals → straight code: which are measured, in which order they are computed, and the functions that do it.

One function computes all signals that forces may use, another those that depend on accelerations and the rates of states.
Parameters are read from memory, since events may change them; so are states of control and values held between samples.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sharnir.dynamics.memory.break_times import BreakTimes
from sharnir.dynamics.memory.held_sides import HeldSides
from sharnir.dynamics.memory.held_tables import axes_of, is_located
from sharnir.errors import FormulaError, ModelError
from sharnir.model.constraints import JointCoordinate
from sharnir.model.formula import Expression, parse
from sharnir.model.signals import Measurement, SignalElement, measurement
from sharnir.model.signals.observed import Observed
from sharnir.model.signals.sensors import Sensor

ON = "is on"  # state of a signal that events switch on and off; no state of a user has a blank in its name


class Definition(NamedTuple):
    """One number of the program."""

    source: str  # code
    names: frozenset[str]  # in the formula
    needs: set[str]  # signals in it
    late: bool  # contains accelerations or reactions itself

    def where(self, on: str) -> Definition:
        """The same where a state is not zero, else zero."""
        return self._replace(source=f"({self.source} if {on} != 0.0 else 0.0)")


STILL = Definition("0.0", frozenset(), set(), False)  # rate of a state that changes at events only


@dataclass
class Update:
    """What happens at the ticks of one signal's clock."""

    name: str
    element: Any
    clock: tuple[float, float]  # period, first time
    states: tuple[int, ...]  # numbers of the states of control that get the results
    lines: tuple[str, ...]  # code


@dataclass
class SignalProgram:
    """Signals in the order of their computation, and where their numbers stand."""

    signals: list[str] = field(default_factory=list)  # in the order of memory
    held: dict[str, float] = field(default_factory=dict)  # parameters and other values in memory, with those at the start
    states: dict[str, float] = field(default_factory=dict)  # states of control with their initial values
    measures: list[Any] = field(default_factory=list)  # variables, each once
    early: list[str] = field(default_factory=list)  # lines of code
    late: list[str] = field(default_factory=list)
    late_names: set[str] = field(default_factory=set)
    senses_late: bool = False
    sensor_work: int = 0  # where sensors stand in work
    observed: Any = None  # ObservedNumbers: reactions, drives, energies, outputs of forces
    functions: list[Any] = field(default_factory=list)  # tables and users' functions that the code calls
    updates: list[Update] = field(default_factory=list)
    delays: dict[str, Any] = field(default_factory=dict)  # signals that look back in time
    moving: set[str] = field(default_factory=set)  # states that have rates; others change at events only

    def place(self, name: str) -> int:
        """Where a signal, a parameter or a held value stands, from W_SIGNAL on."""
        if name in self.signals:
            return self.signals.index(name)
        if parameter_key(name) in self.states:
            return len(self.signals) + len(self.held) + self.state_number(parameter_key(name))
        return len(self.signals) + list(self.held).index(name)

    def state_number(self, name: str) -> int:
        """Which of the states of control a state is."""
        return list(self.states).index(name)

    @property
    def steps_in_time(self) -> bool:
        """A run must stop at ticks, or remember what has been."""
        return bool(self.updates or self.delays)


def parameter_key(name: str) -> str:
    """Name among the states of a parameter that events change: it stands still between them, and every output has its value."""
    return f"parameter {name}"


def number_key(signal: str, name: str) -> str:
    """Name among the held values of a number of a block; no name of a user has a blank in it."""
    return f"number {signal}.{name}"


def past_key(name: str) -> str:
    """Name among the signals of what a delay must remember; no signal of a user has a blank in its name."""
    return f"past {name}"


def signal_program(
    signals: Mapping[str, SignalElement],
    parameters: Mapping[str, float],
    joints: Mapping[str, Any],
    observed: Any = None,
    switched: Collection[str] = (),
    changing: Collection[str] = (),
    frames: Mapping[str, Any] | None = None,
    breaks: BreakTimes | None = None,
    sides: HeldSides | None = None,
) -> SignalProgram:
    """The program of a model's signals.

    observed : collects what formulas observe that depends on accelerations.
    switched : signals with a state that says whether they are on.
    changing : parameters that events change.   frames : of the bodies in the drawing.   breaks, sides : get what
    switches with time and with the state.
    """
    held = {name: value for name, value in parameters.items() if name not in changing}
    program = SignalProgram(signals=list(signals), held=held, observed=observed)
    for key, element in signals.items():
        equations = element.equations()
        program.states |= {f"{key}.{name}": value for name, value in equations.states.items()}
        program.states |= {f"{key}.{ON}": 1.0} if key in switched else {}
        program.moving |= {f"{key}.{name}" for name, rate in equations.rates.items() if rate != "0"}
        program.held |= {f"{key}.{name}": value for name, value in equations.held.items()}
        if parameters:  # numbers may be formulas of them: other values then need no other code
            program.held |= {number_key(key, name): float(value) for name, value in equations.numbers.items()}
        if equations.past is not None:
            program.delays[key] = element
    program.states |= {parameter_key(name): float(parameters[name]) for name in sorted(changing)}
    program.signals += [past_key(name) for name in program.delays]
    if sides is not None:
        sides.base = len(program.signals) + len(program.held) + len(program.states)
    writer = _Writer(program, signals, joints, frames or {}, held, breaks or BreakTimes(), sides or HeldSides())
    for key, element in signals.items():
        writer.add(key, element)
    outputs, rates = writer.outputs, writer.rates + [STILL] * len(changing)
    order = _ordered(outputs)
    late = _late(outputs, order)
    program.late_names = late
    program.senses_late = bool(late) or any(_is_late(d, late) for d in (*rates, *writer.sampled))
    lines = {name: f"s[{program.signals.index(name)}] = {outputs[name].source}" for name in order}
    program.early = [line for name, line in lines.items() if name not in late]
    program.late = [line for name, line in lines.items() if name in late]
    program.late += [f"r[{k}] = {d.source}" for k, d in enumerate(rates)]
    return program


class _Writer:
    """Turns names in formulas into places in memory: m sensors, s signals, held values and states."""

    def __init__(
        self,
        program: SignalProgram,
        signals: Mapping[str, SignalElement],
        joints: Mapping[str, Any],
        frames: Mapping[str, Any],
        constants: Mapping[str, float],
        breaks: BreakTimes,
        sides: HeldSides,
    ) -> None:
        self.constants, self.breaks, self.sides = dict(constants), breaks, sides
        self.program, self.signals, self.joints, self.frames = program, signals, joints, frames
        self.outputs: dict[str, Definition] = {}
        self.rates: list[Definition] = []
        self.sampled: list[Definition] = []

    def add(self, key: str, element: SignalElement) -> None:
        """One element: its output, the rates of its states, what happens at ticks, what is remembered."""
        equations, program = element.equations(), self.program
        local = {name: self.number(number_key(key, name), value) for name, value in equations.numbers.items()}
        local |= {name: self.state(f"{key}.{name}") for name in equations.states}
        local |= {name: f"s[{program.place(f'{key}.{name}')}]" for name in equations.held}
        inputs = self.inputs(element)
        inputs |= {name: self.call(element, *called, local, inputs) for name, called in equations.calls.items()}

        def defined(text: str) -> Definition:
            return self.definition(element, text, local, inputs)

        self.outputs[key] = defined(equations.outputs[""])
        rates = [defined(equations.rates.get(name, "0")) for name in equations.states]
        if f"{key}.{ON}" in program.states:
            on = self.state(f"{key}.{ON}")
            self.outputs[key] = self.outputs[key].where(on)
            rates = [*(rate.where(on) for rate in rates), self.read(element, "0", "formula", {})]
        self.rates += rates
        if equations.past is not None:
            self.outputs[past_key(key)] = defined(equations.past)
            delay: Any = element
            self.breaks.delays = sorted({*self.breaks.delays, float(delay.time)})
        if equations.clock is not None:
            found = [defined(text) for text in equations.updates.values()]
            self.sampled += found
            states = tuple(program.state_number(name) for name in element.sampled_states())
            lines = tuple(f"r[{k}] = {x.source}" for k, x in enumerate(found))
            program.updates.append(Update(key, element, equations.clock, states, lines))

    def call(
        self,
        element: SignalElement,
        function: Any,
        arguments: tuple[str, ...],
        local: Mapping[str, str],
        inputs: Mapping[str, Definition],
    ) -> Definition:
        """A number that a table or a user's function gives."""
        parts = [self.definition(element, text, local, inputs) for text in arguments]
        given = element.input_formulas()
        for k, text in enumerate(arguments):
            node = parse(given.get(text, text), (), None, dotted=True).node
            self.breaks.add_lookup(function, k, Expression(node, ("t",), self.constants), element.label)
        self.program.functions.append((function, element.label, len(arguments)))
        source = f"f{len(self.program.functions) - 1}({', '.join(part.source for part in parts)})"
        names: set[str] = set().union(*(self._moving_names(given.get(text, text)) for text in arguments))
        if names and is_located(function):
            source = self.sides.table(f"f{len(self.program.functions) - 1}", [part.source for part in parts], element.label)
        needs: set[str] = set().union(*(part.needs for part in parts))
        return Definition(source, frozenset(), needs, any(part.late for part in parts))

    def _moving_names(self, text: str) -> set[str]:
        """Names in a formula other than the time and numbers that stay."""
        return set(parse(text, (), None, dotted=True).names) - set(self.constants) - {"t"}

    def number(self, key: str, value: float) -> str:
        """Code of a number of a block."""
        return f"s[{self.program.place(key)}]" if key in self.program.held else repr(float(value))

    def state(self, name: str) -> str:
        """Code of a state."""
        p = self.program
        return f"s[{len(p.signals) + len(p.held) + list(p.states).index(name)}]"

    def measure(self, found: Measurement, label: str) -> str:
        """Code of a sensor: n of them have values, then rates, then (behind the time) second rates."""
        variable = found.variable
        if isinstance(variable, Observed):
            told = self.program.observed.of_stop(variable, label)
            if told is None:
                return self.program.observed.code(variable, label)
            codes = {name: self.measure(Measurement(told[1], rate), label) for rate, name in enumerate("qv")}
            return f"({parse(told[0], ('q', 'v')).source(codes)})"
        if isinstance(variable, Sensor):
            expression, parts = variable.expression(self.frames, found.rate)
            found_parts = {name: measurement(name, parts, name, label) for name in sorted(expression.names)}
            codes = {name: self.measure(part, label) for name, part in found_parts.items() if part is not None}
            return f"({expression.source(codes)})"
        if isinstance(variable, JointCoordinate):
            variable = variable.resolved(self.joints, label, "formula")
        if variable not in self.program.measures:
            self.program.measures.append(variable)
        k = self.program.measures.index(variable)
        return (f"m[{k}]", f"m[n + {k}]", f"m[2 * n + {k + 1}]")[found.rate]

    def table_code(self, element: SignalElement, name: str) -> str:
        """What the code calls a table of an element's formula."""
        entry = (getattr(element, "tables")[name], element.label, element.table_sizes[name])  # noqa: B009 - only some have it
        if entry not in self.program.functions:
            self.program.functions.append(entry)
        return f"f{self.program.functions.index(entry)}"

    def inputs(self, element: SignalElement) -> dict[str, Definition]:
        """The element's inputs, by the names that they have in its equations."""
        return {name: self.read(element, text, "input", {}) for name, text in element.input_formulas().items()}

    def read(self, element: SignalElement, text: str, place: str, local: Mapping[str, str]) -> Definition:
        """A formula as code."""
        sizes = element.table_sizes
        expression = parse(text, (), None, dotted=True, tables=sizes)
        needs: set[str] = set()
        texts, late = dict(local) | {name: self.table_code(element, name) for name in sizes}, False
        for name in sorted(expression.names - set(local)):
            measured = measurement(name, getattr(element, "variables", {}), text, element.label)
            if measured is not None:
                texts[name] = self.measure(measured, element.label)
                late = late or measured.late
            elif name in self.signals:
                needs.add(name)
                texts[name] = f"s[{self.program.place(name)}]"
            elif name in self.program.held or parameter_key(name) in self.program.states:
                texts[name] = f"s[{self.program.place(name)}]"
            elif name != "t":
                known = ", ".join([*local, *(key for key in self.signals if " " not in key), *self.program.held, "t"])
                message = f"{element.label}: {place}: unknown name {name!r}; signals and parameters are {known}"
                raise FormulaError(message, text=text, position=text.find(name), field=place)
        self.breaks.add_formula(
            Expression(expression.node, ("t",), self.constants), element.label, getattr(element, "tables", {})
        )
        given = place == "input" or element.locates  # by the user; formulas of blocks are our own
        held = self.sides if given else HeldSides()
        located = {name: axes_of(x) for name, x in getattr(element, "tables", {}).items() if is_located(x)}
        source = held.source(Expression(expression.node, (), {}), texts, element.label, located, feeds=True)
        return Definition(source, expression.names, needs, late)

    def definition(
        self, element: SignalElement, text: str, local: Mapping[str, str], inputs: Mapping[str, Definition]
    ) -> Definition:
        """One output or rate of an element, its inputs put in as code."""
        codes = {key: f"({x.source})" for key, x in inputs.items()}
        found = self.read(element, text, "formula", {**local, **codes})
        used = [x for key, x in inputs.items() if key in found.names]
        needs = found.needs.union(*(x.needs for x in used))
        return found._replace(needs=needs, late=found.late or any(x.late for x in used))


def _ordered(outputs: Mapping[str, Definition]) -> list[str]:
    """Every signal after those that it needs; a circle is an algebraic loop."""
    from graphlib import CycleError, TopologicalSorter

    try:
        return list(TopologicalSorter({name: sorted(x.needs) for name, x in outputs.items()}).static_order())
    except CycleError as error:
        raise ModelError(
            f"signals {' → '.join(reversed(error.args[1]))} depend on each other at the same time (an algebraic loop); "
            "put a block with a state between them, such as LowPass"
        ) from None


def _is_late(definition: Definition, late: set[str]) -> bool:
    return definition.late or bool(definition.needs & late)


def _late(outputs: Mapping[str, Definition], order: list[str]) -> set[str]:
    late: set[str] = set()
    for name in order:
        if _is_late(outputs[name], late):
            late.add(name)
    return late
