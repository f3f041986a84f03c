"""The glossary: each term leads to the section that introduces it, and that section back.

An entry is a heading of the page with an id of its own, `### offset {#offset}`, and a text in
which the first link to a section of a chapter says where the term is introduced. That chapter
links the term's first use to the entry, `[offset](../glossary.md#offset)`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pedocs.book.shown import shown

NAME = "glossary.md"

_ENTRY = re.compile(r"^### (?P<term>.+?) \{#(?P<id>[a-z0-9-]+)\}$", re.M)
_HEADING = re.compile(r"^###.*", re.M)
_SECTION = re.compile(r"\]\((?P<page>(?!\.\.)[\w/.-]+\.md)#(?P<id>[a-z0-9-]+)\)")


class GlossaryError(ValueError):
    """An entry has no link to a chapter, or no chapter leads back to it."""


@dataclass(frozen=True)
class Term:
    """An entry: its term and id, its line in the page, and the page that introduces it."""

    term: str
    id: str
    line: int
    page: str


def terms(text: str) -> Iterator[Term]:
    """The entries of the page of the glossary."""
    page, text = text, shown(text)
    found = list(_ENTRY.finditer(text))
    entries = {entry.start() for entry in found}
    for heading in _HEADING.finditer(text):
        if heading.start() not in entries:
            line = text.count("\n", 0, heading.start()) + 1
            raise GlossaryError(
                f"{NAME}:{line}: {heading[0].strip()} does not read: ### term {{#id}}"
            )
    ends = [*(entry.start() for entry in found), len(text)][1:]
    for entry, end in zip(found, ends, strict=False):
        line = text.count("\n", 0, entry.start()) + 1
        term = page[slice(*entry.span("term"))]  # some are set as code
        section = _SECTION.search(text, entry.end(), end)
        if not section:
            raise GlossaryError(f"{NAME}:{line}: {term} names no section of a chapter")
        yield Term(term, entry["id"], line, section["page"])


def check(page: Path) -> str:
    """How many terms there are, each with links both ways, in words.

    Raises GlossaryError where the page that introduces a term does not lead back to it, or
    where the terms are not in the order of the alphabet.
    """
    docs = page.resolve().parent
    found = list(terms(page.read_text(encoding="utf-8")))
    if not found:
        raise GlossaryError(f"{NAME} has no entry")
    faults = []
    for before, after in itertools.pairwise(found):
        if before.term.casefold() > after.term.casefold():
            faults.append(f"{NAME}:{after.line}: {after.term} stands behind {before.term}")
    for term in found:
        source = docs / term.page
        back = Path(os.path.relpath(page.resolve(), source.parent)).as_posix() + f"#{term.id}"
        if not source.is_file() or f"]({back})" not in shown(source.read_text(encoding="utf-8")):
            faults.append(f"{NAME}:{term.line}: {term.page} has no link to {back}")
    if faults:
        raise GlossaryError("; ".join(faults))
    return f"{len(found)} terms"
