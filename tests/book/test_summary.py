"""What a build says of itself."""

from pathlib import Path

from pedocs.book.summary import per_chapter, summary
from tests.book.test_extension import render

TEXT = """\
It is {2 = 1 + one} words $x$ long.

$$
2 x = x + x
$$ {#eq-x check="x = 3"}

$$
x
$$ {#eq-y}
"""


def test_a_chapter_is_counted(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    block = "```pycon\n>>> one = 1\n```\n\n"
    chapter = render(tmp_path / "chapters", block + TEXT).page
    other = render(tmp_path, "Not a chapter.").page
    head, row = per_chapter([other, chapter]).splitlines()
    assert head.split() == [
        "words", "minutes", "blocks", "values", "figures", "equations", "checked",
    ]  # fmt: skip
    assert row.split()[1:] == ["4", "0", "1", "1", "0", "2", "1"]
    assert summary([chapter]).startswith("1 pages, 1 blocks, 1 values, 0 figures")
