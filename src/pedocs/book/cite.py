"""How the book, a page of it or one item of a page is cited: APA text, BibTeX, CSL-JSON.

Title and authors stand in CITATION.cff and nowhere else, version and date are those of the edition.
A part of the book is a chapter in it, as reference managers know it (BibTeX: `incollection`, CSL:
`chapter`), called by its page's title and the item's label. The address is the permalink. A copy
of the book that has no public address says so where the address would stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import latexcodec  # noqa: F401 - registers the codec "latex"
import yaml

from pedocs.book.edition import Edition
from pedocs.book.items import Item

NAME = "CITATION.cff"
NO_LINK = "This copy has no public link"
LANGUAGE = "en"
# What a template has where an item's label, its id and the id in a key are to stand: no format
# knows these letters.
LABEL, ID, KEY = "\ue00a", "\ue00b", "\ue00c"
# An id that needs no escape in an address, a BibTeX key or JSON. Others cannot be cited.
PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


@dataclass(frozen=True)
class Author:
    """A person, or a body with a name that is not taken apart."""

    family: str
    given: str = ""

    @property
    def name(self) -> str:
        """The name as it is read."""
        return f"{self.given} {self.family}".strip()

    @property
    def inverted(self) -> str:
        """The name as a list is sorted by it."""
        return f"{self.family}, {self.given}" if self.given else self.family


@dataclass(frozen=True)
class Work:
    """What all editions of the book have in common."""

    title: str
    authors: tuple[Author, ...]
    # The address of the text's licence and how it is called, or "".
    licence: str = ""
    licence_name: str = ""

    @property
    def by(self) -> str:
        """The authors in one line."""
        return ", ".join(author.name for author in self.authors)


def work(folder: Path, title: str, author: str, copyright_line: str = "") -> Work:
    """The book as its CITATION.cff has it; one without that file, as its site calls itself."""
    licence = re.search(r'<a href="([^"]*)">(.*?)</a>', copyright_line)
    authors: tuple[Author, ...] = (Author(author),) if author else ()
    if (path := folder / NAME).is_file():
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        title = read["title"]
        authors = tuple(
            Author(each["name"])
            if "name" in each
            else Author(each.get("family-names", ""), each.get("given-names", ""))
            for each in read["authors"]
        )
    return Work(title, authors, *(licence.groups() if licence else ()))


@dataclass(frozen=True)
class Cited:
    """What a citation names."""

    work: Work
    edition: Edition
    # The title of the page; empty for the book.
    page: str = ""
    # Where the page is in the site, and its name there: chapters/rope/ and chapters/rope.
    place: str = ""
    name: str = ""
    # The item's id and how a text names it; empty for the page.
    item: str = ""
    label: str = ""

    def of(self, item: Item) -> Cited:
        """The item of this page."""
        return replace(self, item=item.id, label=item.label)

    @property
    def title(self) -> str:
        """The title of the part that is cited, or of the book."""
        page = self.page or self.work.title
        if not self.label:
            return page
        return f"{page} {self.label}" if page.endswith(("?", "!")) else f"{page}, {self.label}"

    @property
    def in_book(self) -> bool:
        """Whether a part of the book is cited, not the book."""
        return bool(self.page or self.item)

    @property
    def link(self) -> str:
        """The permalink, or "" where there is none."""
        return self.edition.link(self.place, self.item)

    @property
    def key(self) -> str:
        """What names this entry in a file of many."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", self.name.removeprefix("chapters/"))
        parts = ("pedocs", name if self.page else "", item_key(self.item))
        return ":".join(part for part in parts if part)

    @property
    def day(self) -> date | None:
        """The day of the edition, if it is known."""
        return date.fromisoformat(self.edition.date) if self.edition.date else None


def item_key(item: str) -> str:
    """An id as a part of a key. BibTeX takes Scheme and scheme for the same."""
    if item == ID:
        return KEY
    return re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", item)


def apa(cited: Cited, title: Callable[[str], str] = str) -> str:
    """The entry in the style of the American Psychological Association, seventh edition.

    `title` sets the title of the book, which a text in print has in italics.
    """
    day = cited.day
    when = f"{day.year}, {day:%B} {day.day}" if day else "n.d."
    book = f"{title(cited.work.title)} (Version {cited.edition.name})."
    what = f"{_ended(cited.title)} In {book}" if cited.in_book else book
    who = _apa_names(cited.work.authors)
    link = cited.link or f"{NO_LINK}."
    return " ".join(part for part in (_ended(who) if who else "", f"({when}).", what, link) if part)


def _apa_names(authors: Iterable[Author]) -> str:
    names = []
    for author in authors:
        initials = " ".join(f"{given[0]}." for given in author.given.split())
        names.append(f"{author.family}, {initials}" if initials else author.family)
    return names[0] if len(names) == 1 else ", & ".join([", ".join(names[:-1]), *names[-1:]])


def _ended(text: str) -> str:
    """A sentence with its mark at the end."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


# Letters that mean something else in LaTeX or in BibTeX, which counts braces even behind a \.
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': "''",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "…": r"\ldots{}",
    "′": "$'$",
    "\N{NO-BREAK SPACE}": "~",
    "\N{WORD JOINER}": "",
}


def latex(text: str) -> str:
    """The text as LaTeX has it, in ASCII."""
    return "".join(map(_letter, text))


def capitals(text: str) -> str:
    """The text in LaTeX, its words with capitals in braces: no style makes them small."""
    return "".join(
        f"{{{latex(word)}}}" if any(map(str.isupper, word)) else latex(word)
        for word in re.findall(r"\w+|\W+", text)
    )


def _title(text: str) -> str:
    """A title in LaTeX. All styles leave its first letter as it is: that alone needs no braces."""
    first = re.split(r"\W", text)[0]
    plain = latex(first) if first[1:].islower() else capitals(first)
    return plain + capitals(text[len(first) :])


def _letter(letter: str) -> str:
    if letter in _LATEX:
        return _LATEX[letter]
    if letter.isascii():
        return letter
    try:
        found = letter.encode("latex").decode("ascii")
    except ValueError:
        return letter  # a LaTeX of today reads UTF-8
    return found + "{}" if re.search(r"\\[A-Za-z]+$", found) else found


def bibtex(cited: Cited) -> str:
    """The entry for a BibTeX file."""
    day = cited.day
    names = [
        f"{{{latex(author.family)}}}" + (f", {latex(author.given)}" if author.given else "")
        for author in cited.work.authors
    ]
    version = f"Version {cited.edition.name}" + (f" of {_long(day)}" if day else "")
    fields = {
        "author": " and ".join(names),
        "title": _title(cited.title),
        "booktitle": _title(cited.work.title) if cited.in_book else "",
        "year": str(day.year) if day else "",
        "month": f"{day:%b}".lower() if day else "",
        # Every style prints a note, and few print a version.
        "note": latex(version) if cited.link else f"{latex(version)}. {NO_LINK}",
        "url": cited.link,
    }
    lines = [
        f"  {name} = {value}," if name == "month" else f"  {name} = {{{value}}},"
        for name, value in fields.items()
        if value
    ]
    kind = "incollection" if cited.in_book else "book"
    return "\n".join([f"@{kind}{{{cited.key},", *lines, "}"])


def _long(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def csl(cited: Cited) -> dict[str, Any]:
    """The entry as CSL-JSON has it."""
    day = cited.day
    entry: dict[str, Any] = {
        "id": cited.key,
        "type": "chapter" if cited.in_book else "book",
        "title": cited.title,
    }
    if cited.in_book:
        entry["container-title"] = cited.work.title
    entry["author"] = [
        {"family": author.family, "given": author.given}
        if author.given
        else {"literal": author.family}
        for author in cited.work.authors
    ]
    if day:
        entry["issued"] = {"date-parts": [[day.year, day.month, day.day]]}
    entry |= {"version": cited.edition.name, "language": LANGUAGE}
    return entry | ({"URL": cited.link} if cited.link else {"note": NO_LINK})


def csl_json(cited: Cited) -> str:
    """The entry as a file that reference managers import."""
    lines = (
        f"    {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in csl(cited).items()
    )
    return "[\n  {\n" + ",\n".join(lines) + "\n  }\n]"


# What a reader can take away, and how an item's label is written in each.
FORMATS: dict[str, tuple[Callable[[Cited], str], Callable[[str], str]]] = {
    "APA": (apa, str),
    "BibTeX": (bibtex, capitals),
    "CSL-JSON": (csl_json, lambda text: json.dumps(text, ensure_ascii=False)[1:-1]),
}


def texts(cited: Cited) -> dict[str, str]:
    """The citation in every format."""
    return {name: write(cited) for name, (write, _) in FORMATS.items()}
