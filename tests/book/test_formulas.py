"""Formulas: MathML that holds the values, and faults with their place."""

import pytest

from pedocs.book.formulas import (
    FormulaError,
    formula_faults,
    formula_mathml,
    in_one_line,
    mathml,
)
from pedocs.book.parts import Formula
from pedocs.book.scan import scan


def formula(latex: str) -> Formula:
    [found] = [p for p in scan(f"${latex}$", "x").parts if isinstance(p, Formula)]
    return found


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("x = {−0.5 = a}", "<mo>−</mo><mn>0.5</mn>"),
        ("x = {10,000 = a}", "<mn>10</mn><mo>,</mo><mn>000</mn>"),
        ("x = {57% = a}", "<mn>57</mn><mi>%</mi>"),
        ("x \\to {∞ = a}", "<mi>∞</mi>"),
        ("\\sin {10 = a}", '<mspace width="0.16666667em"/>'),
        ("\\frac{{1 = a}}{{20 = b}}", "<mfrac><mn>1</mn><mn>20</mn></mfrac>"),
    ],
)
def test_values_are_set_as_numbers(latex: str, expected: str) -> None:
    plain = formula_mathml(formula(latex))
    for attribute in (' lspace="0" rspace="0"', ' rspace="0"', ' stretchy="false"'):
        plain = plain.replace(attribute, "")
    assert expected in plain, plain


@pytest.mark.parametrize(
    ("latex", "offset"),
    [("a + \\nosuch", 4), ("{1 = a} + \\nosuch", 10), ("{1 = a} + {22 = b} + \\nosuch + 1", 21)],
)
def test_a_fault_is_placed_in_the_page(latex: str, offset: int) -> None:
    with pytest.raises(FormulaError, match="Unknown command") as caught:
        formula_mathml(formula(latex))
    assert caught.value.offset == offset


def test_display_style_is_the_block_kind() -> None:
    assert mathml("x", display=True).startswith('<math display="block">')
    assert mathml("x", display=False).startswith("<math>")


def test_what_stands_in_scripts_is_no_signed_claim_but_decimals_are() -> None:
    assert list(formula_faults(formula("b^{-2}_{-1}"))) == []
    assert list(formula_faults(formula("b^{0.5}"))) == [
        "the number 0.5 in math is not a worked value"
    ]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("2^{-4}", "2^(−4)"),
        (r"\frac{q \cdot k}{\sqrt{d}}", "(q⋅k)/(√(d))"),
        ("x_i^2 < y", "x_i^2&lt;y"),
    ],
)
def test_a_formula_reads_in_one_line(latex: str, expected: str) -> None:
    """As the search shows it, and what a figure's caption says in a file."""
    assert in_one_line(mathml(latex, display=False)) == expected
