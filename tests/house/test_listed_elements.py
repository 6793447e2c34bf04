"""Elements that one file of tests defines are unknown in the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from conftest import all_families, forgotten_afterwards
from sharnir.families import Family
from sharnir.model.forces import ForceElement, Spring
from sharnir.model.joints import Joint


def test_what_tests_define_is_forgotten() -> None:
    changes = Family.changes
    with forgotten_afterwards():

        @dataclass(frozen=True)
        class PassingForce(ForceElement):
            name: str
            outputs: ClassVar[Any] = ()

        class PassingJoint(Joint):
            """Another family."""

        assert ForceElement.family.classes()["passing-force"] is PassingForce
        assert "passing-joint" in Joint.family.classes()
    assert "passing-force" not in ForceElement.family.classes()
    assert "passing-joint" not in Joint.family.classes()
    assert ForceElement.family.classes()["spring"] is Spring
    assert Family.changes > changes + 2  # whoever keeps a list makes it again


def test_elements_of_the_package_stay() -> None:
    """They are imported when something needs them first, perhaps within a test."""
    before = ForceElement.family.classes()
    ForceElement.family._classes = {word: x for word, x in before.items() if x is not Spring}
    with forgotten_afterwards():
        ForceElement.family.add(Spring)
    assert ForceElement.family.classes()["spring"] is Spring
    ForceElement.family._classes = before


def test_every_family_is_found() -> None:
    nouns = {family.noun for family in all_families()}
    assert {"force", "joint", "constraint", "action", "shape"} <= nouns
