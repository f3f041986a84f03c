"""Figures for the chapters: matplotlib drawings that follow the page's scheme.

A figure is drawn with plain matplotlib and printed as inline SVG. Its colours
are CSS variables (``var(--pd-ink)``, ``var(--pd-series-1)``, …), its text stays
text in the page's own typeface, its ground is transparent: one drawing serves
the light scheme, the dark scheme and the printer.

Nothing global is touched. There is no pyplot, no current figure, and rcParams
are changed only inside a context while a figure is made or printed. The same
figure always gives the same bytes.

matplotlib takes 0.4 s to import, so it is imported when the first figure is
made, not with this module.
"""

from __future__ import annotations

import functools
import hashlib
import html
import io
import re
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

__all__ = [
    "INK",
    "MUTED",
    "NEGATIVE",
    "PAPER",
    "POSITIVE",
    "SERIES",
    "alone",
    "arrow",
    "axes",
    "box",
    "canvas",
    "heat",
    "scale",
    "show",
]

# Each colour is a stand-in: matplotlib needs a fixed one, `show` writes the
# variable of the page's style sheet in its place. No two may be the same.
INK = "#1d2127"
MUTED = "#5b626c"
PAPER = "#fefefd"
SERIES = ("#0b62a8", "#b8500b", "#15795a", "#8b3f9e", "#8a6d00", "#c02f4b")
POSITIVE = "#c9661a"
NEGATIVE = "#2f7dc4"

_VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    PAPER: "paper",
    **{colour: f"series-{n}" for n, colour in enumerate(SERIES, start=1)},
    POSITIVE: "positive",
    NEGATIVE: "negative",
    # What matplotlib takes when nobody says a colour.
    "#000000": "ink",
    "#ffffff": "paper",
    "#cccccc": "rule",
    "#b0b0b0": "rule",
}

# What the variables are where no style sheet says it: the light scheme of the page's.
_ALONE = {
    "ink": "#1d2127",
    "muted": "#4b525b",
    "paper": "#fefdfb",
    "rule": "#d9d5cc",
    "series-1": "#0b62a8",
    "series-2": "#b34a08",
    "series-3": "#15755a",
    "series-4": "#8b3f9e",
    "series-5": "#7d6200",
    "series-6": "#bd2a47",
    "positive": "#b85a12",
    "negative": "#2a72b5",
    "math-font": "'STIX Two Math','Cambria Math',serif",
    "code-font": "ui-monospace,Menlo,Consolas,monospace",
}

# How strong a heat map's strongest cell is. With numbers in its cells it is
# kept lighter, so that the text can be read on it in both schemes.
_STRONGEST = 1.0
STRONGEST_UNDER_TEXT = 0.55

_STYLE: dict[str, Any] = {
    "axes.edgecolor": MUTED,
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.5,
    "axes.unicode_minus": True,
    "font.family": ["DejaVu Sans"],  # one, or each text would look for all of them
    "font.size": 10,
    "mathtext.fontset": "stix",
    "svg.fonttype": "none",
    "svg.hashsalt": "pedocs",
    "svg.image_inline": True,
    "text.color": INK,
    "text.usetex": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 9.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 9.5,
}


def _style() -> AbstractContextManager[None]:
    """Set what a drawing needs of matplotlib's settings, for a while."""
    import matplotlib

    return matplotlib.rc_context(_STYLE)  # type: ignore[arg-type]


def axes(width: float, height: float, **subplots: Any) -> tuple[Figure, Any]:
    """Make a figure, `width` by `height` inches, with axes to draw in.

    Further arguments go to `Figure.subplots`: ``axes(6.4, 3, ncols=2)`` gives
    two axes side by side. The column of text is about 7 inches wide.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import TightLayoutEngine

    with _style():
        # It measures once where the constrained layout measures twice, and looks the same.
        layout = TightLayoutEngine(pad=0.3, w_pad=0.6, h_pad=0.6)
        figure = Figure(figsize=(width, height), layout=layout)
        figure.patch.set_visible(False)
        result = figure.subplots(**subplots)
        for each in _flat(result):
            each.patch.set_visible(False)
            each.set_prop_cycle(color=SERIES)
            each.tick_params(color=MUTED, labelcolor=INK, labelsize=9.5, length=3, width=0.8)
    return figure, result


def _flat(result: Any) -> Iterator[Axes]:
    """Each axes of what `Figure.subplots` returned."""
    if isinstance(result, np.ndarray):
        yield from result.flat
    else:
        yield result


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure for a diagram: no frame, no ticks, one unit is an inch."""
    from matplotlib.figure import Figure

    with _style():
        figure = Figure(figsize=(width, height))
        figure.patch.set_visible(False)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
        ax.set_axis_off()
        ax.set_prop_cycle(color=SERIES)
    return figure, ax


def heat(
    ax: Axes,
    matrix: ArrayLike,
    *,
    limit: float | None = None,
    labels: str | None = None,
    **imshow: Any,
) -> AxesImage:
    """Draw a matrix as a heat map on a scale that is symmetric about 0.

    Zero is transparent; `limit` and `-limit` have the full colours of POSITIVE
    and NEGATIVE. By default it is the largest absolute value. Entries that are
    not finite are left blank. `labels` is a format for numbers written in the
    cells, such as ``"{:.2f}"``. Further arguments go to `Axes.imshow`.
    """
    values = np.asarray(matrix, dtype=float)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"matrix must have two axes and an entry, its shape is {values.shape}")
    finite = values[np.isfinite(values)]
    if limit is None:
        limit = float(np.abs(finite).max()) if finite.size else 1.0
        limit = limit or 1.0
    from matplotlib.ticker import MaxNLocator

    strongest = _STRONGEST if labels is None else STRONGEST_UNDER_TEXT
    with _style():
        image = ax.imshow(
            np.ma.masked_invalid(values),
            **{
                "cmap": _diverging(strongest),
                "vmin": -limit,
                "vmax": limit,
                "interpolation": "none",
                "aspect": "auto",
                **imshow,
            },
        )
        ax.spines[:].set_visible(True)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
        if labels is not None:
            for (row, column), value in np.ndenumerate(values):
                if np.isfinite(value):
                    text = labels.format(value).replace("-", "\N{MINUS SIGN}")
                    ax.text(column, row, text, ha="center", va="center", color=INK)
    return image


def _diverging(strongest: float) -> Any:
    """The colour map of `heat`: NEGATIVE, nothing, POSITIVE."""
    from matplotlib.colors import ListedColormap, to_rgb

    # An odd number of steps: the middle one is about zero, and is nothing.
    step = np.arange(-127, 128)
    table = np.empty((255, 4))
    table[:, :3] = np.where(step[:, None] < 0, to_rgb(NEGATIVE), to_rgb(POSITIVE))
    table[:, 3] = np.abs(step) / 127 * strongest
    colours = ListedColormap(table, name="pedocs-diverging")
    return colours.with_extremes(bad=(0, 0, 0, 0))


def scale(fig: Figure, image: AxesImage, label: str = "", **colorbar: Any) -> Axes:
    """Add the colour scale of a heat map beside its axes; return the scale's axes.

    Further arguments go to `Figure.colorbar`; ``ax=`` the axes to stand beside,
    if they are more than those of the image.
    """
    with _style():
        fig.set_layout_engine("constrained")  # the other one cannot place a scale
        bar = fig.colorbar(image, **{"ax": image.axes, "aspect": 24, "pad": 0.02, **colorbar})
        bar.outline.set_edgecolor(MUTED)
        bar.ax.tick_params(color=MUTED, labelcolor=INK, labelsize=9.5, length=3)
        if label:
            bar.set_label(label, color=INK)
        # A ramp of 256 strips would be 256 paths; as an image it is one.
        assert bar.solids is not None
        bar.solids.remove()
        low, high = image.get_clim()
        ramp = np.linspace(low, high, 256)[:, None]
        extent = (0.0, 1.0, low, high)
        if bar.orientation == "horizontal":
            ramp, extent = ramp.T, (low, high, 0.0, 1.0)
        bar.ax.imshow(
            ramp,
            cmap=image.cmap,
            vmin=low,
            vmax=high,
            aspect="auto",
            interpolation="none",
            origin="lower",
            extent=extent,
        )
    return bar.ax


def box(
    ax: Axes,
    x: float,
    y: float,
    width: float,
    height: float,
    text: str,
    *,
    colour: str = INK,
    fill: str | None = None,
    **text_properties: Any,
) -> None:
    """Draw a box with its lower left corner at (x, y) and `text` in its middle.

    `colour` is the outline's; `fill` is laid on as a tint, so that the text can
    be read on it. Further arguments go to `Axes.text`.
    """
    from matplotlib.patches import FancyBboxPatch

    inset = min(0.06, width / 4, height / 4)
    outline: dict[str, Any] = {
        "boxstyle": f"round,pad=0,rounding_size={inset}",
        "linewidth": 1.1,
    }
    with _style():
        if fill is not None:
            ax.add_patch(
                FancyBboxPatch((x, y), width, height, **outline, fc=fill, ec="none", alpha=0.16)
            )
        ax.add_patch(FancyBboxPatch((x, y), width, height, **outline, fc="none", ec=colour))
        ax.text(
            x + width / 2,
            y + height / 2,
            text,
            **{"ha": "center", "va": "center", "color": INK, **text_properties},
        )


def arrow(
    ax: Axes,
    start: Sequence[float],
    end: Sequence[float],
    *,
    colour: str = INK,
    bend: float = 0.0,
    dashed: bool = False,
    text: str = "",
) -> None:
    """Draw an arrow from `start` to `end`, with `text` beside its middle if given.

    `bend` bows it to one side, as a share of its length.
    """
    from matplotlib.patches import FancyArrowPatch

    with _style():
        ax.add_patch(
            FancyArrowPatch(
                (start[0], start[1]),
                (end[0], end[1]),
                arrowstyle="-|>,head_length=0.45,head_width=0.2",
                connectionstyle=f"arc3,rad={bend}",
                mutation_scale=11,
                shrinkA=0,
                shrinkB=0,
                linewidth=1.1,
                linestyle="--" if dashed else "-",
                color=colour,
                joinstyle="miter",
                capstyle="butt",
            )
        )
        if text:
            (x0, y0), (x1, y1) = start, end
            upright = abs(y1 - y0) > abs(x1 - x0)
            ax.annotate(
                text,
                ((x0 + x1) / 2, (y0 + y1) / 2),
                xytext=(5, 0) if upright else (0, 4),
                textcoords="offset points",
                ha="left" if upright else "center",
                va="center" if upright else "bottom",
                color=INK,
                fontsize=9,
            )


def show(fig: Figure) -> None:
    """Print the figure as inline SVG: one line, for the page to hold.

    There is nothing to close: a figure made here is known to nobody else.
    """
    print(_svg(fig))


def _svg(fig: Figure) -> str:
    """The figure as one line of SVG for an HTML page."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.textpath import TextToPath

    for text in _texts(fig):
        text.set_math_fontfamily("stix")
    buffer = io.StringIO()
    measure = mock.patch.object(TextToPath, "get_text_width_height_descent", _measured())
    with _style(), measure:
        FigureCanvasSVG(fig).print_svg(buffer, metadata={"Date": None})  # type: ignore[no-untyped-call]
    width, height = fig.get_size_inches()
    return _for_page(buffer.getvalue(), float(width), float(height))


@functools.cache
def _measured() -> Any:
    """How large a text is, remembered: figures have the same ticks and letters again and again."""
    from matplotlib.textpath import TextToPath

    text_to_path, measure = TextToPath(), TextToPath.get_text_width_height_descent

    @functools.lru_cache(maxsize=8192)
    def size(text: str, properties: Any, is_math: Any) -> Any:
        return measure(text_to_path, text, properties, is_math)

    return lambda _, text, properties, is_math: size(text, properties, is_math)


def _texts(fig: Figure) -> Iterator[Text]:
    """The texts that somebody wrote, and that may hold a formula.

    `Figure.findobj` would make every tick of every axis first; those that do
    not exist yet are made while drawing, in our style.
    """
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    for artist in [*fig.get_children(), *(a for x in fig.axes for a in x.get_children())]:
        if isinstance(artist, Text):
            yield artist
        elif isinstance(artist, Axis):
            yield artist.label
            if isinstance(artist.get_major_formatter(), FixedFormatter | FuncFormatter):
                yield from artist.get_ticklabels()
        elif isinstance(artist, Legend):
            yield from artist.get_texts()
            yield artist.get_title()


_NUMBER = r"-?\d+\.\d+(?:e-?\d+)?"


def _for_page(svg: str, width: float, height: float) -> str:
    """What matplotlib wrote, made fit to stand in a page."""
    body = svg[svg.index("<svg") :]
    body = body[body.index(">") + 1 : body.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    # xlink:href stays: Material's instant navigation writes to every href that it finds.
    # The style sheet would hold for the whole page.
    body = re.sub(r"<style[^>]*>.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"<defs>\s*</defs>", "", body)

    body = re.sub(r'(?<= d=")[^"]*', _path, body)
    body = re.sub(r'(?<= )(?:x|y|width|height)="[^"]*', _places(2), body)
    body = re.sub(r'(?<= transform=")[^"]*', _places(4), body)
    body = re.sub(r' transform="rotate\(-?0(?:\.0+)? [^"]*\)"', "", body)
    # The ground of a hatch has its colour in an attribute, where no variable can stand.
    body = re.sub(r' fill="(#[0-9a-f]{6})"', r' style="fill:\1"', body)
    body = re.sub(r'(?<= style=")[^"]*', _declarations, body)
    body = _MATH.sub(_math_letters, body)
    body = re.sub(r">\s*\n\s*<", "><", body)
    body = re.sub(r"\s*\n\s*", " ", body).strip()

    body = _scoped(body)
    # A group that carried nothing but its name.
    while (opened := re.sub(r"<g>((?:(?!</?g\b).)*)</g>", r"\1", body)) != body:
        body = opened
    return (
        f'<svg class="pd-drawing" viewBox="0 0 {width * 72:g} {height * 72:g}"'
        f' width="{width * 96:g}" height="{height * 96:g}"'
        # matplotlib does not say black: it is what SVG takes.
        f' style="fill:var(--pd-ink);stroke-linejoin:round"'
        f' aria-hidden="true" focusable="false">{body}</svg>'
    )


def alone(drawing: str, alt: str = "") -> str:
    """What `show` printed, as a picture of its own, in the light scheme and on its ground."""
    head, body = drawing.strip().split(">", 1)
    place = re.search(r' viewBox="[^"]*" width="[^"]*" height="[^"]*"', head)
    label = f' role="img" aria-label="{html.escape(alt)}"' if alt else ""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f'{place[0] if place else ""}{label} style="background:var(--pd-paper);'
        "fill:var(--pd-ink);stroke-linejoin:round;font-family:system-ui,sans-serif;"
        f'white-space:pre">{body}'
    )
    return re.sub(r"var\(--pd-([\w-]+)\)", lambda m: _ALONE[m[1]], svg)


def _round(number: str, digits: int) -> str:
    shorter = f"{float(number):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if shorter in ("-0", "") else shorter


def _places(digits: int) -> Any:
    """Round each number of a match."""

    def rounded(match: re.Match[str]) -> str:
        return re.sub(_NUMBER, lambda m: _round(m[0], digits), match[0])

    return rounded


def _path(match: re.Match[str]) -> str:
    """A path's data, to a hundredth of a point and without needless blanks.

    One of straight lines, which most drawings consist of, is written step by step, to a tenth of
    a point: it takes a third of the bytes.
    """
    commands = re.findall(r"([A-Za-z])([^A-Za-z]*)", match[0])
    if {name for name, _ in commands} <= {"M", "L", "z"}:
        return _steps((name, *map(float, places.split())) for name, places in commands)
    text = re.sub(_NUMBER, lambda m: _round(m[0], 2), match[0])
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))


def _steps(commands: Iterable[tuple[Any, ...]]) -> str:
    """Straight lines, each from where the one before it ends, in tenths: no error adds up."""
    text, at, start, last = "", (0, 0), (0, 0), ""
    for name, *place in commands:
        if name == "z":
            text, at, last = text + "z", start, "z"
            continue
        x, y = (round(each * 10) for each in place)
        if name == "M":
            text += f"M{_tenths(x)}{_joined(_tenths(y))}"
            at = start = (x, y)
            last = "M"
            continue
        step = (x - at[0], y - at[1])
        if step == (0, 0) and last == "l":
            continue
        first, second = map(_tenths, step)
        text += (_joined(first) if last == "l" else f"l{first}") + _joined(second)
        at, last = (x, y), "l"
    return text


def _tenths(number: int) -> str:
    """A number of tenths as SVG reads it: 5 is ``.5``, 30 is ``3``."""
    return f"{number / 10:.1f}".removesuffix(".0").replace("0.", ".", 1 if abs(number) < 10 else 0)


def _joined(number: str) -> str:
    """A number behind another: a sign parts them as a blank does."""
    return number if number.startswith("-") else f" {number}"


@functools.cache
def _variable(colour: str) -> str:
    name = _VARIABLES.get(colour)
    return f"var(--pd-{name})" if name else colour


def _declarations(match: re.Match[str]) -> str:
    """A style attribute with the page's colours and the page's typeface."""
    kept = []
    for declaration in html.unescape(match[0]).split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if not name:
            continue
        if name == "font":
            size = re.search(r"([\d.]+)px", value)
            before = value[: size.start()].split() if size else []
            if "oblique" in before or "italic" in before:
                kept.append("font-style:italic")
            if weight := [w for w in before if w == "bold" or w.isdigit()]:
                kept.append(f"font-weight:{weight[0]}")
            if size:
                kept.append(f"font-size:{_round(f'{float(size[1])}', 2)}px")
            name = "font-family"
        if name == "font-family":
            family = value.partition(",")[0]
            if "STIX" in family:
                kept.append("font-family:var(--pd-math-font)")
            elif "mono" in family.lower():
                kept.append("font-family:var(--pd-code-font)")
        elif name != "font":
            value = re.sub(r"#[0-9a-f]{6}\b", lambda m: _variable(m[0]), value)
            value = re.sub(r"\d+\.\d{3,}", lambda m: _round(m[0], 2), value)
            kept.append(f"{name}:{value}")
    return ";".join(kept)


_MATH = re.compile(
    r'(style="[^"]*?)font-style:italic;([^"]*font-family:var\(--pd-math-font\)[^"]*"'
    r"[^>]*>)([^<]*)"
)


def _math_letters(match: re.Match[str]) -> str:
    """Italic letters of a formula, as the page's math font has them."""
    return match[1] + match[2] + "".join(map(_italic, html.unescape(match[3])))


def _italic(letter: str) -> str:
    code = ord(letter)
    if letter == "h":
        return "\N{PLANCK CONSTANT}"
    for first, last, italic in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if ord(first) <= code <= ord(last):
            return chr(italic + code - ord(first))
    return {"ϕ": "\N{MATHEMATICAL ITALIC PHI SYMBOL}"}.get(letter, html.escape(letter))


def _scoped(body: str) -> str:
    """Drop ids that nothing refers to; make the others the figure's own.

    They are named after what the figure holds, so that two figures of a page
    share none and the same figure has the same ones in every build.
    """
    used = list(dict.fromkeys(re.findall(r'(?:url\(|href=")#([^")]+)', body)))
    order = {name: f"{n:x}" for n, name in enumerate(used)}
    body = re.sub(
        r' id="([^"]*)"',
        lambda m: f' id="@{order[m[1]]}@"' if m[1] in order else "",
        body,
    )
    body = re.sub(r'(url\(|href=")#([^")]+)', lambda m: f"{m[1]}#@{order[m[2]]}@", body)
    name = "pd-" + hashlib.sha256(body.encode()).hexdigest()[:8]
    return re.sub(r"(id=\"|#)@([0-9a-f]+)@", rf"\g<1>{name}-\2", body)
