"""What the full build is measured beside: the same pages, as static text and for Sphinx."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.growth import alone
from benchmarks.peers import myst
from benchmarks.processes import Cost, ratio
from benchmarks.static import static_config, static_text
from pedocs.book.page import Page, prove
from pedocs.book.parts import Block, Check, Generated, Mistake

ROOT = Path(__file__).parents[1]
PAGES = ("chapters/two-scores.md", "exercises/two-scores.md", "library/rotary.md")


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> Page:
    """Give a proven page of each kind."""
    return prove(ROOT / "docs" / request.param)


@pytest.mark.parametrize("typeset", [True, False])
def test_static_text_says_the_same_and_has_nothing_of_ours(page: Page, *, typeset: bool) -> None:
    text = static_text(page, typeset=typeset)
    for value, _ in page.values():  # plain: in an alt text, which a static picture does without
        assert value.in_math or value.plain or value.text in text
    assert not re.search(r"^/{3,} ?(?:figure|table|exercise|hint|solution)\b", text, re.M)
    assert not re.search(r'\[@\w|^:::|exec="1"|check="|mistake="|\{#eq-', text, re.M)
    assert text.count("```pycon") >= page.count(Block)


def test_for_sphinx_every_part_is_a_cell(page: Page) -> None:
    cells = myst(page).count("{code-cell}") - 1  # the first sets up
    assert cells == page.count(Block, Generated, Check, Mistake)


def test_the_static_configuration_has_nothing_of_ours() -> None:
    assert "pedocs.book" not in static_config(ROOT / "mkdocs.yml")


def test_copies_of_a_chapter_need_no_other_page() -> None:
    text = alone(
        "---\nrequires: [t5]\n---\n[a](x.md#b), [Figure](x.md#fig-a), [c](#d), [@raffel2019]\n"
    )
    assert text == "---\n---\na, another place, [c](#d), [@raffel2019]\n"


def test_a_ratio_is_that_of_the_median_round() -> None:
    above, below = [Cost(3, 5), Cost(9, 8), Cost(4, 6)], [Cost(1, 1), Cost(1, 2), Cost(2, 2)]
    assert ratio(above, below) == {"cpu": 4, "wall": 3}
    assert ratio(above, below, [Cost(1, 1)] * 3)["cpu"] == 3.5
