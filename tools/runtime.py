"""Put the Python that runs in readers' browsers into docs/assets/pyodide: `make runtime`.

It is Pyodide 0.27.7 with numpy, five files of 17 MB, each held to its SHA-256. They are fetched
from where Pyodide publishes them, or copied by `--from`, from a folder or out of an archive.
"""

import argparse
import hashlib
import sys
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from pedocs.book.live import RUNTIME, VERSION, missing

FOLDER = Path(__file__).parents[1] / "docs" / "assets" / "pyodide"
PUBLISHED = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"


def published(name: str) -> bytes:
    """Fetch a file from where Pyodide publishes it."""
    with urllib.request.urlopen(PUBLISHED + name, timeout=60) as answer:
        return bytes(answer.read())


def reader(place: Path) -> Callable[[str], bytes]:
    """Return what reads a file by its name from a folder, or from anywhere in a zip archive."""
    if place.is_dir():
        return lambda name: (place / name).read_bytes()
    archive = zipfile.ZipFile(place)
    inside = {Path(path).name: path for path in archive.namelist()}
    return lambda name: archive.read(inside[name])


def put(folder: Path, read: Callable[[str], bytes]) -> None:
    """Bring what is missing into a folder. Raises ValueError for a file that is not the one."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in missing(folder):
        content = read(name)
        if hashlib.sha256(content).hexdigest() != RUNTIME[name]:
            raise ValueError(f"{name} is not the file of Pyodide {VERSION} that this book uses")
        (folder / name).write_bytes(content)
        print(f"{name}: {len(content) / 1e6:.1f} MB")


def main() -> None:
    """Read the arguments; say in a line what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--from", dest="place", type=Path, help="a folder, or a zip archive")
    place: Path | None = parser.parse_args().place
    try:
        put(FOLDER, reader(place) if place else published)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"the runtime is not there: {error}")


if __name__ == "__main__":
    main()
