"""Links to the book on paper, on the page that has a place for them, `<div data-paper>`.

PDF, EPUB and handouts are made behind a build, from its site, so no build knows whether they will
be there. It links to them where the configuration says so, `extra: {paper: true}`; the audit of
the site that is published then finds the files, or says that they are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from pathlib import PurePosixPath
from posixpath import relpath
from typing import Any

from pedocs.book.published import in_order
from pedocs.book.teaching import FOLDER

WHOLE = {"PDF": "paper/pedocs.pdf", "EPUB": "paper/pedocs.epub"}
HANDOUT = "paper/handouts/{}.pdf"

_PLACE = re.compile(r'<div data-paper(?:="")?>\s*</div>')


def fill(pages: Iterable[Any], *, made: bool) -> None:
    """Fill the places in the generator's pages, which are rendered; with nothing unless `made`."""
    pages = in_order(list(pages))
    for page in pages:
        if _PLACE.search(page.content or ""):
            page.content = _PLACE.sub(links(page, pages) if made else "", page.content)


def links(page: Any, pages: Iterable[Any]) -> str:
    """The links to the whole book and to the handout of each chapter."""
    here = str(PurePosixPath(page.file.dest_uri).parent)

    def link(words: str, place: str) -> str:
        return f'<a href="{relpath(place, here)}">{escape(unescape(words))}</a>'

    whole = ", ".join(link(words, place) for words, place in WHOLE.items())
    handouts = ", ".join(
        link(other.title, HANDOUT.format(PurePosixPath(other.file.src_uri).stem))
        for other in pages
        if other.file.src_uri.startswith(FOLDER)
    )
    return f"<p>The book: {whole}.</p>\n<p>Handouts: {handouts}.</p>"
