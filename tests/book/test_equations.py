r"""What a display equation states, what it does not, and what the check refuses to read."""

from typing import Any

import numpy as np
import pytest

from pedocs import attention, shift_matrix, sinusoidal, softmax
from pedocs.book.equations import check
from pedocs.book.latex import EquationError, parse

rng = np.random.default_rng(0)
PAGE: dict[str, Any] = {
    "np": np,
    "softmax": softmax,
    "a": np.array([1.0, 2.0, -3.0]),
    "b": np.array([0.5, -1.0, 4.0]),
    "A": np.arange(6.0).reshape(2, 3) ** 2,
    "B": np.array([[1.0, -2.0], [0.5, 3.0], [7.0, 1.0]]),
    "C": np.array([[2.0, 1.0], [5.0, 3.0]]),
    "alpha": np.array([0.2, 0.3, 0.5]),
    "bias": {-1: 0.25, 1: -0.5},
    "f": lambda x: 3 * x + 1,
    "g": lambda x, y: x - 2 * y,
    "x": 5,
    "y": 3,
    "z": 2,
    "i": 1,
    "j": 2,
    "d_k": 4,
    "theta": 0.7,
    "omega": np.array([1.0, 0.1, 0.01]),
    "tens": range(10, 13),
}

HOLDS = {
    # numbers, operators, products
    "x + y - z = 6": "",
    "x - y - z = 0": "",
    "-x + y = -2": "",
    "2x + 3yz = 28": "",
    r"x \cdot y / z = 7.5": "",
    r"x y / z = \frac{15}{2} = \tfrac{x y}{z} = \dfrac{15}{z}": "",
    r"2x/z = 5": "",
    r"x \times y = 15": "",
    "10{,}000 = 2 (x - y) 2500": "refused",
    r"10{,}000 = 2 (x - y) \cdot 2500": "",
    "x(y + z) = 25": "",
    "x (y + z)^2 z = 250": "",
    "x^2 = 25": "",
    "x^{-z} = 0.04": "",
    "-x^2 = -25": "",
    r"\left( x + y \right) \bigl(z\bigr) = 16": "",
    r"x \, y \; \quad = \! 15": "",
    # functions and constants
    r"\sin\theta = \sin(\theta)": "",
    r"\sin 2\theta = 2 \sin\theta\cos\theta": "",
    r"\sin^2\theta + \cos^2\theta = 1": "",
    r"\sin(\theta)^2 + \cos(\theta)^2 = 1": "",
    r"\sin \omega_z (x + y) = \sin(\omega_z \cdot 8)": "",
    r"\sin 2\sqrt{x} = \sin(2\sqrt{x})": "",
    r"\ln e^x = x = \log(e^x)": "",
    r"\exp(z) = e^{z} = e^2": "",
    r"\cos\pi = -1": "",
    r"\sqrt{x^2} = \lvert": "refused",
    r"|y - x| = z = |z|": "",
    r"2|y - x| = 4": "",
    r"\lVert a \rVert^2 = a \cdot a": "",
    r"2\max(0, y - x) = |y - x| + y - x": "x in (0, 9)",
    r"\min(x, y, z) = t": "x in (1, 5); y in (0, 3); z in (-2, 8); t = min(x, y, z)",
    r"\min \mathbf{b} = -1": "",
    r"\max(a, 2 b) = c": "c = np.maximum(a, 2 * b)",
    # names, applied names, indices
    r"f(x) = 16": "",
    r"f(x)^2 z = 512": "",
    r"g(x, y) = -1": "",
    r"\operatorname{softmax}\left(\mathbf{a}\right)_i = \frac{e^{a_i}}{\sum_j e^{a_j}}": "j = range(3)",
    r"d_k = 4": "",
    r"a_i = 2": "",
    r"A_{ij} = 25 = A_{1,2} = A_{i,z}": "",
    r"\beta_{j-i} + \beta_{i-j} = -0.25": r"\beta = bias",
    r"\beta_{j-i} = 4": r"\beta = f",
    r"\omega_{2i} = \frac{1}{100}": "",
    r"\alpha'": "refused",
    r"\text{the sum} = 8": r"\text{the sum} = x + y",
    r"S_{\text{A first}} - S_{AB} = 1": r"S_{\text{A first}} = 3; S_{AB} = 2",
    r"\mathbf{t}^K_{i} = 2": r"\mathbf{t}^K = a",
    r"\lambda = 2 = \boldsymbol{\lambda}": r"\lambda = z",
    # arrays
    r"a \cdot b = -13.5 = a^\top b = b^\top a": "",
    r"(a \odot b)_2 = -12": "",
    r"2a = (2, 4, -6)": "",
    r"A B = (B^\top A^\top)^{\top}": "",
    r"A b = A \begin{pmatrix} 0.5 \\ -1 \\ 4 \end{pmatrix}": "",
    r"C^{-1} C = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}": "",
    r"C^2 = C C": "",
    r"\begin{pmatrix} C & A \end{pmatrix} \begin{pmatrix} \mathbf{u} \\ \mathbf{a} \end{pmatrix}"
    r" = C u + A a": "u = np.array([3, -1])",
    r"\begin{pmatrix} x \\ y \end{pmatrix} = (5, 3)": "",
    r"P^\top P a = a": "P = np.eye(3)[[1, 2, 0]]",
    # sums
    r"\sum_{m=0}^{d_k/2-1} \omega_m x = 5.5": "",
    r"\sum_{m=1}^2 m \cdot m + 1 = 6": "",
    r"\sum_j \alpha_j j = 1.3": "j = range(3)",
    r"\sum_{i} \sum_{j} A_{ij} = 55": "i = range(2); j = range(3)",
    r"\sum_{k} d_k = 5": "k = range(2); d = [2, 3]",
    # clauses and rows
    r"x = 5, \qquad y = 3,\ z = 2.": "",
    r"\begin{aligned} x + y &= 8 \\ &= 6 + z \\ &\quad + 0 \\ {} - 0 \\ y &= 3 \end{aligned}": "",
    r"x = 5 \qquad \text{for every } x": "",
    r"\underbrace{x}_{\text{the first}} + y = 8": "",
    # choices
    r"f_x = \begin{cases} x & x < 2 \\ 2 & x \ge 2 \end{cases}": "x in range(4); f = [0, 1, 2, 2]",
    r"\lfloor \frac{x}{2} \rfloor = \begin{cases} 0 & x \le 1 \\ 1 & \text{else} \end{cases}": "x in range(4)",
    r"\lceil \frac{x}{y} \rceil = z": "",
    # worked values
    "x / y = {1.667 = x / y}": "",
    "x / y = {1.67 = five_thirds}": "",  # by its digits
    "{5 = x} + ({-3 = -y}) = {2 = z}": "",
    r"2 \omega = ({2.0, 0.2, 0.02 = 2 * omega})": "",
    r"\beta_{{+1 = z - 1}} = -0.5": r"\beta = bias",
    r"s = {0.25 = {-1: 0.25}[-1]}": "s = bias[-1]",
    r"S_{ij} - \lambda = 1": "S_ij = 3; lambda_ = z",
    r"a = ({1 = a[0]},{2 = a[1]},\\ &{-3 = a[2]})": "",
}


@pytest.mark.parametrize("latex", [k for k, v in HOLDS.items() if v != "refused"])
def test_an_equation_that_holds(latex: str) -> None:
    assert check(latex, HOLDS[latex], PAGE | {"five_thirds": 1.669}) == []


@pytest.mark.parametrize("latex", [k for k, v in HOLDS.items() if v == "refused"])
def test_an_equation_that_is_refused(latex: str) -> None:
    with pytest.raises(EquationError):
        check(latex, "", PAGE)


@pytest.mark.parametrize(
    ("latex", "bindings", "message"),
    [
        ("x = 6", "", "x is 5, 6 is 6"),
        (r"\omega_m = b^{-m}", "m = 1; b = 4", r"\omega_m is 0.1, b^{-m} is 0.25"),
        ("a = (1, 2, 3)", "", "a is −3.0, (1, 2, 3) is 3 at [2]"),
        ("A = a", "", "A has the shape (2, 3), a has (3,)"),
        ("x = 5, y = 4", "", "y is 3, 4 is 4"),
        ("x + y = 8 = z", "", "x + y is 8, z is 2"),
        (r"\varphi = 1", "", r"\varphi is not bound"),
        (r"\psi_m = 1", "m = 1", r"\psi_m is not bound"),
        (r"\beta_i = 1", r"\beta = {}", r"\beta_i = 1 raises KeyError: 1"),
        ("a_{y} = 1", "", "a_{y} = 1 raises IndexError: index 3 is out of bounds"),
        ("a_{y-x} = 1", "", "the index {y-x} is negative"),
        ("f = 1", "", "is no number"),
        ("a b = 1", "", r"written \cdot or \odot"),
        ("x / a = 1", "", "division by an array"),
        ("x / y (z) = 1", "", "what is divided by"),
        ("a^2 = 1", "", "a power of a vector"),
        ("A A = 1", "", "A A = 1 raises ValueError"),
        ("x / (x - 5) = 1", "", "divide by zero"),
        ("(z - x)^{0.5} = 1", "", "invalid value"),
        (r"x = \top", "", r"\top is not bound"),
        ("x + y = x  + y", "", "x + y stands on both sides"),
        ("y^2 = 9y - 18", "y in (3, 6, 7)", "y^2 is 49"),
        (r"\min(1, x) = 1", "", r"at no point of the check is x the one that \min gives"),
        (r"\min(1, x) = 1", "x in (1, 5)", "is x the one"),
        (
            r"\begin{cases} x & x \le 5 \\ y & \text{else} \end{cases} = 5",
            "",
            "at no point of the check is y",
        ),
        (
            r"\begin{cases} x & x < 6 \\ 5 & \text{else} \end{cases} = 5",
            "x in (5, 7)",
            "at no point of the check are the sides of x < 6 equal",
        ),
        (r"\lfloor x \rfloor = 5", "", r"does \lfloor x \rfloor round anything"),
        (r"\lceil x \rceil = 5", "", r"does \lceil x \rceil round anything"),
        (r"\begin{cases} x & x < 4 \end{cases} = 5", "", "no case holds"),
        (r"\begin{cases} x & x < 6 \\ y & x > 4 \end{cases} = 5", "", "more than one case"),
        (r"\begin{cases} x & a < 4 \\ y & \text{else} \end{cases} = 5", "", "holds or not"),
        (r"y + \max(x, \frac{z}{y}) = 8", "", r"is \frac{z}{y} the one that \max gives"),
    ],
)
def test_what_fails_is_said(latex: str, bindings: str, message: str) -> None:
    (said,) = check(latex, bindings, PAGE)
    assert message in said


@pytest.mark.parametrize(
    ("latex", "named", "offset"),
    [
        ("q' = 1", "'", 1),
        (r"x = \infty", r"\infty", 4),
        (r"x \approx 5", r"\approx", 2),
        (r"\begin{cases} x \end{cases} = 1", r"& is missing before \end{cases}", 16),
        (r"\begin{cases} x & y \end{cases} = 1", "where one side is less or more", 20),
        (r"x = [ y ]", "[", 4),
        (r"x \mid y = 1", r"\mid", 2),
        ("x", "x states no equation", 0),
        (r"\text{so } x = 5, y", "y states no equation", 18),
        ("x / y z = 1", "what is divided by", 6),
        ("x_12 = 1", "put braces around 12", 2),
        (r"\sin^{-1} x = 1", "an inverse, or a power", 0),
        ("(x + y = 1", ") is missing before =", 7),
        (r"\frac12 = 1", "{ is missing before 12", 5),
        ("x y 2 = 1", "2", 4),
        (r"\sum_{m=0} m = 1", "^ is missing before m", 11),
        ("x = {2 = z", "never closed", 4),
        (r"x = \operatorname{}", r"\operatorname{}", 4),
        (r"\sqrt[3]{x} = 1", "{ is missing before [", 5),
        ("x \\\\ \\sin", "the end", 9),
    ],
)
def test_what_the_subset_does_not_know_is_named(latex: str, named: str, offset: int) -> None:
    with pytest.raises(EquationError) as refused:
        parse(latex)
    assert named in str(refused.value)
    assert refused.value.offset == offset


@pytest.mark.parametrize(
    "bindings",
    ["x", "x + y = 2", "q' = 2", "2 = 3", "x_{i+1} = 2", "x =", "x in", "x in ()", "x in 3",
     "2 in (1, 2)", "x in (1, 2) = 3"],
)  # fmt: skip
def test_a_list_that_does_not_bind_symbols_is_refused(bindings: str) -> None:
    with pytest.raises(EquationError):
        check("z = 2", bindings, PAGE)


def test_an_expression_that_raises_is_refused() -> None:
    with pytest.raises(EquationError, match="nothing raises NameError"):
        check("z = 2", "z = nothing", PAGE)


def test_bindings_see_those_before_them_and_leave_the_page_alone() -> None:
    page = dict(PAGE)
    assert check(r"y^K = W_Q", "W_Q = x; y^K = W_Q + 1; W_Q = y_K", page) == []
    assert page == PAGE


def test_each_point_is_checked_and_seen_by_what_is_bound_behind_it() -> None:
    assert check("y = x + z", "x in range(3); y = x + z", PAGE) == []
    assert check("y = 1 + z", "x in range(3); y = x + z", PAGE) == ["y is 2, 1 + z is 3"]


def test_clauses_and_sides() -> None:
    clauses = parse(
        "\\begin{aligned}\nx &= 5 \\\\\n > &= y + z \\\\ z &= 2, \\qquad y = 3\n\\end{aligned}"
    )
    assert [len(sides) for sides in clauses] == [3, 2, 2]


ENCODING = r"""
\mathrm{PE}(p)_{2m} = \sin(\omega_m p), \qquad
\mathrm{PE}(p)_{2m+1} = \cos(\omega_m p), \qquad
\omega_m = b^{-2m/d}
"""
SHIFT = r"\mathrm{PE}(p + r) = M_r \, \mathrm{PE}(p)"
ATTENTION = (
    r"\operatorname{Attention}(Q, K, V)"
    r" = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V"
)
LIBRARY = {
    ENCODING: "b = 100; d = 6; p = 7; m = 2; PE = lambda p: sinusoidal(p, d, base=b);"
    r" \omega = angular_frequencies(d, base=b)",
    SHIFT: "d = 6; p = 7; r = 5; PE = lambda p: sinusoidal(p, d); M_r = shift_matrix(r, d)",
    ATTENTION: r"\operatorname{Attention} = lambda *qkv: attention(*qkv).output; d_k = K.shape[1]",
}


def library() -> dict[str, Any]:
    from pedocs import angular_frequencies

    arrays = {name: rng.normal(size=(5, 4)) for name in "QKV"}
    functions = [angular_frequencies, attention, shift_matrix, sinusoidal, softmax]
    return arrays | {function.__name__: function for function in functions}


@pytest.mark.parametrize("latex", LIBRARY)
def test_the_books_equations_hold(latex: str) -> None:
    assert check(latex, LIBRARY[latex], library()) == []


@pytest.mark.parametrize(
    ("latex", "old", "new"),
    [
        (ENCODING, "sin", "cos"),
        (ENCODING, "2m} =", "2m+2} ="),
        (ENCODING, "2m+1", "2m-1"),
        (ENCODING, "-2m/d", "2m/d"),
        (ENCODING, "-2m/d", "-3m/d"),
        (ENCODING, r"\omega_m p)", r"\omega_p m)"),
        (ENCODING, r"cos(\omega_m p", r"cos(\omega_m + p"),
        (SHIFT, "p + r", "p - r"),
        (SHIFT, "M_r", r"M_r^\top"),
        (SHIFT, r"M_r \, \mathrm{PE}(p)", r"M_r \, \mathrm{PE}(r)"),
        (ATTENTION, r"K^\top", "K"),
        (ATTENTION, r"\sqrt{d_k}", "d_k"),
        (ATTENTION, "Q K", "K Q"),
        (ATTENTION, r"\right) V", r"\right) Q"),
    ],
)
def test_a_changed_equation_does_not_hold(latex: str, old: str, new: str) -> None:
    assert old in latex
    assert check(latex.replace(old, new, 1), LIBRARY[latex], library())


def test_a_sum_that_fails_leaves_nothing_to_the_next_clause() -> None:
    said = check(r"\sum_j a_{2j} = 1, \qquad j = 5", "j = range(3)", PAGE)
    assert len(said) == 2
    assert "index 4 is out of bounds" in said[0]
    assert "is no number" in said[1] or "shape" in said[1] or "is 0" in said[1]


def test_sides_far_along_a_chain_are_compared_with_each_other() -> None:
    assert check("{1.67 = x / y} = 1.669 = x / y", "", PAGE) == [
        "1.669 is 1.669, x / y is 1.6666666666666667"
    ]
