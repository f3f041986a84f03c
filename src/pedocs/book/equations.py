r"""Display equations held against the code: the sides of every `=` are computed and compared.

An equation is read as LaTeX of a small subset and evaluated with numpy at one point: symbols
stand for what the equation's own list or the page binds to them. What the subset does not
know is refused by name; nothing is skipped in silence.

What could be read in two ways is read so: a product written side by side binds tighter than
`\cdot` and `/`; `\sin\theta\cos\varphi` is a product of two, `\sin 2\theta` takes both factors;
a name that is bound to a function is applied to the parentheses behind it, any other name
multiplies them; `d_k` is a name where one is bound, else an index; `\sum` ends at `+` or `-`;
`\log` is natural; a column is a one-dimensional array. `a / b c` is refused.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import keyword
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from pedocs.book.numbers import disagreement, display_text, elements


class EquationError(Exception):
    """What cannot be checked, and at which character of the LaTeX."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True)
class Node:
    """A stretch of the LaTeX: a token, or with parts what has a value.

    The kind is number, worked, name, group, apply, scripted (what, sub- and superscript),
    matrix (of groups, its rows), sum (variable, from and to, body), or the operator or
    function itself; the operator of a product written side by side is empty.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    parts: tuple[Node, ...] = ()


_NONE = Node("none", 0, 0)  # a part that is not there


# Reading ----------------------------------------------------------------------------------

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{rf"\{name}": getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log")},
    r"\ln": np.log,
    r"\max": lambda *a: functools.reduce(np.maximum, a) if len(a) > 1 else np.max(a[0]),
    r"\min": lambda *a: functools.reduce(np.minimum, a) if len(a) > 1 else np.min(a[0]),
}
_ENCLOSING: dict[str, Callable[..., Any]] = {
    r"\sqrt": np.sqrt,
    r"\lVert": np.linalg.norm,
    "|": np.abs,
}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_CLOSING = {"(": ")", "{": "}", "|": "|", r"\lVert": r"\rVert"}
_SEPARATORS = (",", ".", r"\qquad", r"\\")
_OPENING = {"number", "worked", "name", r"\begin{pmatrix}", r"\underbrace", r"\sum"}
_OPENING |= _FRACTIONS | _CLOSING.keys() | _FUNCTIONS.keys() | {r"\sqrt"}
_WORKED = re.compile(r"\{([^{}]*?)\s=\s")
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
        if head := _WORKED.match(latex, start):
            kind, (text, end) = "worked", _worked(latex, head)
        elif found["space"] or (kind == "&" and not matrices):
            continue
        elif found["number"]:
            kind, text = "number", kind.replace("{,}", "")
        elif found["name"] or found["greek"] or re.fullmatch("[A-Za-z]", kind):
            name = re.sub(r"^\\(var)?|\s+$", "", found["name"] or found["greek"] or kind)
            kind, text = "name", re.sub(r"\W+", "_", name) + "_" * keyword.iskeyword(name)
        matrices += (kind == r"\begin{pmatrix}") - (kind == r"\end{pmatrix}")
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
        return self.node("scripted", base.start, base, found.get("_", _NONE), found.get("^", _NONE))

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
        if token.kind in _CLOSING:
            return self.enclosed(token)
        if token.kind == r"\sqrt":
            return self.node(token.kind, token.start, self.braced())
        power = self.atom() if self.take("^") else _NONE
        if power is not _NONE and not (power.kind == "number" and len(power.text) == 1):
            raise EquationError(f"an inverse, or a power? {token.text}^…", token.start)
        bare = self.token.kind != "("
        argument = self.product([*_FUNCTIONS, r"\sum"]) if bare else self.atom()
        node = self.node(token.kind, token.start, argument)
        return self.node("scripted", token.start, node, _NONE, power)

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

    def summation(self, start: int) -> Node:
        self.expect("_")
        braces, variable = self.take("{"), self.token
        self.expect("name")
        low = self.sum() if braces and self.take("=") else _NONE
        if braces:
            self.expect("}")
        if low is not _NONE:
            self.expect("^")
        high = _NONE if low is _NONE else self.atom()
        return self.node("sum", start, variable, low, high, self.term())


def parse(latex: str) -> list[list[Node]]:
    """The clauses of an equation, each with the sides of its `=`."""
    return _Parser(latex).clauses()


# Computing --------------------------------------------------------------------------------


def _label(node: Node) -> str:
    """What a script adds to a name; empty if it is not made of names and digits alone."""
    if node.kind in ("number", "name"):
        return node.text
    if node.kind == "" or (node.kind == "group" and len(node.parts) == 1):
        labels = [_label(part) for part in node.parts]
        return "".join(labels) if all(labels) else ""
    return ""


def _indices(node: Node) -> tuple[Node, ...]:
    """The indices that a subscript holds: `i,j`, or names side by side as in `ij`."""
    if node.kind == "group":
        return _indices(node.parts[0]) if len(node.parts) == 1 else node.parts
    if node.kind == "" and _label(node).isalpha():
        return tuple(index for part in node.parts for index in _indices(part))
    return (node,)


def _array(value: Any) -> Any:
    """A value to compute with; EquationError if it is no number and no array of numbers."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise EquationError(f"a {type(value).__name__} is no number and no array of numbers")
    return array


def _whole(value: Any) -> Any:
    """An index, a limit or an argument: a whole number as an integer, else as it is."""
    number = np.asarray(value)
    whole = number.dtype.kind in "iuf" and number.ndim == 0 and number == np.rint(number)
    return int(number) if whole else value


def _product(operator: str, left: Any, right: Any) -> Any:
    left, right = _array(left), _array(right)
    if operator == "/":
        if right.ndim:
            raise EquationError("division by an array")
        return np.true_divide(left, right)
    if operator == r"\odot" or not (left.ndim and right.ndim):
        return np.multiply(left, right)
    if operator != r"\cdot" and left.ndim == right.ndim == 1:
        raise EquationError(r"the product of two vectors is written \cdot or \odot")
    product = np.matmul(left, right)
    return product[0] if product.shape == (1,) else product


def _power(value: Any, exponent: Any) -> Any:
    value, exponent = _array(value).astype(float), _array(exponent)
    if exponent.ndim or value.ndim == 1:
        raise EquationError("a power of a vector, or with an array as exponent")
    if value.ndim:
        return np.linalg.matrix_power(value, _whole(exponent))
    return np.power(value, exponent)


class _Evaluator:
    """The values of nodes; a name is a sum's variable, bound, a constant or the page's."""

    def __init__(self, latex: str, bound: Mapping[str, Any], page: Mapping[str, Any]) -> None:
        self.latex = latex
        self.page = page
        self.running: dict[str, Any] = {}
        constants = {"pi": np.pi, "e": np.e}
        self.scope = ChainMap[str, Any](self.running, dict(bound), constants, dict(page))

    def text(self, *nodes: Node) -> str:
        return " ".join(self.latex[nodes[0].start : nodes[-1].end].split())

    def value(self, node: Node) -> Any:
        kind, parts = node.kind, node.parts
        if kind == "number":
            return int(node.text) if node.text.isdigit() else float(node.text)
        if kind == "worked":
            return eval(node.text, dict(self.page))
        if kind in ("name", r"\top"):
            return self.named(node, node, _NONE, _NONE)
        if kind == "scripted":
            return self.named(node, *parts)
        if kind == "apply":
            return self.applied(*parts)
        if kind == "sum":
            return self.summed(*parts)
        if kind == "matrix":
            return self.matrix(parts)
        if kind == "/" and parts[1].kind == "apply" and not callable(self.value(parts[1].parts[0])):
            raise EquationError(f"{self.text(node)}: what is divided by? Put parentheses")
        if kind in (r"\max", r"\min") and parts[0].kind == "group":
            parts = parts[0].parts
        values = [_array(self.value(part)) for part in parts]
        if kind == "group":
            return values[0][()] if len(values) == 1 else np.stack(values)
        if function := _FUNCTIONS.get(kind) or _ENCLOSING.get(kind):
            return function(*values)
        if kind in ("+", "-"):
            return values[0] + values[1] if kind == "+" else values[0] - values[1]
        return _product(kind, *values)

    def named(self, node: Node, base: Node, sub: Node, sup: Node) -> Any:
        """The value of what has scripts; they may be a part of its name."""
        if base.kind not in ("name", r"\top"):
            return self.superscript(self.subscript(self.value(base), sub), sup)
        name, low, high = base.text, _label(sub), _label(sup)
        if high and f"{name}^{high}" in self.scope:
            name, sup = f"{name}^{high}", _NONE
        if low and f"{name}_{low}" in self.scope and low not in self.running:
            name, sub = f"{name}_{low}", _NONE
        if name not in self.scope:
            raise EquationError(f"{self.text(node)} is not bound", base.start)
        return self.superscript(self.subscript(self.scope[name], sub), sup)

    def subscript(self, value: Any, sub: Node) -> Any:
        if sub is _NONE:
            return value
        indices = [_whole(self.value(index)) for index in _indices(sub)]
        if callable(value):
            return value(*indices)
        if isinstance(value, Mapping):
            return value[indices[0] if len(indices) == 1 else tuple(indices)]
        if any(np.any(np.less(index, 0)) for index in indices):
            raise EquationError(f"the index {self.text(sub)} is negative", sub.start)
        return functools.reduce(lambda part, index: part[index], indices, value)

    def superscript(self, value: Any, sup: Node) -> Any:
        if sup is _NONE:
            return value
        if self.text(sup).strip("{ }") == r"\top":
            value = _array(value)
            return value[np.newaxis] if value.ndim == 1 else np.swapaxes(value, -1, -2)
        return _power(value, self.value(sup))

    def applied(self, function: Node, argument: Node) -> Any:
        head = self.value(function)
        if not callable(head):
            return _product("", head, self.value(argument))
        scripted = argument.kind == "scripted"
        group, sub, sup = argument.parts if scripted else (argument, _NONE, _NONE)
        result = head(*(_whole(self.value(part)) for part in group.parts))
        return self.superscript(self.subscript(result, sub), sup)

    def summed(self, variable: Node, low: Node, high: Node, body: Node) -> Any:
        if low is _NONE:
            steps = self.value(variable)
        else:
            steps = range(_whole(self.value(low)), _whole(self.value(high)) + 1)
        outer = dict(self.running)
        total: Any = 0
        for step in steps:
            self.running[variable.text] = step
            total = total + self.value(body)
        self.running.clear()
        self.running.update(outer)
        return total

    def matrix(self, rows: Sequence[Node]) -> Any:
        blocks = [[_array(self.value(entry)) for entry in row.parts] for row in rows]
        full = np.block([[b[:, np.newaxis] if b.ndim == 1 else b for b in row] for row in blocks])
        return full[:, 0] if full.shape[1] == 1 else full

    def difference(self, left: Node, right: Node) -> str | None:
        """What tells two sides apart; None if they agree."""
        a, b = _array(self.value(left)), _array(self.value(right))
        for side, other in ((left, b), (right, a)):
            while side.kind == "group" and len(side.parts) == 1:
                side = side.parts[0]
            written = _WORKED.match(self.latex, side.start) if side.kind == "worked" else None
            if written and not disagreement(written[1], "", elements(other)):
                return None
        names = self.text(left), self.text(right)
        if a.ndim and b.ndim and a.shape != b.shape:
            return f"{names[0]} has the shape {a.shape}, {names[1]} has {b.shape}"
        same = np.isclose(a, b, rtol=1e-9, atol=1e-12)
        if same.all():
            return None
        place = tuple(int(k) for k in np.argwhere(~same)[0])
        where = f" at {list(place)}" if place else ""
        c, d = (display_text(elements(side[place])) for side in np.broadcast_arrays(a, b))
        return f"{names[0]} is {c}, {names[1]} is {d}{where}"


# Comparing --------------------------------------------------------------------------------


def _symbol(latex: str) -> str:
    """The name that a LaTeX symbol, or a Python name, binds; empty if it is neither."""
    if latex.isidentifier():
        return latex
    parser = _Parser(latex)
    node = parser.scripts(parser.atom())
    base, sub, sup = node.parts if node.kind == "scripted" else (node, _NONE, _NONE)
    scripts = {mark: _label(part) for mark, part in (("^", sup), ("_", sub)) if part is not _NONE}
    whole = base.kind == "name" and all(scripts.values()) and parser.token.kind == "end"
    return base.text + "".join(map("".join, scripts.items())) if whole else ""


def _bound(bindings: str, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """What an equation's list binds: `symbol = expression; …`, each seeing those before it."""
    bound: dict[str, Any] = {}
    scope = dict(namespace)
    for binding in filter(str.strip, bindings.split(";")):
        symbol, _, expression = (part.strip() for part in binding.partition("="))
        if not (expression and (name := _symbol(symbol))):
            raise EquationError(f"{binding.strip()} does not read: symbol = expression")
        try:
            bound[name] = eval(expression, scope)
        except Exception as error:
            raise EquationError(f"{expression} raises {type(error).__name__}: {error}") from None
        scope[name.replace("^", "_")] = bound[name]
    return bound


def check(latex: str, bindings: str, namespace: Mapping[str, Any]) -> list[str]:
    r"""What does not hold in an equation, in words; empty if all of it holds.

    Args:
        latex: The equation as the page writes it, with its worked values.
        bindings: `symbol = expression; …`: what the equation takes from elsewhere than the
            page's names. A symbol is LaTeX (`\omega`, `S_{ij}`) or the name as Python spells
            it (`omega`, `S_ij`); an expression is Python and sees the page and the bindings
            before it.
        namespace: The page's names.

    Raises:
        EquationError: The LaTeX is outside the subset, or a binding cannot be made.
    """
    clauses = parse(latex)
    messages: list[str] = []
    with warnings.catch_warnings(), np.errstate(divide="raise", over="raise", invalid="raise"):
        warnings.simplefilter("error")
        bound = _bound(bindings, namespace)
        for sides in clauses:
            evaluator = _Evaluator(latex, bound, namespace)
            try:
                pairs = itertools.starmap(evaluator.difference, itertools.combinations(sides, 2))
                messages += itertools.islice(filter(None, pairs), 1)
            except EquationError as error:
                messages.append(str(error))
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                messages.append(f"{evaluator.text(*sides)} raises {said}")
    return messages
