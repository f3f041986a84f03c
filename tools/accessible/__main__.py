"""Look at every page of a built site in every view and state: `python -m tools.accessible site`.

Ends with 1 where anything is wrong. `--record` writes the figures for the page on trust: those of
the pages looked at, beside what is kept of the others. `--rest` looks at those others.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from playwright.sync_api import Error

from benchmarks.served import served
from tools.paper.browser import chromium

from .audit import VIEWS, Audit, Found

RECORD = Path(__file__).parents[2] / "docs" / "measured" / "accessible.json"


def places(site: Path) -> list[str]:
    """Return the addresses of a site's pages, and that of the page for wrong ones."""
    pages = sorted(
        page.parent.relative_to(site).as_posix().removeprefix(".")
        for page in site.rglob("index.html")
    )
    return [*(f"{place}/" if place else "" for place in pages), "no/such/page/"]


def one(site: Path, place: str) -> Found:
    """Audit one page, in a browser of its own; one that cannot be looked at is a fault."""
    try:
        with served(site) as address, chromium() as browser:
            return Audit(browser, address).page(place)
    except Error as error:
        found = Found(place)
        found.note("whole", "anywhere", [str(error)])
        return found


def summed(found: Iterable[Found]) -> Found:
    """How often each check was made on all of the pages, and what was found."""
    total = Found("all")
    for each in found:
        total.made += each.made
        total.left += each.left
        total.faults += each.faults
        total.rules = max(total.rules, each.rules)
    return total


def recorded() -> dict[str, Any]:
    """What is written down, by page."""
    kept = json.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {"pages": {}}
    return dict(kept["pages"])


def record(found: list[Found], pages: list[str]) -> None:
    """Write down what was looked at so far; of pages looked at earlier, what was found then."""
    kept = recorded()
    today = datetime.date.today().isoformat()
    for each in found:
        kept[each.place] = {
            "date": today,
            "rules": each.rules,
            "made": dict(sorted(each.made.items())),
            "left": dict(sorted(each.left.items())),
            "faults": len(each.faults),
        }
    lines = [
        f"  {json.dumps(place)}: {json.dumps(kept[place])}" for place in pages if place in kept
    ]
    figures = f' "of": {len(pages)},\n "views": {len(VIEWS)},\n "pages": {{\n' + ",\n".join(lines)
    RECORD.write_text(f"{{\n{figures}\n }}\n}}\n", "utf-8")


def main() -> None:
    """Audit the pages, and say what was found."""
    parser = argparse.ArgumentParser(prog="tools.accessible", description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--pages", nargs="+", default=["*"], help="only these, like 'chapters/*'")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--record", action="store_true", help="write the figures down")
    parser.add_argument("--rest", action="store_true", help="only pages that have no record yet")
    asked = parser.parse_args()
    found: list[Found] = []
    pages = places(asked.site)
    wanted = [place for place in pages if any(fnmatch(place, each) for each in asked.pages)]
    if asked.rest:
        wanted = [place for place in wanted if place not in recorded()]
    with ProcessPoolExecutor(asked.jobs) as pool:
        for each in as_completed([pool.submit(one, asked.site, place) for place in wanted]):
            found.append(each.result())
            print(f"{found[-1].place or 'home'}: {len(found[-1].faults)}", flush=True)
            for fault in found[-1].faults:
                print(f"    {fault}", flush=True)
            if asked.record:
                record(found, pages)
    total = summed(found)
    for check, times in sorted(total.made.items()):
        print(f"{times:7,} {check}")
    faults = len(total.faults)
    print(f"{len(found)} pages, {faults} faults; left to people by axe: {dict(total.left)}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
