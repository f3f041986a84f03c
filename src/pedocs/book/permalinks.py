"""The record of the permalinks: `permalinks.txt` in the book's folder, one link a line.

It lists every page and every item of it in the order of the navigation, each with its kind, its
text and the version in which it was first released. Each build holds its items against the record,
so that no link goes unseen, and the record of a release never loses a line: what is gone must have
a redirect, and stays as a line of the kind Moved. The record is for who writes the book, and no
part of the site: readers have the links themselves, and programs the list of values.

A build for a course has other numbers, or no solutions. There only the links that were released
are held, without those that stand in a solution which is kept back; texts are not compared. The
same holds for a page that fails otherwise: what it lacks, it lacks for that reason.

Without a generator's hook nothing knows all rendered pages at once, and nothing is compared.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pedocs.book.failures import Failure, display_path
from pedocs.book.items import in_solutions, items
from pedocs.book.parts import Formula
from pedocs.book.published import Published
from pedocs.book.redirects import Redirects, place, read_redirects

NAME = "permalinks.txt"
# In the environment of a build: `write` makes it rewrite the record in place of comparing.
ASKED = "PEDOCS_PERMALINKS"
REMEDY = "run make permalinks"

_HEAD = f"""\
# The permalinks of this book, one a line, with tabs between: the link, what kind of thing it
# leads to, its text (of an equation a digest), and the version in which it was first released,
# - if in none. Made by `make permalinks`; every build holds the pages against it. A line with a
# version goes nowhere without a redirect in {Path("redirects.toml")}.
"""
_UNRELEASED = "-"
_MOVED = "Moved"
_SHOWN = 10  # of what one command mends, so many are named


@dataclass(frozen=True)
class Line:
    """A permalink and what it leads to."""

    link: str
    kind: str
    text: str = ""
    version: str = _UNRELEASED

    def __str__(self) -> str:
        return "\t".join((self.link, self.kind, self.text, self.version))

    @property
    def page(self) -> str:
        """The link's page."""
        return self.link.partition("#")[0]


def lines(page: Published) -> Iterator[Line]:
    """A page and its items as lines of the record, released in no version."""
    link = place(page.name)
    yield Line(link, "Page", _one_line(page.title))
    latex = {part.id: part.latex for part in page.proof.parts if isinstance(part, Formula)}
    for item in items(page.proof, page.name):
        text = _one_line(item.title) if item.title != item.id else ""
        if item.kind == "Equation":
            text = _digest(latex[item.id])
        yield Line(f"{link}#{item.id}", item.kind, text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _digest(latex: str) -> str:
    return hashlib.blake2s(_one_line(latex).encode(), digest_size=4).hexdigest()


def recorded(text: str) -> dict[int, Line]:
    """The record's lines by their numbers, from 1."""
    return {
        number: Line(*(line.split("\t") + [""] * 3)[:4])
        for number, line in enumerate(text.split("\n"), start=1)
        if line and not line.startswith("#")
    }


def released(text: str, version: str) -> str:
    """The record with a version for what had none: for a release."""
    return "\n".join(
        f"{line.removesuffix(_UNRELEASED)}{version}" if line.endswith(f"\t{_UNRELEASED}") else line
        for line in text.split("\n")
    )


def check(docs: Path, pages: list[Published], *, committed: bool) -> list[Failure]:
    """What is wrong with the record and the redirects of a book with these pages.

    `committed` says that it is the book as it is kept: with its solutions, for no course.
    """
    found = [line for page in pages for line in lines(page)]
    links = {line.link for line in found}
    hidden = set[str]() if committed else set(_hidden(pages))
    redirects = read_redirects(docs)
    failures = list(redirects.faults(links | hidden, {place(page.name) for page in pages}))
    path = docs / NAME
    if not path.is_file():
        return failures  # a book without a record
    text = path.read_text("utf-8")
    old = recorded(text)
    sound = {place(page.name) for page in pages if not page.proof.failures}
    failing = {place(page.name) for page in pages} - sound
    failures += [
        Failure(display_path(path), number, message)
        for number, message in _lost(old, links | hidden, redirects)
        if old[number].page not in failing
    ]
    if committed and os.environ.get(ASKED) != "write":
        stale = list(_stale(old, _whole(found, old, redirects), failing))
        failures += [Failure(display_path(path), *each) for each in stale[:_SHOWN]]
        if more := len(stale) - _SHOWN if len(stale) > _SHOWN else 0:
            number, _ = stale[_SHOWN]
            failures.append(Failure(display_path(path), number, f"and {more} more: {REMEDY}"))
    return failures


def rewrite(docs: Path, pages: Iterable[Published]) -> None:
    """Write the record of a book in which nothing fails, if the environment asks for it."""
    if os.environ.get(ASKED) != "write":
        return
    path = docs / NAME
    old = recorded(path.read_text("utf-8")) if path.is_file() else {}
    found = [line for page in pages for line in lines(page)]
    whole = _whole(found, old, read_redirects(docs))
    path.write_text(_HEAD + "".join(f"{line}\n" for line in whole), "utf-8")


def make() -> int:
    """Rewrite the record of the book in this folder, by a build that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
        Path("docs", NAME).touch()
        result = subprocess.run(command, env=os.environ | {ASKED: "write"}, check=False)
    if result.returncode == 0:
        count = len(recorded(Path("docs", NAME).read_text("utf-8")))
        print(f"docs/{NAME}: {count} permalinks")
    return result.returncode


def release(version: str) -> int:
    """Write a version to what the record has released in none."""
    path = Path("docs", NAME)
    path.write_text(released(path.read_text("utf-8"), version), "utf-8")
    return 0


def _hidden(pages: Iterable[Published]) -> Iterator[str]:
    for page in pages:
        yield from (f"{place(page.name)}#{item}" for item in in_solutions(page.proof))


def _whole(found: list[Line], old: dict[int, Line], redirects: Redirects) -> list[Line]:
    """The record as it should be: the book's lines with their versions, then what moved."""
    versions = {line.link: line.version for line in old.values()}
    links = {line.link for line in found}
    whole = [
        Line(line.link, line.kind, line.text, versions.get(line.link, _UNRELEASED))
        for line in found
    ]
    for line in old.values():
        if line.version != _UNRELEASED and line.link not in links:
            to = redirects.to(line.link, links)
            # Without a redirect it is lost, which is said elsewhere.
            whole.append(Line(line.link, _MOVED, to, line.version) if to else line)
    return whole


def _lost(old: dict[int, Line], links: set[str], redirects: Redirects) -> Iterator[tuple[int, str]]:
    for number, line in old.items():
        gone = line.version != _UNRELEASED and line.link not in links
        if gone and not redirects.to(line.link, links):
            yield (
                number,
                f"{line.link} was released in {line.version} and is gone: "
                f"write where it went into {display_path(redirects.path)}",
            )


def _stale(old: dict[int, Line], whole: list[Line], failing: set[str]) -> Iterator[tuple[int, str]]:
    """Where the record is not what it should be."""
    numbers = {line.link: number for number, line in old.items()}
    wanted = {line.link: line for line in whole}
    near = 1
    for line in whole:
        number = numbers.get(line.link)
        if line.page not in failing and number is None:
            yield near, f"{line.link} is missing: {REMEDY}"
        elif line.page not in failing and number and old[number] != line:
            yield number, f"{line.link} is now {line.kind} {line.text}".rstrip() + f": {REMEDY}"
        near = number or near
    for number, line in old.items():
        if line.page not in failing and (line.link not in wanted or numbers[line.link] != number):
            yield number, f"{line.link} is too much: {REMEDY}"
    kept = [each.link for each in old.values() if each.link in wanted and each.page not in failing]
    order = [each.link for each in whole if each.link in numbers and each.page not in failing]
    if kept != order and len(kept) == len(order):
        moved = next(k for k, (a, b) in enumerate(zip(kept, order, strict=True)) if a != b)
        yield numbers[kept[moved]], f"{kept[moved]} stands out of order: {REMEDY}"
