"""Every fault of faults.py in every command that builds or proves a book.

One book holds each fault in a folder of its own, so that one run of a command tries them all; a
fault that it does not name is tried once more, alone. A fault is found when the command ends red
and names its page and line.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.book.conftest import environment, write_book
from tools.tamper.faults import FAULTS, MORE, OF_THE_BOOK, Fault

ROOT = Path(__file__).parents[2]
PATIENCE = 1800  # seconds until a server that says nothing counts as silent


def commands(engines: Path | None) -> dict[str, list[str]]:
    """The commands by their names; those of the other generators with the Python that has them."""
    mkdocs = [sys.executable, "-m", "mkdocs"]
    makefile = ["make", "-f", str(ROOT / "Makefile"), f"py={sys.executable}", "stamp=mkdocs.yml"]
    plugin = "-p pedocs.book.pytest_plugin -p no:cacheprovider --tb=short docs"
    found = {
        "make build": [*makefile, "build"],
        "mkdocs build": [*mkdocs, "build"],
        "mkdocs build -q": [*mkdocs, "build", "-q"],
        "mkdocs build --strict": [*mkdocs, "build", "--strict"],
        "mkdocs build -q --strict": [*mkdocs, "build", "-q", "--strict"],
        "mkdocs serve, at the start": [*mkdocs, "serve", "--dev-addr", "127.0.0.1:0"],
        "make test": [*makefile, "test", f"ARGS={plugin}"],
    }
    if engines:
        module, config = [str(engines.absolute()), "-m"], ["-f", "mkdocs.yml"]
        found["properdocs build"] = [*module, "properdocs", "build", *config]
        found["zensical build -c -s"] = [*module, "zensical", "build", "-c", "-s", *config]
    return found


class Tried(NamedTuple):
    """A fault under a command: whether it ended red and named page and line."""

    command: str
    fault: Fault
    found: bool
    # Whether it was red at all, and whether it left pages of the red book in the site.
    red: bool
    left: bool


def spoil(book: Path, faults: Mapping[str, Fault]) -> None:
    """Put faults into a book, each into the folder of docs that is named."""
    for folder, fault in faults.items():
        for name, old, new in fault.edits:
            path = book / "docs" / folder / name
            text = path.read_text(encoding="utf-8")
            assert old in text, fault
            path.write_text(text.replace(old, new, 1), encoding="utf-8")


@contextmanager
def books(faults: Iterable[Fault]) -> Iterator[tuple[Path, dict[str, Fault]]]:
    """A green book with a folder for each of the faults, none of them made yet."""
    with TemporaryDirectory() as made:
        book = write_book(Path(made))
        pages = [path for path in (book / "docs").iterdir() if path.is_file()]
        by_folder = {f"f{number:03}": fault for number, fault in enumerate(faults)}
        for folder in by_folder:
            (book / "docs" / folder).mkdir()
            for page in pages:
                shutil.copy(page, book / "docs" / folder)
        yield book, by_folder


def says(fault: Fault, folder: str = "") -> str:
    """What a command has to say of a fault that lies in a folder."""
    return fault.says.replace("docs/", f"docs/{folder}/", 1) if folder else fault.says


def _run(book: Path, command: list[str]) -> tuple[bool, str]:
    """Whether a command ends red in a book, and what it says. One that hangs is not red."""
    try:
        done = subprocess.run(
            command, cwd=book, env=environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
            errors="replace", timeout=PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        return False, (late.stdout or b"").decode(errors="replace")
    return done.returncode != 0, done.stdout


def _pages_in(site: Path) -> bool:
    return any(path.name != "404.html" for path in site.rglob("*.html"))


def built(name: str, command: list[str], faults: Iterable[Fault]) -> Iterator[Tried]:
    """The faults under a command that ends by itself: all in one book, then what is left alone."""
    with books(faults) as (book, by_folder):
        red, output = _run(book, command)
        if red:
            raise SystemExit(f"{name} is red on a green book:\n{output}")
        shutil.rmtree(book / "site", ignore_errors=True)
        spoil(book, by_folder)
        red, output = _run(book, command)
        left = _pages_in(book / "site")
    alone = list[Fault]()
    for folder, fault in by_folder.items():
        if red and says(fault, folder) in output:
            yield Tried(name, fault, True, red, left)
        else:
            alone.append(fault)
    for fault in alone:
        yield by_itself(name, command, fault)


def by_itself(name: str, command: list[str], fault: Fault) -> Tried:
    """A fault in a book of its own under a command."""
    with books(()) as (book, _):
        spoil(book, {"": fault})
        red, output = _run(book, command)
        return Tried(name, fault, red and says(fault) in output, red, _pages_in(book / "site"))


class Server:
    """A running `mkdocs serve` on a book, with what it says and what it serves."""

    def __init__(self, book: Path, path: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.book, self.log = book, book / "log.txt"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"],
                cwd=book,
                env=environment() | ({"PYTHONPATH": path} if path else {}),
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def page(self, address: str = "") -> str:
        """The home page, or another; nothing while the server does not answer."""
        with suppress(OSError):
            address = f"http://127.0.0.1:{self.port}/{address}"
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                text: str = answer.read().decode()
                return text
        return ""

    def until(self, text: str, *, there: bool = True, name: str = "") -> str:
        """A page, once it is served and holds a text (or no longer does)."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            page = self.page(name)
            if page and (text in page) == there:
                return page
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise AssertionError(f"{text!r} {there=}: {self.log.read_text()}")

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(PATIENCE)


def served(faults: Iterable[Fault]) -> Iterator[Tried]:
    """The faults as edits under `mkdocs serve`: the terminal names each, and so do the pages."""
    with books(faults) as (book, by_folder):
        server = Server(book)
        try:
            server.until("0.841471")
            spoil(book, by_folder)
            page, deadline = server.until("pd-failures"), time.monotonic() + 60
            # Edits that the first rebuild did not see yet are in the next one.
            while time.monotonic() < deadline and not all(
                says(fault, folder) in page for folder, fault in by_folder.items()
            ):
                time.sleep(0.5)
                page = server.until("pd-failures")
            log = server.log.read_text(encoding="utf-8")
            going = server.process.poll() is None
        finally:
            server.stop()
    shown = unescape(page)
    for folder, fault in by_folder.items():
        said = says(fault, folder)
        yield Tried("mkdocs serve, after an edit", fault, going and said in log and said in shown,
                    said in log or said in shown, False)  # fmt: skip


def tried(engines: Path | None, only: str = "") -> Iterator[Tried]:
    """Every fault in every command, or in those whose name holds a text."""
    faults = [*FAULTS, *MORE]
    for name, command in commands(engines).items():
        if only in name:
            yield from built(name, command, faults)
            for fault in OF_THE_BOOK:
                yield by_itself(name, command, fault)
    if only in "mkdocs serve, after an edit":
        yield from served(faults)
