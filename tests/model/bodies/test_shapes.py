"""Volumes and inertias of shapes against Monte-Carlo-free integration: sums over a fine grid of points."""

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.model import ALL_SHAPES, Body, Box, Cylinder, Mesh, Rod, Sphere, rotation_rpy
from sharnir.model.bodies.shapes import solid
from sharnir.model.frames import rotation_matrix

TURN = np.array(rotation_rpy(0.3, -0.8, 1.1))


def points_of(inside, reach, n=60):
    """Grid points inside a solid, and the volume of a cell."""
    line = (np.arange(n) + 0.5) / n * 2 * reach - reach
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3)
    return grid[inside(grid)], (2 * reach / n) ** 3


def grid_moments(points, cell):
    """Volume, centre and inertia per unit mass."""
    center = points.mean(0)
    r = points - center
    return len(points) * cell, center, np.eye(3) * (r * r).sum() / len(r) - r.T @ r / len(r)


def compare(shape, inside, reach):
    volume, center, J = grid_moments(*points_of(inside, reach))
    assert shape.volume == pytest.approx(volume, rel=0.02)
    np.testing.assert_allclose(shape.center, center, atol=0.01 * reach)
    np.testing.assert_allclose(shape.unit_inertia(), J, atol=0.02 * np.abs(J).max())


def test_turned_box():
    def inside(p):
        return np.all(np.abs((p - (0.1, 0, 0)) @ TURN) <= (0.5, 0.25, 0.7), axis=1)

    compare(Box((1.0, 0.5, 1.4), (0.1, 0, 0), TURN), inside, 1.2)


def test_cylinder_along_any_axis():
    axis = np.array([1.0, 2, -1]) / np.sqrt(6)

    def inside(p):
        along = (p - (0, 0.2, 0)) @ axis
        return (np.abs(along) <= 0.6) & (((p - (0, 0.2, 0)) ** 2).sum(1) - along**2 <= 0.4**2)

    compare(Cylinder(0.4, 1.2, (1, 2, -1), (0, 0.2, 0)), inside, 1.1)


def test_sphere():
    compare(Sphere(0.7, (0.1, 0.1, 0)), lambda p: ((p - (0.1, 0.1, 0)) ** 2).sum(1) <= 0.49, 1.0)


def test_rod_is_the_cylinder_between_its_ends():
    rod = Rod((1, 0, 0), (1, 3, 4), radius=0.2)
    same = Cylinder(0.2, 5, (0, 3, 4), (1, 1.5, 2))
    assert rod.center == same.center
    assert rod.volume == pytest.approx(same.volume)
    np.testing.assert_allclose(rod.unit_inertia(), same.unit_inertia())
    assert Rod((0, 0, 0), (2, 0, 0)).radius == 0.04


def test_several_shapes_make_one_solid():
    halves = (Box((1, 1, 1), (-0.5, 0, 0)), Box((1, 1, 1), (0.5, 0, 0)))
    volume, center, J = solid(halves)
    whole = Box((2, 1, 1))
    assert volume == pytest.approx(whole.volume)
    np.testing.assert_allclose(center, (0, 0, 0), atol=1e-15)
    np.testing.assert_allclose(J, whole.unit_inertia(), atol=1e-15)


def test_shares_of_mass_go_by_volume():
    _, center, _ = solid((Sphere(1, (0, 0, 0)), Sphere(2, (9, 0, 0))))
    np.testing.assert_allclose(center, (8, 0, 0))


@pytest.mark.parametrize("kind", [kind for kind in ALL_SHAPES if kind is not Mesh])  # whose axes are those of its file
def test_axis_aligned_by_default(kind):
    shape = {Box: Box((1, 2, 3)), Cylinder: Cylinder(1, 2), Sphere: Sphere(2), Rod: Rod((0, 0, 0), (0, 0, 1))}[kind]
    J = np.array(shape.unit_inertia())
    np.testing.assert_array_equal(J, np.diag(J.diagonal()))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Box((1, 0, 1)), "size"),
        (lambda: Box((1, 1)), "size"),
        (lambda: Sphere(-1), "radius"),
        (lambda: Sphere(float("nan")), "radius"),
        (lambda: Cylinder(1, 0), "length"),
        (lambda: Cylinder(1, 1, axis=(0, 0, 0)), "axis"),
        (lambda: Rod((1, 1, 1), (1, 1, 1)), "length"),
        (lambda: Sphere(1, color=(2, 0, 0)), "color"),
        (lambda: Sphere(1, color=""), "color"),
    ],
)
def test_wrong_shapes_name_the_entry(make, word):
    with pytest.raises(ModelError, match=word):
        make()


def mass_points(shape):
    """Points and their shares of mass with the exact volume, centre and second moments of a box or a ball (Gauss)."""
    if isinstance(shape, Box):
        signs = np.stack(np.meshgrid(*[(-1, 1)] * 3, indexing="ij"), -1).reshape(-1, 3)
        R = np.eye(3) if shape.rotation is None else np.array(rotation_matrix(shape.rotation))
        return np.array(shape.center) + (signs * np.array(shape.size) / 2 / np.sqrt(3)) @ R.T, np.full(8, 1 / 8)
    arms = shape.radius * np.sqrt(3 / 5) * np.vstack([np.eye(3), -np.eye(3)])  # the mean of x² in a ball is r²/5
    return np.array(shape.center) + arms, np.full(6, 1 / 6)


@pytest.mark.parametrize("count", [2, 3])
def test_inertia_of_an_asymmetric_composite(count):
    """No symmetry, unequal volumes, turned parts: every product of inertia counts; against sums over mass points."""
    parts = (
        Box((1.0, 0.4, 0.2), (0.3, -0.8, 0.5), TURN),
        Sphere(0.5, (-0.7, 0.2, 0.9)),
        Box((0.3, 0.9, 1.6), (1.1, 0.6, -0.4), rotation_rpy(-1.0, 0.2, 0.7)),
    )[:count]
    places, shares = zip(*(mass_points(part) for part in parts), strict=True)
    p = np.vstack(places)
    m = np.concatenate([part.volume * share for part, share in zip(parts, shares, strict=True)])
    middle = m @ p / m.sum()
    r = p - middle
    J = (m @ (r * r).sum(1)) * np.eye(3) - (r * m[:, None]).T @ r
    assert np.abs(J[np.triu_indices(3, 1)]).min() > 0.02 * np.abs(J).max()
    body = Body("cast", density=7.0, shape=parts)
    assert body.mass == pytest.approx(7.0 * m.sum(), rel=1e-13)
    np.testing.assert_allclose(body.com, middle, atol=1e-14)
    np.testing.assert_allclose(body.inertia_matrix, 7.0 * J, atol=1e-13)
