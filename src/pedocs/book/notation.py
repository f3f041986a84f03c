r"""One symbol, one meaning: what the display equations use is listed on the page of notation.

The list is that page's tables. The first cell of a row holds the symbol, or several, as inline
formulas. A subscript made of listed symbols stands for any: `S_{ij}` lists $S$, with whatever
indices. Any other script is a label and makes a symbol of its own, as in $d_k$; so do words and
bare signs, as in $d_{\text{old}}$ and $d'$. A row below the heading `{#one-chapter}` names, in
its last cell, the one page that may use the symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from pedocs.book.formulas import FormulaError, mathml
from pedocs.book.reads import note
from pedocs.book.shown import shown

NAME = "notation.md"

_SCRIPTED = {"msub": "_", "msup": "^", "munder": "_", "mover": "^"}
_BOTH = {"msubsup", "munderover"}
_STANDARD = {
    *("sin", "cos", "tan", "arctan", "exp", "ln", "log", "lim", "max", "min", "arg"),
    *(".", "π", "∞", "⊤", "…", "⋯", "⋮", "⋱", "ℝ"),
}
_ROW = re.compile(r"^\|(?P<symbol>(?:[^|\\]|\\.)*)\|(?P<rest>.*)\|[ \t]*$")
_PAGE = re.compile(r"\]\((?P<page>[\w/.-]+\.md)#")


class NotationError(ValueError):
    """The page of notation lists what is no symbol, or lists one twice."""


@dataclass(frozen=True)
class Symbol:
    """A symbol with its scripts, each as text and as the symbols that it is made of."""

    base: str
    scripts: tuple[tuple[str, str, tuple[Symbol, ...]], ...] = ()  # mark, text, made of

    @property
    def name(self) -> str:
        """The symbol as a failure names it."""
        return self.base + "".join(
            f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"
            for mark, text, _ in self.scripts
        )


def symbols(html: str) -> list[Symbol]:
    """The symbols of a formula, in the order in which they stand."""
    return list(_walk(ElementTree.fromstring(html.replace("&ApplyFunction;", ""))))


def _walk(node: ElementTree.Element) -> Iterator[Symbol]:
    children = [child for child in node if child.tag != "mspace"]
    if name := _name(node):
        yield Symbol(name)
    elif node.tag in _SCRIPTED or node.tag in _BOTH:
        base, *scripts = node
        marks = "_^" if node.tag in _BOTH else _SCRIPTED[node.tag]
        if name := _name(base):
            made = [
                (mark, text, _label(script))
                for mark, script in zip(marks, scripts, strict=True)
                if (text := _text(script))
            ]
            yield Symbol(name, tuple(made))
        else:
            for child in node:
                yield from _walk(child)
    elif node.tag == "mtext":
        if re.fullmatch(r"[^\W\d_]", letter := _text(node)):
            yield Symbol(f"upright {letter}")  # words are none
    else:
        for child in children:
            yield from _walk(child)


def _label(script: ElementTree.Element) -> tuple[Symbol, ...]:
    """The symbols that a script is made of; words and bare signs are one each."""
    words = [_text(node) for node in script.iter("mtext")]
    symbols = tuple(_walk(script))
    signs = _text(script)
    if not (words or symbols) and not re.search(r"\d", signs) and signs not in ("", *_STANDARD):
        words = [signs]
    return (*symbols, *(Symbol(word) for word in words if len(word) > 1 or word == signs))


def _name(node: ElementTree.Element) -> str:
    """The name of a symbol without scripts; empty if a node is none. An accent belongs to it."""
    children = [child for child in node if child.tag != "mspace"]
    if node.tag == "mo" and re.fullmatch(r"[^\W\d_]{2,}", node.text or ""):
        return node.text or ""  # a named operator, which stands so in an alignment
    if node.tag == "mi":
        upright = node.get("mathvariant") == "normal"
        return f"upright {node.text}" if upright else (node.text or "").replace("\ufe00", "")
    if node.tag == "mrow" and len(children) == 1:
        return _name(children[0])
    if node.tag == "mover" and node.get("accent") and (inner := _name(children[0])):
        return inner + (children[1].text or "")
    return ""


def _text(node: ElementTree.Element) -> str:
    return "".join("".join(node.itertext()).split())


@dataclass(frozen=True)
class Notation:
    """The symbols that the book lists: where each is listed, and the one page that has it."""

    path: Path
    listed: dict[str, tuple[int, str]]  # by the symbol's name: the line, the page or nothing

    def faults(self, html: str, page: str) -> Iterator[str]:
        """What is wrong with the symbols of a formula on a page."""
        for symbol in dict.fromkeys(symbols(html)):
            yield from self._fault(symbol, page)

    def _fault(self, symbol: Symbol, page: str) -> Iterator[str]:
        if symbol.base in _STANDARD:
            rest = [part for _, _, parts in symbol.scripts for part in parts]
        else:
            # The longest name that is listed; what is left of the scripts stands by itself.
            for taken in _choices(len(symbol.scripts)):
                found = Symbol(symbol.base, tuple(symbol.scripts[k] for k in taken)).name
                if found in self.listed:
                    break
            else:
                yield f"the symbol {symbol.name} of the equation is not in {NAME}"
                return
            line, only = self.listed[found]
            if only and only != page:
                yield f"the symbol {found} of the equation is kept for {only} ({NAME}:{line})"
            left = [script for k, script in enumerate(symbol.scripts) if k not in taken]
            rest = [part for _, _, parts in left for part in parts]
        for part in rest:
            yield from self._fault(part, page)


def _choices(count: int) -> list[tuple[int, ...]]:
    return [(0, 1), (0,), (1,), ()] if count == 2 else [(0,), ()] if count else [()]


def notation_of(page: Path) -> Notation | None:
    """The list that lies beside a page or nearest above it; None if there is none."""
    for folder in page.resolve().parents:
        if (path := folder / NAME).exists():
            stat = path.stat()
            note(path)
            return _read(path, stat.st_mtime_ns, stat.st_size)
    return None


@lru_cache(maxsize=8)
def _read(path: Path, stamp: int, size: int) -> Notation:
    rows: list[tuple[int, Symbol, str]] = []
    local = False
    for line, text in enumerate(shown(path.read_text(encoding="utf-8")).split("\n"), start=1):
        if text.startswith("#"):
            local = "{#one-chapter}" in text or (local and text.startswith("###"))
        elif row := _ROW.match(text):
            found = _PAGE.search(row["rest"]) if local else None
            formulas = re.findall(r"\$([^$]+)\$", row["symbol"])
            if local and formulas and not found:
                raise NotationError(f"{NAME}:{line}: the row names no page")
            for latex in formulas:
                rows.append((line, _one(latex, line), found["page"] if found else ""))
    bare = {symbol.base for _, symbol, _ in rows if not symbol.scripts}
    listed: dict[str, tuple[int, str]] = {}
    for line, symbol, page in rows:
        name = Symbol(symbol.base, tuple(s for s in symbol.scripts if not _index(s, bare))).name
        if name in listed:
            raise NotationError(
                f"{NAME}:{line}: {name} has a meaning already, in line {listed[name][0]}"
            )
        listed[name] = line, page
    return Notation(path, listed)


def _index(script: tuple[str, str, tuple[Symbol, ...]], bare: set[str]) -> bool:
    """Whether a script stands for any of its kind: a subscript made of listed symbols."""
    mark, _, parts = script
    return mark == "_" and {part.name for part in parts} <= bare


def _one(latex: str, line: int) -> Symbol:
    try:
        found = symbols(mathml(latex, display=False))
    except FormulaError as error:
        raise NotationError(f"{NAME}:{line}: ${latex}$ is no LaTeX: {error}") from None
    if not found:
        raise NotationError(f"{NAME}:{line}: ${latex}$ holds no symbol")
    return found[0]
