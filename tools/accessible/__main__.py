"""Look at every page of a built site in every view and state: `python -m tools.accessible site`.

Ends with 1 where anything is wrong. `--record` writes the figures for the page on trust.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path

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


def summed(found: list[Found]) -> tuple[Counter[str], Counter[str], int]:
    """How often each check was made, what axe left to people, and how many faults there were."""
    made: Counter[str] = sum((each.made for each in found), Counter())
    left: Counter[str] = sum((each.left for each in found), Counter())
    return made, left, sum(len(each.faults) for each in found)


def record(found: list[Found], pages: int) -> None:
    """Write down what was looked at so far."""
    made, left, faults = summed(found)
    figures = {
        "date": datetime.date.today().isoformat(),
        "pages": len(found),
        "of": pages,
        "views": len(VIEWS),
        "rules": max(each.rules for each in found),
        "made": dict(sorted(made.items())),
        "left": dict(sorted(left.items())),
        "faults": faults,
    }
    RECORD.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def main() -> None:
    """Audit the pages, and say what was found."""
    parser = argparse.ArgumentParser(prog="tools.accessible", description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--pages", nargs="+", default=["*"], help="only these, like 'chapters/*'")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--record", action="store_true", help="write the figures down")
    asked = parser.parse_args()
    found: list[Found] = []
    pages = places(asked.site)
    wanted = [place for place in pages if any(fnmatch(place, each) for each in asked.pages)]
    with ProcessPoolExecutor(asked.jobs) as pool:
        for each in as_completed([pool.submit(one, asked.site, place) for place in wanted]):
            found.append(each.result())
            print(f"{found[-1].place or 'home'}: {len(found[-1].faults)}", flush=True)
            for fault in found[-1].faults:
                print(f"    {fault}", flush=True)
            if asked.record:
                record(found, len(pages))
    made, left, faults = summed(found)
    for check, times in sorted(made.items()):
        print(f"{times:7,} {check}")
    print(f"{len(found)} pages, {faults} faults; left to people by axe: {dict(left)}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
