"""What all chapters share: the tokens of the worked examples, and their place in the book."""

import ast
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from pedocs.book.fences import typed
from pedocs.book.page import read
from pedocs.book.parts import Block
from pedocs.book.scan import scan
from pedocs.book.sources import source, sources_of

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = sorted((DOCS / "chapters").glob("*.md"))
SENTENCE = ("I", "love", "cats")
# The chapters that the sources gave, one that only compares, and those on practice.
OTHERWISE = {"attention", "why-position", "sinusoid", "absolute-and-relative", "two-scores",
             "frequencies", "training", "evidence", "choosing", "models", "serving", "pitfalls",
             "questions"}  # fmt: skip


def assigned(path: Path, name: str) -> Iterator[object]:
    """The literal arrays that a chapter's blocks bind to a name."""
    for part in scan(read(path)[1], path.name).parts:
        if isinstance(part, Block):
            for node in ast.walk(ast.parse(typed(part.code))):
                if (
                    isinstance(node, ast.Assign)
                    and ast.unparse(node.targets[0]) == name
                    and ast.unparse(node.value).startswith("np.array([")
                ):
                    assert isinstance(node.value, ast.Call)
                    with contextlib.suppress(ValueError):  # made from other names
                        yield ast.literal_eval(node.value.args[0])


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_tokens_are_the_same_in_every_chapter(path: Path) -> None:
    with sources_of(path):
        tokens = {"a": source("002", "A"), "b": source("002", "B")}
        sentence = np.array([source("000", word) for word in SENTENCE])
    found = set()
    for name, token in (tokens | {"X": sentence}).items():
        for value in assigned(path, name):
            found.add(name)
            np.testing.assert_array_equal(np.array(value), token)
    assert path.stem in OTHERWISE or found == {"a", "b", "X"}


def test_the_home_page_lists_the_chapters_in_their_order() -> None:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("", lambda *_: None)
    nav = yaml.load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"), Loader)["nav"]
    listed = [page for part in nav for pages in part.values() for page in pages
              if isinstance(page, str) and page.startswith("chapters/")]  # fmt: skip
    home = re.findall(r"\]\((chapters/[\w-]+\.md)\)", (DOCS / "index.md").read_text())
    assert sorted(listed) == [path.relative_to(DOCS).as_posix() for path in CHAPTERS]
    assert [page for page in dict.fromkeys(home) if page in listed][: len(listed)] == listed
