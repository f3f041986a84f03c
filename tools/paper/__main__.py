"""``python -m tools.paper SITE DIST [--handouts]``: PDF, EPUB and sheets of a built site."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from tools.paper import epub, handout, whole
from tools.paper.browser import NoChromium, chromium
from tools.paper.site import Site


def main(arguments: list[str]) -> int:
    """Print the site in one folder to another, and let the site have it too, under `paper/`."""
    only = "--handouts" in arguments
    arguments = [each for each in arguments if each != "--handouts"]
    if len(arguments) != 2:
        print("usage: python -m tools.paper SITE DIST [--handouts]", file=sys.stderr)
        return 2
    site, dist = Site(Path(arguments[0])), Path(arguments[1])
    if not (site.folder / "edition.json").is_file():
        print(f"{site.folder}: no edition.json here; make build first", file=sys.stderr)
        return 1
    sheets = dist / "handouts"
    for old in (sheets, site.folder / "paper"):
        shutil.rmtree(old, ignore_errors=True)
    sheets.mkdir(parents=True)
    book = {kind: dist / f"pedocs-{site.edition.version}.{kind}" for kind in ("epub", "pdf")}
    start = time.monotonic()

    def wrote(path: Path, made: bytes) -> None:
        path.write_bytes(made)
        print(f"{path}: {len(made):,} bytes, {time.monotonic() - start:.0f} seconds in")

    if only:
        book.clear()
    else:
        wrote(book["epub"], epub.make(site))
    try:
        with chromium() as browser:
            for chapter, sheet in handout.print_handouts(browser, site).items():
                wrote(sheets / f"{chapter}.pdf", sheet)
            if not only:
                wrote(book["pdf"], whole.print_whole(browser, site))
    except NoChromium as problem:
        print(f"no Chromium starts here (PEDOCS_CHROMIUM names one): {problem}", file=sys.stderr)
        return 1
    shutil.copytree(sheets, site.folder / "paper/handouts")
    for kind, made in book.items():
        shutil.copyfile(made, site.folder / f"paper/pedocs.{kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
