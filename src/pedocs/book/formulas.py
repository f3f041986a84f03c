"""Formulas: LaTeX, with the worked values in it, to MathML at build time."""

from __future__ import annotations

import re

from math_core import LatexError, LatexToMathML

from pedocs.book.scan import Formula

_CONVERTER = LatexToMathML(pretty_print="never", fancy_error=False)
_POSITION = re.compile(r"^(\d+): ")


class FormulaError(Exception):
    """LaTeX that cannot be converted: at which character of the formula, and why."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def to_latex(text: str) -> str:
    """The text of a worked value as LaTeX: what it shows, and nothing else."""
    latex = text.replace("−", "-").replace("∞", r"\infty ").replace("≈", r"\approx ")
    latex = re.sub(r"(?<!\\)%", r"\\%", latex)
    latex = re.sub(r"(?<=\d),(?=\d{3})", "{,}", latex)
    return "{" + latex.replace("≤", r"\le ").replace("≥", r"\ge ") + "}"


def mathml(latex: str, *, display: bool) -> str:
    """The MathML of a formula. Raises FormulaError with the place of the fault."""
    try:
        return _CONVERTER.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        found = _POSITION.match(str(error))
        raise FormulaError(
            int(found[1]) if found else 0, _POSITION.sub("", str(error)).rstrip(".")
        ) from None


def formula_mathml(formula: Formula) -> str:
    """The MathML of a page's formula; a fault's offset counts in the page's own LaTeX."""
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []  # behind this offset of ours, the page is so much longer
    done, ours = 0, 0
    for value in formula.values:
        start, end = value.start - formula.latex_start, value.end - formula.latex_start
        pieces += [formula.latex[done:start], to_latex(value.text)]
        ours += start - done + len(pieces[-1])
        done = end
        shifts.append((ours, end - ours))
    pieces.append(formula.latex[done:])
    # Lines of a formula in a list or a quotation carry the prefix of that.
    latex = re.sub(r"\n[ \t>]*", "\n", "".join(pieces))
    try:
        return mathml(latex, display=formula.display)
    except FormulaError as error:
        behind = [shift for offset, shift in shifts if offset <= error.offset]
        place = min(error.offset + (behind[-1] if behind else 0), len(formula.latex))
        raise FormulaError(place, str(error)) from None
