"""Where faults can stand in a page, and what each looks like.

A fault is an edit of the page's text of one kind. Its reach is the lines in which a failure may
name it: those of the part that it spoils, or its own.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pedocs.book.claims import NAMES
from pedocs.book.page import Page
from pedocs.book.parts import Block, Formula, Shown, Span, Value

_SIGN = re.compile(r"(?<![\w.)\]}])[-−+](?=\d)|(?<=\d[eE])[-−](?=\d)")
_UNSIGNED = re.compile(r"(?<![\w.,−+-])(?=\d)")
_RELATION = re.compile(r"[<>≤≥]")
_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
# Behind one of these a number is the name of something in another work.
_COUNTED = [f"{name}{s}" for name in ("Section", "Figure", "Table", "Equation", "Exercise")
            for s in ("", "s")]  # fmt: skip
UNWORKED = {"an unworked decimal": " 0.5", "an unworked signed integer": " \N{MINUS SIGN}7"}


@dataclass(frozen=True)
class Fault:
    """An edit: what stands from start to end of the page's body becomes something else."""

    kind: str
    start: int
    end: int
    new: str
    # The first and the last line in which a failure may name it.
    reach: tuple[int, int]

    def applied(self, text: str) -> str:
        """The text with the fault in it."""
        return text[: self.start] + self.new + text[self.end :]


def reach(page: Page, part: Span) -> tuple[int, int]:
    """The lines of a part."""
    return part.line, part.line + page.scan.text.count("\n", part.start, part.end)


def of_text(text: str, kind: str) -> Iterator[tuple[str, int, int, str]]:
    """The faults of a text that states numbers: kind, start, end, and the new text there.

    What only bounds a number may stay true with another digit: its relation is turned.
    """
    if found := _RELATION.search(text):
        yield f"{kind}: a relation", *found.span(), _TURNED[found[0]]
        return
    for found in re.finditer(r"\d", text):
        yield f"{kind}: a digit", *found.span(), str((int(found[0]) + 1) % 10)
    for found in _SIGN.finditer(text):
        yield f"{kind}: a sign", *found.span(), "-" if found[0] == "+" else "+"
    for found in _UNSIGNED.finditer(text):
        number = re.compile(r"[\d,]*\.?\d*").match(text, found.start())
        if number and re.search(r"[1-9]", number[0]):
            yield f"{kind}: a sign", found.start(), found.start(), "\N{MINUS SIGN}"


def of_values(page: Page) -> Iterator[tuple[int, Fault]]:
    """Every digit, sign and relation of every worked value, with the value's index."""
    for index, part in enumerate(page.parts):
        if not isinstance(part, Value):
            continue
        kind = (
            "in a formula"
            if part.in_math
            else "in a title or alt text"
            if part.plain
            else "in text"
        )
        raw = page.scan.text[part.text_start : part.end]
        written = re.match(r"[^{}]*?(?=\s=\s)", raw)
        assert written, raw
        for name, start, end, new in of_text(written[0], f"a worked value {kind}"):
            at = part.text_start
            yield index, Fault(name, at + start, at + end, new, reach(page, part))


def of_outputs(page: Page) -> Iterator[tuple[doctest.Example, str, Fault]]:
    """Every digit and sign that a worked block prints: the example and its altered output."""
    parser = doctest.DocTestParser()
    for part in page.parts:
        if not isinstance(part, Block):
            continue
        text = page.scan.text
        for example in parser.get_examples(part.code):
            if not example.want:
                continue
            lines = part.code.split("\n")
            first = example.lineno + example.source.count("\n")
            while first < len(lines) and re.match(r"\s*(>>>|\.\.\.)( |$)", lines[first]):
                first += 1
            want = example.want
            for name, start, end, new in of_text(want, "an output"):
                altered = want[:start] + new + want[end:]
                row = want.count("\n", 0, start)
                line = part.line + 1 + first + row
                begin = _offset(page, line)
                written = want.split("\n")[row]
                column = start - (want.rfind("\n", 0, start) + 1)
                end_of_line = text.find("\n", begin)
                at = text.find(written, begin, end_of_line)
                if at < 0:
                    continue
                place = at + column
                yield (
                    example,
                    altered,
                    Fault(name, place, place + end - start, new, reach(page, part)),
                )


def _offset(page: Page, line: int) -> int:
    """Where a line of the file begins in the page's body."""
    at = 0
    for _ in range(line - page.scan.first_line):
        at = page.scan.text.find("\n", at) + 1
    return at


def of_prose(page: Page) -> Iterator[Fault]:
    """A number that nothing works, behind every word that readers see, and in formulas.

    Behind a name such as Python, or Table, a decimal is a part of it.
    """
    text = page.scan.text
    closed = [*page.scan.destinations, *page.scan.attributes]
    live = [part for part in page.parts if not isinstance(part, Shown)]
    hidden = [(part.start, part.end) for part in (*live, *closed) if part.end > part.start]
    hidden += [found.span() for found in _UNSEEN.finditer(text)]
    taken = bytearray(len(text) + 1)
    for start, end in hidden:
        taken[start:end] = b"\1" * (end - start)
    shown = [(part.start, part.end) for part in page.parts if isinstance(part, Shown)]
    for found in re.finditer(r"(?<=[\w.,;:!?)])(?= )|(?<=[\w.!?)])$", text, re.M):
        at = found.start()
        if not taken[at] and not taken[max(0, at - 1)]:
            in_code = any(start <= at < end for start, end in shown)
            if in_code and text[text.rfind("\n", 0, at) + 1 :].lstrip(" >").startswith(
                ("```", "~~~")
            ):
                continue
            where = "code that is shown" if in_code else _where(page, at)
            yield from _unworked(page, at, where)
    for tag in re.finditer(r"<[A-Za-z][^<>]*>", text):
        for shown_attribute in _ATTRIBUTE.finditer(tag[0]):
            at = tag.start() + shown_attribute.end(1)
            if not any(start <= at < end for start, end in shown) and not taken[tag.start() - 1]:
                yield from _unworked(page, at, "an attribute")
    for part in page.parts:
        if isinstance(part, Formula):
            values = [range(value.start, value.end) for value in part.values]
            for found in re.finditer(" ", part.latex):
                at = part.latex_start + found.start()
                if not any(at in value for value in values):
                    kind = "an unworked decimal in a formula"
                    yield Fault(kind, at, at, " 0.5", reach(page, part))


# What no reader sees as text.
_UNSEEN = re.compile(r"<!--[\s\S]*?-->|<[^<>\n]*>|^[ \t>]*/{3,}.*$|&#?\w+;", re.M)
_ATTRIBUTE = re.compile(r"""\b(?:alt|title|aria-label|placeholder)=["'][^"'<>]*?(?=(["']))""")
_PLACES = [
    ("a heading", r"[ \t>]*#+ "),
    ("a table", r"[ \t>]*\|"),
    ("an alt text", r'[ \t>]*alt: "'),
    ("the title of a box or tab", r"[ \t>]*(?:!!!|\?\?\?\+?|===\+?) "),
    ("a list", r"[ \t>]*(?:[-*+]|\d+[.)]|:) "),
]


def _where(page: Page, at: int) -> str:
    """The kind of place that an offset is."""
    text = page.scan.text
    line = text[text.rfind("\n", 0, at) + 1 : at]
    for where, begins in _PLACES:
        if re.match(begins, line):
            return where
    last = max((block.start for block in page.scan.captioned if block.start < at), default=None)
    if last is not None and not re.search(r"^[ \t>]*///[ \t]*$", text[last:at], re.M):
        return "a caption"
    return "running text"


def _unworked(page: Page, at: int, where: str) -> Iterator[Fault]:
    text = page.scan.text
    line = page.scan.first_line + text.count("\n", 0, at)
    named = text[:at].endswith((*NAMES, *_COUNTED))
    for kind, new in UNWORKED.items():
        if not (named and "decimal" in kind):
            yield Fault(f"{kind} in {where}", at, at, new, (line, line))


def of_words(text: str) -> Iterator[tuple[str, int, str]]:
    """The same for a text of one line, behind each of its words: kind, where, and what."""
    for found in re.finditer(r"(?<=[\w.,;:!?)])(?= |$)", text):
        named = text[: found.start()].endswith((*NAMES, *_COUNTED))
        for kind, new in UNWORKED.items():
            if not (named and "decimal" in kind):
                yield kind, found.start(), new
