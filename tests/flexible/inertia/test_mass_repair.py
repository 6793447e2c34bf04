"""Mass repair: total, centre and inertia are those asked for, tensors stay those of bodies, small faults change little."""

from __future__ import annotations

import numpy as np
import pytest

from flexible.modes.test_craig_bampton import box
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.inertia.mass_repair import neighbour_distance, repaired_masses
from sharnir.flexible.inertia.nodal_masses import tildes

BEAM = straight_beam((0, 0, 0), (1, 0.2, 0), Section.rectangle(0.02, 0.03), elements=5)
SOLID = box()
MODELS = {"beam": BEAM, "solid": SOLID, "coarse solid": box((1, 1, 1))}


def central_second_moments(masses):
    """½ tr(J) E - J of every small body about its own centre."""
    square = tildes(masses.shift)
    J = masses.inertia + masses.mass[:, None, None] * (square @ square)
    return 0.5 * np.trace(J, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("factor", [0.7, 1.0, 1.3])
def test_total_centre_and_inertia_are_right_and_every_body_is_possible(name, factor):
    model = MODELS[name]
    own = model.rigid_inertia()
    stretch = np.diag([1.1, 0.95, 1.0])
    S = 0.5 * np.trace(own.inertia) * np.eye(3) - own.inertia
    S = factor * stretch @ S @ stretch
    target = RigidInertia(1.2 * own.mass, own.center + [0.02, -0.01, 0.005], np.trace(S) * np.eye(3) - S)
    masses, repair = repaired_masses(model, target)
    after = masses.rigid(model.nodes)
    assert after.mass == pytest.approx(target.mass, rel=1e-12)
    assert np.abs(after.center - target.center).max() < 1e-12
    assert np.abs(after.inertia - target.inertia).max() < 1e-9 * np.abs(target.inertia).max()
    assert np.linalg.eigvalsh(central_second_moments(masses)).min() > -1e-12 * np.abs(target.inertia).max()
    assert repair.error < 1e-9 and repair.mass_factor == pytest.approx(1.2)
    # the distribution is that of the model
    assert masses.mass / masses.mass.sum() == pytest.approx(repaired_masses(model)[0].mass / own.mass, rel=1e-9)


def test_nothing_is_changed_where_nothing_is_wrong():
    lumped = straight_beam((0, 0, 0), (1, 0.2, 0), Section.rectangle(0.02, 0.03), elements=5, mass="lumped")
    masses, repair = repaired_masses(lumped)
    blocks = masses.blocks()
    expected = np.array([lumped.mass[6 * k : 6 * k + 6][:, 6 * k : 6 * k + 6].toarray() for k in range(6)])
    assert np.abs(blocks - expected).max() < 1e-12 * np.abs(expected).max()
    assert repair.largest_shift < 1e-12 and repair.given_rotary == 0


def test_missing_rotary_inertia_is_a_cube_as_wide_as_the_neighbours_are_far():
    """Where the solid's tensor leaves the freedom, the given cubes are kept in proportion."""
    masses, repair = repaired_masses(SOLID)
    assert repair.given_rotary == len(SOLID.nodes)
    width = neighbour_distance(SOLID)
    ratio = np.trace(central_second_moments(masses), axis1=1, axis2=2) / (masses.mass * width**2)
    assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=1e-9) and ratio[0] > 0


def test_unshifted_repair_says_what_is_left():
    masses, repair = repaired_masses(SOLID, shifted=False)
    assert not masses.shift.any()
    assert repair.after.mass == pytest.approx(SOLID.rigid_inertia().mass)
    assert repair.error > 1e-3  # centred bodies at the nodes cannot have this tensor
    assert "mass × 1" in str(repair) and repair.given_rotary == 0  # masses at the nodes have too much inertia already


def test_impossible_targets_are_refused():
    with pytest.raises(ModelError, match="not those of a body"):
        repaired_masses(BEAM, RigidInertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0])))
    with pytest.raises(ModelError, match="must be positive"):
        repaired_masses(BEAM, RigidInertia(0.0, np.zeros(3), np.eye(3)))


@pytest.mark.parametrize("left", [0.5, 0.1, 0.02, -0.5])
def test_rotary_inertia_keeps_its_share(left):
    """Of the rotary inertia along a beam with bobs, `left` times what was there would remain; a tenth stays, centres move."""
    lumped = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.03), elements=5, mass="lumped")
    for node in range(6):
        lumped = lumped.with_point_mass(node, 0.1, (0.02, 0.03, 0.02))
    start, _ = repaired_masses(lumped)
    rotary = central_second_moments(start).sum(0)
    spread = np.einsum("k,ka,kb->ab", start.mass, lumped.nodes - lumped.nodes.mean(0), lumped.nodes - lumped.nodes.mean(0))
    S = spread + rotary
    S[0, 0] = spread[0, 0] + left * rotary[0, 0]
    own = lumped.rigid_inertia()
    masses, repair = repaired_masses(lumped, RigidInertia(own.mass, own.center, np.trace(S) * np.eye(3) - S))
    kept = central_second_moments(masses).sum(0)
    share = max(left, 0.1)
    np.testing.assert_allclose(kept, np.diag([share * rotary[0, 0], rotary[1, 1], rotary[2, 2]]), atol=1e-9 * rotary.max())
    factor = np.sqrt((S[0, 0] - kept[0, 0]) / spread[0, 0])  # of the arms along the beam: what the rotary inertia does not give
    places = own.center + (lumped.nodes - own.center) * [factor, 1.0, 1.0]
    np.testing.assert_allclose(lumped.nodes + masses.shift, places, atol=1e-9)
    assert (repair.largest_shift < 1e-9) == (left >= 0.1)
    assert repair.error < 1e-9
