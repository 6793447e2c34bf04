"""Signals and controllers as expressions of the state: for code, which computes them together with the motion.

A signal is a formula of sensors, other signals, parameters and states of control; these stand in the engine's state behind the
mechanism's, and change at their rates, or at ticks and events, which the engine keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sharnir.equations.elements.constraints import measure, velocity
from sharnir.equations.entries import TIME
from sharnir.equations.letters import OTHER_METHODS
from sharnir.equations.mechanism import Mechanism, control_symbol
from sharnir.equations.tracking import Track
from sharnir.errors import ModelError
from sharnir.model import Thrust
from sharnir.model.constraints import JointCoordinate
from sharnir.model.constraints.variables import PointVelocity
from sharnir.model.events.effects import Switch
from sharnir.model.formula import parse
from sharnir.model.signals import Equations, Measurement, SignalElement, measurement
from sharnir.model.signals.observed import Observed
from sharnir.model.signals.sensors import Sensor
from sharnir.symbolic.expression_graph import names_of, rebuilt, substituted, walk
from sharnir.symbolic.matrices import add, cross, dot, rotate, scale, symmetric_times
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, Number, minus, plus, times

ON = "is on"  # state of a signal that events switch on and off


class Control:
    """Signals of a mechanism, those of its forces among them.

    `values`: what symbols stand for that forces have asked for.
    """

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.elements: dict[str, SignalElement] = dict(m.model.signals)
        for force in m.model.forces.values():
            self.elements |= force.signals()
        effects = [x for event in m.model.events.values() for action in event.actions for x in action.effects()]
        self.switched = {x.target for x in effects if isinstance(x, Switch) and x.target in m.model.signals}
        self._outputs: dict[str, Node] = {}
        self._numbers: dict[tuple[str, str], Node] = {}
        asked = names_of(*m.tau, *(x for wrench in m.wrenches for part in wrench for x in part))
        named = {symbol: name for symbol, name in m.entries.signals.items() if symbol in asked}
        self.values: dict[Node, Node] = {Name(symbol): self.output(name) for symbol, name in named.items()}
        for thrust in (x for x in m.model.forces.values() if isinstance(x, Thrust)):
            self.values[m.tank_symbols[thrust.name][0]] = self.output(thrust.signal)

    def put_in(self, nodes: Sequence[Node]) -> list[Node]:
        """Expressions with signals as expressions of the state."""
        return substituted(nodes, self.values) if self.values else list(nodes)

    def output(self, name: str) -> Node:
        """The value of a signal."""
        if name not in self._outputs:
            element = self.elements[name]
            equations = element.equations()
            if equations.past is not None and self.m.engine is None:
                raise ModelError(f"{element.label} depends on the past, which method 'symbolic' does not know; {OTHER_METHODS}")
            found = self._defined(name, element, equations, equations.outputs[""])
            self._outputs[name] = self._where_on(name, found)
        return self._outputs[name]

    def value_of(self, name: str) -> Node:
        """A signal, or a parameter that events change."""
        return self.output(name) if name in self.elements else self.m.entries.parameter(name)

    def states(self, accelerations: Sequence[Node]) -> list[Track]:
        """States of control and their rates; zero where only ticks and events change them."""
        found, known = [], dict[Node, Node](zip(self.m.accelerations, accelerations, strict=True))
        for key, element in self.elements.items():
            equations = element.equations()
            for name in equations.states:
                rate = ZERO
                if equations.rates.get(name, "0") != "0":
                    rate = self._where_on(key, self._defined(key, element, equations, equations.rates[name]))
                found.append((f"{key}.{name}", substituted([rate], known)[0]))
        found += [(f"{key}.{ON}", ZERO) for key in self.switched] + [
            (f"parameter {name}", ZERO) for name in self.m.entries.changing
        ]
        return [Track(f".{name}", control_symbol(name), control_symbol(name), rate) for name, rate in found]

    def power_of_masses(self, states: Sequence[Track]) -> Node:
        """½ V·İ V - ṁ g·r - g·R ḣ of bodies whose tanks empty."""
        m, found = self.m, ZERO
        rates: dict[Node, Node] = {track.symbol: track.rate for track in states}
        for thrust in (x for x in m.model.forces.values() if isinstance(x, Thrust)):
            i, x = m.bodies.number(str(thrust.body)), m.bodies.tanks[thrust.name]
            motion, (R, r) = m.recursion.motion[i], m.recursion.pose(i, -2 if m.recursion.moving else -1)
            linear = add(scale(motion.v, x.mass), cross(motion.om, x.first))
            angular = add(symmetric_times(x.second, motion.om), cross(x.first, motion.v))
            moving = times(Number(0.5), plus(dot(motion.v, linear), dot(motion.om, angular)))
            weight = dot(m.recursion.gravity, add(scale(r, x.mass), rotate(R, x.first)))
            share = times(Number(1.0 / thrust.propellant), rates[m.tank_symbols[thrust.name][1]])
            found = plus(found, times(share, minus(moving, weight)))
        return found

    def _where_on(self, key: str, node: Node) -> Node:
        """Zero where an event has switched the signal off."""
        if key not in self.switched:
            return node
        return Call("if", (Call("!=", (control_symbol(f"{key}.{ON}"), ZERO)), node, ZERO))

    def _defined(self, key: str, element: SignalElement, equations: Equations, text: str) -> Node:
        """An output or rate of an element."""
        if equations.held and equations.past is None:
            raise ModelError(
                f"{element.label} keeps values other than states, which method 'symbolic' does not support; {OTHER_METHODS}"
            )

        def names(formula: str) -> frozenset[str]:
            return frozenset(parse(formula, (), None, dotted=True, tables=element.table_sizes).names)

        asked = names(text)
        calls = {name: call for name, call in equations.calls.items() if name in asked}
        asked = asked.union(*(names(x) for _, arguments in calls.values() for x in arguments))
        local = {name: self._number(key, name, value) for name, value in equations.numbers.items()}
        local |= {name: control_symbol(f"{key}.{name}") for name in equations.states}
        local |= {name: self._kept(key, name) for name in equations.held}
        # only the inputs that are asked for: the rate of a state may know the output of the same element
        local |= {name: self._read(element, given, {}) for name, given in element.input_formulas().items() if name in asked}
        for name, (function, arguments) in calls.items():
            local[name] = self.m.entries.in_signal(function, [self._read(element, x, local) for x in arguments], key)
        return self._read(element, text, local)

    def _kept(self, key: str, name: str) -> Name:
        """A number that the engine keeps between evaluations: where it records what a delay must remember."""
        symbol = control_symbol(f"{key}.{name}")
        assert self.m.engine is not None
        self.m.engine.kept[symbol] = f"{key}.{name}"
        return symbol

    def _number(self, key: str, name: str, value: float) -> Node:
        """A number of a block, asked for once."""
        if (key, name) not in self._numbers:
            self._numbers[key, name] = self.m.letters.number(float(value), name, key)
        return self._numbers[key, name]

    def _read(self, element: SignalElement, text: str, local: Mapping[str, Node]) -> Node:
        """A formula with all names put in."""
        node = parse(text, (), None, dotted=True, tables=element.table_sizes).node
        found: dict[Node, Node] = {}
        for name in sorted(names_of(node)):
            measured = None if name in local else measurement(name, getattr(element, "variables", {}), text, element.label)
            if measured is not None:
                found[Name(name)] = self._measured(measured, element.label)
            elif name in local:
                found[Name(name)] = local[name]
            elif name in self.elements:
                found[Name(name)] = self.output(name)
            elif name in self.m.model.parameters:
                found[Name(name)] = self.m.entries.parameter(name)
            else:
                found[Name(name)] = TIME
        return self._with_tables(element, substituted([node], found)[0])

    def _with_tables(self, element: SignalElement, root: Node) -> Node:
        """A formula that calls tables by names of its own."""
        tables = getattr(element, "tables", {})

        def visited(node: Node, parts: list[Node]) -> Node:
            if not isinstance(node, Call):
                return node
            if node.function in tables:
                return self.m.entries.in_signal(tables[node.function], parts, f"{element.name} {node.function}")
            return rebuilt(node.function, tuple(parts))

        return walk(root, visited) if tables else root

    def _measured(self, found: Measurement, label: str) -> Node:
        """A sensor, or a rate of it."""
        m, variable = self.m, found.variable
        if isinstance(variable, Observed):
            raise ModelError(
                f"{label} observes forces or reactions, for which method 'symbolic' has no formulas; {OTHER_METHODS}"
            )
        if isinstance(variable, Sensor):
            expression, parts = variable.expression(m.placed, found.rate)
            values = {name: measurement(name, parts, name, label) for name in sorted(expression.names)}
            put: dict[Node, Node] = {Name(name): self._measured(x, label) for name, x in values.items() if x is not None}
            return substituted([expression.node], put)[0]
        order = 0
        if isinstance(variable, JointCoordinate):
            variable = variable.resolved({**m.model.released, **m.model.joints}, label, "formula")
            if str(variable.joint) not in m.coordinates_of:
                raise ModelError(f"{label} observes joint {str(variable.joint)!r}, which has no coordinates in method 'symbolic'")
            node = m.coordinates_of[str(variable.joint)][int(variable.freedom or 0)].value
        elif isinstance(variable, PointVelocity):
            node, order = velocity(m, variable, label), 1
        else:
            node = measure(m, variable, label)
        if order == 0 and found.rate > 0:
            node = m.rate(node)
        if found.rate < 2:
            return node
        return plus(m.rate(node), dot(m.by_speeds(node), m.accelerations))
