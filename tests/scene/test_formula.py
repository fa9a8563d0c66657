"""Formulas in text: what they mean, and that nothing else is let in."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction.scene import Formula, FormulaError
from stiction.trace import Port, Program


@pytest.mark.parametrize(
    "text, t, value",
    [
        ("0.336 + 0.144*sin(100*t)", 0.3, 0.336 + 0.144 * math.sin(30)),
        ("-t^2", 3.0, -9.0),
        ("2^-1", 0.0, 0.5),
        ("2**3**2", 0.0, 512.0),
        ("1 - 2 - 3", 0.0, -4.0),
        ("8/4/2", 0.0, 1.0),
        ("where(t < 4, min(0.52, 0.3*t), 1)", 1.0, 0.3),
        ("where(t >= 1 and t < 2 or t > 5, 1, 0)", 1.5, 1.0),
        ("where(t >= 1 and t < 2 or t > 5, 1, 0)", 3.0, 0.0),
        (" ( 1 + .5 ) * 2e1 ", 0.0, 30.0),
        ("cos(pi)", 0.0, -1.0),
        ("clip(t, -1, 1) + abs(-2) + sign(-3) + floor(-3.3) + max(1, 20)", 7.0, 1 + 2 - 1 - 4 + 20),
        ("min(t, 3) + floor(t/2)", 7.0, 3 + 3),
        ("exp(log(2)) + sqrt(4) + tanh(0) + tan(0) + atan2(0, 1)", 0.0, 4.0),
        ("1/0", 0.0, math.inf),
    ],
)
def test_values_on_floats_and_in_machine_code(text, t, value):
    formula = Formula(text)
    assert formula(t) == pytest.approx(value, rel=1e-14)
    program = Program("formula", lambda t: (formula(t),), [Port("t")], [Port("y")])
    assert float(program(t)[0]) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the end stands where"),
        ("1 +", "the end stands where"),
        ("(1", "not closed"),
        ("1)", "too much"),
        ("sin 3", "needs its values in brackets"),
        ("sin(1, 2)", "sin takes 1 value; 2 were given"),
        ("sine(1)", "unknown name 'sine'; a formula has: sin"),
        ("__import__('os')", "unknown name '__import__'"),
        ("t.real", "'.' has no meaning"),
        ("[1]", r"'\[' has no meaning"),
        ("t = 3", "'=' has no meaning"),
        ("1 2", "too much"),
        ("(" * 500 + "1" + ")" * 500, "nested more than 50 deep"),
    ],
)
def test_refused_with_the_place(text, message):
    with pytest.raises(FormulaError, match=message) as error:
        Formula(text)
    assert "^" in str(error.value)


@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_our_error(text):
    """And what is one has a value, or none where there is none, as in 1/0, but no error of Python."""
    try:
        formula = Formula(text)
    except FormulaError as error:
        assert text in str(error)
        return
    assert isinstance(float(formula(0.5)), float)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("where(t < 5 or t < 1 and t > 3, 1, 0)", 1.0),
        ("where((t < 5 or t < 1) and t > 3, 1, 0)", 0.0),
        ("0^-1", math.inf),
        ("10^400", math.inf),
    ],
)
def test_order_of_and_and_or_and_what_is_no_number(text, expected):
    assert Formula(text)(2.0) == expected


@pytest.mark.parametrize("text", ["t and 1", "t < 1", "1 + (t < 1)", "where(t, 1, 2)", "sin(t < 1)", "-(t < 1)"])
def test_conditions_and_numbers_are_told_apart(text):
    with pytest.raises(FormulaError, match="stands where a"):
        Formula(text)


def test_formulas_that_are_too_long():
    with pytest.raises(FormulaError, match="more than 300 terms"):
        Formula("+".join(["t"] * 20_000))
