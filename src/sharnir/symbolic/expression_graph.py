"""Walks over a graph of expressions: each shared node once, without recursion, so that depth does not matter."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeVar

from sharnir.symbolic.nodes import Call, Name, Node, choice, negative, power, product, quotient, total

Part = TypeVar("Part")


def walk(root: Node, visit: Callable[[Any, list[Any]], Part]) -> Part:
    """visit(node, results of its arguments) from the leaves up.

    >>> x = Name("x")
    >>> walk(x*x + 1, lambda node, parts: 1 + sum(parts))
    5
    """
    done: dict[Node, Part] = {}
    for node in ordered((root,)):
        done[node] = visit(node, [done[argument] for argument in node.arguments])
    return done[root]


def ordered(roots: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """All nodes of a graph, each once, arguments before what is made of them; `known` ones and what is below them are left out.

    >>> x = Name("x")
    >>> len(ordered([x*x, x*x + x]))
    3
    """
    order: list[Node] = []
    seen: set[Node] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen and node not in known:
                seen.add(node)
                if node.arguments:
                    stack.append((node, True))
                    stack.extend([(argument, False) for argument in reversed(node.arguments) if argument not in seen])
                else:
                    order.append(node)
    return order


def names_of(*roots: Node) -> set[str]:
    """Names that occur.

    >>> sorted(names_of(Name("a") * Name("b")))
    ['a', 'b']
    """
    return {node.name for node in ordered(roots) if isinstance(node, Name)}


def exponents(root: Node) -> set[str]:
    """Names that occur in exponents.

    >>> exponents(Name("q") ** (2 * Name("n")) + Name("k"))
    {'n'}
    """
    powers = [node.arguments[1] for node in ordered((root,)) if isinstance(node, Call) and node.function == "^"]
    return names_of(*powers)


def rebuilt(function: str, arguments: tuple[Node, ...]) -> Node:
    """A call with the light simplifications of its constructor."""
    if function in BUILDERS:
        return BUILDERS[function](*arguments)
    return Call(function, arguments)


BUILDERS: dict[str, Callable[..., Node]] = {
    "+": total,
    "*": product,
    "/": quotient,
    "^": power,
    "neg": negative,
    "if": choice,
    "smooth": lambda x: x,
}


def substituted(roots: Iterable[Node], values: Mapping[Node, Node]) -> list[Node]:
    """The same expressions with other nodes in place of some, all at once.

    >>> x, y = Name("x"), Name("y")
    >>> str(substituted([x + 2*y], {x: y})[0])
    'y + 2*y'
    """
    roots = list(roots)
    done: dict[Node, Node] = dict(values)
    for node in ordered(roots):
        if node not in done:
            parts = tuple(done[argument] for argument in node.arguments)
            changed = parts != node.arguments
            done[node] = rebuilt(node.function, parts) if isinstance(node, Call) and changed else node
    return [done[root] for root in roots]


class Swapped:
    """Puts other names into expressions, one after the other, and remembers what has been done.

    >>> str(Swapped({Name("x"): Name("y")})(Name("x") + 1))
    'y + 1'
    """

    def __init__(self, names: Mapping[Node, Node]) -> None:
        self.done: dict[Node, Node] = dict(names)

    def __call__(self, root: Node) -> Node:
        for node in ordered((root,), self.done):
            parts = tuple(self.done[argument] for argument in node.arguments)
            changed = parts != node.arguments
            self.done[node] = Call(node.function, parts) if isinstance(node, Call) and changed else node
        return self.done[root]

    def all(self, roots: Iterable[Node]) -> list[Node]:
        """Of several expressions."""
        return [self(root) for root in roots]


def uses(roots: Iterable[Node]) -> dict[Node, int]:
    """How many times each node is used by another one, or asked for."""
    roots = list(roots)
    count: dict[Node, int] = {}
    for node in ordered(roots):
        for argument in node.arguments:
            count[argument] = count.get(argument, 0) + 1
    for root in roots:
        count[root] = count.get(root, 0) + 1
    return count
