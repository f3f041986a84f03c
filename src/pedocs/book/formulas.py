"""Formulas: LaTeX, with the worked values in it, to MathML at build time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

from pedocs.book.parts import Formula

_CONVERTER = LatexToMathML(pretty_print="never", fancy_error=False)
_FUNCTION = re.compile(r"\\(?:sin|cos|tan|arctan|exp|ln|log|max|min)\s*\Z")
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
    if found := re.search(r"(?<!\\)%|@|\\(?:eq)?ref\b|\\label\b", latex):
        raise FormulaError(found.start(), f"{found[0]} hides what follows, or names nothing here")
    try:
        return _CONVERTER.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        found = _POSITION.match(str(error))
        raise FormulaError(
            int(found[1]) if found else 0, _POSITION.sub("", str(error)).rstrip(".")
        ) from None


def in_one_line(mathml: str) -> str:
    """A formula's MathML as HTML without elements: a square as `x^2`, a fraction as `a/b`."""
    try:
        return escape(_linear(ElementTree.fromstring(mathml)), quote=False)
    except ElementTree.ParseError:
        return re.sub(r"<[^<>]*>", "", mathml)


def _linear(element: ElementTree.Element) -> str:
    tag, parts = element.tag.rpartition("}")[2], [_linear(each) for each in element]
    if tag in ("msub", "munder", "msup", "mover", "msubsup", "munderover", "mfrac"):
        first, *rest = (part if len(part) < 2 or part.isalnum() else f"({part})" for part in parts)
        marks = {"mfrac": "/", "msup": "^", "mover": "^"}.get(tag, "_") + "^"
        return first + "".join(f"{mark}{part}" for mark, part in zip(marks, rest, strict=False))
    if tag == "msqrt":
        return f"√({''.join(parts)})"
    return (element.text or "").strip() + "".join(parts)


def formula_mathml(formula: Formula) -> str:
    """The MathML of a page's formula; a fault's offset counts in the page's own LaTeX."""
    latex, shifts = _with_values(formula, to_latex)
    try:
        return mathml(latex, display=formula.display)
    except FormulaError as error:
        behind = [shift for offset, shift in shifts if offset <= error.offset]
        place = min(error.offset + (behind[-1] if behind else 0), len(formula.latex))
        raise FormulaError(place, str(error)) from None


def formula_latex(formula: Formula) -> str:
    """The LaTeX of a page's formula, with the numbers of its worked values."""
    return _with_values(formula, to_latex)[0]


def _with_values(
    formula: Formula, as_latex: Callable[[str], str]
) -> tuple[str, list[tuple[int, int]]]:
    """The LaTeX with each worked value as given, and how much longer the page's text is.

    The second element says it as pairs: behind this offset of ours, by so many characters.
    """
    pieces, shifts = list[str](), list[tuple[int, int]]()
    done, ours = 0, 0
    for value in formula.values:
        start, end = value.start - formula.latex_start, value.end - formula.latex_start
        before = formula.latex[done:start]
        # math-core sets no space between a function's name and a group.
        space = r"\," if _FUNCTION.search(before) else ""
        pieces += [before, space + as_latex(value.text)]
        ours += start - done + len(pieces[-1])
        done = end
        shifts.append((ours, end - ours))
    pieces.append(formula.latex[done:])
    # Lines of a formula in a list or a quotation carry the prefix of that.
    return re.sub(r"\n[ \t>]*", "\n", "".join(pieces)), shifts


# In the flattened formula: a worked value, and the edge of a fraction, a cell or a script.
_VALUE, _EDGE = "■", "⌷"
_SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts"}
_EDGES = {"mfrac", "msqrt", "mroot", "mtd", "mtr", "mtable", *_SCRIPTS}
_NAMED = {"sin", "cos", "tan", "exp", "ln", "log", "max", "min", "det", "lim", "arg", "sup", "inf"}
_OPERAND = rf"[\w)\]}}⟩⌉⌋!′|‖∞∂∅⋯…%{_VALUE}]"
_UNARY = rf"(?<!{_OPERAND})[-−+±∓]"


def formula_faults(formula: Formula) -> Iterator[str]:
    """Numbers of a formula that are no worked values, as the formula comes out.

    However the LaTeX is written: every decimal; a signed integer where the sign has no
    operand before it, outside of scripts; and what stands so close to a worked value that
    it reads as a part of it.
    """
    masked, _ = _with_values(formula, lambda text: r"\blacksquare ")
    try:
        html = mathml(masked, display=formula.display)
    except FormulaError:
        return  # the formula itself is reported
    scripts = list[str]()
    level = _flat(ElementTree.fromstring(html.replace("&ApplyFunction;", "")), scripts)
    for text in (level, *scripts):
        for found in re.finditer(r"\d*\s*\.\s*\d+", text):
            yield f"the number {found[0]} in math is not a worked value"
        for found in re.finditer(
            rf"[\d.]{_VALUE}|{_VALUE}\s*(?:[\d%]|[×·⋅]\s*10|[.,]\d|{_VALUE})", text
        ):
            yield f"a worked value in math touches {found[0].replace(_VALUE, '…')!r}"
    for found in re.finditer(rf"{_UNARY}(\d+|{_VALUE})", level):
        if found[1] == _VALUE:
            yield "the sign before a worked value in math belongs inside it"
        else:
            yield f"the number {found[0]} in math is not a worked value"


def _flat(element: ElementTree.Element, scripts: list[str]) -> str:
    """A formula as one line of characters; sub- and superscripts go to a list of their own."""
    tag = element.tag
    if tag == "mspace":
        return ""
    if not len(element):
        text = unicodedata.normalize("NFKC", element.text or "")
        # Function names leave their argument without an operand before it: sin −3.
        return _EDGE if tag == "mi" and text in _NAMED else text
    parts = [_flat(child, scripts) for child in element]
    if tag in _SCRIPTS:
        scripts += parts[1:]
        return parts[0]
    if tag in _EDGES:
        return _EDGE + _EDGE.join(parts) + ("x" if tag in ("mfrac", "msqrt", "mroot") else _EDGE)
    text = "".join(parts)
    # A bar opens where nothing stands before it that it could close.
    return re.sub(r"(^|[-−+=(,])([|‖])(?=[-−+])", rf"\1{_EDGE}", text)
