"""Make all that is published twice, and hold the bytes against each other: `make reproduce`.

The commit is built in two folders, one with a space in its name, under two time zones, two
locales and two hash seeds, first without a cache and then with the one that the first build left.
Compared are the site with its notebooks and pictures, its zip, the wheel and the archive of the
source; with `--paper` the PDFs and the EPUB too, which takes minutes more.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What differs between the two builds, and must not show. The first speaks ASCII alone.
PLACES = {
    "a": {
        "TZ": "Asia/Kolkata",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PYTHONHASHSEED": "1",
    },
    "another place": {"TZ": "America/Lima", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
}
PAPER = ("-m", "tools.paper", "site", "dist")


def make(place: Path, env: dict[str, str], *, paper: bool) -> None:
    """Make everything in a clone of the book."""
    (place / "dist").mkdir()
    steps = [
        ("-m", "mkdocs", "build", "--quiet", "--site-dir", "site"),
        *([PAPER] if paper else []),
        ("-m", "pedocs.book.archive", "site", "dist"),
        ("tools/wheel.py", "dist"),
    ]
    for step in steps:
        done = subprocess.run(
            [sys.executable, *step], cwd=place, env=env, stdout=subprocess.DEVNULL
        )
        if done.returncode:
            sys.exit(f"{place}: python {' '.join(step)} fails")


def files(place: Path) -> dict[str, str]:
    """The digests of all that was made, by name."""
    return {
        path.relative_to(place).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("site", "dist")
        for path in sorted((place / folder).rglob("*"))
        if path.is_file()
    }


def differences(first: Path, second: Path) -> Iterator[str]:
    """The files that are not the same, and where they begin to differ."""
    one, two = files(first), files(second)
    for name in sorted(one.keys() | two.keys()):
        if one.get(name) == two.get(name):
            continue
        if name not in one or name not in two:
            yield f"{name}: only one of the builds makes it"
            continue
        a, b = (first / name).read_bytes(), (second / name).read_bytes()
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), -1)
        yield f"{name}: {a[max(0, at - 60) : at + 60]!r} and {b[max(0, at - 60) : at + 60]!r}"


def main() -> int:
    """Build twice and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--paper", action="store_true", help="PDFs and EPUB too")
    paper: bool = parser.parse_args().paper
    with tempfile.TemporaryDirectory(prefix="reproduce-") as temporary:
        clones = list[Path]()
        for name, different in PLACES.items():
            clone = Path(temporary, name)
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            if clones and (clones[0] / ".cache").is_dir():
                shutil.copytree(clones[0] / ".cache", clone / ".cache")
            env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(clone / "src")}
            make(clone, env | different, paper=paper)
            clones.append(clone)
        found = list(differences(clones[0], clones[1]))
        made = files(clones[0])
    for each in found:
        print(each)
    kinds = Counter(Path(name).suffix for name in made)
    listed = ", ".join(f"{count} {kind or 'without ending'}" for kind, count in kinds.most_common())
    print(f"{len(found)} of {len(made)} files differ ({listed})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
