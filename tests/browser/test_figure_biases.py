"""ALiBi and T5 side by side: what both have at a distance, with the future and without it."""

import re

import numpy as np
import pytest

from pedocs import alibi_bias, t5_bucket

from .conftest import Visit
from .moving import Moving, as_number

pytestmark = pytest.mark.browser

REACH = 128


def read(figure: Moving) -> tuple[float, list[int], float, list[int]]:
    """Return bias and buckets at the distance, then those of the farthest pair, as it says them."""
    words = re.search(
        r"ALiBi adds (\S+) on .*; T5 reads bucket (\d+)(?: on the left and (\d+))?.*"
        r"apart: (\S+), bucket (\d+)(?: on the left and (\d+))?",
        figure.said,
    )
    assert words, figure.said
    bias, left, right, far, far_left, far_right = words.groups()
    return (
        as_number(bias),
        [int(each) for each in (left, right) if each],
        as_number(far),
        [int(each) for each in (far_left, far_right) if each],
    )


def test_side_by_side(visit: Visit) -> None:
    """In every head, with the future and without it, it says what pedocs computes."""
    figure = Moving(visit.open("chapters/alibi/"), "fig-side-by-side")
    penalty = alibi_bias(8, 1, REACH + 1)[:, 0, ::-1].round(6)
    for head, causal, n, distance in (
        (1, False, 4, 1),
        (2, False, 16, 5),
        (3, True, 92, 91),
        (4, False, 33, 90),
        (5, True, 114, 112),
        (6, False, 92, 91),
        (7, True, REACH, 113),
        (8, False, REACH, 20),
    ):
        figure.set(Head=head, Causal=causal, Tokens=n, Distance=distance)
        farthest = n - 1
        signs = np.array([-1] if causal else [-1, 1])
        left, far = (t5_bucket(r * signs, bidirectional=not causal) for r in (distance, farthest))
        bias = penalty[head - 1]
        assert read(figure) == (bias[distance], [*left], bias[farthest], [*far])


def test_what_the_books_look_up(visit: Visit) -> None:
    """Slopes of eight heads, the nearest buckets, and where the last ones begin."""
    figure = Moving(visit.open("chapters/alibi/"), "fig-side-by-side")
    figure.set(Head=8)
    assert "slope 0.003906." in figure.said
    figure.set(Head=1, Distance=1)
    assert "slope 0.5." in figure.said
    assert read(figure)[:2] == (-0.5, [1, 17])
    figure.set(Distance=90)
    assert "distances 64 to 90" in figure.said
    figure.set(Distance=91)
    assert "from distance 91 on" in figure.said
    assert read(figure)[1] == [15, 31]
    figure.set(Causal=True)
    assert read(figure)[1] == [29]
    figure.set(Distance=113)
    assert "from distance 113 on" in figure.said
    assert "right is masked" in figure.said
    assert read(figure)[1] == [31]
    figure.set(Distance=0)
    assert read(figure)[:2] == (0, [0])


def test_cells_hold_their_numbers_and_pointing_picks_a_distance(visit: Visit) -> None:
    figure = Moving(visit.open("chapters/alibi/"), "fig-side-by-side")
    figure.set(Tokens=6, Head=1)
    written = figure.drawing.locator("text").all_text_contents()
    assert written.count("\N{MINUS SIGN}2.5") == 4  # two corners, and above both halves
    assert written.count("21") == 2  # one corner, and above the curve
    figure.drag((0.1, 0.15), (0.28, 0.15))  # along the first row
    assert "Distance 3:" in figure.said
    figure.drag((0.3, 0.85), (0.45, 0.85))  # along the curve
    said = figure.said
    assert int(re.findall(r"Distance (\d+):", said)[0]) > 90
    figure.set(Causal=True)
    figure.drag((0.4, 0.15), (0.45, 0.15))  # nobody picks the future
    assert said.split(":")[0] == figure.said.split(":")[0]
