"""The library's docstrings with one fault at a time."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from typing import NamedTuple

from pedocs.book.claims import claims
from pedocs.book.library import docstrings, prove_docstring
from pedocs.book.page import Page
from pedocs.book.parts import Documented
from pedocs.book.run import FLAGS, between
from tools.tamper.places import of_text, of_words


class Tried(NamedTuple):
    """A fault in a docstring: its kind, where, and whether it was found."""

    kind: str
    place: str
    found: bool


def tried(page: Page) -> Iterator[Tried]:
    """Every fault in the docstrings that a page shows."""
    for part in page.parts:
        if isinstance(part, Documented):
            for file, first, test in docstrings(part.name):
                yield from _outputs(file, first, test)
                yield from _prose(file, first, test)
                yield from _whole(file, first, test)


def _outputs(file: str, first: int, test: doctest.DocTest) -> Iterator[Tried]:
    """Every digit and sign of what its examples print, by the engine's comparison."""
    checker = doctest.OutputChecker()
    for example in test.examples:
        for kind, start, end, new in of_text(example.want, "a docstring's output"):
            altered = example.want[:start] + new + example.want[end:]
            place = f"{file}:{first + example.lineno}: {example.want[:start]}[{new}]"
            yield Tried(kind, place, not checker.check_output(altered, example.want, FLAGS))


def _prose(file: str, first: int, test: doctest.DocTest) -> Iterator[Tried]:
    """A number that nothing works, behind every word, by the rule on claims."""
    for number, text in between(test.docstring or "", test.examples):
        for kind, at, new in of_words(text):
            altered = (text[:at] + new + text[at:]).replace("`", " ")
            place = f"{file}:{first + number}: {text[:at]}[{new}]"
            yield Tried(f"{kind} in a docstring", place, any(claims(altered)))


def _whole(file: str, first: int, test: doctest.DocTest) -> Iterator[Tried]:
    """The last digit of each output, in a proof of the docstring: is its line named?"""
    lines = (test.docstring or "").split("\n")
    for example in test.examples:
        faults = [fault for fault in of_text(example.want, "") if fault[3].isdigit()]
        if not faults:
            continue
        _, start, end, new = faults[-1]
        altered = example.want[:start] + new + example.want[end:]
        at = example.lineno + example.source.count("\n")
        while lines[at].strip() != example.want.split("\n")[0].strip():
            at += 1
        spoiled = list(lines)
        for k, row in enumerate(altered.split("\n")[:-1]):
            spoiled[at + k] = " " * example.indent + row
        text = "\n".join(spoiled)
        again = doctest.DocTestParser().get_doctest(text, {}, test.name, file, 0)
        named = range(first + example.lineno, first + at + len(example.want.split("\n")))
        failures = prove_docstring(file, first, again).failures
        found = any(failure.line in named for failure in failures)
        place = f"{file}:{first + at}: {altered.strip()}"
        yield Tried("a docstring's output: a digit, in a whole proof", place, found)
