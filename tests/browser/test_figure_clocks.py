"""The clocks: one hand for each pair, at any position."""

import re

import pytest
from playwright.sync_api import expect

from pedocs import sinusoidal

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser


def shown(figure: Moving) -> list[float]:
    """The vector of the position, as the figure says it."""
    vector = re.search(r"PE\(\d+\) = \((.*?)\)", figure.said)
    assert vector
    return [float(each.replace("\N{MINUS SIGN}", "-")) for each in vector[1].split(", ")]


def tips(figure: Moving) -> list[float]:
    """How far right and how far up each hand reaches, in shares of its ring."""
    reached: list[float] = figure.drawing.evaluate(
        """svg => [...svg.querySelectorAll("line[stroke-width='2.4']")].flatMap(hand => {
          const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(name => Number(hand.getAttribute(name)))
          const radius = svg.querySelector("circle[fill=none]").r.baseVal.value
          return [(x2 - x1) / radius, (y1 - y2) / radius]
        })"""
    )
    return reached


def test_clocks(visit: Visit) -> None:
    """Both widths at every so many positions; each clock carries its wavelength and its two numbers."""
    figure = Moving(visit.open("chapters/sinusoid/"), "fig-clocks")
    assert "57.2958°, 5.7296°, 0.5730° and 0.0573° a step" in figure.said
    for width, clocks in (("d8", 4), ("d4", 2)):
        figure.set(Width_d=width)
        for position in (0, 1, 44, 100):
            figure.set(Position_p=position)
            vector = sinusoidal(position, 2 * clocks)
            assert shown(figure) == pytest.approx(vector, abs=5.1e-7)
            written = figure.drawing.locator("text").all_text_contents()
            assert f"{vector[1]:.6f}".replace("-", "\N{MINUS SIGN}") in written
            assert sum(each.startswith("pair") for each in written) == clocks
            assert tips(figure) == pytest.approx(vector, abs=1e-3)
    assert "turn: 6.283185 tokens" in written
    assert "turn: 628.318531 tokens" in written
    assert "one turn takes 6.283185 and 628.318531 tokens" in figure.said


def test_clocks_play(visit: Visit) -> None:
    """Play moves the hands of the first chapter's table, too, up to the slow one's quarter turn."""
    figure = Moving(visit.open("chapters/why-position/"), "fig-clock")
    assert shown(figure) == [0.141120, -0.989992, 0.029996, 0.999550]
    figure.box.get_by_role("button", name="Play").click()
    position = figure.box.locator("output")
    expect(position).not_to_have_text("3")
    figure.box.get_by_role("button", name="Pause").click()
    figure.set(Position_p=157)
    assert shown(figure) == pytest.approx(sinusoidal(157, 4), abs=5.1e-7)
