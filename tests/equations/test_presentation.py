"""What is printed: as a textbook would, the same in every form, and by names alone."""

import re

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.symbolic.fourier import Fourier

from .states import difference, residuals_of_text


def pendulum(count, axes="y", names="abcdefghijklmnopqrstuvwxyz"):
    m = sr.Model("pendulum")
    for i in range(count):
        m.add(sr.Body(names[i], mass=1 + i, inertia=(0.1, 0.2, 0.3), com=(0, 0, -0.5), position=(0, 0, -i)))
        above = "ground" if i == 0 else names[i - 1]
        m.add(sr.Revolute(f"q{i + 1}", above, names[i], at=(0, 0, -i), axis=axes[i % len(axes)]))
    return m


def test_a_double_pendulum_is_printed_as_in_a_textbook():
    equations = pendulum(2).equations(letters=True)
    assert [str(row) for row in equations.rows] == [
        "(I_a + I_b + m_b*l_a*(l_a + 2*c_b*cos(q2)))*q1'' + (I_b + m_b*l_a*c_b*cos(q2))*q2''"
        " - m_b*l_a*c_b*q2'*sin(q2)*(2*q1' + q2') + g*(m_a*c_a*sin(q1) + m_b*(l_a*sin(q1) + c_b*sin(q1 + q2))) = 0",
        "(I_b + m_b*l_a*c_b*cos(q2))*q1'' + I_b*q2'' + m_b*l_a*c_b*q1'^2*sin(q2) + m_b*g*c_b*sin(q1 + q2) = 0",
    ]
    assert [str(row) for row in equations.presentation.definitions] == ["I_a = m_a*c_a^2 + J_a", "I_b = m_b*c_b^2 + J_b"]
    assert equations.letters == {"l_a": 1, "m_a": 1, "c_a": 0.5, "J_a": 0.2, "m_b": 2, "c_b": 0.5, "J_b": 0.2, "g": 9.81}
    assert max(len(str(row)) for row in equations.rows) <= 250


def test_numbers_are_printed_without_rounding():
    rows = [str(row) for row in pendulum(2).equations().rows]
    assert rows[1] == "(0.7 + cos(q2))*q1'' + 0.7*q2'' + q1'^2*sin(q2) + 9.81*sin(q1 + q2) = 0"
    assert max(map(len, rows)) <= 250


def test_rounding_leaves_no_factors_of_one():
    m = sr.Model("oblique")
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("q1", "ground", "a", axis=(1, 1, 0)))
    m.add(sr.Body("b", mass=2, inertia=(1, 2, 3), position=(0, 0, 1)), sr.Revolute("q2", "a", "b", axis="x"))
    equations = m.equations(letters=True)
    assert not re.search(r"(?<![\w.])1\*", str(equations))
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 2))
    assert residuals_of_text(equations, m.compile(), q, v) < 1e-11


def test_the_same_equations_in_absolute_angles():
    """With q2 = phi2 - phi1 the coupling is that of textbooks: m_b c_b l_a cos(phi1 - phi2)."""
    from sharnir.symbolic.expression_graph import substituted
    from sharnir.symbolic.functions import cos
    from sharnir.symbolic.nodes import Name

    m12 = pendulum(2).equations(letters=True).mass_matrix[0][1]
    phi1, phi2 = Name("phi1"), Name("phi2")
    turned = substituted([m12], {Name("q2"): phi2 - phi1})[0]
    textbook = Name("J_b") + Name("m_b") * Name("c_b") ** 2 + Name("m_b") * Name("c_b") * Name("l_a") * cos(phi1 - phi2)
    assert Fourier().form(turned - textbook) == {}


@pytest.mark.parametrize(
    ("count", "axes", "closed"),
    [(1, "y", True), (3, "y", True), (5, "y", True), (3, "yzx", True), (12, "y", False), (6, "yzx", False)],
)
def test_long_equations_have_named_parts(count, axes, closed):
    model = pendulum(count, axes)
    equations, system = model.equations(letters=True), model.compile()
    assert equations.presentation.closed == closed
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, count))
    assert difference(equations, system, q, v) < 1e-11
    assert residuals_of_text(equations, system, q, v) < 1e-11
    if not closed:
        assert max(len(str(row)) for row in [*equations.rows, *equations.presentation.definitions]) < 600


def test_a_chain_of_twenty_links_in_space():
    model = pendulum(20, "yzx")
    equations, system = model.equations(), model.compile()
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 20))
    assert difference(equations, system, q, v) < 1e-11


def test_renaming_changes_the_name_and_nothing_else():
    equations = pendulum(3).equations(letters=True)
    renamed = equations.renamed({"m_b": "M", "q2": "theta"})
    expected = re.sub(r"\bq2\b", "theta", re.sub(r"\bm_b\b", "M", str(equations)))
    assert str(renamed).split() == expected.split()
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 3))
    np.testing.assert_array_equal(renamed.accelerations(q, v), equations.accelerations(q, v))
    assert renamed.letters["M"] == 2 and "m_b" not in renamed.letters
    with pytest.raises(sr.ModelError, match="is taken"):
        equations.renamed({"m_b": "m_a"})
    for names, words in (
        ({"m_nobody": "m"}, "'m_nobody' is not one of its symbols"),
        ({"m_b": "2 m"}, "is not a name for m_b"),
        ({"m_b": "sin"}, "is not a name for m_b"),
        ({"m_b": "t"}, "is not a name for m_b"),
        ({"m_b": None}, "is not a name for m_b"),
        ("m_b", "new names by old ones"),
    ):
        with pytest.raises(sr.ModelError, match=words):
            equations.renamed(names)


def test_states_and_values_are_checked():
    equations = pendulum(2).equations(letters=True)
    rest = [0.0, 0.0]
    for q, v, given, words in (
        ([0.0], rest, {}, "q has the shape \\(1,\\); it must have 2 numbers: q1, q2"),
        (rest, [[0.0, 0.0]], {}, "v has the shape"),
        (rest, 0.0, {}, "v has the shape"),
        (["a", "b"], rest, {}, "must be an array of numbers"),
        (rest, rest, {"m_c": 2.0}, "'m_c' is not a symbol with a value"),
        (rest, rest, {"m_b": "heavy"}, "m_b = 'heavy' must be a number"),
    ):
        with pytest.raises(sr.ModelError, match=words):
            equations.accelerations(q, v, **given)


def test_a_model_without_freedoms_has_no_equations():
    m = sr.Model()
    m.add(sr.Body("block", mass=1), sr.Fixed("bolt", "ground", "block"))
    assert m.equations().rows == []
    assert "Equations of motion" in str(m.equations())


def test_bodies_with_other_names_give_the_same_equations():
    one, two = (pendulum(2, names=names).equations(letters=True) for names in ("ab", "xy"))
    swapped = str(two).replace("_x", "_a").replace("_y", "_b")
    assert swapped == str(one)


def test_a_symmetric_top_does_not_notice_its_spin():
    m = sr.Model("top")
    m.add(sr.Body("top", mass=0.5, inertia=(1e-3, 1e-3, 2e-3), com=(0, 0, 0.1)))
    turns = (sr.Rotation("z"), sr.Rotation("x"), sr.Rotation("z"))
    m.add(sr.FreedomSequence("e", "ground", "top", freedoms=turns, q=(0, 1, 0)))
    equations = m.equations(letters=True)
    assert not any(re.search(r"q_e_rz_2\b(?!')", str(row)) for row in equations.rows)  # its rate occurs, the angle does not
    assert [row.left.name for row in equations.presentation.definitions] == ["I_top_x"]
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 3))
    assert residuals_of_text(equations, m.compile(), q, v) < 1e-11


def test_springs_have_a_length_of_their_own():
    m = sr.Model("cart", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x"))
    m.add(sr.Spring("s", "ground", "car", at_a=(0, 0, 1), stiffness=3, damping=0.5, length=0.8))
    equations = m.equations(letters=True)
    assert str(equations.rows[0]).startswith("m_car*x'' = ")
    assert [str(row) for row in equations.presentation.definitions] == ["L_s = sqrt(z_s^2 + x^2)"]
    system = m.compile()
    assert difference(equations, system, np.array([0.7]), np.array([-0.4])) < 1e-12
    assert residuals_of_text(equations, system, np.array([0.7]), np.array([-0.4])) < 1e-12


def test_inputs_signals_and_parameters_are_symbols():
    m = sr.Model("cart", parameters={"k": 3.0})
    m.add(
        sr.Body("car", mass=2),
        sr.Prismatic("x", "ground", "car", axis="x"),
        sr.Input("u"),
        sr.JointForce("motor", "x", "u - k*q"),
    )
    assert str(m.equations(letters=True).rows[0]) == "m_car*x'' = u - k*x"
    assert str(m.equations().rows[0]) == "2*x'' = u - 3*x"
    assert m.equations().accelerations([1.0], [0.0], u=5.0) == pytest.approx([1.0])


def test_given_motions_are_symbols_with_their_course():
    m = sr.Model("whirl")
    m.add(sr.Body("disc", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=1, position=(1, 0, 0)))
    m.add(sr.Revolute("turn", "ground", "disc", at=(0, 0, 0), axis="z", motion="3*t^2"))
    m.add(sr.Revolute("phi", "disc", "bob", at=(1, 0, 1), axis="y"))
    equations, system = m.equations(), m.compile()
    assert "q_turn = 3*t^2" in str(equations)
    assert "q_turn'" in str(equations.rows[0])
    assert difference(equations, system, np.array([0.4]), np.array([0.2]), 0.6) < 1e-12


def test_rates_of_a_motion_that_follows_an_input_are_inputs():
    m = sr.Model("arm")
    m.add(sr.Input("u"), sr.Body("base", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=2, position=(0, 0, -1)))
    m.add(sr.Prismatic("x", "ground", "base", axis="x", motion="2*u"))
    m.add(sr.Revolute("phi", "base", "bob", at=(0, 0, 0), axis="y"))
    equations = m.equations()
    assert equations.inputs == ("u", "x'", "x''")
    assert str(equations.rows[0]) == "2*phi'' - 2*x''*cos(phi) + 19.62*sin(phi) = 0"
    found = equations.accelerations([0.0], [0.0], **{"u": 0.1, "x'": 1.0, "x''": 3.0})
    assert found == pytest.approx([3.0], rel=1e-14)


def test_quaternions_come_with_kinematic_equations():
    m = sr.Model("top")
    m.add(sr.Body("top", mass=1, inertia=(1, 1, 2), com=(0, 0, 1)), sr.Ball("tip", "ground", "top"))
    equations = m.equations()
    assert str(equations.presentation.kinematics[0]).startswith("q_tip_w' = ")
    assert len(equations.presentation.kinematics) == 4
    assert difference(equations, m.compile(), np.array([0.8, 0, 0.6, 0]), np.array([0.1, 0.2, 3.0])) < 1e-12


def test_html_stands_alone():
    import xml.etree.ElementTree as ET

    page = zoo.model("joint forces").equations(letters=True).html()
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page and "http" not in page
    for formula in re.findall(r"<math.*?</math>", page):
        ET.fromstring(re.sub(r"&#?\w+;", "x", formula))


def test_notebooks():
    equations = pendulum(1).equations()
    assert equations._repr_latex_().startswith("$$\n\\begin{aligned}")
    assert "<math" in equations._repr_html_()


@pytest.mark.parametrize("letters", [False, True])
def test_sympy_agrees(letters):
    sympy = pytest.importorskip("sympy")
    model = pendulum(2)
    equations, system = model.equations(letters), model.compile()
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 2))
    a, t = system.accelerations(q, v), sympy.Symbol("t")
    values = {}
    for name, x, rate, acceleration in zip(equations.coordinates, q, v, a, strict=True):
        function = sympy.Function(name)(t)
        values |= {function.diff(t, 2): acceleration, function.diff(t): rate, function: x}
    rows = equations.sympy()
    known = {sympy.Symbol(name): value for name, value in equations.letters.items()}
    known |= {row.lhs: row.rhs.subs(known) for row in rows[2:]}
    for row in rows[:2]:
        rest = (row.lhs - row.rhs).subs(list(values.items())).subs(known)
        assert abs(float(rest)) < 1e-11
