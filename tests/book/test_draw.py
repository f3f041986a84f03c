"""The drawings: what they print, and what they leave alone."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from pedocs.book import draw

STYLE = Path(__file__).parents[2] / "docs" / "assets" / "pedocs.css"


def curves() -> None:
    fig, ax = draw.axes(6.4, 3.2)
    x = np.linspace(0, 30, 200)
    ax.plot(x, np.sin(x), label="the *sine* of $\\omega_0 p$")
    ax.plot(x[::20], np.cos(x[::20]), "o", color=draw.SERIES[1], label="a < b & c")
    ax.text(3, 0, "plain black")
    ax.set_xlabel("position $p$")
    ax.legend()
    draw.show(fig)


def map_with_scale() -> None:
    fig, ax = draw.axes(6.4, 3.2)
    image = draw.heat(ax, np.outer([1, -1], np.arange(9)))
    draw.scale(fig, image, "score")
    draw.show(fig)


def map_with_labels() -> None:
    fig, ax = draw.axes(4, 3)
    draw.heat(ax, [[-1, 0.5], [np.nan, 0]], labels="{:.2f}")
    draw.show(fig)


def diagram() -> None:
    fig, ax = draw.canvas(6.4, 2)
    draw.box(ax, 0.2, 0.5, 1.4, 0.6, "token", fill=draw.SERIES[0])
    draw.box(ax, 2.4, 0.5, 1.4, 0.6, "one\nhead", colour=draw.SERIES[1])
    draw.arrow(ax, (1.6, 0.8), (2.4, 0.8), text="add")
    draw.arrow(ax, (3.8, 0.8), (5, 1.6), bend=0.2, dashed=True)
    draw.show(fig)


def hatched_bars() -> None:
    fig, ax = draw.axes(5, 3)
    ax.bar([1, 2], [3, 4], color=draw.SERIES[0], edgecolor=draw.PAPER, hatch="//")
    draw.show(fig)


ALL = [curves, map_with_scale, map_with_labels, diagram, hatched_bars]

Printed = Callable[[Callable[[], None]], str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    def run(figure: Callable[[], None]) -> str:
        capsys.readouterr()
        figure()
        return capsys.readouterr().out

    return run


def tree(text: str) -> ET.Element:
    """Read SVG that stands in HTML, which knows the prefix xlink."""
    return ET.fromstring(text.replace("<svg ", '<svg xmlns:xlink="xlink" ', 1))


@pytest.mark.parametrize("figure", ALL)
def test_one_line_of_wellformed_svg_for_html(figure: Callable[[], None], printed: Printed) -> None:
    text = printed(figure)
    assert text.count("\n") == 1
    assert text.endswith("</svg>\n")
    root = tree(text)
    assert root.get("aria-hidden") == "true"
    assert root.get("focusable") == "false"
    assert root.get("viewBox", "").startswith("0 0 ")
    for unwanted in ("<?xml", "<!DOCTYPE", "<!--", "metadata", "xmlns", "<style", "20"):
        if unwanted == "20":  # a year
            assert not re.search(r"20\d\d-", text)
        else:
            assert unwanted not in text


@pytest.mark.parametrize("figure", ALL)
def test_colours_are_variables_that_the_style_sheet_sets(
    figure: Callable[[], None], printed: Printed
) -> None:
    text = printed(figure)
    assert not re.findall(r"#[0-9a-f]{6}\b(?!-)", text.replace("url(#", ""))
    style = STYLE.read_text(encoding="utf-8")
    assert "var(--pd-ink)" in text
    for name in set(re.findall(r"var\((--[\w-]+)\)", text)):
        if "font" in name:
            assert style.count(f"{name}:") == 1
        else:
            for scheme in ("default", "slate"):
                [rule] = re.findall(rf'="{scheme}"\] \{{\s*(--pd-[^}}]*)', style)
                assert f"{name}: #" in rule, f"{name} in the scheme {scheme}"


def test_stand_ins_are_told_apart() -> None:
    colours = [
        draw.INK,
        draw.MUTED,
        draw.PAPER,
        *draw.SERIES,
        draw.POSITIVE,
        draw.NEGATIVE,
    ]
    assert len(set(colours)) == len(colours)
    assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in colours)


@pytest.mark.parametrize("figure", ALL)
def test_ids_are_referred_to_and_the_figures_own(
    figure: Callable[[], None], printed: Printed
) -> None:
    text = printed(figure)
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert set(ids) == set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    others = "".join(printed(other) for other in ALL if other is not figure)
    assert not [name for name in ids if name in others]


@pytest.mark.parametrize("figure", ALL)
def test_same_figure_same_bytes(figure: Callable[[], None], printed: Printed) -> None:
    assert printed(figure) == printed(figure)


def test_same_bytes_in_another_process(printed: Printed) -> None:
    code = (
        "import importlib.util as u, sys;"
        f"s = u.spec_from_file_location('t', {__file__!r});"
        "m = u.module_from_spec(s); sys.modules['t'] = m; s.loader.exec_module(m);"
        "[figure() for figure in m.ALL]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        env={"PYTHONHASHSEED": "7", "TZ": "Asia/Kolkata", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.stdout == "".join(printed(figure) for figure in ALL)


@pytest.mark.parametrize("figure", ALL)
def test_settings_are_left_alone(figure: Callable[[], None], printed: Printed) -> None:
    before = dict(mpl.rcParams)
    printed(figure)
    assert dict(mpl.rcParams) == before


def test_nothing_is_imported_before_a_figure_is_made() -> None:
    code = "import sys, pedocs.book.draw; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_plain_href(printed: Printed) -> None:
    """Instant navigation would write to it, and fail: an SVG element's href is read only."""
    text = printed(curves) + printed(map_with_scale)
    assert "xlink:href" in text
    assert " href" not in text


def test_text_stays_text(printed: Printed) -> None:
    text = printed(curves)
    texts = list(tree(text).itertext())
    assert "a < b & c" in texts
    assert "plain black" in texts
    assert "𝜔" in text
    assert "𝑝" in text
    assert "DejaVu" not in text


def png(text: str) -> np.ndarray:
    [first, *_] = re.findall(r"data:image/png;base64,([^\"]+)", text)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(first))).convert("RGBA"))


def test_heat_is_an_image_of_its_cells(printed: Printed) -> None:
    text = printed(map_with_labels)
    pixels = png(text)
    assert pixels.shape == (2, 2, 4)
    assert pixels[1, 0, 3] == 0, "not a number is blank"
    assert pixels[1, 1, 3] == 0, "zero is transparent"
    assert pixels[0, 0, 3] > pixels[0, 1, 3] > 0
    assert "−1.00" in text
    assert "nan" not in text
    assert "image-rendering" in text


def test_heat_is_symmetric_about_zero(printed: Printed) -> None:
    pixels = png(printed(map_with_scale)).astype(int)
    assert (pixels[0, :, 3] == pixels[1, :, 3]).all()
    assert pixels[0, 8, 3] == 255
    assert pixels[0, 0, 3] == 0
    assert (np.diff(pixels[0, :, 3]) > 0).all()


def test_heat_keeps_a_given_limit() -> None:
    _, ax = draw.axes(4, 3)
    image = draw.heat(ax, [[0.25, -0.5]], limit=2)
    assert image.get_clim() == (-2, 2)
    assert draw.heat(ax, [[0.0]]).get_clim() == (-1, 1)


@pytest.mark.parametrize("matrix", [[1.0, 2.0], np.zeros((2, 2, 2)), np.zeros((0, 3))])
def test_heat_wants_a_matrix(matrix: object) -> None:
    _, ax = draw.axes(4, 3)
    with pytest.raises(ValueError, match=r"matrix must have two axes .* its shape is \("):
        draw.heat(ax, matrix)  # type: ignore[arg-type]


def test_axes_take_what_subplots_takes() -> None:
    fig, axs = draw.axes(6.4, 3, nrows=2, ncols=2, sharex=True)
    assert axs.shape == (2, 2)
    assert fig.get_size_inches().tolist() == [6.4, 3]


def test_canvas_is_in_inches() -> None:
    fig, ax = draw.canvas(5, 2)
    inch = ax.transData.transform([(0, 0), (1, 1)]) / fig.dpi
    assert np.allclose(inch, [(0, 0), (1, 1)])


def test_size_on_the_page(printed: Printed) -> None:
    root = tree(printed(map_with_labels))
    assert root.get("viewBox") == "0 0 288 216"
    assert (root.get("width"), root.get("height")) == ("384", "288")


def test_steps_lead_where_the_lines_do() -> None:
    """Each point within a twentieth of a point, however long the line; a closed one begins anew."""
    points = np.cumsum(np.random.default_rng(0).normal(size=(500, 2)), axis=0)
    data = "".join(f"{'L' if n else 'M'} {x:.6f} {y:.6f} " for n, (x, y) in enumerate(points))
    text = draw._path(re.fullmatch(".*", data))  # type: ignore[arg-type]
    assert len(text) < len(data) / 2
    numbers = np.array([float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)])
    reached = np.cumsum(numbers.reshape(-1, 2), axis=0)
    assert abs(reached[-1] - points[-1]).max() <= 0.0501
    once = re.fullmatch(".*", "M 0 0 L 10 0 L 10.04 0 L 10 -5.5 z M 20 1 L 20.3 1.1")
    assert draw._path(once) == "M0 0l10 0 0-5.5zM20 1l.3 .1"  # type: ignore[arg-type]
    curve = re.fullmatch(".*", "M 0 1.755 C 0.46 1.75 0.91 1.57 1.24 1.24 z")
    assert draw._path(curve) == "M0 1.75C0.46 1.75 0.91 1.57 1.24 1.24z"  # type: ignore[arg-type]
