"""The worked sum: a sentence of three tokens, its encodings, and what enters the first block."""

import numpy as np
import pytest

from pedocs import sinusoidal

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

PAGE = "chapters/absolute-and-relative/"
EMBEDDINGS = {
    "i": [0.1, 0.3, 0.9, -0.4, 0.5, 0.8],
    "love": [-0.3, 0.8, -0.6, 0.1, 0.7, -0.8],
    "cats": [0.2, -0.9, 0.6, 0.3, -0.4, -0.5],
}
LOVE = [0.541471, 1.340302, -0.553601, 1.098923, 0.702154, 0.199998]


def test_the_sum_of_every_token(visit: Visit) -> None:
    """From either start, with the factor and without, in what it says and in what it draws."""
    figure = Moving(visit.open(PAGE), "fig-sum")
    assert "“love” stands at position 1: embedding + PE(1) = (" in figure.said
    assert figure.numbers == LOVE
    for scaled, factor in ((False, 1), (True, np.sqrt(6))):
        for first, start in (("zero", 0), ("one", 1)):
            for row, (token, embedding) in enumerate(EMBEDDINGS.items()):
                figure.control("× √d").set_checked(scaled)
                figure.set(First_position=first, Token=token)
                place = start + row
                assert f"position {place}:" in figure.said
                assert f"PE({place}) = (" in figure.said
                *said_factor, _, _, _, _, _, _ = figure.numbers
                assert said_factor == ([2.449490] if scaled else [])
                encoding = sinusoidal(place, d_model=6)
                total = factor * np.array(embedding) + encoding
                np.testing.assert_allclose(figure.numbers[-6:], total, rtol=0, atol=6e-7)
                bold = figure.drawing.locator("text[font-weight]").all_text_contents()
                for drawn in (encoding, total):
                    text = [f"{each:.6f}".replace("-", "\N{MINUS SIGN}") for each in drawn]
                    assert " ".join(text) in " ".join(bold)


def test_pointing_at_a_row_picks_its_token(visit: Visit) -> None:
    """In each of the three blocks, with a mouse that is not pressed."""
    figure = Moving(visit.open(PAGE), "fig-sum")
    for block in range(3):
        for token in EMBEDDINGS:
            figure.control("Token").select_option("love" if token != "love" else "i")
            words = {"i": "I"}.get(token, token)
            names = figure.drawing.locator("g").nth(block).locator("text[text-anchor=end]")
            names.nth(list(EMBEDDINGS).index(token)).hover()
            figure.settle()
            assert f"“{words}” stands" in figure.said
            assert figure.control("Token").input_value() == token
