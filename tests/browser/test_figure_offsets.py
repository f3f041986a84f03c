"""The grid of offsets: every entry, what a causal mask greys, and what one query reads."""

import numpy as np
import pytest

from pedocs import causal_mask, relative_offsets

from .conftest import Visit
from .moving import Moving, as_number

pytestmark = pytest.mark.browser

PAGE = "chapters/absolute-and-relative/"
# What stands in the cells of the grid, the shades of the cells, and the frames around offsets.
DRAWN = """svg => {
    const cells = [...svg.querySelectorAll("rect + text")].filter(
        ({ previousSibling: cell }) => cell.getAttribute("width") === cell.getAttribute("height"))
    const all = (name, of) => of.map(each => each.getAttribute(name))
    return {
        texts: cells.map(each => each.textContent),
        fills: all("fill", cells.map(each => each.previousSibling)),
        bold: cells.filter(each => each.hasAttribute("font-weight")).map(each => each.textContent),
        frames: svg.querySelectorAll("rect[stroke='var(--pd-brand)']").length,
    }
}"""


def signed(offset: int) -> str:
    """An offset as the book writes it."""
    return f"{offset:+d}".replace("-", "\N{MINUS SIGN}") if offset else "0"


def test_the_grid(visit: Visit) -> None:
    """The article's three tokens first; each cell, and which are grey, at four lengths."""
    figure = Moving(visit.open(PAGE), "fig-offsets")
    assert figure.said == (
        "3 tokens have 5 different offsets, −2 to +2. The causal mask leaves 6 of 9 pairs. "
        "Query 1 reads the offsets −1 to 0; +1 is masked."
    )
    for n in (2, 3, 6, 10):
        offsets, allowed = relative_offsets(n), causal_mask(n)
        figure.set(Tokens_n=n, Query_i=n - 1)
        for causal in (True, False):
            figure.set(Causal_mask=causal)
            drawn = figure.drawing.evaluate(DRAWN)
            found = np.array([as_number(text) for text in drawn["texts"]])
            np.testing.assert_array_equal(found.reshape(n, n), offsets)
            grey = np.array(drawn["fills"]).reshape(n, n) == "var(--pd-muted)"
            np.testing.assert_array_equal(grey, ~allowed if causal else np.zeros_like(allowed))
            assert drawn["frames"] == 2
            found_size = np.unique(offsets).size
            ends = f"{signed(offsets.min())} to {signed(offsets.max())}"
            assert f"{n} tokens have {found_size} different offsets, {ends}." in figure.said
            count = f"leaves {allowed.sum()} of {allowed.size} pairs"
            assert (count in figure.said) == causal
    figure.set(Causal_mask=True)
    assert "10 tokens have 19 different offsets, −9 to +9." in figure.said
    assert "leaves 55 of 100 pairs" in figure.said


def test_what_a_query_reads(visit: Visit) -> None:
    """With the mask −i to 0, without it the whole row; beyond the last query, the last."""
    figure = Moving(visit.open(PAGE + "?fig-offsets=tokens:10"), "fig-offsets")
    for query in (0, 1, 5, 9):
        row = relative_offsets(10)[query]
        figure.set(Query_i=query, Causal_mask=True)
        assert figure.drawing.evaluate(DRAWN)["bold"] == [signed(r) for r in row[: query + 1]]
        reads = f"{signed(row[0])} to 0" if query else "0"
        assert f"Query {query} reads the offsets {reads}" in figure.said
        assert ("masked." in figure.said) == (query < 9)
        figure.set(Causal_mask=False)
        assert figure.drawing.evaluate(DRAWN)["bold"] == [signed(r) for r in row]
        assert f"reads the offsets {signed(row[0])} to {signed(row[-1])}." in figure.said
    figure.set(Tokens_n=4, Query_i=8)
    before = figure.drawing.inner_html()
    assert "There is no query 8; the last, query 3, reads the offsets −3 to 0." in figure.said
    figure.set(Query_i=7)
    assert "There is no query 7; the last, query 3, reads" in figure.said
    assert figure.drawing.inner_html() != before


def test_pointing_at_a_row_picks_its_query(visit: Visit) -> None:
    """A mouse that is not pressed, and one that drags; what is no row picks none."""
    figure = Moving(visit.open(PAGE + "?fig-offsets=tokens:10"), "fig-offsets")
    names = figure.drawing.locator("rect + text", has_text="0")
    assert names.count() >= 10
    for query in (8, 2, 5):
        names.nth(query).hover()
        figure.settle()
        assert f"Query {query} reads the offsets {signed(-query)} to 0" in figure.said
    figure.drag((0.5, 0.5), (0.5, 0.01))
    assert figure.control("Query i").input_value() == "0"
    figure.drag((0.5, 0.2), (0.5, 0.8))
    assert figure.control("Query i").input_value() == "9"
