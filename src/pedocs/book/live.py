"""Live code: what a built site serves, so that a reader's browser can run the page's blocks.

The Python that runs there is Pyodide; `make runtime` puts its files into docs/assets/pyodide/,
and a site that was built without them says so when a reader presses Run. What is made here is
the library of this very build, as an archive that is unpacked beside that Python, and a list of
what there is to load.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from pedocs.book.sources import NAME as SOURCES
from pedocs.lab import _results

VERSION = "0.27.7"
# The files of Pyodide that run numpy, with their SHA-256.
RUNTIME = {
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl": (
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08"
    ),
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
# Of the book's own engine, what worked blocks import, and what runs them in the browser.
_ENGINE = ("live_session", "numbers", "sources")


def _files(package: Path, docs: Path) -> dict[str, bytes]:
    """The archive's files by their names in it."""
    files = {"pedocs/book/__init__.py": b'"""What worked blocks need of the book."""\n'}
    for path in package.rglob("*.py"):
        place = path.relative_to(package)
        if place.parts[0] != "book" or (len(place.parts) == 2 and place.stem in _ENGINE):
            files[f"pedocs/{place.as_posix()}"] = path.read_bytes()
    if (docs / SOURCES).is_file():
        files[f"docs/{SOURCES}"] = (docs / SOURCES).read_bytes()
    for name, text in _results.kept(docs).items():
        files[f"pedocs/lab/{name}.json"] = text.encode()
    return files


def archive(files: Mapping[str, bytes]) -> bytes:
    """Files as a zip archive whose bytes depend on their names and contents only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, files[name])
    return buffer.getvalue()


def missing(folder: Path) -> list[str]:
    """The files of the runtime that are not in a folder, or are others than they should be."""
    return [
        name
        for name, digest in RUNTIME.items()
        if not (file := folder / name).is_file()
        or hashlib.sha256(file.read_bytes()).hexdigest() != digest
    ]


def write(site: Path, docs: Path) -> None:
    """Write the library and the list of what there is to load into a built site."""
    folder, runtime = site / "assets" / "live", site / "assets" / "pyodide"
    folder.mkdir(parents=True, exist_ok=True)
    library = archive(_files(Path(__file__).parents[1], docs))
    name = f"library-{hashlib.sha256(library).hexdigest()[:12]}.zip"
    for old in folder.glob("library-*.zip"):
        old.unlink()
    (folder / name).write_bytes(library)
    sizes = {} if missing(runtime) else {file: (runtime / file).stat().st_size for file in RUNTIME}
    content = {
        "library": name,
        "version": VERSION,
        "whole": bool(sizes),
        "bytes": len(library) + sum(sizes.values()),
    }
    (folder / "build.json").write_text(json.dumps(content) + "\n", encoding="utf-8")
