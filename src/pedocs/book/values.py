"""The index of worked values: the numbers that a build has proven, each with where it stands.

A reader who holds a number finds the pages that compute it. The page `values.md` has a place for
each section of the index; it is filled when all pages are rendered, from what they proved. A value
with an element of its own is linked by its permalink. One in a formula, an alt text or a title has
none: the link leads to the equation, figure or table around it, else to its section.

Whole numbers below a hundred are left out, since they stand on nearly every page, and so are the
exercises, whose numbers are drawn, and whose solutions may be kept back.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from pedocs.book.failures import Failure, display_path
from pedocs.book.numbers import Written, written_numbers
from pedocs.book.page import Page
from pedocs.book.parts import Formula, Value
from pedocs.book.published import in_order
from pedocs.book.worked import quoted, value_id

NAME = "values.md"

# The sections of the index, each up to a number that is none of its own.
SECTIONS = {
    "below-zero": 0,
    "zero-to-one": 1,
    "one-to-ten": 10,
    "ten-to-a-hundred": 100,
    "from-a-hundred": None,
}
_LIMITS = [limit for limit in SECTIONS.values() if limit is not None]
_PLACE = re.compile(r'<div data-values="([^"]*)"></div>')
_HEADING = re.compile(r"^[ >]*#{1,6} .*\{[^{}\n]*#([\w.-]+)[^{}\n]*\}[ \t]*$", re.M)


@dataclass
class Entry:
    """A number as texts write it, and where: by page, the address of each place with its links."""

    text: str
    value: Fraction
    # The page's address; there, by anchor, the expressions and whether one computes the number.
    places: dict[str, dict[str, tuple[list[str], bool]]] = field(default_factory=dict)


def listed(number: Written) -> bool:
    """Whether a number stands in the index."""
    return not number.infinite and (not number.exact or abs(number.value) >= 100)


def spelled(number: Written) -> str:
    """A number as the index writes it: as the text does, with one sign for minus."""
    match = number.match
    sign = {"-": "−", "−": "−", "+": "+"}.get(match["sign"] or "", "")
    scale = f"e{match['exponent'].replace('-', '−')}" if match["exponent"] else ""
    if match["power"]:
        scale = f" × 10{match['power']}"
    bound = f"{number.bound} " if number.bound else ""
    return f"{bound}{sign}{match['digits']}{scale}{'%' if match['percent'] else ''}"


def addressed(page: Page) -> Iterator[tuple[Value, str]]:
    """The worked values of a rendered page, each with the id of the nearest element that has one.

    That of an expression belongs to the first value that it gave. Where the same expression gave
    another number later, its id would lead to the wrong one.
    """
    ids = set(page.rendered.ids)
    first: dict[str, list[Any]] = {}
    for value, numbers in page.values():
        if not (value.plain or value.in_math):
            first.setdefault(value.expression, numbers)
    around = [(span.start, span.end, span.id) for span in page.scan.captioned]
    around += [(p.start, p.end, p.id) for p in page.parts if isinstance(p, Formula) and p.id]
    headings = [(m.start(), m[1]) for m in _HEADING.finditer(page.scan.text) if m[1] in ids]
    for value, numbers in page.values():
        within = [k for start, end, k in around if start <= value.start < end and k in ids]
        item = value_id(value.expression)
        elsewhere = value.plain or value.in_math
        if item in ids and first.get(value.expression) == numbers and not (elsewhere and within):
            yield value, item
            continue
        above = bisect([start for start, _ in headings], value.start)
        yield value, within[-1] if within else headings[above - 1][1] if above else ""


def entries(pages: Iterable[tuple[str, Page]]) -> list[Entry]:
    """The index, in the order of the numbers: of pages with their addresses."""
    found: dict[str, Entry] = {}
    for address, page in pages:
        if page.scan.exercises:
            continue
        for value, item in addressed(page):
            for number in filter(listed, written_numbers(value.text)):
                text = spelled(number)
                entry = found.setdefault(text, Entry(text, number.value))
                place = entry.places.setdefault(address, {})
                expressions, computed = place.get(item, ([], False))
                if value.expression not in expressions:
                    expressions = [*expressions, value.expression]
                place[item] = expressions, computed or not quoted(value)
    return sorted(found.values(), key=lambda entry: (entry.value, len(entry.text), entry.text))


def section(entry: Entry) -> str:
    """The section of the index that an entry belongs to."""
    return list(SECTIONS)[bisect(_LIMITS, entry.value)]


def _html(entry: Entry, titles: Mapping[str, str]) -> str:
    pages = []
    for address, places in entry.places.items():
        links = []
        for count, (item, (expressions, computed)) in enumerate(places.items(), start=1):
            href = escape(f"{address}#{item}" if item else address)
            title = escape("; ".join(expressions))
            shown = escape(titles[address]) if count == 1 else str(count)
            mark = "" if computed else " (quoted)"
            links.append(f'<a href="{href}" title="{title}">{shown}</a>{mark}')
        pages.append(" ".join(links))
    return f"<div><dt>{escape(entry.text)}</dt><dd>{', '.join(pages)}</dd></div>\n"


def fill(pages: Iterable[Any], proven: Mapping[Path, Page]) -> list[Failure]:
    """Put the index into its page, if the book has one; what keeps it from being whole.

    `pages` are the generator's pages, rendered; `proven` their proofs by file.
    """
    pages = in_order(list(pages))
    failures = [
        Failure(display_path(Path(page.file.abs_src_path)), 1, f"an index of values needs {NAME}")
        for page in pages
        if page.file.src_uri != NAME and _PLACE.search(page.content or "")
    ]
    for index in pages:
        if index.file.src_uri == NAME:
            name = display_path(Path(index.file.abs_src_path))
            failures += [Failure(name, 1, fault) for fault in _fill(index, pages, proven)]
    return failures


def _fill(index: Any, pages: list[Any], proven: Mapping[Path, Page]) -> Iterator[str]:
    """Fill the page; what is wrong with its places."""
    places = _PLACE.findall(index.content or "")
    for name in SECTIONS:
        if places.count(name) != 1:
            yield f'<div data-values="{name}"></div> stands {places.count(name)} times, not once'
    for name in sorted({*places} - {*SECTIONS}):
        yield f"the index of values has no section {name}"
    titles: dict[str, str] = {}
    found: list[tuple[str, Page]] = []
    for page in pages:
        proof = proven.get(Path(page.file.abs_src_path).resolve())
        if proof is not None:
            address = page.file.url_relative_to(index.file)
            titles[address] = page.title or page.file.src_uri
            found.append((address, proof))
    lists = dict.fromkeys(SECTIONS, "")
    for entry in entries(found):
        lists[section(entry)] += _html(entry, titles)

    def filled(match: re.Match[str]) -> str:
        inner = lists.get(match[1], "")
        return f'<div class="pd-values"><dl data-search-exclude>\n{inner}</dl></div>'

    index.content = _PLACE.sub(filled, index.content or "")
