"""The pages of the book with one fault at a time.

Every place is tried by what the engine compares with, on the results of one proof of the page;
a sample goes through whole proofs, so that the line that is named is seen too.
"""

from __future__ import annotations

import doctest
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pedocs.book.numbers import disagreement, unread
from pedocs.book.page import Page, prove, read
from pedocs.book.parts import Generated, Mistake, Value
from pedocs.book.run import FLAGS
from pedocs.book.scan import front_matter_claims, scan
from tools.tamper import code, docstrings, equations, places
from tools.tamper.places import Fault


class Tried(NamedTuple):
    """A fault that was tried: its kind, where, and what came of it.

    found: red, and named where it is. still true: everything that the page states is what its
    code gives, before and after. missed: neither.
    """

    kind: str
    place: str
    outcome: str


def _said(page: Page, fault: Fault, found: bool) -> Tried:
    """A fault as the report names it."""
    text = page.scan.text
    line = page.scan.first_line + text.count("\n", 0, fault.start)
    before = text[max(0, fault.start - 20) : fault.start].rpartition("\n")[2]
    old = text[fault.start : fault.end]
    behind = text[fault.end : fault.end + 12].partition("\n")[0]
    place = f"{page.name}:{line}: {before}[{old}→{fault.new}]{behind}"
    return Tried(fault.kind, place, "found" if found else "missed")


def compared(page: Page) -> Iterator[Tried]:
    """Every fault in a value or an output, by the engine's comparison."""
    checker = doctest.OutputChecker()
    for index, fault in places.of_values(page):
        value = page.parts[index]
        assert isinstance(value, Value)
        raw = page.scan.text[value.text_start : value.end]
        at = fault.start - value.text_start
        text = raw[:at] + fault.new + raw[at + fault.end - fault.start :]
        text = text[: text.index(" = ")] if " = " in text else text.partition("\n")[0]
        wrong = unread(text, in_math=value.in_math) or disagreement(
            text, value.expression, page.results[index]
        )
        yield _said(page, fault, bool(wrong))
    for example, altered, fault in places.of_outputs(page):
        same = checker.check_output(altered, example.want, FLAGS)
        yield _said(page, fault, not same)


def unworked(page: Page) -> Iterator[Tried]:
    """Every place for a number that nothing works, by a scan, one in each line at a time."""
    for together in _rounds(places.of_prose(page)):
        text = _spoiled(page.scan.text, together)
        lines = {failure.line for failure in scan(text, page.name, page.scan.first_line).failures}
        for fault in together:
            first, last = fault.reach
            yield _said(page, fault, any(first <= line <= last for line in lines))
    front, _, _ = read(page.path)
    for number, line in enumerate(front.split("\n")):
        key, separator, said = line.partition(": ")
        if separator and key in ("title", "description"):
            for kind, at, new in places.of_words(said):
                altered = front.replace(line, f"{key}: {said[:at]}{new}{said[at:]}", 1)
                failures = front_matter_claims(altered, page.name)
                found = any(failure.line == number + 1 for failure in failures)
                place = f"{page.name}:{number + 1}: {said[:at]}[{new}]"
                yield Tried(f"{kind} in the front matter", place, "found" if found else "missed")


def proven(page: Page, count: int, seed: int) -> Iterator[Tried]:
    """Faults through whole proofs: one in each part at a time."""
    faults = [fault for _, fault in places.of_values(page)]
    faults += [fault for _, _, fault in places.of_outputs(page)]
    random.Random(seed).shuffle(faults)
    for together in list(_rounds(faults))[:count]:
        text = _spoiled(page.scan.text, together)
        lines = {failure.line for failure in prove(page.path, text, page.scan.first_line).failures}
        for fault in together:
            first, last = fault.reach
            found = any(first <= line <= last for line in lines)
            yield _said(page, fault, found)._replace(kind=f"{fault.kind}, in a whole proof")


def of_code(page: Page, count: int, seed: int) -> Iterator[Tried]:
    """Faults in code, each in a proof of its own: the page is red anywhere, or still true."""
    faults = list(code.of_code(page))
    for fault in random.Random(seed).sample(faults, min(count, len(faults))):
        altered = prove(page.path, fault.applied(page.scan.text), page.scan.first_line)
        tried = _said(page, fault, bool(altered.failures))
        if not altered.failures:
            tried = tried._replace(outcome=f"still true: {_shown(page, altered)}")
        yield tried


def _shown(page: Page, altered: Page) -> str:
    """What of a page shows that its code changed, where all that it states holds as before."""
    changed = {type(page.parts[index]) for index, output in page.outputs.items()
               if altered.outputs.get(index) != output}  # fmt: skip
    if Generated in changed:
        return "it shows in a generated part, where no text states it"
    if Mistake in changed:
        return "an exercise's wrong answer is wrong in another way"
    if page.results != altered.results:
        return "it shows behind the last digit that is written"
    return "nothing shows it"


def tamper(page: Page, rounds: int, mutants: int, seed: int) -> Iterator[Tried]:
    """All that is tried on a page."""
    yield from compared(page)
    yield from unworked(page)
    yield from proven(page, rounds, seed)
    yield from of_code(page, mutants, seed)
    for fault in docstrings.tried(page):
        yield Tried(fault.kind, fault.place, "found" if fault.found else "missed")
    for changed in equations.tried(page):
        outcome = "found" if changed.found else "still true: listed" if changed.still_true else "missed"  # fmt: skip
        place = f"{page.name}: {changed.equation}: {' '.join(changed.latex.split())}"
        yield Tried(f"{changed.kind} of a checked equation", place, outcome)


def _rounds(faults: Iterable[Fault]) -> Iterator[list[Fault]]:
    """Faults in sets that hold one for each reach."""
    waiting: dict[tuple[int, int], list[Fault]] = defaultdict(list)
    for fault in faults:
        waiting[fault.reach].append(fault)
    while waiting:
        yield [queue.pop() for queue in waiting.values()]
        waiting = defaultdict(list, {reach: queue for reach, queue in waiting.items() if queue})


def _spoiled(text: str, faults: Iterable[Fault]) -> str:
    """The text with several faults in it."""
    for fault in sorted(faults, key=lambda fault: -fault.start):
        text = fault.applied(text)
    return text
