"""Numbers as a text writes them, and whether a computed value agrees with them.

A written number states a value to within half a unit of its last digit; an integer is
exact; a bound (`<`, `≤`, `>`, `≥` before the number) states an inequality instead.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np

_SUPERSCRIPT = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "≥": operator.ge,
}
_LATEX_BOUNDS = {r"\lt": "<", r"\leq": "≤", r"\le": "≤", r"\gt": ">", r"\geq": "≥", r"\ge": "≥"}

_NUMBER = re.compile(
    r"""
    (?: (?P<bound> [<≤>≥] | \\(?:leq?|geq?|lt|gt)(?![A-Za-z]) ) \s* )?
    (?: (?<![\w)\]]) (?P<sign>[-−+]) (?=[\d.∞]) )?
    (?<! [A-Za-z_\d.] )                       # digits in a name are no number of the text
    (?P<digits> (?>(?:\d{1,3}(?:,\d{3})++|\d+)(?:\.\d+)? | \.\d+ | ∞ ) (?![⁻⁺⁰¹²³⁴-⁹]) )
    (?: e(?P<exponent>[-−+]?\d+) | (?P<times>\s?×\s?)10(?P<power>[⁻⁺]?[⁰¹²³⁴-⁹]+) )?
    (?P<percent> \s?\\?% )?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Written:
    """A number in a text: where it stands there, and what it states."""

    match: re.Match[str]

    @property
    def bound(self) -> str:
        """The bound before the number, `<`, `≤`, `>` or `≥`; empty without one."""
        bound = self.match["bound"] or ""
        return _LATEX_BOUNDS.get(bound, bound)

    @property
    def exponent(self) -> int:
        """The power of ten that the digits are scaled by."""
        if self.match["power"]:
            return int(self.match["power"].translate(_SUPERSCRIPT))
        return int((self.match["exponent"] or "0").replace("−", "-"))

    @property
    def places(self) -> int:
        """Decimal places of the last written digit, counted in the number it states."""
        decimals = len(self.match["digits"].partition(".")[2])
        return decimals - self.exponent + (2 if self.match["percent"] else 0)

    @property
    def infinite(self) -> bool:
        """Whether it is the sign ∞."""
        return self.match["digits"] == "∞"

    @property
    def exact(self) -> bool:
        """A plain integer states itself; everything else states a rounding."""
        match = self.match
        return "." not in match["digits"] and not (
            match["exponent"] or match["power"] or match["percent"]
        )

    @property
    def sign(self) -> int:
        """−1 behind a minus sign, else 1."""
        return -1 if self.match["sign"] in ("-", "−") else 1

    @property
    def value(self) -> Fraction:
        """The exact number that the digits write."""
        digits = Fraction(Decimal(self.match["digits"].replace(",", "")))
        scale = self.exponent - (2 if self.match["percent"] else 0)
        return self.sign * digits * Fraction(10) ** scale

    def agrees(self, computed: Any) -> bool:
        """Whether the number, as written, states the computed one."""
        if isinstance(computed, float) and math.isnan(computed):
            return False
        if isinstance(computed, float) and math.isinf(computed):
            if self.bound and not self.infinite:
                return _BOUNDS[self.bound](computed, float(self.value))
            return self.infinite and not self.bound and (computed > 0) == (self.sign > 0)
        if self.infinite:
            return False
        exact = Fraction(computed)
        if self.match["sign"] and not self.bound and exact * self.sign < 0:
            return False  # also where both round to zero: a sign is a statement
        if self.bound:
            return _BOUNDS[self.bound](exact, self.value)
        if self.exact:
            return exact == self.value
        return abs(exact - self.value) <= Fraction(10) ** -self.places / 2

    def rewritten(self, computed: Any, minus: str) -> str | None:
        """The same notation for the computed number; None where it cannot say it."""
        match = self.match
        if self.agrees(computed):
            return match[0]
        finite = not isinstance(computed, float) or math.isfinite(computed)
        if self.bound or self.infinite or not finite:
            return None
        exact = Fraction(computed)
        if self.exact and exact.denominator != 1:
            return None
        mantissa = exact / Fraction(10) ** (self.exponent - (2 if match["percent"] else 0))
        decimals = len(match["digits"].partition(".")[2])
        scaled = Decimal(round(abs(mantissa) * 10**decimals)).scaleb(-decimals)
        digits = f"{scaled.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN):f}"
        if "," in match["digits"]:
            whole, point, rest = digits.partition(".")
            digits = f"{int(whole):,}{point}{rest}"
        if exact < 0:
            sign = match["sign"] if self.sign < 0 else minus
        else:
            sign = "+" if match["sign"] == "+" else ""
        tail = match[0][match.end("digits") - match.start() :]
        return f"{sign}{digits}{tail}"


def written_numbers(text: str) -> list[Written]:
    """The numbers of a text, in order."""
    return [Written(match) for match in _NUMBER.finditer(text)]


_SIGNS = "-−+‐‑‒–—―⁻₋－﹣±∓"
_LEFT_OVER = re.compile(
    rf"[\d½¼¾⅓⅔‰‱％⁰¹²³⁴-⁹₀-₉]|[{_SIGNS}]\s*\0|\0\s*[eEkMG_](?![a-z]*\s)|\0[^\W\d]"
    r"|[≠≪≫⩽⩾≲≳<>≤≥]|\0\0"
)


def unread(text: str, *, in_math: bool = False) -> str | None:
    """What in the text of a worked value states something that is not compared; None if nothing.

    Digits that are no number of the text, signs and units glued to one, unknown relations.
    """
    rest = _NUMBER.sub("\0", text)
    names = re.sub(r"[A-Za-z_]\w*\d*(?:[₀-₉]+)?|\\[A-Za-z]+|[^\W\d_][₀-₉]+", lambda m: "x", rest)
    names = names.replace("x\0", "x \0")
    if in_math:  # between two operands a sign is an operation
        names = re.sub(r"(?<=[\0x)])(\s*)[-+−]\s*(?=[\0x(])", r"\1 ", names)
    found = _LEFT_OVER.search(names)
    return found[0].replace("\0", "…") if found else None


def _plain(number: Any) -> Any:
    """A number of one of Python's own types, so that any process can read it."""
    if isinstance(number, Integral):
        return int(number)
    return Fraction(number) if isinstance(number, Rational) else float(number)


def elements(value: Any) -> list[Any]:
    """The numbers of a computed value, flattened in order, as plain Python numbers.

    Raises TypeError for what is no number: text, truth values, None, complex numbers.
    """
    if isinstance(value, Rational) and not isinstance(value, (bool, Integral)):
        return [Fraction(value)]
    try:
        flat = np.asarray(value)
    except ValueError:  # rows of different lengths
        return [number for part in value for number in elements(part)]
    if flat.dtype == object:
        numbers = list(flat.ravel())
        if all(isinstance(n, Real) and not isinstance(n, bool) for n in numbers):
            return [_plain(number) for number in numbers]
    if flat.dtype.kind not in "iuf":
        raise TypeError(f"{value!r} is not a number or an array of numbers")
    if np.ma.is_masked(value):
        raise TypeError("a masked entry is not a number")
    if flat.dtype.itemsize > 8:  # long double: Python has no such number
        flat = flat.astype(np.float64)
    return list(flat.ravel().tolist())


def machine_text(numbers: list[Any]) -> str:
    """The computed numbers at full precision, as a program reads them."""
    return ", ".join(repr(n) if isinstance(n, (int, float)) else str(n) for n in numbers)


def display_text(numbers: list[Any]) -> str:
    """The computed numbers at full precision, as a reader sees them."""
    shown = machine_text(numbers[:8]).replace("-", "−").replace("e−", "e-")
    if len(numbers) > 8:
        shown += f", … ({len(numbers)} numbers)"
    return shown if len(numbers) == 1 else f"({shown})"


def disagreement(text: str, expression: str, numbers: list[Any]) -> str | None:
    """What is wrong with a text that states the value of an expression; None if nothing."""
    written = written_numbers(text)
    if len(written) != len(numbers):
        return (
            f"the text holds {len(written)} numbers ({text}), "
            f"{expression} has {len(numbers)}: {display_text(numbers)}"
        )
    wrong = [
        (index, number, computed)
        for index, (number, computed) in enumerate(zip(written, numbers, strict=True))
        if not number.agrees(computed)
    ]
    if not wrong:
        return None
    if len(numbers) == 1:
        return f"the text says {text}, {expression} is {display_text(numbers)}"
    index, number, computed = wrong[0]
    return (
        f"the text says {number.match[0]} (number {index + 1} of {len(numbers)}), "
        f"{expression} has {display_text([computed])} there"
    )


def rewritten(text: str, numbers: list[Any], *, minus: str = "−") -> str | None:
    """The text with its numbers as computed, in the notation that it uses; None if it cannot."""
    written = written_numbers(text)
    if len(written) != len(numbers):
        return None
    parts, done = [], 0
    for number, computed in zip(written, numbers, strict=True):
        new = number.rewritten(computed, minus)
        if new is None:
            return None
        parts += [text[done : number.match.start()], new]
        done = number.match.end()
    return "".join([*parts, text[done:]])
