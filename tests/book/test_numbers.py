"""What a written number states, and what it does not."""

from fractions import Fraction

import numpy as np
import pytest

from pedocs.book.numbers import disagreement, display_text, elements, rewritten, written_numbers


def agrees(text: str, value: object) -> bool:
    return disagreement(text, "x", elements(value)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.841471", np.sin(1.0)),
        ("−0.793", -0.7933129535865132),
        ("-0.793", -0.7933129535865132),
        ("+2", 2),
        ("2", np.int64(2)),
        ("2", 2.0),
        ("10,000", 10_000),
        ("10,000.5", 10_000.46),
        ("1.139", Fraction(1138629, 1000000)),
        ("57%", 0.5714),
        ("60.0%", 0.5996),
        ("1.5e-3", 0.0015),
        ("1.5 × 10⁻³", 0.0015),
        ("−∞", -np.inf),
        ("∞", np.inf),
        ("< 1e-12", 3e-16),
        ("≤ 3", 3),
        ("> 0.5", 0.51),
        ("≥ 2", 2.0),
        (r"\lt 1e-3", 1e-4),
        (r"\ge 4", 5),
        ("(−0.544, −0.839, 0.0998, 0.995)", [-0.544021, -0.839072, 0.099833, 0.995004]),
        ("0, 1 and 2", np.arange(3)),
        ("[[1, 2], [3]]", [[1, 2], [3]]),
        ("ω₀ = 1, λ ≈ 6.28", (1, 2 * np.pi)),
        ("2,916.4 tokens", 2916.3962),
        ("0.12", 0.125),
        ("0.13", 0.125),
        (".5", 0.5),
    ],
)
def test_a_number_states_what_rounds_to_it(text: str, value: object) -> None:
    assert agrees(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.841472", np.sin(1.0)),
        ("0.793", -0.7933),
        ("−0.793", 0.7933),
        ("2", 2.0000001),
        ("3", 2.6),
        ("−2", 2),
        ("60.0%", 0.5994),
        ("57%", 57),
        ("< 0.5", 0.5),
        ("≤ 2", 3),
        ("> 3", 3),
        ("∞", 1.0),
        ("∞", -np.inf),
        ("1", np.nan),
        ("< 1", np.nan),
        ("> 1", np.nan),
        ("1", np.inf),
        ("0.15", 0.1551),
        ("1,00", 100),
        ("1, 2", [1, 2, 3]),
        ("1, 2, 3", [1, 2]),
        ("x2", 2),
        ("PE0", 0),
        ("10⁻¹²", 1e-12),
        ("3-4", [3, -4]),
    ],
)
def test_a_number_does_not_state_anything_else(text: str, value: object) -> None:
    assert not agrees(text, value)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j, [1, "a"], {"a": 1}, [True, False]])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="is not a number"):
        elements(value)


def test_the_message_names_text_expression_and_value() -> None:
    message = disagreement("−0.795", "score(10, 11)", [-0.7933129535865132])
    assert message == "the text says −0.795, score(10, 11) is −0.7933129535865132"


def test_the_message_of_an_array_names_the_first_wrong_element() -> None:
    message = disagreement("(0, 1, 5)", "x", [0, 1, 2])
    assert message == "the text says 5 (number 3 of 3), x has 2 there"


def test_long_arrays_are_cut_in_messages() -> None:
    assert display_text(list(range(9))) == "(0, 1, 2, 3, 4, 5, 6, 7, … (9 numbers))"


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("−0.795", [-0.7933], "−0.793"),
        ("-0.795", [-0.7933], "-0.793"),
        ("0.5", [-0.52], "−0.5"),
        ("+0.5", [0.62], "+0.6"),
        ("+0.5", [-0.62], "−0.6"),
        ("10,000", [20_000], "20,000"),
        ("57%", [0.613], "61%"),
        ("1.5e-3", [0.00161], "1.6e-3"),
        ("(0, 1, 5) tokens", [0, 1, 2], "(0, 1, 2) tokens"),
        ("0.84 of 3", [0.8414, 4], "0.84 of 4"),
    ],
)
def test_rewriting_keeps_the_notation(text: str, values: list[float], expected: str) -> None:
    assert rewritten(text, values) == expected
    assert disagreement(expected, "x", values) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [("3", [2.5]), ("< 1", [2]), ("1, 2", [1]), ("∞", [1.0]), ("0.5", [float("nan")])],
)
def test_rewriting_gives_up_where_the_notation_cannot_say_it(
    text: str, values: list[float]
) -> None:
    assert rewritten(text, values) is None


def test_numbers_are_found_where_they_stand() -> None:
    found = [w.match[0] for w in written_numbers("PE(10) ≈ (−0.544, 1.0) at d4, ≤ 3")]
    assert found == ["10", "−0.544", "1.0", "≤ 3"]
