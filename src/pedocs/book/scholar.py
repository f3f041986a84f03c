"""What a page's head says of it to search engines for papers and to reference managers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pedocs.book.cite import LANGUAGE, Author, Cited


def tags(cited: Cited) -> Iterator[tuple[str, str]]:
    """The Highwire tags of a page, each with its name.

    Zotero's translator for embedded metadata reads them. It takes a page for a section of a book
    by `citation_book_title`, which Google Scholar calls `citation_inbook_title`, and would take a
    book for an article: the page of the whole book has `og:type` too (see `kind`). It splits a
    name at its comma, else before its last word: a body's name cannot be kept whole here, but is
    in BibTeX and CSL-JSON. For the address it wants `citation_public_url`, Scholar the other.
    """
    yield "citation_title", cited.title
    for author in cited.work.authors:
        yield "citation_author", author.inverted
    if cited.edition.date:
        yield "citation_publication_date", cited.edition.date.replace("-", "/")
    if cited.in_book:
        yield "citation_inbook_title", cited.work.title
        yield "citation_book_title", cited.work.title
    yield "citation_language", LANGUAGE
    if cited.link:
        yield "citation_public_url", cited.link
        yield "citation_fulltext_html_url", cited.link


def kind(cited: Cited) -> str:
    """What Open Graph calls it: by this, Zotero knows a book."""
    return "article" if cited.in_book else "book"


def linked_data(cited: Cited, description: str = "") -> dict[str, Any]:
    """The page in schema.org's words, for JSON-LD."""
    book = _described("Book", cited, cited.work.title, cited.edition.link(""))
    if not cited.in_book:
        made = book
    else:
        made = _described("Chapter", cited, cited.title, cited.link)
        made["isPartOf"] = {name: book[name] for name in ("@type", "name", "url") if name in book}
    made["@type"] = [made["@type"], "LearningResource"]
    if description:
        made["description"] = description
    return {"@context": "https://schema.org"} | made


def _described(kind: str, cited: Cited, name: str, link: str) -> dict[str, Any]:
    found = {
        "@type": kind,
        "name": name,
        "author": [_author(author) for author in cited.work.authors],
        "inLanguage": LANGUAGE,
        "version": cited.edition.name,
        "datePublished": cited.edition.date,
        "license": cited.work.licence,
        "isAccessibleForFree": True,
        "url": link,
    }
    return {name: value for name, value in found.items() if value}


def _author(author: Author) -> dict[str, str]:
    if not author.given:
        return {"@type": "Organization", "name": author.family}
    return {
        "@type": "Person",
        "name": author.name,
        "familyName": author.family,
        "givenName": author.given,
    }


def in_script(data: dict[str, Any]) -> str:
    """The data as JSON that no text in it can end the script element of."""
    text = json.dumps(data, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
