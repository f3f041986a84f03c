"""The rule on claims, to the letter."""

import pytest

from pedocs.book.claims import claims, claims_in_code, claims_in_math


def found(text: str) -> list[str]:
    return [claim for _, claim in claims(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the score is 0.5", ["0.5"]),
        ("10,000.5 tokens", ["10,000.5"]),
        ("60.0% of them", ["60.0%"]),
        (".5 is a decimal", [".5"]),
        ("below 1e-12", ["1e-12"]),
        ("−3 at the start", ["−3"]),
        ("-3 at the start", ["-3"]),
        ("a line\n−3", ["−3"]),
        ("offset +2 here", ["+2"]),
        ("(−2, +2)", ["−2", "+2"]),
        ("[-1] {-2} |-3| ,-4 ;-5 :-6 =-7 ≈-8", ["-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8"]),
        ("BLEU 28.4", ["28.4"]),
        ("x0.5", ["0.5"]),
        ("−0.5 or +0.5", ["−0.5", "+0.5"]),
        ("see §3.5 for 3.5", ["3.5"]),
        ("Python 3.13 gives 3.13", ["3.13"]),
    ],
)
def test_claims(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3 tokens and 512 more",
        "a-3 and b+4",
        "2017-06-12",
        "–5 has an en dash, 3–4 too",
        "+2D and -3a and −3-x",
        "version 1.2.3",
        "§3.5, § 3.5, Section 5.4, Table 3.1, Figure 1.2, Equation 2.3",
        "Python 3.11, numpy 2.0, CC BY 4.0, Llama 3.1, Llama-3.2, Qwen2.5, arXiv 1706.03762",
        "https://arxiv.org/abs/1706.03762",
        "d−1 and 2−3",
        "x²−1",
    ],
)
def test_no_claims(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("x = 0.5", ["0.5"]),
        ("10^{0.5}", ["0.5"]),
        ("x = -3", ["-3"]),
        (r"x \approx -3", ["-3"]),
        (r"x \le +3", ["+3"]),
        ("(-1, -2)", ["-1", "-2"]),
        (r"\left[-1\right]", ["-1"]),
        (r"\begin{pmatrix} 1 & -1 \\ -2 & 0 \end{pmatrix}", ["-1", "-2"]),
        (r"\frac{-1}{2}", ["-1"]),
        ("-5", ["-5"]),
        ("= - 5", ["-5"]),
    ],
)
def test_claims_in_math(latex: str, expected: list[str]) -> None:
    assert [claim for _, claim in claims_in_math(latex)] == expected


@pytest.mark.parametrize(
    "latex", ["b^{-2m/d}", "x_{-1}", "n - 1", "10000^{-3}", "x^{a_{-1}}", "2m + 1", "e^{-(x-1)}"]
)
def test_no_claims_in_math(latex: str) -> None:
    assert list(claims_in_math(latex)) == []


def test_claims_in_code_are_in_strings_and_shown_comments() -> None:
    code = 'x = 0.5  # gives 0.7\nprint("about 0.7", f"{x:.3f} and 0.9")\ny = {"r = -2": x}\n'
    assert list(claims_in_code(code, comments=True)) == [(1, "0.7"), (1, "0.9"), (0, "0.7")]
    assert list(claims_in_code(code, comments=False)) == [(1, "0.7"), (1, "0.9")]


def test_code_that_does_not_parse_is_left_to_the_run() -> None:
    assert list(claims_in_code("x = (0.5", comments=True)) == []
