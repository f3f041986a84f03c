"""A page and its proof: what it holds, what each part gave, and everything that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pedocs.book.bibliography import BibliographyError, bibliography_of
from pedocs.book.chapters import chapter_of
from pedocs.book.failures import Failure, display_path
from pedocs.book.formulas import FormulaError, formula_faults, formula_mathml
from pedocs.book.library import docstrings, prove_docstring
from pedocs.book.marking import Marking
from pedocs.book.notation import NotationError, notation_of
from pedocs.book.parts import (
    Asked,
    Block,
    Check,
    Citation,
    Documented,
    Formula,
    Generated,
    Mistake,
    Part,
    Scan,
    Solved,
    Span,
    Value,
)
from pedocs.book.rendered import Rendered
from pedocs.book.run import Session, fresh_state, said
from pedocs.book.scan import front_matter, front_matter_claims, scan
from pedocs.book.sources import sources_of

# For `make fix`: in the file, these lines (from 1, both included; none if last < first)
# become the new ones.
Edit = tuple[str, int, int, list[str]]


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered page: its level, id and words."""

    level: int
    id: str
    text: str


@dataclass
class Page:
    """A proven page."""

    path: Path
    scan: Scan
    outputs: dict[int, str] = field(default_factory=dict)
    results: dict[int, list[Any]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    docstring_count: int = 0
    # What came out, once a site generator has rendered the page.
    rendered: Rendered = field(default_factory=Rendered)
    headings: list[Heading] = field(default_factory=list)
    captioned: set[str] = field(default_factory=set)
    folded: Counter[str] = field(default_factory=Counter)
    # Whether readers are shown the solutions of exercises.
    solutions: bool = True
    # Which of the failures belong to which part, by the part's index.
    by_part: dict[int, list[Failure]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The page as failures name it."""
        return self.scan.path

    @property
    def parts(self) -> list[Part]:
        """Everything live on the page, in document order."""
        return self.scan.parts

    def count(self, *kinds: type) -> int:
        """How many parts of these kinds the page has."""
        return sum(isinstance(part, kinds) for part in self.parts)

    def values(self) -> Iterator[tuple[Value, list[Any]]]:
        """The worked values in document order, with the numbers that they gave."""
        for index, part in enumerate(self.parts):
            if isinstance(part, Value) and index in self.results:
                yield part, self.results[index]

    def shows(self, part: Span) -> bool:
        """Whether readers see a part: solutions can be kept from them."""
        return self.solutions or not self.scan.in_solution(part)

    def folds(self) -> dict[str, int]:
        """How many hints and solutions readers are to see."""
        exercises = self.scan.exercises
        solutions = sum(len(exercise.solutions) for exercise in exercises)
        return {
            "hint": sum(exercise.hints for exercise in exercises),
            "solution": solutions if self.solutions else 0,
        }

    @property
    def number_count(self) -> int:
        """How many numbers the page's worked values prove."""
        return sum(len(numbers) for _, numbers in self.values())

    def failures_of(self, index: int | None) -> list[Failure]:
        """What fails in a part; with None, what belongs to no part."""
        if index is not None:
            return self.by_part.get(index, [])
        owned = {id(failure) for part in self.by_part.values() for failure in part}
        return [failure for failure in self.failures if id(failure) not in owned]

    def fail(self, line: int, message: str) -> None:
        """Record a fault."""
        self.failures.append(Failure(self.name, line, message))

    def line_of(self, *texts: str) -> int:
        """The first line of the page that holds one of the texts, for faults seen late."""
        for text in texts:
            at = self.scan.text.find(text) if text else -1
            if at >= 0:
                return self.scan.first_line + self.scan.text.count("\n", 0, at)
        return self.scan.first_line

    def line_near(self, text: str) -> int:
        """The line of the page that a rendered text comes from: by its last words, if it can be."""
        words = re.findall(r"[\w.]+", text)
        for count in range(min(4, len(words)), 0, -1):
            tried = r"[\W_]+".join(re.escape(word) for word in words[-count:])
            if found := re.search(tried, self.scan.text):
                return self.scan.first_line + self.scan.text.count("\n", 0, found.start())
        return self.line_of(text.strip())


def read(path: Path) -> tuple[str, str, int]:
    """A page's front matter, its body, and the line in which the body begins."""
    text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n").expandtabs(4)
    front, body = front_matter(re.sub(r"(?<=\n) +(?=\n)", "", text))  # as Markdown takes it
    return front, body, front.count("\n") + 1


def prove(path: Path, text: str | None = None, first_line: int | None = None) -> Page:
    """Scan a page, run its parts in order, and compare.

    `text` stands for the body of the file, and begins in the line `first_line` of it.
    """
    name = display_path(path)
    front, body, first = read(path)
    page = Page(
        path, scan(body if text is None else text, name, first_line or first, chapter_of(path))
    )
    session = Session(name)
    marking = Marking(session)
    with sources_of(path), fresh_state():
        waiting: list[int] = []
        for index, part in enumerate(page.parts):
            if isinstance(part, Formula) and part.check is not None:
                waiting.append(index)
            with _owned(page, session, index):
                _run(page, session, marking, index, part)
            if isinstance(part, Block):
                _check_equations(page, session, waiting)
        _check_equations(page, session, waiting)
    page.failures += [*page.scan.failures, *session.failures, *front_matter_claims(front, name)]
    page.edits += [(name, *edit) for edit in session.edits]
    for link in page.scan.references:
        if link.kind not in numbered(path, page.scan, link.href):
            page.fail(
                link.line, f"[{link.kind}]({link.href}): there is no such {link.kind.lower()}"
            )
        elif not page.scan.in_solution(link) and _of_solution(path, page.scan, link.href):
            page.fail(
                link.line, f"[{link.kind}]({link.href}): it stands in a solution, often kept back"
            )
    for index, part in enumerate(page.parts):
        if isinstance(part, Documented) and (found := _prove_documented(page, part)):
            page.by_part[index] = found
            page.failures += found
    return page


@lru_cache(maxsize=64)
def _scanned(body: str, chapter: str) -> Scan:
    """A page scanned for what is numbered in it, by its text."""
    return scan(body, "", chapter=chapter)


def numbered(path: Path, own: Scan, href: str) -> dict[str, str]:
    """What a link's target is numbered as: its kind and number; empty if it is not numbered."""
    found, item = _target(path, own, href)
    return dict([found.numbers[item]]) if found and item in found.numbers else {}


def _target(path: Path, own: Scan, href: str) -> tuple[Scan | None, str]:
    """The page that a link leads to, if it is one, and the id there."""
    target, _, item = href.partition("#")
    if not target:
        return own, item
    other = path.parent / target
    return (_scanned(read(other)[1], chapter_of(other)) if other.is_file() else None), item


def _of_solution(path: Path, own: Scan, href: str) -> bool:
    """Whether a link leads to something numbered in the solution of an exercise."""
    found, item = _target(path, own, href)
    return found is not None and item in found.solution_ids


@contextmanager
def _owned(page: Page, session: Session, index: int) -> Iterator[None]:
    """Let what fails inside belong to a part, and an exit from it be a failure."""
    before = len(session.failures)
    try:
        yield
    except BaseException as error:
        if isinstance(error, (Exception, KeyboardInterrupt)):
            raise
        session.fail(page.parts[index].line, f"the part raises {said(error)}")
    if found := session.failures[before:]:
        page.by_part[index] = page.by_part.get(index, []) + found


def _check_equations(page: Page, session: Session, waiting: list[int]) -> None:
    """Hold equations against the code: behind the block that follows, which has their names."""
    for index in waiting:
        part = page.parts[index]
        if isinstance(part, Formula):
            with _owned(page, session, index):
                session.equation(part)
    waiting.clear()


def _run(page: Page, session: Session, marking: Marking, index: int, part: Part) -> None:
    if isinstance(part, Block):
        session.block(part)
    elif isinstance(part, Generated):
        page.outputs[index] = session.generated(part)
    elif isinstance(part, Asked):
        marking.asked(part)
    elif isinstance(part, Check):
        marking.check(part)
    elif isinstance(part, Mistake):
        page.outputs[index] = marking.mistake(part)
    elif isinstance(part, Solved):
        marking.solved(part)
    elif isinstance(part, Value):
        numbers = session.value(part)
        if numbers is not None:
            page.results[index] = numbers
    elif isinstance(part, Citation):
        try:
            page.outputs[index] = bibliography_of(page.path).label(part.key)
        except BibliographyError as error:
            session.fail(part.line, str(error))
    elif isinstance(part, Formula):
        try:
            page.outputs[index] = formula_mathml(part)
        except FormulaError as error:
            offset = part.latex_start + error.offset
            line = page.scan.first_line + page.scan.text.count("\n", 0, offset)
            session.fail(line, f"the formula is no LaTeX: {error}")
        else:
            end = part.line + part.latex.count("\n")
            if not any(part.line <= f.line <= end for f in page.scan.failures):
                for fault in formula_faults(part):
                    session.fail(part.line, fault)
            if part.display:
                _check_symbols(page, session, part, page.outputs[index])


def _check_symbols(page: Page, session: Session, part: Formula, html: str) -> None:
    try:
        notation = notation_of(page.path)
    except NotationError as error:
        session.fail(part.line, str(error))
        return
    if notation:
        docs = notation.path.parent
        name = page.path.resolve().relative_to(docs).as_posix()
        for fault in notation.faults(html, name):
            session.fail(part.line, fault)


def _prove_documented(page: Page, part: Documented) -> list[Failure]:
    try:
        found = docstrings(part.name)
    except (ImportError, AttributeError, TypeError, OSError) as error:
        return [Failure(page.name, part.line, f"::: {part.name}: {error}")]
    failures = []
    for file, first, test in found:
        session = prove_docstring(file, first, test)
        page.docstring_count += bool(test.examples)
        failures += session.failures
        page.edits += [(file, *edit) for edit in session.edits]
    return failures


def pages_below(docs: Path) -> list[Path]:
    """The pages of a book, in a fixed order."""
    return sorted(path for path in docs.rglob("*.md") if not path.name.startswith("."))


__all__ = ["Edit", "Heading", "Page", "pages_below", "prove", "read"]
