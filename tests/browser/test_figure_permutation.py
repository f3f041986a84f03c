"""The permutation check: six orders of three words, with and without mask and positions."""

from itertools import permutations

import numpy as np
import pytest

from pedocs import attention, causal_mask, sinusoidal

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

WORDS = ["India", "beat", "Australia"]
FRAMES = 'rect[fill="none"][stroke="var(--pd-ink)"]'


def gap(order: list[int], mask: bool, positions: bool) -> float:
    """The largest difference between permuting first and permuting after, in the outputs."""
    generator = np.random.default_rng(0)
    tokens = generator.standard_normal((3, 4))
    w_q, w_k, w_v = generator.standard_normal((3, 4, 4))
    added = sinusoidal(np.arange(3), d_model=4) if positions else 0

    def attend(x: np.ndarray) -> np.ndarray:
        x = x + added
        return attention(x @ w_q, x @ w_k, x @ w_v, mask=causal_mask(3) if mask else None).output

    return float(np.abs(attend(tokens)[order] - attend(tokens[order])).max())


def test_every_order_and_what_breaks_it(visit: Visit) -> None:
    """Plain attention misses by round-off only; a mask and positions break the proof."""
    page = visit.open("chapters/why-position/")
    figure = Moving(page, "fig-permutation")
    assert "“Australia beat India”" in figure.said
    said = set()
    for order in map(list, permutations(range(3))):
        name = "-".join(WORDS[p][0].lower() for p in order)
        for mask, positions in ((False, False), (True, False), (True, True), (False, True)):
            figure.set(Order=name, Causal_mask=mask, **{"Positions (PE)": positions})
            expected = gap(order, mask, positions)
            frames = figure.drawing.locator(FRAMES).count()
            masked = figure.drawing.locator('rect[fill="var(--pd-rule)"]').count()
            if expected < 1e-12:
                assert (figure.numbers, frames) == ([], 0)
                assert "The outputs differ by < 1e-12." in figure.said
            else:
                assert figure.numbers == [round(expected, 6)]
                assert frames > 0
            assert masked == (9 if mask else 0)
            if order == [2, 1, 0] and mask != positions:
                assert figure.numbers == [1.685528 if mask else 3.336737]
            said.add(figure.said)
    assert len(said) == 24


def test_the_maps_hold_the_numbers_of_the_page(visit: Visit) -> None:
    """The right column is what attention makes of the permuted words."""
    figure = Moving(visit.open("chapters/why-position/"), "fig-permutation")
    figure.set(Causal_mask=True)
    shown = figure.drawing.locator("text").all_text_contents()
    generator = np.random.default_rng(0)
    tokens = generator.standard_normal((3, 4))[[2, 1, 0]]
    queries, keys, values = (tokens @ w for w in generator.standard_normal((3, 4, 4)))
    result = attention(queries, keys, values, mask=causal_mask(3))
    expected = [
        f"{value:.2f}".replace("-", "\N{MINUS SIGN}") for value in result.output.round(2).flat
    ]
    assert expected == [each for each in shown if "." in each][-12:]
