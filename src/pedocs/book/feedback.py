"""Where a reader reports an error: a form that is filled in, or a page that says how.

The form is `.github/ISSUE_TEMPLATE/erratum.yml`. Its fields can be filled in by the address.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from pedocs.book.cite import ID, LABEL, NO_LINK, Cited

FORM = "erratum.yml"
_PAGE = "errata"


def how(names: Iterable[str]) -> str:
    """Where in the site of these pages it says how to report an error, or ""."""
    return f"{_PAGE}/#report" if _PAGE in names else ""


def report(cited: Cited) -> str:
    """The address of the form, with page, place and version; "" where no repository is known."""
    if not cited.edition.repository:
        return ""
    place = f"{cited.place}#{cited.item}" if cited.item else cited.place or "the first page"
    fields = {
        "template": FORM,
        "title": f"Erratum: {cited.title}",
        "page": cited.page or cited.work.title,
        "place": cited.link or f"{place} ({NO_LINK.lower()})",
        "version": cited.edition.name,
    }
    query = "&".join(f"{name}={quote(text, safe='')}" for name, text in fields.items())
    for mark in (LABEL, ID):
        query = query.replace(quote(mark), mark)  # what a template leaves open
    return f"{cited.edition.repository}issues/new?{query}"
