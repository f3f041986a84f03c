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

        edit(server, "docs/data.txt", "first", "second")
        server.until("second words", name="other/")
        edit(server, "docs/third.md", "# Third\n\n", "# Third\n\n" + figure.format("before"))
        server.until("Figure\N{NO-BREAK SPACE}2", name="other/")
        edit(server, "docs/sources.toml", "0.25", "0.75")
        assert "docs/other.md:5: the text says 0.25" in server.until("pd-failures", name="other/")
        # What fails is said again, whatever else is edited.
        edit(server, "docs/index.md", "Words", "More words")
        assert "docs/other.md:5: the text says 0.25" in server.until("More words")
        edit(server, "docs/sources.toml", "0.75", "0.25")
        server.until("pd-failures", there=False, name="other/")

        # A warning of the generator is not forgotten with the page that caused it.
        edit(server, "docs/index.md", "other.md#part", "nowhere.md")
        server.until("nowhere.md leads nowhere", name="other/")
        edit(server, "docs/data.txt", "second", "third")
        assert "nowhere.md leads nowhere" in server.until("third words", name="other/")
        edit(server, "docs/index.md", "nowhere.md", "other.md#part")
        server.until("pd-failures", there=False)

        # The page with documentation came back, with its links and its style.
        assert "; 2 pages had not changed" in server.log.read_text()
        assert server.page("assets/_mkdocstrings.css") == style
        edit(server, "docs/third.md", "::: pedocs.rope", "Nothing.")
        assert "third.md#pedocs.rope leads nowhere" in server.until("pd-failures")
    finally:
        server.stop()
