"""`make tamper`: alter the book, one fault at a time, and count which turn red.

Every place is tried by what the engine compares with, on the results of one proof of the page;
and once more through whole proofs, one fault in each part at a time for as many rounds as are
asked for, so that the line that is named is seen too.
"""

from __future__ import annotations

import argparse
import doctest
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from pedocs.book.numbers import disagreement, unread
from pedocs.book.page import Page, pages_below, prove
from pedocs.book.parts import Value
from pedocs.book.run import _FLAGS
from pedocs.book.scan import scan
from tools.tamper import places
from tools.tamper.places import Fault

DOCS = Path(__file__).parents[2] / "docs"


class Tried(NamedTuple):
    """A fault that was tried: its kind, where, and whether it was found."""

    kind: str
    place: str
    found: bool


def said(page: Page, fault: Fault, found: bool) -> Tried:
    """A fault as the report names it."""
    text = page.scan.text
    line = page.scan.first_line + text.count("\n", 0, fault.start)
    before = text[max(0, fault.start - 20) : fault.start].rpartition("\n")[2]
    old = text[fault.start : fault.end]
    behind = text[fault.end : fault.end + 12].partition("\n")[0]
    return Tried(fault.kind, f"{page.name}:{line}: {before}[{old}→{fault.new}]{behind}", found)


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
        yield said(page, fault, bool(wrong))
    for example, altered, fault in places.of_outputs(page):
        same = checker.check_output(altered, example.want, _FLAGS)
        yield said(page, fault, not same)


def unworked(page: Page) -> Iterator[Tried]:
    """Every place for a number that nothing works, by a scan, one in each line at a time."""
    for together in rounds(places.of_prose(page)):
        text = spoiled(page.scan.text, together)
        lines = {failure.line for failure in scan(text, page.name, page.scan.first_line).failures}
        for fault in together:
            first, last = fault.reach
            yield said(page, fault, any(first <= line <= last for line in lines))


def proven(page: Page, count: int, seed: int) -> Iterator[Tried]:
    """Faults through whole proofs: one in each part at a time."""
    faults = [fault for _, fault in places.of_values(page)]
    faults += [fault for _, _, fault in places.of_outputs(page)]
    random.Random(seed).shuffle(faults)
    for together in list(rounds(faults))[:count]:
        text = spoiled(page.scan.text, together)
        lines = {failure.line for failure in prove(page.path, text, page.scan.first_line).failures}
        for fault in together:
            first, last = fault.reach
            found = any(first <= line <= last for line in lines)
            yield said(page, fault, found)._replace(kind=f"{fault.kind}, in a whole proof")


def code(page: Page, count: int, seed: int) -> Iterator[Tried]:
    """Faults in code, each in a proof of its own: the page must be red anywhere."""
    faults = list(places.of_code(page))
    for fault in random.Random(seed).sample(faults, min(count, len(faults))):
        failures = prove(page.path, fault.applied(page.scan.text), page.scan.first_line).failures
        yield said(page, fault, bool(failures))


def rounds(faults: Iterable[Fault]) -> Iterator[list[Fault]]:
    """Faults in sets that hold one for each reach."""
    waiting: dict[tuple[int, int], list[Fault]] = defaultdict(list)
    for fault in faults:
        waiting[fault.reach].append(fault)
    while waiting:
        yield [queue.pop() for queue in waiting.values()]
        waiting = defaultdict(list, {reach: queue for reach, queue in waiting.items() if queue})


def spoiled(text: str, faults: Iterable[Fault]) -> str:
    """The text with several faults in it."""
    for fault in sorted(faults, key=lambda fault: -fault.start):
        text = fault.applied(text)
    return text


def tamper(task: tuple[Path, argparse.Namespace]) -> list[Tried]:
    """All that is tried on a page."""
    path, given = task
    page = prove(path)
    if page.failures:
        raise SystemExit(f"{page.name} is red as it is: {page.failures[0]}")
    return [
        *compared(page),
        *unworked(page),
        *proven(page, given.rounds, given.seed),
        *code(page, given.code, given.seed),
    ]


def main() -> None:
    """Try the pages that are named, else all of them, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.tamper", description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=4, help="whole proofs of each page")
    parser.add_argument("--code", type=int, default=20, help="faults in code of each page")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    pages = given.pages or pages_below(DOCS)
    tried, found, missed = Counter[str](), Counter[str](), list[Tried]()
    with Pool(2) as pool:
        for results in pool.imap_unordered(tamper, [(path, given) for path in pages]):
            for each in results:
                tried[each.kind] += 1
                found[each.kind] += each.found
                if not each.found:
                    missed.append(each)
    for each in sorted(missed):
        print(f"not found: {each.kind}: {each.place}")
    for kind in sorted(tried):
        print(f"{kind:60}{found[kind]:7} of {tried[kind]:7}  {found[kind] / tried[kind]:.2%}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
