"""How long an edit takes under `mkdocs serve` until the browser has the new page.

Two servers stand side by side: that of the book and that of the same pages as static text under
plain mkdocs-material. In turn a line is added to a chapter of each. Time runs from the writing
of the file; as a browser does it, the page's own request for a reload is held open, and the page
is fetched when it is answered. The new line must be in it. Then a comment is added to a module of
the library, which proves the book anew; what that may take is the edit of a chapter and the proof
(`python -m pedocs.book check`, timed too). All is done to copies.
`python -m benchmarks.serve [--record]`: about ten minutes.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.processes import ROOT, Cost, in_turn, median, ratio, record, run, seconds, spent
from benchmarks.static import static_book
from pedocs.book.ahead import prove_all
from pedocs.book.page import pages_below
from tools.book_copy import copy_book

ROUNDS = 5
PROMISED = 1.3
CHAPTERS = ("rope", "two-scores", "pitfalls")
MODULE = "_rope.py"
_RELOAD = re.compile(r"livereload\((\d+), (\d+)\);")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Server:
    """A server of a book, and what edits of it cost."""

    def __init__(self, folder: Path, process: int, address: str) -> None:
        self.folder, self.process, self.address = folder, process, address
        self.edits = 0

    def page(self, place: str) -> str:
        """What the server has at an address; waits while a build is under way."""
        with urllib.request.urlopen(f"{self.address}{place}", timeout=900) as answer:
            return str(answer.read().decode())

    def reloaded(self, text: str) -> None:
        """Wait until the server asks a browser that shows this text to load it anew."""
        found = _RELOAD.search(text)
        assert found, "the page asks for no reload"
        epoch, request = found.groups()
        while int(self.page(f"livereload/{epoch}/{request}")) <= int(epoch):
            pass  # it answers once a minute, whatever happened

    def chapter(self) -> Cost:
        """Edit a chapter."""
        name = CHAPTERS[self.edits % len(CHAPTERS)]
        word = "".join(_LETTERS[int(digit)] for digit in str(100 + self.edits))
        return self.edit(
            self.folder / "docs" / "chapters" / f"{name}.md",
            f"\nEdited as {word}.\n",
            f"chapters/{name}/",
            f"Edited as {word}.",
        )

    def module(self) -> Cost:
        """Edit a module of the library."""
        file = self.folder / "src" / "pedocs" / MODULE
        return self.edit(file, "# Edited.\n", f"chapters/{CHAPTERS[0]}/", "")

    def edit(self, file: Path, more: str, place: str, shown: str) -> Cost:
        """Add to a file, and wait for a page that shows it."""
        self.edits += 1
        before = self.page(place)
        assert not shown or shown not in before
        cpu, start = spent(self.process), time.perf_counter()
        with file.open("a", encoding="utf-8") as stream:
            stream.write(more)
        self.reloaded(before)
        now = self.page(place)
        cost = Cost(time.perf_counter() - start, spent(self.process) - cpu)
        assert shown in now, f"{file} was edited, and {place} does not show it"
        assert "pd-failures" not in now, f"the edit of {file} is red"
        return cost


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server of the book in a folder, which has been built once."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "-q", "--dev-addr", f"127.0.0.1:{port}"]
    env = {
        "NO_MKDOCS_2_WARNING": "1",
        "PEDOCS_SITE_URL": "",
        "PYTHONPATH": str(folder / "src") + os.pathsep + os.environ.get("PYTHONPATH", ""),
    }
    process = subprocess.Popen(command, cwd=folder, env=os.environ | env, start_new_session=True)
    server = Server(folder, process.pid, f"http://127.0.0.1:{port}/")
    try:
        while process.poll() is None:
            try:
                server.page("")
                break
            except OSError:
                time.sleep(0.2)
        assert process.poll() is None, f"mkdocs serve ends in {folder}"
        yield server
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def main() -> None:
    """Print the medians and the ratios."""
    os.chdir(ROOT)
    pages = prove_all(path.resolve() for path in pages_below(ROOT / "docs"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "static").mkdir()
        static_book(folder / "static", pages)
        with serving(copy_book(folder / "book")) as book, serving(folder / "static") as static:
            costs = in_turn({"pedocs": book.chapter, "static": static.chapter}, ROUNDS)
            check = [sys.executable, "-m", "pedocs.book", "check"]
            costs |= in_turn(
                {
                    "module": book.module,
                    "edit": static.chapter,
                    "proof": lambda: run(check, ROOT),
                },
                (ROUNDS + 1) // 2,
            )
    found = {
        "rounds": ROUNDS,
        "pages": len(pages),
        "seconds": {each: seconds(median(cost)) for each, cost in costs.items()},
        "promised": PROMISED,
        "ratio": ratio(costs["pedocs"], costs["static"]),
        "ratio_module": ratio(costs["module"], costs["edit"], costs["proof"]),
    }
    for each, value in found.items():
        print(f"{each}: {value}")
    print(f"ratio is pedocs / static, and (module - proof) / edit, promised at most {PROMISED}")
    if "--record" in sys.argv:
        record("serve", found)


if __name__ == "__main__":
    main()
