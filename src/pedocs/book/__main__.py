"""`python -m pedocs.book`: what is done with the book apart from building its site.

`check` proves it, `fix` rewrites its numbers, `permalinks` rewrites the record of its links.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pedocs.book import permalinks
from pedocs.book.ahead import prove_all
from pedocs.book.failures import report, speak_plainly
from pedocs.book.fix import rewrite
from pedocs.book.page import pages_below
from pedocs.book.summary import summary


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 1 if anything fails or remains to be fixed by hand."""
    speak_plainly()
    parser = argparse.ArgumentParser(prog="python -m pedocs.book", description=__doc__)
    parser.add_argument("command", choices=["check", "fix", "permalinks"])
    parser.add_argument("pages", nargs="*", type=Path, help="pages; all below docs/ without")
    parser.add_argument("--dry-run", action="store_true", help="fix: show the difference only")
    parser.add_argument(
        "--release", metavar="VERSION", help="permalinks: write a version to those that have none"
    )
    options = parser.parse_args(arguments)
    if options.command == "permalinks":
        return permalinks.release(options.release) if options.release else permalinks.make()
    for page in options.pages:
        if not page.is_file():
            parser.error(f"there is no page {page}")
    paths = options.pages or pages_below(Path("docs"))
    if not paths:
        parser.error("there is no page below docs/; run it in the folder of mkdocs.yml")
    if options.command == "fix":
        return rewrite(paths, dry_run=options.dry_run)
    pages = prove_all(paths)
    failures = [failure for page in pages for failure in page.failures]
    print(report(failures) or summary(pages))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
