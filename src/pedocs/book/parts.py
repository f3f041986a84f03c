"""The live parts of a page, and what a scan of it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pedocs.book.failures import Failure


@dataclass(frozen=True)
class Span:
    """A stretch of the page: where it stands in the scanned text, and in which line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True)
class Block(Span):
    """A worked block: what a REPL session shows."""

    code: str


@dataclass(frozen=True)
class Generated(Span):
    """A generated part: code whose output the page shows."""

    code: str
    figure: str | None


@dataclass(frozen=True)
class Shown(Span):
    """Code that the page shows and does not run."""

    code: str
    language: str


@dataclass(frozen=True)
class Value(Span):
    """A worked value: the text as written and the expression that must produce it."""

    text: str
    text_start: int
    expression: str
    plain: bool
    in_math: bool = False


@dataclass(frozen=True)
class Formula(Span):
    """A formula: LaTeX with the worked values in it."""

    latex: str
    latex_start: int
    values: tuple[Value, ...]
    display: bool
    id: str | None = None
    # What its symbols stand for in the check against the code; None if it is not checked.
    check: str | None = None
    # Why it is not checked.
    unchecked: str | None = None


@dataclass(frozen=True)
class Documented(Span):
    """An object of the library whose docstring the page shows."""

    name: str


@dataclass(frozen=True)
class Captioned(Span):
    """A figure or a table: a block with an id and a number."""

    kind: str
    id: str


@dataclass(frozen=True)
class Reference(Span):
    """A link to something numbered."""

    kind: str
    href: str


@dataclass(frozen=True)
class Destination(Span):
    """Where a link leads: what stands in its parentheses, without a title."""

    href: str


@dataclass(frozen=True)
class Attributes(Span):
    """A list of attributes behind what has them: an id, classes."""

    id: str | None


@dataclass(frozen=True)
class Citation(Span):
    """A work that the text cites, by its key in the bibliography."""

    key: str


@dataclass(frozen=True)
class Asked(Span):
    """The beginning of an exercise, which knows nothing of those before it."""


@dataclass(frozen=True)
class Check(Span):
    """An exercise's own test: code that defines `check`, and what the reader's answer is called."""

    code: str
    answer: str


@dataclass(frozen=True)
class Mistake(Span):
    """A wrong answer that an exercise's test must tell from the right one."""

    code: str
    what: str


@dataclass(frozen=True)
class Solved(Span):
    """The end of a solution, where the answer stands."""


@dataclass
class Exercise:
    """An exercise: where it begins, and what of it has been seen."""

    start: int
    line: int
    id: str
    level: str
    hints: int = 0
    checks: int = 0
    mistakes: int = 0
    # Where its solutions stand in the text; there has to be one.
    solutions: list[tuple[int, int]] = field(default_factory=list)


Part = (
    Block
    | Generated
    | Shown
    | Value
    | Formula
    | Documented
    | Citation
    | Asked
    | Check
    | Mistake
    | Solved
)


@dataclass
class Scan:
    """The parts of a page in document order, what is numbered in it, and the faults seen."""

    path: str
    text: str
    first_line: int
    # The number of the chapter that the page belongs to, if it belongs to one.
    chapter: str = ""
    parts: list[Part] = field(default_factory=list)
    captioned: list[Captioned] = field(default_factory=list)
    exercises: list[Exercise] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    destinations: list[Destination] = field(default_factory=list)
    attributes: list[Attributes] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @cached_property
    def numbers(self) -> dict[str, tuple[str, str]]:
        """The kind and number of each numbered item, by its id.

        In a chapter that of the chapter comes first. On its page of exercises it does so for the
        exercises alone, lest two equations have one number.
        """
        counts: dict[str, int] = {}
        found: dict[str, tuple[str, str]] = {}
        items = [(c.start, c.kind.capitalize(), c.id) for c in self.captioned]
        items += [(exercise.start, "Exercise", exercise.id) for exercise in self.exercises]
        items += [
            (part.start, "Equation", part.id)
            for part in self.parts
            if isinstance(part, Formula) and part.id
        ]
        for _, kind, item in sorted(items):
            counts[kind] = counts.get(kind, 0) + 1
            chapter = self.chapter if kind == "Exercise" or not self.exercises else ""
            found[item] = kind, f"{chapter}.{counts[kind]}".removeprefix(".")
        return found

    @cached_property
    def solution_ids(self) -> set[str]:
        """The ids of what is numbered in solutions."""
        items: list[Captioned | Formula] = [*self.captioned]
        items += [part for part in self.parts if isinstance(part, Formula)]
        return {item.id for item in items if item.id and self.in_solution(item)}

    def in_solution(self, part: Span) -> bool:
        """Whether a part belongs to the solution of an exercise."""
        return any(
            start <= part.start < end
            for exercise in self.exercises
            for start, end in exercise.solutions
        )
