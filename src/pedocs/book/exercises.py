"""Exercises: how a page writes them, and what each must have.

An exercise is a row of blocks with four slashes, in this order:

    //// exercise | ex-turn          //// hint          ```python check="answer"
        title: "A turn"                                 def check(answer): …
        level: by hand               ////               ```
    …                                                   //// solution
    ////                                                …
                                                        ////

The solution binds the answer, and the check must take it. Inside the solution stands at least one
```` ```python mistake="…" ````, a wrong answer that the check must refuse with a message. So the
check is known to pass and to fail, and a reader learns what differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pedocs.book.parts import Exercise

# From a calculation on paper to an afternoon's work.
LEVELS = ("by hand", "with code", "argument", "project")
KINDS = ("exercise", "hint", "solution")

Fail = Callable[[int, str], None]


class Worksheet:
    """The exercises of a page while it is scanned; `fail` takes an offset and a message."""

    def __init__(self, exercises: list[Exercise], fail: Fail) -> None:
        self.exercises, self.fail = exercises, fail
        self.open: tuple[str, int] | None = None  # the block that is open, and where it begins

    @property
    def last(self) -> Exercise | None:
        """The exercise that hints, checks and solutions belong to."""
        return self.exercises[-1] if self.exercises else None

    def begin(self, kind: str, item: str, at: int, line: int, options: list[str]) -> None:
        """Open a block; `options` are the lines behind its first one."""
        if self.open:
            self.fail(at, f"//// {kind} inside //// {self.open[0]}: close it first")
        self.open = kind, at
        if kind == "exercise":
            self.finish()
            self.exercises.append(self.exercise(item, at, line, options))
        elif item:
            self.fail(at, f"//// {kind} | {item}: a {kind} has no id, the exercise has")
        elif not self.last:
            self.fail(at, f"//// {kind} belongs to no exercise")
        elif kind == "hint":
            self.last.hints += 1

    def exercise(self, item: str, at: int, line: int, options: list[str]) -> Exercise:
        given = {
            found[1]: found[2].strip().strip('"')
            for option in options[:2]
            if (found := re.fullmatch(r"\s{4,}(\w+): *(.+)", option))
        }
        if not re.fullmatch(r"ex-[a-z][a-z-]*", item):
            self.fail(at, f"//// exercise | {item}: the id must read ex-<words-and-dashes>")
        if given.keys() != {"title", "level"}:
            self.fail(at, f"exercise {item} needs the two lines title: and level: below it")
        if (level := given.get("level", LEVELS[0])) not in LEVELS:
            self.fail(at, f"exercise {item} has the level {level}: known are {', '.join(LEVELS)}")
        return Exercise(at, line, item, level)

    def end(self, at: int, end: int) -> bool:
        """Close the open block by a line from an offset to another; whether it was a solution."""
        assert self.open
        (kind, start), self.open = self.open, None
        if kind == "solution" and self.last:
            if not self.last.checks:
                self.fail(start, f"the solution of {self.last.id} stands before its check")
            self.last.solutions.append((start, end))
        return kind == "solution" and self.last is not None

    def check(self, at: int, answer: str) -> None:
        """Take note of an exercise's test."""
        if not answer.isidentifier():
            self.fail(at, f'check="{answer}": name what the reader must bind, check="answer"')
        if self.open or not self.last:
            self.fail(at, "a check stands between an exercise and its solution")
        else:
            self.last.checks += 1

    def mistake(self, at: int) -> None:
        """Take note of a wrong answer."""
        if not self.open or self.open[0] != "solution" or not self.last:
            self.fail(at, "a mistake stands in the solution of an exercise")
        else:
            self.last.mistakes += 1

    def finish(self) -> None:
        """What the last exercise lacks, now that it is over."""
        if self.last:
            has = {
                "check": self.last.checks,
                "solution": len(self.last.solutions),
                "mistake": self.last.mistakes,
            }
            for kind, count in has.items():
                if count != 1 and not (kind == "mistake" and count):
                    self.fail(self.last.start, f"exercise {self.last.id} has {count} {kind}s")

    def close(self) -> None:
        """The end of the page."""
        if self.open:
            self.fail(self.open[1], f"the {self.open[0]} block is never closed by ////")
        self.finish()
