"""Bodies: the forms of input, what follows from shapes, and what is refused."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.model import Body, Box, Sphere, rotation_rpy
from sharnir.model.bodies.body import is_physical


def test_three_forms_of_inertia():
    J = np.array([[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]])
    six = Body("a", mass=1, inertia=(2, 3, 4, 0.1, 0.2, 0.3))
    assert six == Body("a", mass=1, inertia=J) == Body("a", mass=1, inertia=J.tolist())
    np.testing.assert_array_equal(six.inertia_matrix, J)
    assert Body("b", mass=1, inertia=(1, 2, 2.5)).inertia == (1, 2, 2.5, 0, 0, 0)


def test_mass_from_density_and_shape():
    body = Body("cube", density=1000, shape=Box((0.1, 0.2, 0.3), center=(1, 0, 0)))
    assert body.mass == pytest.approx(6)
    assert body.com == (1, 0, 0)
    assert body.inertia_matrix[0][0] == pytest.approx(6 * (0.2**2 + 0.3**2) / 12)
    assert replace(body, color="red").mass == body.mass


def test_given_values_win_over_the_shape():
    body = Body("b", mass=2, com=(0, 0, 1), inertia=(1, 1, 1), shape=Sphere(1))
    assert (body.mass, body.com, body.inertia[:3]) == (2, (0, 0, 1), (1, 1, 1))


def test_point_mass_and_massless():
    assert Body("p", mass=3).inertia == (0,) * 6
    assert Body("m").mass == 0
    assert Body("picture", mass=0, shape=Sphere(1)).inertia == (0,) * 6


def test_shapes_are_a_tuple():
    ball = Sphere(1)
    assert Body("a", mass=1).shapes == ()
    assert Body("a", mass=1, shape=ball).shapes == (ball,)
    assert Body("a", mass=1, shape=[ball, ball]).shapes == (ball, ball)
    assert Body("a", mass=1, shape=[ball]) == Body("a", mass=1, shape=ball)


def test_rotation_as_quaternion_and_matrix():
    R = rotation_rpy(0, 0, np.pi / 2)
    by_matrix = Body("a", mass=1, rotation=R)
    by_quaternion = Body("a", mass=1, rotation=(1, 0, 0, 1))
    np.testing.assert_allclose(by_matrix.rotation_matrix, by_quaternion.rotation_matrix, atol=1e-15)
    np.testing.assert_allclose(by_matrix.quaternion, by_quaternion.quaternion)
    assert Body("a").rotation_matrix == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_bodies_are_frozen_and_hashable():
    body = Body("a", mass=np.float64(1), position=np.arange(3))
    with pytest.raises(FrozenInstanceError):
        body.mass = 2
    assert body.position == (0, 1, 2)
    assert all(type(x) is float for x in body.position)
    assert len({body, Body("a", mass=1, position=(0, 1, 2))}) == 1


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"mass": -1}, "mass", "'arm'.*-1.0.*negative"),
        ({"mass": float("nan")}, "mass", "nan.*finite"),
        ({"mass": float("inf")}, "mass", "finite"),
        ({"mass": b"1"}, "mass", "b'1' must be a number"),
        ({"mass": True}, "mass", "True must be a number"),
        ({"mass": 1, "com": (1, 2)}, "com", "2 entries; 3 are needed"),
        ({"mass": 1, "com": (1, 2, None)}, "com[2]", "None"),
        ({"mass": 1, "inertia": (1, 1, 3)}, "inertia", "not physical.*centre of mass"),
        ({"mass": 1, "inertia": (1, 1, -1)}, "inertia", "negative principal moment"),
        ({"mass": 1, "inertia": (1, 1, 1, 2, 0, 0)}, "inertia", "negative principal moment"),
        ({"mass": 1, "inertia": (1, 1)}, "inertia", "3×3"),
        ({"mass": 1, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "inertia", "not symmetric"),
        ({"mass": 1, "inertia": 4}, "inertia", "3 or 6 numbers"),
        ({"mass": 1, "rotation": (0, 0, 0, 0)}, "rotation", "identity"),
        ({"mass": 1, "position": "x"}, "position", "3 numbers"),
        ({"shape": Sphere(1)}, "mass", "density"),
        ({"density": 1}, "density", "shape"),
        ({"mass": 1, "shape": Sphere(1e200)}, "shape", "so large"),
        ({"density": 1, "mass": 1, "shape": Sphere(1)}, "density", "give one of them"),
        ({"mass": 1, "shape": "ball"}, "shape", "Sphere"),
        ({"mass": 1, "shape": [Sphere(1), 3]}, "shape", "3 must be one of"),
        ({"mass": 1, "velocity": (1, 2)}, "velocity", "3 are needed"),
        ({"mass": 1, "any_inertia": 3}, "any_inertia", "True or False"),
    ],
)
def test_errors_name_body_field_and_remedy(fields, field, words):
    with pytest.raises(ModelError, match=words) as caught:
        Body("arm", **fields)
    assert "Body 'arm'" in str(caught.value)
    assert caught.value.field == field


def test_printed_digits_of_a_thin_plate_are_accepted():
    assert Body("plate", mass=1, inertia=(1e-3, 2e-3, 3.0000000001e-3)).inertia[2] > 3e-3


@pytest.mark.parametrize("name", ["", "  ", "a.b", " a", "a\nb", 3, None])
def test_wrong_names(name):
    with pytest.raises(ModelError, match="name") as caught:
        Body(name, mass=1)
    assert caught.value.field == "name"


def test_quick_check_of_inertias_agrees_with_principal_moments():
    random, found = np.random.default_rng(4), []
    for k in range(2000):
        moments = random.uniform(0.0, 1.0, 3)
        if k % 4 == 0:
            moments[2] = (moments[0] + moments[1]) * (1.0 + random.choice([-1e-8, -1e-13, 0.0, 1e-13, 1e-8]))
        Q = np.linalg.qr(random.standard_normal((3, 3)))[0]
        J = 10.0 ** random.uniform(-20, 20) * Q @ np.diag(moments) @ Q.T
        six = tuple(J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
        a, b, c = np.linalg.eigvalsh(J)
        margin = (a + b - c) / c
        found.append(is_physical(six))
        if abs(margin) > 1e-12:  # closer, rounding decides, and principal moments are looked at
            assert found[-1] == (margin > 0.0), six
        else:
            assert not found[-1] or margin > -1e-14
    assert 200 < sum(found) < 1800
    assert not is_physical((0.0,) * 6)
    assert not is_physical((1e308, 1e308, 1e308, 0.0, 0.0, 0.0))  # its trace is infinite: left to the principal moments
    Body("star", mass=1.0, inertia=(1e308, 1e308, 1e308))


@pytest.mark.parametrize("bad", [(np.nan, 0, 1), (0, np.inf, 1.0), (0, 10**400, 1.0)])
def test_whole_numbers_beside_floats_are_stored_as_floats_and_others_refused(bad):
    body = Body("b", mass=2, com=(0, 0.5, -1), inertia=(1, 2, 2.5))
    assert list(map(type, body.com + body.inertia)) == [float] * 9
    assert (body.com, body.inertia) == ((0.0, 0.5, -1.0), (1.0, 2.0, 2.5, 0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="com"):
        Body("b", mass=2, com=bad)
