"""`make tamper`: alter the book, one fault at a time, and count which turn red.

First the pages of the book, then every fault of faults.py in every command, on a small book.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pedocs.book.page import pages_below, prove
from tools.tamper import commands
from tools.tamper.pages import Tried, tamper

DOCS = Path(__file__).parents[2] / "docs"
RECORD = DOCS / "measured" / "tamper.json"

# Where not every fault can be found, and why. It is found by the other commands.
EXCUSED = {
    "make test": "it proves pages and renders none: what only a rendered page shows is left to "
    "the test that builds the book",
    "zensical build -c -s": "Zensical runs no hook: of links and anchors it warns in words of its "
    "own, and nothing looks at the configuration",
}


def _tampered(path: Path, rounds: int, mutants: int, seed: int) -> list[Tried]:
    page = prove(path)
    if page.failures:
        raise SystemExit(f"{page.name} is red as it is: {page.failures[0]}")
    return list(tamper(page, rounds, mutants, seed))


def of_pages(pages: Iterable[Path], given: argparse.Namespace) -> dict[str, Counter[str]]:
    """What came of the faults in pages, by their kind; all but what was found is printed."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    trial = partial(_tampered, rounds=given.rounds, mutants=given.code, seed=given.seed)
    longest_first = sorted(pages, key=lambda path: -path.stat().st_size)
    with ProcessPoolExecutor(given.processes) as pool:
        for tried in pool.map(trial, longest_first):
            for each in tried:
                outcomes[each.kind][each.outcome] += 1
                if each.outcome != "found":
                    print(f"{each.outcome}: {each.kind}: {each.place}", flush=True)
    return outcomes


def of_commands(given: argparse.Namespace) -> dict[str, list[commands.Tried]]:
    """What came of the faults in a small book, by the command; what was not found is printed."""
    outcomes: dict[str, list[commands.Tried]] = defaultdict(list)
    for each in commands.tried(given.engines, given.command):
        outcomes[each.command].append(each)
        if not each.found:
            how = "red, but not where it is" if each.red else "green"
            said = f"{each.fault.says} {each.fault.new!r}"
            print(f"not found: {each.command}: {each.fault.kind}: {said}: {how}", flush=True)
    return outcomes


def main() -> None:
    """Try the pages that are named, or all of them and every command; say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.tamper", description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="only these, and no command")
    parser.add_argument("--rounds", type=int, default=2, help="whole proofs of each page")
    parser.add_argument("--code", type=int, default=8, help="faults in code of each page")
    parser.add_argument("--seed", type=int, default=0, help="of what is sampled")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--engines", type=Path, help="a Python with ProperDocs and Zensical")
    parser.add_argument("--command", default="", help="only commands whose name holds this")
    parser.add_argument("--no-pages", action="store_true", help="only the commands")
    parser.add_argument("--record", action="store_true", help=f"write docs/measured/{RECORD.name}")
    given = parser.parse_args()
    pages = [] if given.no_pages else given.pages or pages_below(DOCS)
    of_kinds = of_pages(pages, given)
    of_names = {} if given.pages else of_commands(given)
    for kind, counts in sorted(of_kinds.items()):
        rest = "; ".join(f"{n} {what}" for what, n in counts.items() if what != "found")
        print(f"{kind}: {counts['found']} of {counts.total()} {rest and f'({rest})'}")
    for name, tried in of_names.items():
        print(f"{name}: {sum(each.found for each in tried)} of {len(tried)}")
    if given.record:
        _record(given, len(pages), of_kinds, of_names)
    missed = any(counts["missed"] for counts in of_kinds.values())
    silent = any(not each.found and name not in EXCUSED for name, tried in of_names.items()
                 for each in tried)  # fmt: skip
    sys.exit(missed or silent)


def _record(
    given: argparse.Namespace,
    pages: int,
    of_kinds: Mapping[str, Counter[str]],
    of_names: Mapping[str, list[commands.Tried]],
) -> None:
    """Write down what was tried; what was not tried this time stays as it is."""
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    record["date"] = datetime.now(UTC).date().isoformat()
    if of_kinds:
        record |= {"seed": given.seed, "rounds": given.rounds, "code": given.code, "pages": pages}
        record["kinds"] = {kind: dict(counts) for kind, counts in sorted(of_kinds.items())}
    known = record.setdefault("commands", {})
    known |= {name: _counts(tried) for name, tried in of_names.items()}
    RECORD.parent.mkdir(exist_ok=True)
    text = json.dumps(record, indent=2, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")


def _counts(tried: list[commands.Tried]) -> dict[str, Any]:
    """A command's figures for the record."""
    name = tried[0].command
    return {
        "tried": len(tried),
        "found": sum(each.found for each in tried),
        "red": sum(each.red for each in tried),
        "left": sum(each.left for each in tried),
        "missed": dict(Counter(each.fault.kind for each in tried if not each.found)),
        "why": EXCUSED.get(name, ""),
    }


if __name__ == "__main__":
    main()
