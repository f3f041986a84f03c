"""What the scripts of the pages need, for a site that was built without the hook (by Zensical).

    python -m pedocs.book.bare SITE

The library of this build for live code, the encodings that figures show, and the list of both.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pedocs.book import encodings, live


def main(arguments: list[str] | None = None) -> int:
    """Add to the site named on the command line."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 1 or not (site := Path(given[0])).joinpath("index.html").is_file():
        print("usage: python -m pedocs.book.bare SITE", file=sys.stderr)
        return 2
    library = live.write_library(site, Path("docs"))
    encodings.write(site)
    live.write_list(site, library)
    return 0


if __name__ == "__main__":
    sys.exit(main())
