"""Text is read back by the parser of formulas; LaTeX and MathML are well formed."""

import xml.etree.ElementTree as ET

import pytest

from sharnir.model.formula import parse
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.functions import cos, sqrt
from sharnir.symbolic.nodes import Name, Number
from sharnir.symbolic.printing import Mathml, latex, split_name, text, written

from .random_expressions import NAMES, expression, values

a, b, c = (Name(name) for name in "abc")


@pytest.mark.parametrize("seed", range(40))
def test_text_is_a_formula_with_the_same_value(seed):
    node, at = expression(seed), values(seed)
    read = parse(text(node), NAMES)
    assert read.evaluate(**at) == pytest.approx(evaluated([node], at)[0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("node", "shown", "as_latex"),
    [
        (a - b * c, "a - b*c", "a - b c"),
        (-(a + b), "-(a + b)", r"-\left(a + b\right)"),
        (a / (b * c), "a/(b*c)", r"\frac{a}{b c}"),
        (3 * a**-2 * b, "3*b/a^2", r"\frac{3 b}{a^{2}}"),
        ((-a) ** 2, "(-a)^2", r"\left(-a\right)^{2}"),
        (Number(1) / Number(3) * a, "a/3", r"\frac{a}{3}"),
        (sqrt(a + 1) * b, "sqrt(a + 1)*b", r"\sqrt{a + 1} b"),
        (-2.5e-7 * a, "-2.5e-07*a", r"-2.5 \cdot 10^{-7} a"),
        (Number(3.1500000000000004) * a, "3.15*a", "3.15 a"),
        (cos(Name("q_arm")), "cos(q_arm)", r"\cos\left(q_{\mathrm{arm}}\right)"),
        (Name("phi''") * Name("v_B_x'"), "phi''*v_B_x'", r"\ddot{\phi} \dot{v}_{B,x}"),
    ],
)
def test_how_it_looks(node, shown, as_latex):
    assert text(node) == shown
    assert latex(node) == as_latex


@pytest.mark.parametrize("seed", range(10))
def test_mathml_is_well_formed(seed):
    shown = written(expression(seed), Mathml())[0]
    ET.fromstring(f"<math>{shown}</math>".replace("&#", "#"))


def test_names_split_into_head_subscripts_and_dots():
    assert split_name("q_left_arm''") == ("q", ["left", "arm"], 2)
    assert split_name("g") == ("g", [], 0)
