"""The canonical form keeps the value, and decides equality of polynomials of sines and cosines."""

import pytest

from sharnir.symbolic.collecting import collected
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.fourier import Fourier, TooLarge
from sharnir.symbolic.functions import cos, exp, sin, sqrt
from sharnir.symbolic.nodes import Name, Number

from .random_expressions import expression, polynomial_of_waves, values

a, b, x, y = (Name(name) for name in ("a", "b", "x", "y"))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("make", [polynomial_of_waves, expression])
def test_the_form_has_the_same_value_collected_or_not(make, seed):
    node, at, f = make(seed), values(seed), Fourier()
    form = f.form(node)
    exact = pytest.approx(evaluated([node], at), rel=1e-9, abs=1e-9)
    assert evaluated([f.node(form)], at) == exact
    assert evaluated([collected(f, form)], at) == exact


IDENTITIES = {
    "Pythagoras": (sin(x) ** 2 + cos(x) ** 2, Number(1)),
    "sum": (sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
    "double angle": (cos(2 * x), 1 - 2 * sin(x) ** 2),
    "triple angle": (sin(3 * x), 3 * sin(x) - 4 * sin(x) ** 3),
    "product": (2 * sin(x) * sin(y), cos(x - y) - cos(x + y)),
    "even and odd": (cos(-x) + sin(-x), cos(x) - sin(x)),
    "eighth power": (cos(x) ** 8, (1 - sin(x) ** 2) ** 4),
    "sum within": (sin(a * x + b * y - (a * x)), sin(b * y)),
    "rotation": ((a * cos(x) - b * sin(x)) ** 2 + (a * sin(x) + b * cos(x)) ** 2, a * a + b * b),
    "quotient": (a * b / a, b),
    "root": (sqrt(1 + a) * sqrt(1 + a) / (1 + a), Number(1)),
    "inside a function": (exp(sin(x) ** 2 + cos(x) ** 2 + a), exp(1 + a)),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_need_no_search(name):
    left, right = IDENTITIES[name]
    assert Fourier().form(left - right) == {}


@pytest.mark.parametrize("seed", range(20))
def test_the_form_does_not_depend_on_how_it_is_written(seed):
    node, f = polynomial_of_waves(seed), Fourier(("a", "b", "x", "y"))
    expanded = f.node(f.form(node))
    assert f.form(expanded) == f.form(node)


def test_rounding_of_numbers_is_not_printed():
    assert Fourier().form(0.1 * cos(x) + 0.2 * cos(x) - Number(0.3) * cos(x)) == {}


def test_forms_that_grow_too_large_are_refused():
    with pytest.raises(TooLarge):
        Fourier(most=10).form((a + b + x + y + 1) ** 4)


def test_common_factors_are_collected():
    f = Fourier(("m", "g", "l"))
    m, g, length = Name("m"), Name("g"), Name("l")
    assert str(collected(f, f.form(m * g * length * sin(x) + m * length**2 * y))) == "m*l*(g*sin(x) + l*y)"
    assert str(collected(f, f.form(-2 * a * m - 4 * b * m))) == "-2*m*(a + 2*b)"
