"""`mkdocs serve`: a red edit is said in the page and in the terminal, and it goes on."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import pedocs
from tests.book.conftest import environment

PATIENCE = 120  # seconds until a hanging server fails the test; nothing is measured


class Server:
    """A running `mkdocs serve` on a small book with a library of its own."""

    def __init__(self, book: Path) -> None:
        library = Path(pedocs.__file__).parent
        shutil.copytree(library, book / "lib" / "pedocs")
        config = book / "mkdocs.yml"
        config.write_text(config.read_text().replace(str(library), str(book / "lib" / "pedocs")))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.book, self.log = book, book / "log.txt"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"],
                cwd=book,
                env=environment() | {"PYTHONPATH": str(book / "lib")},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def page(self) -> str:
        """The home page, or nothing while the server does not answer."""
        with suppress(OSError):
            address = f"http://127.0.0.1:{self.port}/"
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                text: str = answer.read().decode()
                return text
        return ""

    def until(self, text: str, *, there: bool = True) -> str:
        """The home page, once it is served and holds a text (or no longer does)."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            page = self.page()
            if page and (text in page) == there:
                return page
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise AssertionError(f"{text!r} {there=}: {self.log.read_text()}")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.book / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def server(book: Path) -> Iterator[Server]:
    server = Server(book)
    yield server
    server.process.terminate()
    server.process.wait(PATIENCE)


def test_a_red_edit_is_said_and_a_green_one_heals(server: Server) -> None:
    server.until("0.841471")
    server.edit("docs/index.md", "{0.841471", "{0.841472")
    page = server.until("pd-failures")
    message = "docs/index.md:10: the text says 0.841472, first[0] is 0.8414709848078965"
    assert message in page
    assert message in server.log.read_text()
    server.edit("docs/index.md", "{0.841472", "{0.841471")
    server.until("pd-failures", there=False)

    server.edit("docs/index.md", "(other.md#part)", "(other.md#parts)")
    assert "the link other.md#parts leads nowhere" in server.until("pd-failures")
    server.edit("docs/index.md", "(other.md#parts)", "(other.md#part)")
    server.until("pd-failures", there=False)

    # An edit in the library is imported afresh and proves the pages again.
    server.edit("lib/pedocs/_sinusoidal.py", "np.sin(", "np.cos(")
    assert "docs/index.md:10: the text says 0.841471" in server.until("pd-failures")
    assert server.process.poll() is None
