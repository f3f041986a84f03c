"""Live code: what a built site serves, so that a reader's browser can run the page's blocks.

The Python that runs there is Pyodide; `make runtime` puts its files into docs/assets/pyodide/,
and a site that was built without them says so when a reader presses Run. What is made here is
the library of this very build, as a wheel, and a list of what there is to load.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tempfile
import tomllib
from pathlib import Path

from flit_core.wheel import WheelBuilder

from pedocs.book.notebook import FOLDER as NOTEBOOKS
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

# What Pyodide reads to find numpy.
PACKAGES = "assets/live/pyodide-lock.json"

_PACKAGE = Path(__file__).parents[1]
_PROJECT = _PACKAGE.parents[1]


def wheel(folder: Path, docs: Path) -> Path:
    """Make a wheel of the library in a folder named by its content. Returns its path.

    It holds what `pip wheel .` would pack, and the data that blocks read: the numbers of
    sources and what the lab found. Its bytes depend on these alone.
    """
    project = tomllib.loads((_PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)
        for name in ("pyproject.toml", project["readme"], *project["license-files"]):
            shutil.copyfile(_PROJECT / name, copy / name)
        package = copy / "src" / _PACKAGE.name
        shutil.copytree(_PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        if (docs / SOURCES).is_file():
            shutil.copyfile(docs / SOURCES, package / "book" / SOURCES)
        for name, text in _results.kept(docs).items():
            (package / "lab" / f"{name}.json").write_text(text, "utf-8")
        packed = io.BytesIO()
        builder = WheelBuilder.from_ini_path(copy / "pyproject.toml", packed)
        builder.source_time_stamp = (1980, 1, 1, 0, 0, 0)
        builder.build()
    content = packed.getvalue()
    made: Path = folder / hashlib.sha256(content).hexdigest()[:12] / builder.wheel_filename
    made.parent.mkdir(parents=True)
    made.write_bytes(content)
    return made


def missing(folder: Path) -> list[str]:
    """The files of the runtime that are not in a folder, or are others than they should be."""
    return [
        name
        for name, digest in RUNTIME.items()
        if not (file := folder / name).is_file()
        or hashlib.sha256(file.read_bytes()).hexdigest() != digest
    ]


def write_library(site: Path, docs: Path) -> str:
    """Write the library of this build into a built site; where it lies there.

    It lies nowhere if it was imported from outside of its project: that says how it is packed.
    """
    folder = site / "assets" / "live" / "library"
    shutil.rmtree(folder, ignore_errors=True)  # of the build before
    if not (_PROJECT / "pyproject.toml").is_file():
        return ""
    return wheel(folder, docs).relative_to(site).as_posix()


def write_list(site: Path, library: str) -> None:
    """Write what a reader's browser has to load into a built site, behind all that it lists.

    No file is listed where the runtime or the library is missing: neither runs alone.
    """
    runtime = site / "assets" / "pyodide"
    files = (
        []
        if not library or missing(runtime)
        else [site / library, site / PACKAGES, *(runtime / name for name in RUNTIME)]
    )

    def named(path: Path) -> str:
        return path.relative_to(site).as_posix()

    content = {
        "library": library,
        "version": VERSION,
        "files": {named(path): path.stat().st_size for path in files},
        "digests": {named(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "notebooks": sorted(map(named, (site / NOTEBOOKS).rglob("*.ipynb"))),
    }
    folder = site / "assets" / "live"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "build.json").write_text(json.dumps(content) + "\n", encoding="utf-8")
