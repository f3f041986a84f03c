"""The picture of Part III: the ratios it draws, and where it is shaded."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.text import Annotation
from numpy.testing import assert_allclose

from pedocs import Linear, Proportional, rope_frequencies
from pedocs.book import draw
from pedocs.book.frequencies import Picture


def test_a_line_is_the_new_frequency_over_that_of_the_base_of_the_picture() -> None:
    picture = Picture(128, 500000.0, 8192)
    for base in (500000.0, 10000.0):
        slowed = rope_frequencies(128, base=base, scaling=Linear(4)).frequencies
        picture.line(slowed, "", draw.SERIES[0])
    same, other = (np.asarray(line.get_ydata(), np.float64) for line in picture.ax.lines)
    assert_allclose(same, np.full(64, 0.25), rtol=1e-15)
    assert_allclose(other, 0.25 * 50 ** (np.arange(64) / 64), rtol=1e-12)


@pytest.mark.parametrize(("length", "whole"), [(4096, 46), (10**6, 64)])
def test_the_shade_begins_at_the_first_pair_that_makes_no_full_turn(
    length: int, whole: int
) -> None:
    """λ_45 is 4080 tokens, λ_46 is 4712; the slowest is 54410."""
    ax = Picture(128, 10000.0, length).ax
    shades = [patch.get_window_extent(None) for patch in ax.patches]
    assert len(shades) == (whole < 64)
    left = ax.transData.inverted().transform([(shade.x0, 0) for shade in shades] or [(0, 0)])
    assert not shades or left[0, 0] == pytest.approx(whole - 0.5)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_shade_is_named_within_the_axes_whatever_their_scale(scale: str) -> None:
    ax = Picture(128, 10000.0, 4096).ax
    ax.set(yscale=scale, ylim=(0.01, 2))
    (name,) = ax.texts
    x, y = ax.transAxes.inverted().transform(name.get_transform().transform(name.get_position()))
    assert name.get_text() == "no full turn"
    assert (x, y) == pytest.approx(((46 + 64) / 2 / 64, 0.94))


@pytest.mark.parametrize(
    ("above", "beside"), [(True, ("left", "bottom")), (False, ("right", "top"))]
)
def test_a_line_carries_its_label_at_a_share_of_its_pairs(
    above: bool, beside: tuple[str, str]
) -> None:
    picture = Picture(16, 500000.0, 2048)
    halved = rope_frequencies(16, base=500000.0, scaling=Proportional(0.5)).frequencies
    picture.line(halved, "half", draw.SERIES[0], at=0.2, above=above)
    (line,) = picture.ax.lines
    assert_allclose(np.asarray(line.get_xdata(), np.float64), np.arange(8))
    assert_allclose(np.asarray(line.get_ydata(), np.float64), [1] * 4 + [0] * 4, rtol=1e-15)
    label = picture.ax.texts[-1]
    assert isinstance(label, Annotation)
    assert (label.get_text(), label.xy) == ("half", (1, 1))
    assert (label.get_horizontalalignment(), label.get_verticalalignment()) == beside


@pytest.mark.parametrize("width", [2, 16, 130])
def test_the_frequencies_of_another_head_are_refused(width: int) -> None:
    """Also a single number, which numpy would spread over all pairs."""
    picture = Picture(128, 10000.0, 4096)
    allowed = re.escape(f"frequencies has the shape ({width // 2},); allowed: (64,)")
    with pytest.raises(ValueError, match=allowed):
        picture.line(rope_frequencies(width).frequencies, "", draw.SERIES[0])
    assert not picture.ax.lines
