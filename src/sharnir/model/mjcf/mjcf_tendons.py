"""Fixed tendons: a length that is a sum of joint coordinates, its spring, damper and friction, and forces along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.forces import JointForce
from sharnir.model.mjcf.body_tree import BodyTree, all_of
from sharnir.model.mjcf.mjcf_joints import KINDS, JointRows
from sharnir.model.mjcf.mjcf_numbers import number_of, numbers_of
from sharnir.model.model import Model
from sharnir.model.signals import Signal

LEFT_OUT = ("armature", "margin")


@dataclass
class Tendon:
    """Σ c (q + ref) over joints; `length` and `rate` are signals once they are needed."""

    name: str
    terms: list[tuple[str, float, float]]  # joint, coefficient, ref
    range: tuple[float, float] | None = None
    length: str = ""
    rate: str = ""

    def measure(self, model: Model, words: Any) -> None:
        """Add the signals of length and rate."""
        if self.length:
            return
        self.length, self.rate = words.word(self.name, "length"), words.word(self.name, "rate")
        variables = {f"x{k}": JointCoordinate(joint) for k, (joint, _, _) in enumerate(self.terms)}
        lengths = [f"{c!r}*(x{k} + {ref!r})" if ref else f"{c!r}*x{k}" for k, (_, c, ref) in enumerate(self.terms)]
        rates = [f"{c!r}*x{k}_dot" for k, (_, c, _) in enumerate(self.terms)]
        model.add(Signal(self.length, " + ".join(lengths), variables), Signal(self.rate, " + ".join(rates), variables))

    def pull(self, model: Model, name: str, force: str) -> None:
        """A force along the length: coefficient × force on every joint."""
        for joint, c, _ in self.terms:
            model.add(JointForce(f"{name} on {joint}" if len(self.terms) > 1 else name, joint, f"{c!r}*({force})"))


def tendons_of(model: Model, tree: BodyTree, joints: JointRows, words: Any, friction_speed: float | None) -> dict[str, Tendon]:
    """All fixed tendons by name, with their springs, dampers and frictions added to the model."""
    found: dict[str, Tendon] = {}
    for k, element in enumerate(all_of(tree.source.root, "tendon")):
        given = tree.defaults.attributes(element, "")
        name = given.get("name") or f"tendon_{k}"
        if element.tag != "fixed":
            tree.notes.add(f"<{element.tag}> tendons", name)
            continue
        terms = _terms(element, tree, joints)
        if terms is None:
            tree.notes.add("fixed tendons of ball and free joints", name)
            continue
        limited = given.get("limited", "auto")
        bounds = None
        if "range" in given and limited != "false" and (limited == "true" or tree.compiler.autolimits):
            lower, upper = numbers_of(given["range"], "range", 2)
            bounds = (lower, upper)
            tree.notes.add("limits of tendons", name)
        for key in LEFT_OUT:
            if number_of(given, key, 0.0):
                tree.notes.add(f"{key} of tendons", name)
        found[name] = Tendon(name, terms, bounds)
        _add_passive(model, found[name], given, words, friction_speed)
    return found


def _terms(element: Element, tree: BodyTree, joints: JointRows) -> list[tuple[str, float, float]] | None:
    found: dict[str, tuple[str, float, float]] = {}
    for child in element.findall("joint"):
        row = joints.by_name[tree.joint_called(child.get("joint", ""))]
        if KINDS[row.kind] > 1:
            return None
        before = found.get(row.name, (row.name, 0.0, row.ref))
        found[row.name] = (row.name, before[1] + number_of(child.attrib, "coef", 1.0), row.ref)
    return [term for term in found.values() if term[1]] or None


def _add_passive(model: Model, tendon: Tendon, given: dict[str, str], words: Any, friction_speed: float | None) -> None:
    """-k (l - l₀) - d l̇, with a slack range of lengths if two are given, and dry friction."""
    stiffness, damping = number_of(given, "stiffness", 0.0), number_of(given, "damping", 0.0)
    loss = number_of(given, "frictionloss", 0.0) if friction_speed is not None else 0.0
    if not (stiffness or damping or loss):
        return
    tendon.measure(model, words)
    rest = numbers_of(given.get("springlength", "-1"), "springlength", 1, 2)
    start = sum(c * ref for _, c, ref in tendon.terms)
    lower, upper = (start, start) if rest[0] < 0.0 else (rest[0], rest[-1])
    parts = []
    if stiffness and lower == upper:
        parts.append(f"-{stiffness!r}*({tendon.length} - {lower!r})")
    elif stiffness:
        parts.append(f"-{stiffness!r}*(max({tendon.length} - {upper!r}, 0) + min({tendon.length} - {lower!r}, 0))")
    if damping:
        parts.append(f"-{damping!r}*{tendon.rate}")
    if loss:
        parts.append(f"-{loss!r}*tanh({tendon.rate}/{friction_speed!r})")
    tendon.pull(model, f"{tendon.name} tendon", " + ".join(parts))
