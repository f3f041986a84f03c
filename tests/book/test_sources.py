"""The data file: what it gives, what it refuses, and the comparison with what is recomputed."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pedocs.book.sources import comparison, source, sources_of

FILE = """\
["x"]
title = "X"
["x".items]
"a" = { printed = "0.5", where = "here" }
"b" = { printed = "(-1.0, 2)", where = "there | then" }
["bad".items]
"no number" = { printed = "none", where = "here" }
"no place" = { printed = "1" }
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "sources.toml"
    path.write_text(FILE)
    (tmp_path / "chapters").mkdir()
    with sources_of(tmp_path / "chapters" / "page.md"):
        yield path


def test_a_number_and_an_array() -> None:
    assert source("x", "a") == 0.5
    np.testing.assert_array_equal(source("x", "b"), [-1, 2])


def test_an_edit_is_seen(file: Path) -> None:
    assert source("x", "a") == 0.5
    file.write_text(FILE.replace("0.5", "0.625"))
    assert source("x", "a") == 0.625


@pytest.mark.parametrize(
    ("key", "item", "message"),
    [
        ("y", "a", "no source 'y'; it has 'x', 'bad'"),
        ("x", "c", "no item 'c'; it has 'a', 'b'"),
        ("bad", "no number", "prints no number: 'none'"),
        ("bad", "no place", "does not say 'where'"),
    ],
)
def test_what_is_not_there_is_named(key: str, item: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        source(key, item)


def test_a_comparison_says_what_holds() -> None:
    found = comparison("x", {"a": 0.46, "b": [-1.04, 2.5]})
    assert len(found) == 2
    assert found.misses == 1
    assert str(found).splitlines()[2:] == [
        "| a | yes | 0.5 | 0.460000 | here |",
        "| b | **no** | (−1.0, 2) | −1.040000, 2.500000 | there \\| then |",
    ]


@pytest.mark.parametrize(
    ("recomputed", "message"),
    [
        ({"a": 0.5}, "not recomputed: 'b'"),
        ({"a": 0.5, "b": [1, 2], "c": 1}, "no item 'c'"),
        ({"a": [0.5, 1], "b": [1, 2]}, "1 numbers are printed, 2 were recomputed"),
    ],
)
def test_a_comparison_is_of_everything(recomputed: dict[str, object], message: str) -> None:
    with pytest.raises(LookupError, match=message):
        comparison("x", recomputed)
