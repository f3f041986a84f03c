"""The matrix of encodings, whose larger tables come when they are asked for."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from pedocs import sinusoidal

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

PAGE = "chapters/sinusoid/"
IN_T2T: Any = {"layout": "half-split", "spacing": "tensor2tensor"}


PIXELS = """async (image) => {
  const copy = Object.assign(new Image(), { src: image.getAttribute("href") })
  await copy.decode()
  const canvas = new OffscreenCanvas(copy.width, copy.height)
  canvas.getContext("2d").drawImage(copy, 0, 0)
  return [...canvas.getContext("2d").getImageData(0, 0, copy.width, copy.height).data]
}"""


def tints(figure: Moving, width: int) -> Any:
    """Return how strongly each cell of its image is painted, below zero for the blue ones."""
    pixels = np.reshape(figure.drawing.locator("image").evaluate(PIXELS), (-1, width, 4))
    return np.where(pixels[..., 0] > pixels[..., 2], 1, -1) * pixels[..., 3] / 255


def test_matrix(visit: Visit) -> None:
    """Each layout at small and large sizes, by its controls; a table is loaded when it is chosen."""
    loaded: list[str] = []
    page = visit.page
    page.on("request", lambda r: loaded.append(r.url) if r.url.endswith(".bin") else None)
    figure = Moving(visit.open(PAGE), "fig-matrix")
    image = figure.drawing.locator("image")
    assert figure.numbers == [0.841471, 0.540302, 0.099833, 0.995004, 0.841471]
    # Where numbers stand in the cells, the colours are weaker.
    np.testing.assert_allclose(tints(figure, 8), 0.55 * sinusoidal(range(16), 8), atol=0.005)
    figure.set(Layout="halves", Column=4)
    expected = sinusoidal(range(16), 8, layout="half-split")
    np.testing.assert_allclose(tints(figure, 8), 0.55 * expected, atol=0.005)
    assert "cosine of pair 0" in figure.said
    assert figure.numbers[0::4] == [0.841471, 0.540302]
    assert loaded == []
    figure.set(Layout="tensor2tensor", Width_d="d4", Rows_n=4)
    assert figure.control("Column").input_value() == "3"  # the last of four
    assert "Row 1 is 0.841471, 0.000100, 0.540302, 1.000000." in figure.said
    assert figure.drawing.locator("text", has_text="0.000100").count() == 1
    assert len(loaded) == 2  # tensor2tensor, at 8 and at 4
    figure.set(Layout="paper", Row=0)
    for width in (4, 16, 512):
        figure.set(Width_d=f"d{width}")
        assert figure.numbers[:4] == [0, 1, 0, 1]
    figure.set(Rows_n=128, Row=127, Column=510)
    expected = sinusoidal(127, 512)
    np.testing.assert_allclose(figure.numbers, expected[[0, 1, 2, 3, 510]], atol=5.1e-7)
    figure.set(Layout="tensor2tensor", Column=300)
    expected = sinusoidal(127, 512, **IN_T2T)
    np.testing.assert_allclose(figure.numbers, expected[[0, 1, 2, 3, 300]], atol=5.1e-7)
    assert "cosine of pair 44" in figure.said
    expected = sinusoidal(range(128), 512, **IN_T2T)
    np.testing.assert_allclose(tints(figure, 512), expected, atol=0.005)
    assert [image.get_attribute(name) for name in ("width", "height")] == ["512", "128"]
    light = image.get_attribute("href") or ""
    assert light.startswith("data:image/png")
    figure.set(Rows_n=20)
    assert figure.control("Row").input_value() == "19"
    assert image.get_attribute("href") == light
    page.locator("body").evaluate("body => body.setAttribute('data-md-color-scheme', 'slate')")
    figure.settle()
    assert image.get_attribute("href") != light
    assert len(loaded) == len(set(loaded))


def test_a_cell_is_pointed_at(visit: Visit) -> None:
    figure = Moving(visit.open(PAGE + "?fig-matrix=width:d8,rows:8"), "fig-matrix")
    figure.drag((0.2, 0.2), (0.97, 0.84))
    assert "Row 7 begins" in figure.said
    assert "Column 7 of it, the cosine of pair 3" in figure.said
    assert figure.numbers[-1] == np.round(sinusoidal(7, 8)[7], 6)


def test_a_table_that_does_not_come(chromium: Browser, address: str) -> None:
    """The view stays, the controls go back to it, and the figure says why; it can be tried again."""
    context = chromium.new_context()
    visit = Visit(context, address)
    context.route("**/*.bin", lambda route: route.abort())
    figure = Moving(visit.open(PAGE + "?fig-matrix=width:d64"), "fig-matrix")
    assert figure.control("Width d").input_value() == "d8"
    said = figure.said
    figure.set(Width_d="d512")
    note = figure.box.locator(".pd-tools__note")
    expect(note).to_contain_text("could not be loaded")
    assert figure.said == said
    assert figure.control("Width d").input_value() == "d8"
    context.unroute("**/*.bin")
    figure.set(Width_d="d512")
    assert figure.said.startswith("Width 512")
    expect(figure.page).to_have_url(re.compile("width:d512"))
    assert not [fault for fault in visit.faults if "exception" in fault]
    context.close()
