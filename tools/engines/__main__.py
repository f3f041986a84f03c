"""Build the book with every generator and hold the sites against each other: `make engines`.

    python -m tools.engines [--record] [--sites FOLDER]

All build from the same mkdocs.yml, each in a copy of the folder, with the same versions of all
else. Fails if a page is missing, or says, proves, names or links anything else than under mkdocs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tools.book_copy import copy_book
from tools.engines.compare import Comparison, compare

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "docs" / "measured" / "engines.json"
# mkdocs is the one that the others are held against.
GENERATORS = {
    "mkdocs": ("mkdocs", "build", "--quiet"),
    "properdocs": ("properdocs", "build", "--quiet", "-f", "mkdocs.yml"),
    "zensical": ("zensical", "build", "--clean", "--strict", "-f", "mkdocs.yml"),
}


def build(generator: str, sites: Path) -> Path:
    """Build the book in a copy of its folder; return the folder of the site."""
    place = copy_book(sites / generator)
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(place / "src")}
    start = time.monotonic()
    command = [sys.executable, "-m", *GENERATORS[generator]]
    done = subprocess.run(
        command, cwd=place, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{generator} fails:\n{done.stdout}")
    print(f"{generator}: built in {time.monotonic() - start:.0f} seconds", flush=True)
    return place / "site"


def record(pages: int, found: dict[str, Comparison]) -> None:
    """Write down what was seen."""
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in (*GENERATORS, "mkdocs-material")},
        "pages": pages,
        "generators": {name: each.counts() for name, each in found.items()},
    }
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def main() -> int:
    """Build, compare, say what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="write down what is seen")
    parser.add_argument("--sites", type=Path, help="keep the sites in this folder, or take them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="engines-") as temporary:
        folder: Path = options.sites or Path(temporary)
        sites = {
            name: place if (place := folder / name / "site").is_dir() else build(name, folder)
            for name in GENERATORS
        }
        mkdocs = sites.pop("mkdocs")
        found = {name: compare(mkdocs, site) for name, site in sites.items()}
        pages = len(next(iter(found.values())).pages)
    for name, each in found.items():
        for line in each.faults:
            print(f"{name}: {line}")
        print(f"{name}: {each}")
    failed = any(each.faults for each in found.values())
    if options.record and not failed:
        record(pages, found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
