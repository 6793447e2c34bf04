"""Messages that the page of errors explains are messages of the package."""

from __future__ import annotations

import re
from pathlib import Path

import sharnir
from sharnir import errors

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "errors.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^- `([^`]+)`:", " ".join(PAGE.split("\n")).replace(" - `", "\n- `"), re.MULTILINE)
# what stands for values, and where a message is put together from parts
VALUE = re.compile(
    r"…|'[^']*'|\b(?:method|integrator|motion|stabilization|correction|inertia|q|body|n)\b(?= (?:=|is|has|numbers))|\d+"
    r"|after t =|is not finite|; did you mean"
)


def source() -> str:
    """All sources, with texts that are written in several pieces put together."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(sharnir.__file__).parent.rglob("*.py"))
    return re.sub(r"[\"']\s*\n\s*f?[\"']", "", text)


def test_every_class_is_explained() -> None:
    own = [name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__]
    assert len(own) > 10
    assert [name for name in own if f"`{name}`" not in PAGE and f"`sr.{name}`" not in PAGE] == []


def test_messages_exist() -> None:
    text = source()
    pieces = {piece.strip(" ;:,.") for message in MESSAGES for piece in VALUE.split(message)}
    assert len(MESSAGES) > 20
    assert {piece for piece in pieces if piece.count(" ") > 1 and piece not in text} == set()
