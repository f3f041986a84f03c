r"""Display equations held against the code: the sides of every `=` are computed and compared.

An equation is read as LaTeX of a small subset and evaluated with numpy at one point, or at
several: symbols stand for what the equation's own list or the page binds to them. What the
subset does not know is refused by name; nothing is skipped in silence. Each argument of a `\max`
or `\min`, and each case of a choice, must be the one that is taken at some point, the border of
each case must be met, and a floor must round something, else they could be anything.

A name that is bound to a function is applied to the parentheses behind it, any other name
multiplies them; `d_k` is a name where one is bound, else an index; `\log` is natural; a column
is a one-dimensional array.
"""

from __future__ import annotations

import functools
import itertools
import re
import warnings
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pedocs.book.latex import (
    ENCLOSING,
    FUNCTIONS,
    NOTHING,
    RELATIONS,
    WORKED,
    EquationError,
    Node,
    _Parser,
    parse,
)
from pedocs.book.numbers import disagreement, display_text, elements


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


def _extreme(kind: str, parts: Sequence[Node], values: Sequence[Any]) -> Iterator[Node]:
    """Which arguments are beyond all others, at some entry if they are arrays."""
    sign = 1 if kind == r"\max" else -1
    for k, part in enumerate(parts):
        others = [sign * value for number, value in enumerate(values) if number != k]
        if np.any(sign * values[k] > functools.reduce(np.maximum, others)):
            yield part


def _choices(node: Node) -> Iterator[tuple[Node, str]]:
    """What must matter at some point of a check, each with what it has to do.

    Each argument of a maximum or minimum of several, and each case, must be the one that is taken;
    the border between two cases must be met; and rounding must change something.
    """
    if node.kind == "cases":
        yield from ((case, "is {} the one that cases gives") for case in node.parts)
        borders = [case.parts[1] for case in node.parts if len(case.parts) > 1]
        yield from ((border, "are the sides of {} equal") for border in borders)
    if node.kind in (r"\max", r"\min"):
        parts = node.parts[0].parts if node.parts[0].kind == "group" else node.parts
        if len(parts) > 1:
            yield from ((part, f"is {{}} the one that {node.kind} gives") for part in parts)
    if node.kind in _ROUNDING:
        yield node, "does {} round anything"
    for part in node.parts:
        yield from _choices(part)


_ROUNDING = (r"\lfloor", r"\lceil")


class _Evaluator:
    """The values of nodes; a name is a sum's variable, bound, a constant or the page's."""

    def __init__(
        self, latex: str, bound: Mapping[str, Any], page: Mapping[str, Any], taken: set[Node]
    ) -> None:
        self.latex = latex
        self.page = page
        self.taken = taken  # what has mattered: extremes, cases, borders, rounding
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
            return self.named(node, node, NOTHING, NOTHING)
        if kind == "scripted":
            return self.named(node, *parts)
        if kind == "apply":
            return self.applied(*parts)
        if kind == "sum":
            return self.summed(*parts)
        if kind == "matrix":
            return self.matrix(parts)
        if kind == "cases":
            return self.chosen(node)
        if kind == "/" and parts[1].kind == "apply" and not callable(self.value(parts[1].parts[0])):
            raise EquationError(f"{self.text(node)}: what is divided by? Put parentheses")
        if kind in (r"\max", r"\min") and parts[0].kind == "group":
            parts = parts[0].parts
        values = [_array(self.value(part)) for part in parts]
        if kind in (r"\max", r"\min") and len(parts) > 1:
            self.taken |= set(_extreme(kind, parts, values))
        if kind == "group":
            return values[0][()] if len(values) == 1 else np.stack(values)
        if function := FUNCTIONS.get(kind) or ENCLOSING.get(kind):
            result = function(*values)
            if kind in _ROUNDING and np.any(result != values[0]):
                self.taken.add(node)
            return result
        if kind in ("+", "-"):
            return values[0] + values[1] if kind == "+" else values[0] - values[1]
        return _product(kind, *values)

    def named(self, node: Node, base: Node, sub: Node, sup: Node) -> Any:
        """The value of what has scripts; they may be a part of its name."""
        if base.kind not in ("name", r"\top"):
            return self.superscript(self.subscript(self.value(base), sub), sup)
        name, low, high = base.text, _label(sub), _label(sup)
        if high and f"{name}^{high}" in self.scope:
            name, sup = f"{name}^{high}", NOTHING
        if low and f"{name}_{low}" in self.scope and low not in self.running:
            name, sub = f"{name}_{low}", NOTHING
        if name not in self.scope:
            raise EquationError(f"{self.text(node)} is not bound", base.start)
        return self.superscript(self.subscript(self.scope[name], sub), sup)

    def subscript(self, value: Any, sub: Node) -> Any:
        if sub is NOTHING:
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
        if sup is NOTHING:
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
        group, sub, sup = argument.parts if scripted else (argument, NOTHING, NOTHING)
        result = head(*(_whole(self.value(part)) for part in group.parts))
        return self.superscript(self.subscript(result, sub), sup)

    def summed(self, variable: Node, low: Node, high: Node, body: Node) -> Any:
        if low is NOTHING:
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

    def chosen(self, cases: Node) -> Any:
        """The value of the one case that holds."""
        holding = [
            case for case in cases.parts if len(case.parts) > 1 and self.holds(case.parts[1])
        ]
        holding = holding or [case for case in cases.parts if len(case.parts) == 1]
        if len(holding) != 1:
            held = "no case holds" if not holding else "more than one case holds"
            raise EquationError(f"{self.text(cases)}: {held}", cases.start)
        self.taken |= set(holding)
        return self.value(holding[0].parts[0])

    def holds(self, relation: Node) -> bool:
        left, right = (_array(self.value(part)) for part in relation.parts)
        if left.ndim or right.ndim:
            raise EquationError("a case holds or not: its sides are numbers", relation.start)
        if left == right:
            self.taken.add(relation)
        return bool(RELATIONS[relation.kind](left, right))

    def matrix(self, rows: Sequence[Node]) -> Any:
        blocks = [[_array(self.value(entry)) for entry in row.parts] for row in rows]
        full = np.block([[b[:, np.newaxis] if b.ndim == 1 else b for b in row] for row in blocks])
        return full[:, 0] if full.shape[1] == 1 else full

    def difference(self, left: Node, right: Node) -> str | None:
        """What tells two sides apart; None if they agree."""
        if self.text(left) == self.text(right):
            return f"{self.text(left)} stands on both sides, which states nothing"
        a, b = _array(self.value(left)), _array(self.value(right))
        for side, other in ((left, b), (right, a)):
            while side.kind == "group" and len(side.parts) == 1:
                side = side.parts[0]
            written = WORKED.match(self.latex, side.start) if side.kind == "worked" else None
            if written and not disagreement(written[1], "", elements(other)):
                return None
        names = self.text(left), self.text(right)
        if a.ndim and b.ndim and a.shape != b.shape:
            return f"{names[0]} has the shape {a.shape}, {names[1]} has {b.shape}"
        if not a.size or not b.size:
            return f"{names[0] if not a.size else names[1]} is empty, which equals anything"
        # Zero is met up to the rounding of numbers around one; small numbers are compared.
        same = np.isclose(a, b, rtol=1e-9, atol=4e-15)
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
    base, sub, sup = node.parts if node.kind == "scripted" else (node, NOTHING, NOTHING)
    scripts = {mark: _label(part) for mark, part in (("^", sup), ("_", sub)) if part is not NOTHING}
    whole = base.kind == "name" and all(scripts.values()) and parser.token.kind == "end"
    return base.text + "".join(map("".join, scripts.items())) if whole else ""


_BINDING = re.compile(r"\s*(?P<symbol>[^=]+?)\s*(?P<how>=|\sin\s)\s*(?P<expression>.*\S)", re.S)


def _points(
    bindings: Sequence[str], bound: dict[str, Any], scope: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """What an equation's list binds, at each of its points; each binding sees those before it."""
    if not bindings:
        yield bound
        return
    found = _BINDING.fullmatch(bindings[0].rstrip())
    if not (found and (name := _symbol(found["symbol"]))):
        raise EquationError(
            f"{bindings[0].strip()} does not read: symbol = expression, or symbol in expression"
        )
    try:
        value = eval(found["expression"], scope)
        values = [value] if found["how"] == "=" else list(value)
    except Exception as error:
        said = f"{found['expression']} raises {type(error).__name__}: {error}"
        raise EquationError(said) from None
    if not values:
        raise EquationError(f"{bindings[0].strip()} gives no point to check")
    for each in values:
        more = {name.replace("^", "_"): each}
        yield from _points(bindings[1:], bound | {name: each}, scope | more)


def check(latex: str, bindings: str, namespace: Mapping[str, Any]) -> list[str]:
    r"""What does not hold in an equation, in words; empty if all of it holds.

    Args:
        latex: The equation as the page writes it, with its worked values.
        bindings: `symbol = expression; …`: what the equation takes from elsewhere than the
            page's names. A symbol is LaTeX (`\omega`, `S_{ij}`) or the name as Python spells
            it (`omega`, `S_ij`); an expression is Python and sees the page and the bindings
            before it. `symbol in expression` checks the equation with each of the elements.
        namespace: The page's names.

    Raises:
        EquationError: The LaTeX is outside the subset, or a binding cannot be made.
    """
    clauses = parse(latex)
    messages: list[str] = []
    taken: set[Node] = set()
    listed = [binding for binding in bindings.split(";") if binding.strip()]
    with warnings.catch_warnings(), np.errstate(divide="raise", over="raise", invalid="raise"):
        warnings.simplefilter("error")
        for bound in _points(listed, {}, dict(namespace)):
            for sides in clauses:
                evaluator = _Evaluator(latex, bound, namespace, taken)
                try:
                    pairs = itertools.combinations(sides, 2)
                    wrong = itertools.starmap(evaluator.difference, pairs)
                    messages += itertools.islice(filter(None, wrong), 1)
                except EquationError as error:
                    messages.append(str(error))
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                    messages.append(f"{evaluator.text(*sides)} raises {said}")
            if messages:
                return messages
    text = _Evaluator(latex, {}, {}, set()).text
    for node, does in itertools.chain(*map(_choices, itertools.chain(*clauses))):
        if node not in taken:
            messages.append(
                f"at no point of the check {does.format(text(node))}: "
                "give it more points, symbol in expression"
            )
    return messages
