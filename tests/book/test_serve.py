"""`mkdocs serve`: a red edit is said in the page and in the terminal, and it goes on."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import pedocs
from tools.tamper.commands import Server


def edit(server: Server, name: str, old: str, new: str) -> None:
    path = server.book / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def server(book: Path) -> Iterator[Server]:
    # A library of its own, to be edited.
    library = Path(pedocs.__file__).parent
    shutil.copytree(library, book / "lib" / "pedocs")
    config = book / "mkdocs.yml"
    config.write_text(config.read_text().replace(str(library), str(book / "lib" / "pedocs")))
    server = Server(book, path=str(book / "lib"))
    yield server
    server.stop()


def test_a_red_edit_is_said_and_a_green_one_heals(server: Server) -> None:
    server.until("0.841471")
    edit(server, "docs/index.md", "{0.841471", "{0.841472")
    page = server.until("pd-failures")
    message = "docs/index.md:10: the text says 0.841472, first[0] is 0.8414709848078965"
    assert message in page
    assert message in server.log.read_text()
    edit(server, "docs/index.md", "{0.841472", "{0.841471")
    server.until("pd-failures", there=False)

    edit(server, "docs/index.md", "(other.md#part)", "(other.md#parts)")
    assert "the link other.md#parts leads nowhere" in server.until("pd-failures")
    edit(server, "docs/index.md", "(other.md#parts)", "(other.md#part)")
    server.until("pd-failures", there=False)

    # An edit in the library is imported afresh and proves the pages again.
    edit(server, "lib/pedocs/_sinusoidal.py", "np.sin(", "np.cos(")
    assert "docs/index.md:10: the text says 0.841471" in server.until("pd-failures")
    assert server.process.poll() is None
