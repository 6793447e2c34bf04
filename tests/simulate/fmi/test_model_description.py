"""Units of the variables in the description of an FMU."""

import pytest

from sharnir.simulate.fmi.model_description import base_unit


@pytest.mark.parametrize(
    ("unit", "text"), [("m/s", '<BaseUnit m="1" s="-1"/>'), ("N m", '<BaseUnit kg="1" m="2" s="-2"/>'), ("bushel", ""), ("", "")]
)
def test_units_in_powers_of_si_units(unit, text):
    assert base_unit(unit) == text
