"""What `mkdocs serve` keeps between its builds: pages that came out green and read nothing new.

A page is proven and rendered again when anything it depends on has changed: its own text, a file
that its proof or its rendering opened, the names of the book's files, the library and the engine,
the configuration, the environment. Nothing outlives the process, and `mkdocs build` keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pedocs.book import build
from pedocs.book.page import Page
from pedocs.book.parts import Documented
from pedocs.book.reads import UNKNOWN, recorded

_DOCUMENTS = re.compile(rb"^ *::: ", re.M)
_CODE = (".py", ".pyc")  # the library is looked at as a whole, and Python stays what it is

# A file as it was: when it was written, and a digest of what it held.
_Stamp = tuple[int, bytes]


@dataclass(frozen=True)
class Kept:
    """A page of the last build: its proof, what rendering made of it, and what it had read."""

    proof: Page
    made: dict[str, Any]
    reads: dict[str, _Stamp]


class Keeper:
    """The pages that a served book keeps. `warned` counts what the generator has warned of."""

    def __init__(self, warned: Callable[[], int]) -> None:
        self.warned = warned
        self.kept: dict[Path, Kept] = {}
        self.returned = 0  # how many pages of this build come from an earlier one
        self._around = b""
        self._rendered: dict[Path, tuple[dict[str, Any], set[str]]] = {}
        self._stamps: dict[str, _Stamp | None] = {}

    def begin(self, config: Any) -> None:
        """Look at the book as it stands now, and forget the pages that it has left behind."""
        self.returned, self._rendered, self._stamps = 0, {}, {}
        docs = Path(config.docs_dir)
        names = sorted(str(path) for path in docs.rglob("*"))
        for name in names:
            if name.endswith(".md"):
                self._stamp(name)  # before anybody reads it
        around = _digest_of(names, Path(config.config_file_path), map(Path, config.watch))
        if around != self._around:
            self.kept.clear()
        self._around = around
        self.kept = {path: kept for path, kept in self.kept.items() if self._holds(kept)}
        pages = [Path(name).resolve() for name in names if name.endswith(".md")]
        if any(_DOCUMENTS.search(path.read_bytes()) for path in pages if path not in self.kept):
            # Pages of documentation refer to each other, which no file tells.
            self.kept = {
                p: kept for p, kept in self.kept.items() if not kept.proof.count(Documented)
            }

    def watch(self, page: Any) -> None:
        """Let a page of the generator come back as it was, or be rendered and remembered."""
        page.render = partial(self._render, page)

    def end(self, pages: Iterable[Any]) -> None:
        """All pages are rendered and linked with each other: keep those that are green."""
        for page in pages:
            path = _path(page)
            proof = build.current.pages.get(path)
            if path not in self._rendered or proof is None or proof.failures:
                continue
            made, reads = self._rendered[path]
            stamps = {name: self._stamp(name) for name in reads if not name.endswith(_CODE)}
            known = {name: stamp for name, stamp in stamps.items() if stamp is not None}
            still = all(_written(name) == stamp[0] for name, stamp in known.items())
            if UNKNOWN not in reads and still:
                self.kept[path] = Kept(proof, made | {"content": page.content}, known)

    def _render(self, page: Any, config: Any, files: Any) -> None:
        path = _path(page)
        if kept := self.kept.get(path):
            self.returned += 1
            vars(page).update(kept.made)
            build.current.pages[path] = kept.proof
            if kept.proof.count(Documented):  # whoever renders documentation has a style sheet made
                config.plugins["mkdocstrings"].get_handler("python")
            return
        before, warned = dict(vars(page)), self.warned()
        with recorded() as reads:
            type(page).render(page, config, files)
        if self.warned() == warned:
            made = {k: v for k, v in vars(page).items() if before.get(k, page) is not v}
            self._rendered[path] = made, reads

    def _holds(self, kept: Kept) -> bool:
        """Whether all that a page had read is as it was."""
        return all(self._stamp(name) == stamp for name, stamp in kept.reads.items())

    def _stamp(self, name: str) -> _Stamp | None:
        """A file as it was when this build first looked; None if it is none."""
        if name not in self._stamps:
            try:
                written = _written(name)
                digest = hashlib.blake2b(Path(name).read_bytes()).digest()
                self._stamps[name] = written, digest
            except OSError:
                self._stamps[name] = None
        return self._stamps[name]


def _path(page: Any) -> Path:
    return Path(page.file.abs_src_path).resolve()


def _written(name: str) -> int:
    try:
        return Path(name).stat().st_mtime_ns
    except OSError:
        return -1


def _digest_of(names: list[str], config: Path, watched: Iterable[Path]) -> bytes:
    """What every page depends on: names of files, configuration, library, environment."""
    digest = hashlib.blake2b()
    code = [path for place in watched for path in (place, *sorted(place.rglob("*.py")))]
    for path in (config, *(path for path in code if path.is_file())):
        digest.update(f"{path}\0".encode() + hashlib.blake2b(path.read_bytes()).digest())
    given = sorted(item for item in os.environ.items() if item[0].startswith("PEDOCS_"))
    digest.update(repr((names, given)).encode())
    return digest.digest()
