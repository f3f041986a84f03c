"""The checked equations with one sign, function, number or index changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

from pedocs.book import equations
from pedocs.book.latex import EquationError
from pedocs.book.page import Page, prove
from pedocs.book.parts import Formula

# Changes that leave an equation true: a cosine has no sign, a product that is zero may be taken
# away as well, and a quotient of equal numbers turned over.
STILL_TRUE = {
    r"\mathrm{PE}(p) \cdot \mathrm{PE}(p - r) = \sum_{m=0}^{d/2-1} \cos(\omega_m r)",
    r"\mathrm{PE}(y - r_y, x + r_x)",
    r"\mathrm{PE}(y + r_y, x - r_x)",
    r"\rho_m \cos(0 \cdot r - \varphi_m) = \rho_m \cos \varphi_m",
    r"{} - {0.5 = X[0, 4]}\cdot {0.0 = table[4, 4]}",
    r"{0 = a[0] * b[0]} - {0 = a[1] * b[1]}",
    r"- {0 = a[1]}\cdot",
    r"\frac{\Phi(\text{all})}{\Phi(\text{mscale})} = {1 = layer.frequencies.attention_factor}",
}


def _turned(fraction: str) -> str:
    """A fraction with its two parts exchanged."""
    parts = re.fullmatch(rf"\\frac\s*({_GROUP})\s*({_GROUP})", fraction)
    return rf"\frac{parts[2]}{parts[1]}" if parts else fraction


_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_CHANGES: list[tuple[str, str, str | Callable[[str], str]]] = [
    ("an operator", r"\+", "-"),
    ("an operator", r"-", "+"),
    ("an operator", r"\\cdot\b", "+"),
    ("an operator", r"\\odot\b", "+"),
    ("an operator", rf"\\frac\s*{_GROUP}\s*{_GROUP}", _turned),
    ("an operator", r"\^\{?\\top\}?", ""),
    ("an operator", r"\\sqrt", ""),
    ("an operator", r"\\lfloor(.*?)\\rfloor", lambda floor: floor[7:-7]),
    ("a function", r"\\sin\b", r"\cos"),
    ("a function", r"\\cos\b", r"\sin"),
    ("a function", r"\\max\b", r"\min"),
    ("a function", r"\\min\b", r"\max"),
    ("a function", r"\\exp\b", r"\ln"),
    ("a function", r"\\ln\b", r"\exp"),
    ("a relation", r"<", r"\le "),
    ("a relation", r">", r"\ge "),
    ("a relation", r"\\le\b", "<"),
    ("a relation", r"\\ge\b", ">"),
    ("a number", r"\d+", lambda digits: str(int(digits) + 1)),
    ("an index", r"(?<![A-Za-z\\])i(?![A-Za-z])", "j"),
    ("an index", r"(?<![A-Za-z\\])j(?![A-Za-z])", "i"),
]


def changes(formula: Formula) -> Iterator[tuple[str, str]]:
    """What is changed, and the equation with it changed; its worked values are left alone."""
    values = [range(v.start - formula.latex_start, v.end - formula.latex_start)
              for v in formula.values]  # fmt: skip
    for kind, pattern, new in _CHANGES:
        for found in re.finditer(pattern, formula.latex):
            if not any(found.start() in value for value in values):
                put = new if isinstance(new, str) else new(found[0])
                if put != found[0]:
                    before, behind = formula.latex[: found.start()], formula.latex[found.end() :]
                    yield kind, before + put + behind


class Changed(NamedTuple):
    """A changed equation, and whether it was refused."""

    kind: str
    equation: str
    latex: str
    found: bool

    @property
    def still_true(self) -> bool:
        """Whether the change is known to leave the equation true."""
        return any(true in self.latex for true in STILL_TRUE)


def tried(page: Page) -> list[Changed]:
    """Every change of a page's checked equations, where the page checks it: with its names."""
    results: list[Changed] = []

    def tamper(latex: str, bindings: str, names: Mapping[str, Any]) -> list[str]:
        wrong = equations.check(latex, bindings, names)
        formula = next(part for part in formulas if part.latex == latex)
        for kind, changed in changes(formula):
            try:
                found = bool(equations.check(changed, bindings, names))
            except EquationError:
                found = True
            results.append(Changed(kind, formula.id or "", changed, found))
        return wrong

    formulas = [part for part in page.parts if isinstance(part, Formula) and part.check is not None]
    if formulas:
        with patch("pedocs.book.run.check", tamper):
            prove(page.path)
    return results
