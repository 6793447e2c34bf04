"""The picture of a structure: names stand on the arcs that they belong to."""

from __future__ import annotations

import pytest
from matplotlib.patches import ConnectionStyle

from sharnir.topology.picture import _on_arc


@pytest.mark.parametrize("bend", [0.0, 0.35, -0.18])
@pytest.mark.parametrize("ends", [((0.0, 1.0), (2.0, 4.0)), ((3.0, 2.0), (1.0, -1.0)), ((1.0, 0.0), (1.0, 5.0))])
def test_points_of_an_arc_are_those_of_matplotlib(ends, bend):
    start, middle, end = ConnectionStyle("arc3", rad=bend)(*ends, shrinkA=0, shrinkB=0).vertices
    for s in (0.0, 0.26, 0.5, 0.74, 1.0):
        exact = (1.0 - s) ** 2 * start + 2.0 * s * (1.0 - s) * middle + s**2 * end
        assert _on_arc(*ends, bend, s) == pytest.approx(exact, abs=1e-12)
