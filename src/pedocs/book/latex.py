r"""The LaTeX of a display equation, read as an expression: a small subset, refused by name beyond.

What could be read in two ways is read so: a product written side by side binds tighter than
`\cdot` and `/`; `\sin\theta\cos\varphi` is a product of two, `\sin 2\theta` takes both factors;
`\sum` ends at `+` or `-`. `a / b c` is refused.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np


class EquationError(Exception):
    """What cannot be checked, and at which character of the LaTeX."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True)
class Node:
    """A stretch of the LaTeX: a token, or with parts what has a value.

    The kind is number, worked, name, group, apply, scripted (what, sub- and superscript),
    matrix (of groups, its rows), cases (of groups: value and condition, the last may have
    none), sum (variable, from and to, body), or the operator, relation or function itself; the
    operator of a product written side by side is empty.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    parts: tuple[Node, ...] = ()


NOTHING = Node("none", 0, 0)  # a part that is not there


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{rf"\{name}": getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log")},
    r"\ln": np.log,
    r"\max": lambda *a: functools.reduce(np.maximum, a) if len(a) > 1 else np.max(a[0]),
    r"\min": lambda *a: functools.reduce(np.minimum, a) if len(a) > 1 else np.min(a[0]),
}
ENCLOSING: dict[str, Callable[..., Any]] = {
    r"\sqrt": np.sqrt,
    r"\lVert": np.linalg.norm,
    r"\lfloor": np.floor,
    r"\lceil": np.ceil,
    "|": np.abs,
}
RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    ">": np.greater,
    **dict.fromkeys((r"\le", r"\leq"), np.less_equal),
    **dict.fromkeys((r"\ge", r"\geq"), np.greater_equal),
}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_CLOSING = {"(": ")", "{": "}", "|": "|", r"\lVert": r"\rVert", r"\lfloor": r"\rfloor",
            r"\lceil": r"\rceil"}  # fmt: skip
_SEPARATORS = (",", ".", r"\qquad", r"\\")
_OPENING = {"number", "worked", "name", r"\begin{pmatrix}", r"\begin{cases}", r"\underbrace"}
_OPENING |= {r"\sum"}
_OPENING |= _FRACTIONS | _CLOSING.keys() | FUNCTIONS.keys() | {r"\sqrt"}
WORKED = re.compile(r"\{([^{}]*?)\s=\s")
_TOKEN = re.compile(
    r"""
    (?P<space> \n[ \t>]* | \s | ~ | \{\} | \\[,;:!\ ] | \\quad(?![A-Za-z])
        | \\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z]) | \\(?:begin|end)\{aligned\} )
    | \\(?:mathrm|mathbf|boldsymbol|operatorname|text)\{(?P<name>[^{}]*)\}
    | \\(?:var)?(?P<greek>[Aa]lpha|[Bb]eta|[Gg]amma|[Dd]elta|epsilon|zeta|eta|[Tt]heta|iota
        |kappa|[Ll]ambda|mu|nu|[Xx]i|[Pp]i|rho|[Ss]igma|tau|[Uu]psilon|[Pp]hi|chi|[Pp]si
        |[Oo]mega)(?![A-Za-z])
    | (?P<number> \d+(?:\{,\}\d{3})*(?:\.\d+)? )
    | \\(?:begin|end)\{[^{}]*\} | \\[A-Za-z]+ | \\. | .
    """,
    re.X | re.S,
)


def _tokens(latex: str) -> list[Node]:
    tokens: list[Node] = []
    end = matrices = 0
    while found := _TOKEN.match(latex, end):
        start, end, kind, text = end, found.end(), found[0], found[0]
        if head := WORKED.match(latex, start):
            kind, (text, end) = "worked", _worked(latex, head)
        elif found["space"] or (kind == "&" and not matrices):
            continue
        elif found["number"]:
            kind, text = "number", kind.replace("{,}", "")
        elif found["name"] or found["greek"] or re.fullmatch("[A-Za-z]", kind):
            name = re.sub(r"^\\(var)?|\s+$", "", found["name"] or found["greek"] or kind)
            kind, text = "name", re.sub(r"\W+", "_", name) + "_" * keyword.iskeyword(name)
        matrices += kind in (r"\begin{pmatrix}", r"\begin{cases}")
        matrices -= kind in (r"\end{pmatrix}", r"\end{cases}")
        tokens.append(Node(kind, start, end, text))
    return [*tokens, Node("end", len(latex), len(latex))]


def _worked(latex: str, head: re.Match[str]) -> tuple[str, int]:
    """A worked value's expression, the shortest that Python can read, and the offset behind."""
    close = head.end()
    while (close := latex.find("}", close) + 1) > 0:
        expression = re.sub(r"\s*\n[ \t>]*", " ", latex[head.end() : close - 1]).strip()
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(expression, mode="eval")
            return expression, close
    raise EquationError("a worked value is never closed", head.start())


class _Parser:
    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = _tokens(latex)
        self.at = 0
        self.bars = False  # inside |…|, where the next | closes

    @property
    def token(self) -> Node:
        return self.tokens[self.at]

    def take(self, *kinds: str) -> str:
        """The kind of the next token, consumed, if it is one of these; else empty."""
        if self.token.kind not in kinds:
            return ""
        self.at += 1
        return self.tokens[self.at - 1].kind

    def expect(self, kind: str) -> None:
        if not self.take(kind):
            self.refuse(f"{kind} is missing before")

    def refuse(self, why: str = "the check does not know, or not here,") -> NoReturn:
        shown = self.latex[self.token.start : self.token.end] or "the end"
        raise EquationError(f"{why} {shown}", self.token.start)

    def node(self, kind: str, start: int, *parts: Node) -> Node:
        return Node(kind, start, self.tokens[self.at - 1].end, parts=parts)

    def clauses(self) -> list[list[Node]]:
        clauses: list[list[Node]] = []
        while True:
            row = False
            while separator := self.take(*_SEPARATORS):
                row |= separator == r"\\"
            continued = row and clauses
            if self.token.kind == "end":
                return self.equations(clauses)
            if continued and self.token.kind in ("+", "-"):
                clauses[-1].append(self.sum(clauses[-1].pop()))
            elif not (continued and self.token.kind == "="):
                clauses.append([self.sum()])
            while self.take("="):
                clauses[-1].append(self.sum())
            if self.token.kind not in (*_SEPARATORS, "end"):
                self.refuse()

    def equations(self, clauses: list[list[Node]]) -> list[list[Node]]:
        r"""The clauses without remarks in words behind them, `\qquad \text{for every } p`."""
        for number, sides in enumerate(clauses):
            text = self.latex[sides[0].start : sides[0].end]
            if len(sides) == 1 and not (number and text.startswith(r"\text{")):
                raise EquationError(f"{text} states no equation", sides[0].start)
        return [sides for sides in clauses if len(sides) > 1]

    def sum(self, left: Node | None = None) -> Node:
        if left is None:
            start, sign = self.token.start, self.take("+", "-")
            left = self.term()
            if sign:
                left = self.node(sign, start, Node("number", start, start, "0"), left)
        while sign := self.take("+", "-"):
            left = self.node(sign, left.start, left, self.term())
        return left

    def term(self) -> Node:
        left = self.product()
        while operator := self.take(r"\cdot", r"\times", r"\odot", "/"):
            right = self.factor() if operator == "/" else self.product()
            left = self.node(operator, left.start, left, right)
            if operator == "/" and self.opens():
                self.refuse("what is divided by: put parentheses before")
        return left

    def product(self, but: Sequence[str] = ()) -> Node:
        left = self.factor()
        while self.opens() and self.token.kind not in ("number", *but):
            left = self.node("", left.start, left, self.factor())
        return left

    def opens(self) -> bool:
        return self.token.kind in _OPENING and not (self.bars and self.token.kind == "|")

    def factor(self) -> Node:
        node = self.scripts(self.atom())
        name = node.parts[0] if node.kind == "scripted" else node
        if name.kind == "name" and self.token.kind == "(":
            return self.node("apply", node.start, node, self.scripts(self.atom()))
        return node

    def scripts(self, base: Node) -> Node:
        found: dict[str, Node] = {}
        while kind := self.take(*{"_", "^"} - found.keys()):
            if self.token.kind == "number" and len(self.token.text) > 1:
                self.refuse("put braces around")
            found[kind] = self.atom()
        if not found:
            return base
        return self.node(
            "scripted", base.start, base, found.get("_", NOTHING), found.get("^", NOTHING)
        )

    def atom(self) -> Node:
        token = self.token
        if not self.opens() and token.kind != r"\top":
            self.refuse()
        self.at += 1
        if token.kind in ("number", "worked", "name", r"\top"):
            return token
        if token.kind in _FRACTIONS:
            return self.node("/", token.start, self.braced(), self.braced())
        if token.kind == r"\underbrace":
            inner = self.braced()
            self.scripts(inner)  # its label
            return inner
        if token.kind == r"\sum":
            return self.summation(token.start)
        if token.kind == r"\begin{pmatrix}":
            return self.matrix(token.start)
        if token.kind == r"\begin{cases}":
            return self.cases(token.start)
        if token.kind in _CLOSING:
            return self.enclosed(token)
        if token.kind == r"\sqrt":
            return self.node(token.kind, token.start, self.braced())
        power = self.atom() if self.take("^") else NOTHING
        if power is not NOTHING and not (power.kind == "number" and len(power.text) == 1):
            raise EquationError(f"an inverse, or a power? {token.text}^…", token.start)
        bare = self.token.kind != "("
        argument = self.product([*FUNCTIONS, r"\sum"]) if bare else self.atom()
        node = self.node(token.kind, token.start, argument)
        return self.node("scripted", token.start, node, NOTHING, power)

    def braced(self) -> Node:
        if self.token.kind != "{":
            self.refuse("{ is missing before")
        return self.atom()

    def enclosed(self, token: Node) -> Node:
        bars, self.bars = self.bars, token.kind == "|"
        items = [self.sum()]
        while token.kind in ("(", "{") and self.take(","):
            self.take(r"\\")  # a list may go on in the next row
            items.append(self.sum())
        self.expect(_CLOSING[token.kind])
        self.bars = bars
        return self.node("group" if token.kind in ("(", "{") else token.kind, token.start, *items)

    def matrix(self, start: int) -> Node:
        rows = [[self.sum()]]
        while separator := self.take("&", r"\\"):
            if separator == r"\\":
                rows.append([])
            rows[-1].append(self.sum())
        self.expect(r"\end{pmatrix}")
        return self.node("matrix", start, *(self.node("group", start, *row) for row in rows))

    def cases(self, start: int) -> Node:
        """A choice: each case is a group of its value and what it takes to be the one."""
        found = []
        while True:
            first, value = self.token.start, self.sum()
            self.expect("&")
            if self.token.kind == "name" and self.token.text == "else_":
                found.append(self.node("group", first, value))
                self.at += 1
                break
            left, relation = self.sum(), self.take(*RELATIONS)
            if not relation:
                self.refuse("a case holds where one side is less or more, not")
            holds = self.node(relation, left.start, left, self.sum())
            found.append(self.node("group", first, value, holds))
            if not self.take(r"\\"):
                break
        self.expect(r"\end{cases}")
        return self.node("cases", start, *found)

    def summation(self, start: int) -> Node:
        self.expect("_")
        braces, variable = self.take("{"), self.token
        self.expect("name")
        low = self.sum() if braces and self.take("=") else NOTHING
        if braces:
            self.expect("}")
        if low is not NOTHING:
            self.expect("^")
        high = NOTHING if low is NOTHING else self.atom()
        return self.node("sum", start, variable, low, high, self.term())


def parse(latex: str) -> list[list[Node]]:
    """The clauses of an equation, each with the sides of its `=`."""
    return _Parser(latex).clauses()
