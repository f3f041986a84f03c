"""A query and a key in the plane: their score knows the offset, and no common shift."""

import numpy as np
import pytest

from pedocs import rope

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

QUERY, KEY = np.array([1.0, 0.3]), np.array([0.4, 0.8])


def score(i: int, j: int, rate: float, quarter_turns: int | None = None) -> float:
    """Return what the figure says of a query at i and a key at j."""
    key = KEY
    if quarter_turns is not None:
        key = rope(QUERY, quarter_turns, frequencies=[np.pi / 2])
        key = key * np.linalg.norm(KEY) / np.linalg.norm(QUERY)
    turned = rope(QUERY, i, frequencies=[rate]), rope(key, j, frequencies=[rate])
    return round(float(np.dot(*turned)), 6)


def test_the_score_knows_the_offset(visit: Visit) -> None:
    """Every control moves it, except the shift of both."""
    figure = Moving(visit.open("chapters/rope/"), "fig-turn")
    assert "query at 1, key at 2." in figure.said
    assert figure.numbers == [0.4, 0.324675]
    assert "the largest difference is < 1e-12" in figure.said
    for shift in (3, 20):
        figure.set(Shift_both=shift)
        assert f"query at {1 + shift}, key at {2 + shift} (1 and 2, shifted by" in figure.said
        assert figure.numbers == [0.4, 0.324675]
    figure.set(Key_at_j=0)
    assert "The offset is \N{MINUS SIGN}1," in figure.said
    pairs = {"text": None, "same": 0, "right": 1, "opposite": 2}
    for places in ((20, 0), (7, 7), (0, 20)):
        figure.set(Query_at_i=places[0], Key_at_j=places[1])
        for rate, omega in (("fast", 0.4), ("slow", 0.1)):
            for pair, quarter_turns in pairs.items():
                figure.set(Rate=rate, Vectors=pair)
                assert figure.numbers == [omega, score(*places, omega, quarter_turns)]


def test_tips_and_text_are_dragged(visit: Visit) -> None:
    """A vector is turned past its neighbour; the text takes both along."""
    page = visit.open("chapters/rope/")
    figure = Moving(page, "fig-turn")

    def tip(name: str) -> tuple[float, float]:
        """The handle of a vector, in shares of the drawing."""
        shares: tuple[float, float] = figure.drawing.evaluate(
            "(svg, n) => { const { width, height } = svg.viewBox.baseVal;"
            " const tip = svg.querySelectorAll('circle[r=\"16\"]')[n];"
            " return [tip.cx.baseVal.value / width, tip.cy.baseVal.value / height] }",
            ["query", "key"].index(name),
        )
        return shares

    start = tip("query")
    figure.set(Query_at_i=6, Key_at_j=8)
    turned, goal = tip("query"), tip("key")
    figure.set(Query_at_i=1, Key_at_j=2)
    figure.drag(start, turned)  # it passes the key, and stays in the hand
    assert "query at 6, key at 2." in figure.said
    figure.drag(tip("key"), goal)
    assert "query at 6, key at 8." in figure.said
    score = figure.numbers
    middle = figure.drawing.evaluate("svg => 40 / svg.viewBox.baseVal.height")
    figure.drag((0.5, middle), (0.75, middle))
    assert figure.numbers == score
    shifted = int(figure.control("Shift both").input_value())
    assert 9 <= shifted <= 12
    figure.drag((0.02, 0.98), (0.3, 0.9))  # nothing is there
    assert f"shifted by {shifted}" in figure.said
