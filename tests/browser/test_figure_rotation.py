"""The proof that a shift is a rotation: one pair, its matrix, and the pair r positions later."""

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from pedocs import angular_frequencies, shift_matrix, sinusoidal

from .conftest import Visit
from .moving import Moving, as_number

pytestmark = pytest.mark.browser


def test_rotation(visit: Visit) -> None:
    """What it says are the numbers of `pedocs`; the matrix stands still while the position moves."""
    figure = Moving(visit.open("chapters/sinusoid/"), "fig-rotation-proof")
    for m, r in ((0, 6), (0, 3), (1, 0), (2, 5), (3, 1)):
        figure.set(Pair=f"m{m}", Offset_r=r)
        block = shift_matrix(r, 8)[2 * m : 2 * m + 2, 2 * m : 2 * m + 2]
        matrices = set()
        for p in (0, 7, 100):
            figure.set(Position_p=p)
            groups = [
                [as_number(each) for each in re.split("[,;] ", group)]
                for group in re.findall(r"\(([^)]*\.[^)]*)\)", figure.said)
            ]
            matrix, before, after = groups
            assert matrix == pytest.approx(block.ravel(), abs=5.1e-7)
            now, later = sinusoidal([p, p + r], 8)[:, 2 * m : 2 * m + 2]
            assert before == pytest.approx(now, abs=5.1e-7)
            assert after == pytest.approx(later, abs=5.1e-7)
            assert np.abs(block @ now - later).max() < 1e-12
            matrices.add(tuple(matrix))
            written = figure.drawing.locator("text").all_text_contents()
            assert {f"at p = {p}", "holds r and ω, no p"} <= set(written)
        assert len(matrices) == 1
        assert (
            f"a turn by {np.degrees(angular_frequencies(8)[m] * r):.4f}°, clockwise" in figure.said
        )
    assert "is below 1e-12" in figure.said


def test_the_largest_difference() -> None:
    """What the figure says of every position, offset and pair that it can show."""
    for p, r in itertools.product(range(101), range(7)):
        there = sinusoidal(p + r, 8)
        assert np.abs(shift_matrix(r, 8) @ sinusoidal(p, 8) - there).max() < 1e-12


def test_rotation_plays(visit: Visit) -> None:
    """It starts with the numbers of the chapter, and Play moves the position alone."""
    figure = Moving(visit.open("chapters/sinusoid/"), "fig-rotation-proof")
    matrix = [0.955336, 0.295520, -0.295520, 0.955336]
    pairs = [0.841471, 0.540302, 0.963558, 0.267499]
    assert figure.numbers == [0.1, *matrix, 17.1887, *pairs]
    figure.box.get_by_role("button", name="Play").click()
    expect(figure.box.locator("output").first).not_to_have_text("10")
    figure.box.get_by_role("button", name="Pause").click()
    assert figure.numbers[1:6] == [*matrix, 17.1887]
    assert figure.numbers[6:] != pairs
