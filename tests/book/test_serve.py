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

    def page(self, name: str = "") -> str:
        """A page, or nothing while the server does not answer."""
        with suppress(OSError):
            address = f"http://127.0.0.1:{self.port}/{name}"
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


def test_what_a_page_has_read_brings_it_up_to_date(book: Path) -> None:
    """A page comes back from the last build, unless anything that it depends on has changed."""
    docs = book / "docs"
    (docs / "sources.toml").write_text(
        '[print]\n[print.items]\n"one" = {printed = "0.25", where = "Table A"}\n', encoding="utf-8"
    )
    (docs / "data.txt").write_text("first words", encoding="utf-8")
    (docs / "other.md").write_text(
        "# Other\n\n## A part {#part}\n\nIt prints {0.25 = source('print', 'one')}.\n\n"
        '```python exec="1"\nprint((here.parent / "data.txt").read_text())\n```\n\n'
        "/// table | tab-one\n\n| a |\n|---|\n| b |\n\nA caption.\n///\n\n"
        "[Figure](third.md#fig-two) and [documented](third.md#pedocs.rope).\n",
        encoding="utf-8",
    )
    (docs / "index.md").write_text("# Home\n\nWords and [a part](other.md#part).\n", "utf-8")
    figure = (
        '/// figure | fig-{}\n    alt: "A text."\n\n```python exec="1"\n'
        'print("<svg><text>one</text></svg>")\n```\n\nA caption.\n///\n\n'
    )
    (docs / "third.md").write_text(
        "# Third\n\n" + figure.format("two") + "::: pedocs.rope\n", "utf-8"
    )
    server = Server(book)
    try:
        assert "Figure\N{NO-BREAK SPACE}1" in server.until("first words", name="other/")
        style = server.page("assets/_mkdocstrings.css")
        assert style

        server.edit("docs/data.txt", "first", "second")
        server.until("second words", name="other/")
        server.edit("docs/third.md", "# Third\n\n", "# Third\n\n" + figure.format("before"))
        server.until("Figure\N{NO-BREAK SPACE}2", name="other/")
        server.edit("docs/sources.toml", "0.25", "0.75")
        assert "docs/other.md:5: the text says 0.25" in server.until("pd-failures", name="other/")
        # What fails is said again, whatever else is edited.
        server.edit("docs/index.md", "Words", "More words")
        assert "docs/other.md:5: the text says 0.25" in server.until("More words")
        server.edit("docs/sources.toml", "0.75", "0.25")
        server.until("pd-failures", there=False, name="other/")

        # A warning of the generator is not forgotten with the page that caused it.
        server.edit("docs/index.md", "other.md#part", "nowhere.md")
        server.until("nowhere.md leads nowhere", name="other/")
        server.edit("docs/data.txt", "second", "third")
        assert "nowhere.md leads nowhere" in server.until("third words", name="other/")
        server.edit("docs/index.md", "nowhere.md", "other.md#part")
        server.until("pd-failures", there=False)

        # The page with documentation came back, with its links and its style.
        assert "; 2 pages had not changed" in server.log.read_text()
        assert server.page("assets/_mkdocstrings.css") == style
        server.edit("docs/third.md", "::: pedocs.rope", "Nothing.")
        assert "third.md#pedocs.rope leads nowhere" in server.until("pd-failures")
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE)
