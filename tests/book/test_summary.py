"""What a build says of itself."""

from pathlib import Path

from pedocs.book.summary import equations, per_chapter, summary
from tests.book.test_extension import render

TEXT = """\
It is {2 = 1 + one} words $x$ long.

$$
2 x = x + x
$$ {#eq-x check="x = 3"}

$$
x
$$ {#eq-y unchecked="a symbol"}
"""


def test_a_chapter_is_counted(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    block = "```pycon\n>>> one = 1\n```\n\n"
    chapter = render(tmp_path / "chapters", block + TEXT).page
    other = render(tmp_path, "Not a chapter.").page
    head, row = per_chapter([other, chapter]).splitlines()
    assert head.split() == [
        "words", "minutes", "blocks", "values", "figures", "equations", "checked",
        "exercises",
    ]  # fmt: skip
    assert row.split()[1:] == ["4", "0", "1", "1", "0", "2", "1", "0"]
    assert equations([other, chapter]).splitlines() == [
        "2 equations, 1 checked (50.0%), not checked:",
        f"{chapter.name} #eq-y: a symbol",
    ]
    assert equations([other]) == "0 equations, 0 checked (100.0%)"
    assert summary([chapter]).startswith("1 pages, 1 blocks, 1 values, 0 figures")
