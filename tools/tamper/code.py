"""The code of a page with one thing changed: a number, an operator, a function, a statement."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from pedocs.book.page import Page
from pedocs.book.parts import Block, Check, Generated, Mistake
from tools.tamper.places import Fault, reach

_OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "//": "*",
    "%": "+",
    "@": "*",
    "**": "*",
    "<": ">=",
    ">": "<=",
    "<=": ">",
    ">=": "<",
    "==": "!=",
    "!=": "==",
    "and": "or",
    "or": "and",
    "not": "",
    "True": "False",
    "False": "True",
}
_FUNCTIONS = {
    "sin": "cos",
    "cos": "sin",
    "max": "min",
    "min": "max",
    "argmax": "argmin",
    "argmin": "argmax",
    "sum": "mean",
    "mean": "sum",
    "all": "any",
    "any": "all",
    "exp": "log",
    "log": "exp",
    "sqrt": "square",
    "maximum": "minimum",
    "minimum": "maximum",
    "triu": "tril",
    "tril": "triu",
}
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")


def of_code(page: Page) -> Iterator[Fault]:
    """Every number, operator, truth value, well-known function and line of a page's code."""
    for part in page.parts:
        if not isinstance(part, (Block, Generated, Check, Mistake)):
            continue
        kind = {
            Block: "of an example",
            Generated: "of a generated part",
            Check: "of an exercise's check",
            Mistake: "of an exercise's mistake",
        }[type(part)]
        if isinstance(part, Block) and page.scan.in_solution(part):
            kind = "of a solution"
        text = page.scan.text
        prompt = 4 if isinstance(part, Block) else 0
        rows = part.code.split("\n")
        source = [row[prompt:] if not prompt or _PROMPT.match(row) else "" for row in rows]
        begins = _begins(text, part.start, rows, prompt)
        for what, row, start, end, new in _changes("\n".join(source)):
            at = begins[row]
            yield Fault(f"{what} {kind}", at + start, at + end, new, reach(page, part))


def _begins(text: str, fence: int, rows: list[str], prompt: int) -> list[int]:
    """Where the code of each row begins in the page, behind indentation and prompt."""
    begins, at = list[int](), text.index("\n", fence) + 1
    for row in rows:
        end = text.find("\n", at)
        begins.append((end if end >= 0 else len(text)) - len(row) + prompt)
        at = end + 1
    return begins


def _changes(source: str) -> Iterator[tuple[str, int, int, int, str]]:
    """What is changed, in which row, from and to which column, and what stands there then."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, IndentationError):
        return
    for before, token in pairwise(tokens):
        (row, start), (_, end) = token.start, token.end
        if token.type == tokenize.NUMBER:
            digit = max(k for k, character in enumerate(token.string) if character.isdigit())
            new = str((int(token.string[digit]) + 1) % 10)
            yield "a number", row - 1, start + digit, start + digit + 1, new
        elif token.string in _OPERATORS and not _is_unpacking(before, token):
            yield "an operator", row - 1, start, end, _OPERATORS[token.string]
        elif token.type == tokenize.NAME and token.string in _FUNCTIONS:
            yield "a function", row - 1, start, end, _FUNCTIONS[token.string]
    yield from _dropped(source)


def _is_unpacking(before: tokenize.TokenInfo, token: tokenize.TokenInfo) -> bool:
    """Whether a star stands before a list of arguments, or a slash in one of parameters."""
    if token.string not in ("*", "**", "/"):
        return False
    return before.string in ("(", ",", "[", "=", "", "\n") or keyword.iskeyword(before.string)


def _dropped(source: str) -> Iterator[tuple[str, int, int, int, str]]:
    """Every line that is a statement by itself and prints nothing, left out."""
    for row, line in enumerate(source.split("\n")):
        if re.match(r"[\w.\[\], :]+ [-+*/@]?= ", line) and line.count("(") == line.count(")"):
            yield "a statement", row, 0, len(line), "None"
