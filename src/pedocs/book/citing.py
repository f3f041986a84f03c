"""What the site shows for citing: a box on every page, and a file for the items of each.

The file has the citations of one item with two places left open, and what stands there for each
item, written by the rules of each format. The script that shows a panel beside a permalink only
fills in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from pedocs.book import feedback, scholar
from pedocs.book.cite import (
    FORMATS,
    ID,
    KEY,
    LABEL,
    PLAIN_ID,
    Cited,
    Work,
    apa,
    bibtex,
    csl_json,
    item_key,
)
from pedocs.book.edition import Edition
from pedocs.book.items import Item, items
from pedocs.book.published import Published

# The folder of the files in the site.
FOLDER = "cite"


@dataclass(frozen=True)
class Book:
    """The edition of a work that a site is made of."""

    work: Work
    edition: Edition

    def page(self, title: str, place: str, name: str) -> Cited:
        """A page of it. The home page, which has no address of its own, is the book."""
        return Cited(self.work, self.edition, title if place else "", place, name)


def shown(cited: Cited, description: str = "", how: str = "") -> dict[str, Any]:
    """What the templates show of a page: its citation, and what its head says.

    `how` is where the site says how to report an error, if it does.
    """
    return {
        "what": "page" if cited.in_book else "book",
        "file": file(cited.name),
        "texts": {
            # The title of a book in italics: what is copied is the text alone.
            "APA": apa(
                replace(cited, page=escape(cited.page), work=_escaped(cited.work)),
                lambda title: f"<cite>{title}</cite>",
            ),
            "BibTeX": escape(bibtex(cited)),
            "CSL-JSON": escape(csl_json(cited)),
        },
        "report": feedback.report(cited) or how,
        "tags": list(scholar.tags(cited)),
        "kind": scholar.kind(cited),
        "linked_data": scholar.in_script(scholar.linked_data(cited, description)),
    }


def _escaped(work: Work) -> Work:
    authors = tuple(
        replace(author, family=escape(author.family), given=escape(author.given))
        for author in work.authors
    )
    return replace(work, title=escape(work.title), authors=authors)


def file(name: str) -> str:
    """Where the file for a page's items is in the site."""
    return f"{FOLDER}/{name}.json"


def items_file(cited: Cited, found: Iterable[Item], how: str = "") -> dict[str, Any]:
    """What the panel beside a permalink of this page needs."""
    open_item = replace(cited, item=ID, label=LABEL)
    report = feedback.report(open_item)
    if how and not report:
        report = os.path.relpath(how, Path(file(cited.name)).parent)
    return {
        "marks": {"label": LABEL, "id": ID, "key": KEY},
        "link": open_item.link,
        "report": report,
        "formats": {name: write(open_item) for name, (write, _) in FORMATS.items()},
        "items": {item.id: _words(item) for item in found if PLAIN_ID.fullmatch(item.id)},
    }


def _words(item: Item) -> list[Any]:
    """A label as a text has it, what it is in the formats that write it otherwise, and the key."""
    written = {name: escaped(item.label) for name, (_, escaped) in FORMATS.items()}
    others = {name: text for name, text in written.items() if text != item.label}
    if (key := item_key(item.id)) != item.id:
        others["key"] = key
    return [item.label, others] if others else [item.label]


def write(site: Path, book: Book, pages: list[Published]) -> None:
    """Write the files of the pages."""
    how = feedback.how(page.name for page in pages)
    for page in pages:
        cited = book.page(page.title, page.address, page.name)
        path = site / file(page.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = items_file(cited, items(page.proof, page.name), how)
        path.write_text(
            json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
        )
