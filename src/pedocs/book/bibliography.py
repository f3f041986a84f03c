"""The book's bibliography: one BibTeX file, and what its entries look like in a page.

A page cites an entry by its key, `[@shaw2018]`; what is read there is the authors and the year,
a link to the entry. Sections and tables stand behind it, in the page's own words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from pedocs.book.reads import note
from pedocs.book.shown import shown
from pedocs.book.snapshots import Snapshot, read_snapshots

NAME = "bibliography.bib"
PAGE = "bibliography.md"

CITED = re.compile(r"\[@(?P<key>[^\s\[\]@]+)\]")
_KEY = re.compile(r"[a-z][a-z0-9-]*")
_VENUES = ("journal", "booktitle", "howpublished", "school", "institution")


class BibliographyError(ValueError):
    """An entry, or the file, is not what a page could cite."""


@dataclass(frozen=True)
class Entry:
    """One work: who wrote it, when it appeared first, what it is called, where it is found."""

    key: str
    line: int
    authors: tuple[str, ...]
    surnames: tuple[str, ...]
    year: str
    title: str
    venue: str
    links: tuple[tuple[str, str], ...]  # what each is called, and its address

    @property
    def names(self) -> str:
        """The authors as a citation calls them."""
        first, *others = self.surnames
        if not others:
            return first
        if len(others) > 1 or others == ["others"]:
            return f"{first} et al."
        return f"{first} and {others[0]}"

    def html(self, year: str, snapshots: Mapping[str, Snapshot]) -> str:
        """The entry as the bibliography shows it, with the year that citations of it read.

        An address of which an archived copy is known has it beside it.
        """
        *others, last = self.authors
        who = f"{', '.join(others)} and {last}" if others else last
        who = who.replace(" and et al.", " et al.")
        where = [escape(self.venue)] if self.venue else []
        for name, url in self.links:
            where.append(f'<a href="{escape(url)}">{escape(name)}</a>')
            if copy := snapshots.get(url):
                where[-1] += f' (<a href="{escape(copy.address)}">archived {copy.date}</a>)'
        return (
            f"{escape(who)} ({year}). <cite>{escape(self.title)}</cite>"
            f"{'' if self.title[-1] in '?!.' else '.'} {', '.join(where)}."
        )


@dataclass(frozen=True)
class Bibliography:
    """The entries of a file, by their keys."""

    entries: Mapping[str, Entry]

    def entry(self, key: str) -> Entry:
        """The entry of a key. Raises BibliographyError where there is none."""
        if key not in self.entries:
            near = [other for other in self.entries if other[:4] == key[:4]]
            known = f"; it has {', '.join(near)}" if near else ""
            raise BibliographyError(f"[@{key}]: {NAME} has no such entry{known}")
        return self.entries[key]

    def label(self, key: str) -> str:
        """What a citation reads: names and year."""
        return f"{self.entry(key).names} {self.year(key)}"

    def year(self, key: str) -> str:
        """The year of an entry, with a letter where two citations would read alike."""
        entry = self.entry(key)
        alike = [
            other.key
            for other in self.entries.values()
            if (other.names, other.year) == (entry.names, entry.year)
        ]
        return entry.year + (chr(ord("a") + alike.index(key)) if len(alike) > 1 else "")


def href(key: str, page: Path) -> str:
    """The address of an entry, as a link of a page has it."""
    target = _file(page).with_name(PAGE)
    return f"{Path(os.path.relpath(target, page.resolve().parent)).as_posix()}#{key}"


def bibliography_of(page: Path) -> Bibliography:
    """The bibliography that lies beside a page, or nearest above it."""
    path = _file(page)
    stat = path.stat()
    note(path)
    return _read(path, stat.st_mtime_ns, stat.st_size)


def _file(page: Path) -> Path:
    for folder in page.resolve().parents:
        if (path := folder / NAME).exists():
            return path
    raise BibliographyError(f"there is no {NAME} beside {page.name} or above it")


@lru_cache(maxsize=8)
def _read(path: Path, stamp: int, size: int) -> Bibliography:
    from pybtex.database import BibliographyData, parse_string
    from pybtex.errors import capture
    from pybtex.exceptions import PybtexError

    text = path.read_text(encoding="utf-8")
    lines = {
        found[1]: text.count("\n", 0, found.start()) + 1
        for found in re.finditer(r"^[ \t]*@\w+\s*\{\s*([^\s,]+)", text, re.M)
    }
    try:
        with capture() as faults:
            data: BibliographyData = parse_string(text, "bibtex")
    except PybtexError as error:
        raise BibliographyError(f"{NAME}: {error}") from None
    if faults:
        raise BibliographyError(f"{NAME}: {'; '.join(map(str, faults))}")
    entries = [_entry(key, lines.get(key, 1), entry) for key, entry in data.entries.items()]
    return Bibliography({entry.key: entry for entry in entries})


def _entry(key: str, line: int, given: Any) -> Entry:
    def fault(message: str) -> BibliographyError:
        return BibliographyError(f"{NAME}:{line}: {key} {message}")

    def field(name: str) -> str:
        return _plain(given.fields.get(name, ""))

    if not _KEY.fullmatch(key):
        raise fault("is no key: it holds small letters, digits and hyphens, a letter first")
    persons = given.persons.get("author", [])
    for name, there in (("author", persons), ("title", field("title")), ("year", field("year"))):
        if not there:
            raise fault(f"has no {name}")
    links = list(_links(field("eprint"), field("doi"), field("url")))
    if not links:
        raise fault("has no identifier: give eprint (arXiv), doi or url")
    arxiv = re.match(r"(\d\d)\d\d\.", field("eprint"))
    if arxiv and field("year") != f"20{arxiv[1]}":
        raise fault(f"says year {field('year')}, its arXiv number says 20{arxiv[1]}")
    return Entry(
        key,
        line,
        tuple(map(_full_name, persons)),
        tuple(_surname(person) for person in persons),
        field("year"),
        field("title"),
        next(filter(None, map(field, _VENUES)), ""),
        tuple(links),
    )


def _links(eprint: str, doi: str, url: str) -> Iterator[tuple[str, str]]:
    if eprint:
        yield f"arXiv:{eprint}", f"https://arxiv.org/abs/{eprint}"
    if doi:
        yield f"doi:{doi}", f"https://doi.org/{doi}"
    if url:
        yield re.sub(r"^https?://(?:www\.)?|/$", "", url), url


def _plain(latex: str) -> str:
    """The text of a field. Most have no LaTeX in them, and its decoder is slow."""
    if not re.search(r"[\\{}~$]|--|``|''", latex):
        return latex
    from pybtex.richtext import Text

    return str(Text.from_latex(latex))


def _surname(person: Any) -> str:
    return _plain(" ".join([*person.prelast_names, *person.last_names]))


def _full_name(person: Any) -> str:
    if _surname(person) == "others":
        return "et al."
    names = (person.first_names, person.middle_names, person.prelast_names,
             person.last_names, person.lineage_names)  # fmt: skip
    return _plain(" ".join(name for part in names for name in part))


def citations(docs: Path) -> dict[str, list[Path]]:
    """Which pages of a folder cite which key where a reader sees it, in the order of the pages."""
    found: dict[str, list[Path]] = {}
    for page in sorted(docs.rglob("*.md")):
        for key in dict.fromkeys(CITED.findall(shown(page.read_text(encoding="utf-8")))):
            found.setdefault(key, []).append(page)
    return found


def listing(page: Path) -> str:
    """Every entry, with the pages that cite it, as the page of the bibliography shows them.

    Raises BibliographyError where an entry is cited by no page.
    """
    bibliography, docs = bibliography_of(page), page.resolve().parent
    cited = citations(docs)
    if idle := [entry for entry in bibliography.entries.values() if entry.key not in cited]:
        where = ", ".join(f"{NAME}:{entry.line}: {entry.key}" for entry in idle)
        raise BibliographyError(f"no page cites {where}")
    items, snapshots = list[str](), read_snapshots(docs)
    for entry in sorted(bibliography.entries.values(), key=lambda e: (e.surnames, e.year, e.key)):
        pages = [
            f"[{_title(path)}]({path.relative_to(docs).as_posix()})" for path in cited[entry.key]
        ]
        item = entry.html(bibliography.year(entry.key), snapshots)
        items.append(f"{item} Cited in {', '.join(pages)}.\n{{ #{entry.key} .pd-entry }}")
    return "\n\n".join(items)


def _title(page: Path) -> str:
    """A page's title, as its front matter or its first heading has it."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r"^title: *(.+)$|^# (.+?)(?: *\{.*\})?$", text, re.M)
    return (found[1] or found[2]).strip("\"'") if found else page.stem
