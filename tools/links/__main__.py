"""Ask for every link that leaves a built site, and for archived copies: `make links`.

Links are asked for by lychee; the copies that the Wayback Machine has are recorded in
docs/snapshots.json, which the bibliography shows. Ends with 1 if a link leads nowhere.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pedocs.book.snapshots import read_snapshots, write_snapshots
from tools.links import report
from tools.links.archive import AVAILABLE, Archive
from tools.links.ask import SETTINGS, ask
from tools.links.collect import outside

DOCS = Path(__file__).parents[2] / "docs"


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments; say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("--lychee", type=Path, required=True, help="the program that asks")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="its settings")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of the book")
    parser.add_argument("--archive", default=AVAILABLE, help="where to ask for copies")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two such questions")
    parser.add_argument("--report", type=Path, help="a folder for links.md and dead.md")
    given = parser.parse_args(arguments)
    try:
        places = outside(given.site, given.docs)
        if not places:
            raise ValueError(f"no page of {given.site} has a link out: is it a built site?")
        answers = ask(given.lychee, places, given.settings)
    except (OSError, ValueError, RuntimeError) as error:
        sys.exit(f"the links were not asked for: {error}")
    known = {link: copy for link, copy in read_snapshots(given.docs).items() if link in places}
    missing = [link for link in places if link not in known]
    found, refused = Archive(given.archive, given.pause).copies(missing)
    copies = known | found
    write_snapshots(given.docs, copies)
    lost = report.dead(answers, places, copies)
    text = report.whole(answers, places, copies, refused)
    if given.report:
        given.report.mkdir(parents=True, exist_ok=True)
        (given.report / "links.md").write_text(text, "utf-8")
        (given.report / "dead.md").write_text(lost, "utf-8")
    print(text, end="")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
