"""A worked value on the page: its element, its permalink, and the page's list of them all."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from html import escape
from xml.etree import ElementTree

from markdown.util import AtomicString

from pedocs.book.numbers import machine_text
from pedocs.book.page import Page
from pedocs.book.parts import Block, Formula, Value
from pedocs.book.rendered import CLOSE, MADE, OPEN, without_marks

# How the last part of a page begins: its list of worked values, and what it proves.
PROOF = '\n<div class="pd-proof" data-search-exclude>'


def value_id(expression: str) -> str:
    """A permalink that holds as long as the expression does, whatever the number becomes."""
    return "v-" + hashlib.blake2s(expression.encode(), digest_size=4).hexdigest()


def quoted(value: Value) -> bool:
    """Whether a value is only looked up in what a source prints, and computed by nothing."""
    return value.expression.startswith("source(")


def element(page: Page, index: int, value: Value) -> ElementTree.Element:
    """A value in running text."""
    made = ElementTree.Element("data", _attributes(page, index, value))
    text, code = _shown(value.text)
    # Marked, because an alt text or a title takes the text and leaves the element.
    inner = ElementTree.SubElement(made, "code") if code else made
    inner.text = AtomicString(f"{OPEN}{text}{CLOSE}")
    return made


def html(page: Page, index: int, value: Value) -> str:
    """A value in raw HTML."""
    given = _attributes(page, index, value).items()
    attributes = " ".join(f'{name}="{escape(content)}"' for name, content in given)
    text, code = _shown(value.text)
    inner = f"<code>{escape(text)}</code>" if code else escape(text)
    return f"<data {attributes}>{inner}</data>"


def _attributes(page: Page, index: int, value: Value) -> dict[str, str]:
    """What the element of a value carries: the value in full and its expression."""
    return {
        "class": f"worked{MADE} quoted" if quoted(value) else f"worked{MADE}",
        "value": machine_text(page.results.get(index, [])),
        "data-expression": value.expression,
        "tabindex": "0",
    }


def _shown(text: str) -> tuple[str, bool]:
    """What a value shows, and whether it is set as code. No line breaks behind a bound."""
    text = re.sub(r"(?<=[<>≤≥]) (?=[-−+.\d])", "\N{NO-BREAK SPACE}", text)
    code = len(text) > 2 and text[0] == text[-1] == "`"
    return (text[1:-1], True) if code else (text, False)


def placed(root: ElementTree.Element) -> None:
    """Give the first value of an expression its id; none is a stop inside a link or a heading."""
    seen: set[str] = set()
    for data in root.iter("data"):
        if f"worked{MADE}" in (data.get("class") or "").split():
            item = value_id(data.get("data-expression", ""))
            if item not in seen:
                data.set("id", item)
                seen.add(item)
            for inner in (data, *data):
                inner.text = AtomicString(without_marks(inner.text or ""))
    for tag in ("a", "h1", "h2", "h3", "h4", "h5", "h6", "summary"):
        for outer in root.iter(tag):
            for data in outer.iter("data"):
                data.attrib.pop("tabindex", None)


def listed(page: Page) -> str:
    """The page's list of worked values, and the line that says what it proves."""
    rows: dict[tuple[str, str], str] = {}
    counts: Counter[bool] = Counter()
    for value, numbers in page.values():
        if not page.shows(value):
            continue
        rows.setdefault((value.text, value.expression), machine_text(numbers))
        counts[quoted(value)] += len(numbers)
    proved = [
        _count(counts[False], "number in the text", "numbers in the text"),
        _count(page.count(Block), "worked block"),
        _count(sum(p.check is not None for p in page.parts if isinstance(p, Formula)), "equation"),
        _count(page.docstring_count, "documented function"),
    ]
    if not any((*proved, counts[True])):
        return ""
    line = f"Recomputed for this page: {', '.join(filter(None, proved)) or 'nothing'}"
    if counts[True]:
        line += f"; {_count(counts[True], 'number is', 'numbers are')} quoted from sources"
    line = f'<p class="proof-line">{line}.</p>'
    if rows:
        line += _table(rows, set(page.rendered.ids))
    return f"{PROOF}{line}</div>\n"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}" if number else ""


def _table(rows: dict[tuple[str, str], str], targets: set[str]) -> str:
    """The list itself; a text leads back to its value, if that is an element of the page."""
    body = list[str]()
    for (text, expression), full in rows.items():
        item, shown = value_id(expression), escape(text.strip("`"))
        if item in targets:
            targets.discard(item)
            shown = f'<a class="worked-back" href="#{item}">{shown}</a>'
        body.append(
            f"<tr><td>{shown}</td><td><code>{escape(expression)}</code></td>"
            f"<td><code>{escape(full)}</code></td></tr>"
        )
    return (
        '<details class="worked-list"><summary>All worked values of this page</summary>'
        '<div class="md-typeset__scrollwrap"><table><thead><tr><th>In the text</th>'
        "<th>Expression</th><th>Computed</th></tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div></details>"
    )
