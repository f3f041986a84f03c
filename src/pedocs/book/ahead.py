"""Pages proven ahead, in processes of their own, while the generator renders those before them.

A proof needs nothing but the page's file, the library and the data beside it, so it can be made
anywhere. Each process is a fresh Python: no state of a generator, and no module from before an
edit, can reach it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from pedocs.book.course import prove_for
from pedocs.book.failures import display_path
from pedocs.book.page import Page, read
from pedocs.book.reads import note, recorded
from pedocs.book.scan import scan

_Text = tuple[str, str, int]
# With the file's text before and after, and all files that were opened.
_Proof = tuple[Page, _Text, _Text, set[str]]

# A process takes as long to start as a few pages take to prove.
_WORTHWHILE = 4


def patient_gc() -> None:
    """Look for cycles less often than Python does by default.

    A book is one growing heap of small objects: it costs a tenth of the build and finds next
    to nothing.
    """
    gc.set_threshold(50_000, 20, 50)


class Ahead:
    """The proofs that are under way, each until it is taken."""

    def __init__(self, paths: Iterable[Path] = (), seed: int | None = None) -> None:
        paths = list(paths)
        self.seed = seed
        self.pool: ProcessPoolExecutor | None = None
        self.proofs: dict[Path, Future[_Proof]] = {}
        if len(paths) >= _WORTHWHILE and (cores := os.cpu_count() or 1) > 1:
            self.pool = _pool(min(cores, 8))
            # Each proof by the path that the caller knows: a failure names it so.
            self.proofs = {path.resolve(): self.pool.submit(_prove, path, seed) for path in paths}

    def proof(self, path: Path, seed: int | None = None) -> Page:
        """A page's proof, of the file as it stands now, with the numbers of a course."""
        under_way = self.proofs.pop(path.resolve(), None)
        if under_way is not None and seed == self.seed:
            try:
                page, before, after, reads = under_way.result()
            except BrokenProcessPool:
                return _alone(path, seed)  # this page ended the process, or another one did
            if before == after == read(path):
                note(reads)
                return page
        return prove_for(path, seed)

    def close(self) -> None:
        """Give up what was not taken."""
        self.proofs.clear()
        if self.pool is not None:
            # Not waited for, its thread and the end of Python would close the same pipe at once.
            self.pool.shutdown(cancel_futures=True)
            self.pool = None


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, get_context("spawn"), initializer=patient_gc)


def _prove(path: Path, seed: int | None) -> _Proof:
    """A page's proof, and of which text. An interrupt here is the page's own doing."""
    before = read(path)
    with recorded() as reads:
        try:
            page = prove_for(path, seed)
        except KeyboardInterrupt:
            page = _unproven(path, "the page raises KeyboardInterrupt")
    return page, before, read(path), reads


def _unproven(path: Path, why: str) -> Page:
    _, body, first = read(path)
    page = Page(path, scan(body, display_path(path), first))
    page.fail(first, why)
    return page


def _alone(path: Path, seed: int | None) -> Page:
    """A page's proof in a process that it shares with no other."""
    with _pool(1) as pool:
        try:
            return pool.submit(_prove, path, seed).result()[0]
        except BrokenProcessPool:
            return _unproven(path, "the page ends the process that runs it")


def prove_all(paths: Iterable[Path]) -> list[Page]:
    """The proofs of pages, in their order."""
    paths = list(paths)
    ahead = Ahead(paths)
    try:
        return [ahead.proof(path) for path in paths]
    finally:
        ahead.close()
