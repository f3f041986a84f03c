"""The glossary: links both ways, in the order of the alphabet."""

from pathlib import Path

import pytest

from pedocs.book.glossary import GlossaryError, check

ENTRY = "### {term} {{#{id}}}\n\nA word. Introduced in [X](chapters/{page}.md#{id}).\n\n"


def book(folder: Path, glossary: str, chapter: str = "") -> Path:
    (folder / "chapters").mkdir()
    (folder / "chapters" / "x.md").write_text(chapter)
    path = folder / "glossary.md"
    path.write_text(f"# Glossary\n\n{glossary}")
    return path


def entry(term: str, page: str = "x") -> str:
    return ENTRY.format(term=term, id=term.lower(), page=page)


BACK = "[key](../glossary.md#key) and [Query](../glossary.md#query)"


@pytest.mark.parametrize("hidden", [f"<!-- {BACK} -->", f"`{BACK}`", f"```text\n{BACK}\n```"])
def test_a_link_back_that_is_not_shown_is_none(tmp_path: Path, hidden: str) -> None:
    with pytest.raises(GlossaryError, match="has no link to"):
        check(book(tmp_path, entry("key"), hidden))


def test_links_both_ways(tmp_path: Path) -> None:
    assert check(book(tmp_path, entry("key") + entry("Query"), BACK)) == "2 terms"


@pytest.mark.parametrize(
    ("glossary", "said"),
    [
        ("", "glossary.md has no entry"),
        ("### key {#key}\n\nA word.\n", "glossary.md:3: key names no section of a chapter"),
        (entry("offset"), "glossary.md:3: chapters/x.md has no link to ../glossary.md#offset"),
        (entry("key", "y"), "glossary.md:3: chapters/y.md has no link to ../glossary.md#key"),
        (entry("Query") + entry("key"), "glossary.md:7: key stands behind Query"),
        ("### key\n\nA word.\n", "glossary.md:3: ### key does not read: ### term {#id}"),
        ("#### key {#key}\n\nA word.\n", "glossary.md:3: #### key {#key} does not read"),
        (entry("key").replace("[X]", "`[X]").replace(").", ")`."), "key names no section"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, glossary: str, said: str) -> None:
    with pytest.raises(GlossaryError, match=said.replace(".", r"\.")):
        check(book(tmp_path, glossary, BACK))
