"""Any joint that is a chain of elementary freedoms."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import fail, sequence
from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import FreedomList, element


@element
class FreedomSequence(Joint):
    """The child moves by elementary freedoms one after the other, each carried along by those before it.

    >>> from sharnir.model import Rotation, Translation
    >>> FreedomSequence("stage", "ground", "head", freedoms=(Translation("x"), Rotation("z"), Rotation("x"))).freedom_names
    ('x', 'rz', 'rx')
    """

    freedoms: FreedomList = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        given = (self.freedoms,) if isinstance(self.freedoms, Freedom) else self.freedoms
        freedoms = sequence(given, self.label, "freedoms", 'a sequence such as (Rotation("x"), Translation("y"))')
        if len(freedoms) > 6:
            fail(self.label, "freedoms", f"has {len(freedoms)} entries; at most 6 are possible")
        for freedom in freedoms:
            if not isinstance(freedom, Freedom):
                remedy = 'use Rotation("x"), Translation("y") or Freedom("screw", "z", pitch)'
                fail(self.label, "freedoms", f"has the entry {freedom!r}; {remedy}")
        return freedoms
