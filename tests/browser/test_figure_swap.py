"""The pair of tokens: the swap, and the slider with the four terms of the score."""

import pytest

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser


def test_swap(visit: Visit) -> None:
    """Off: −0.5 both ways. On: the scores of both orders, and what their difference is."""
    figure = Moving(visit.open("chapters/two-scores/"), "fig-swap")
    assert figure.numbers == [-0.793313, 0.495160, -1.288473]
    figure.set(Order="b")
    assert "B at 10, A at 11" in figure.said
    assert figure.numbers == [0.495160, -0.793313, 1.288473]
    figure.set(Start_s=0)
    assert figure.numbers == [1.575530, 2.886748, -1.311219]
    figure.set(Order="a")
    assert figure.numbers == [2.886748, 1.575530, 1.311219]
    assert "(A − B) · (PE(1) − PE(0))" in figure.said
    figure.set(Positions_on=False)
    assert figure.numbers == [-0.5, -0.5]
    figure.set(Order="b", Start_s=20)
    assert figure.numbers == [-0.5, -0.5]


def test_the_pair_is_dragged(visit: Visit) -> None:
    page = visit.open("chapters/two-scores/")
    figure = Moving(page, "fig-swap")
    figure.drag((0.5, 0.5), (0.99, 0.5))
    assert "A at 20, B at 21" in figure.said
    figure = Moving(page, "fig-wandering")
    figure.drag((0.5, 0.3), (0.01, 0.3))
    assert "Start 0" in figure.said


def test_the_slider_and_its_terms(visit: Visit) -> None:
    """The lowest and the highest score; two of the four terms are the same everywhere."""
    figure = Moving(visit.open("chapters/two-scores/"), "fig-wandering")
    scores = []
    for start in range(21):
        figure.set(Start_s=start)
        score, relative, content, both, first, second = figure.numbers
        assert (relative, content, both) == (-0.8, -0.5, 1.540252)
        assert content + both + first + second == pytest.approx(score, abs=2e-6)
        scores.append(score)
    assert (min(scores), scores.index(min(scores))) == (-0.873051, 16)
    assert (max(scores), scores.index(max(scores))) == (2.947776, 19)
    figure.set(Start_s=10)
    assert figure.numbers[0] == -0.793313
