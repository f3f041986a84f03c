"""The colours can be read on both grounds (WCAG 2.2: AAA for text, AA for the rest)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pedocs.book import draw

ASSETS = Path(__file__).parents[2] / "docs" / "assets"
STYLE = (ASSETS / "pedocs.css").read_text(encoding="utf-8")


def scheme(name: str) -> dict[str, str]:
    """The colours that a scheme sets."""
    [rule] = re.findall(rf'\[data-md-color-scheme="{name}"\] \{{\s*(--pd-[^}}]*)', STYLE)
    return dict(re.findall(r"--pd-([\w-]+): (#[0-9a-f]{6});", rule))


def luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["default", "slate"])
def test_contrast(name: str) -> None:
    colours = scheme(name)
    wanted = {"ink": 7.0, "muted": 7.0, "brand": 7.0, "bad": 4.5, "positive": 3.0, "negative": 3.0}
    wanted |= {f"series-{n}": 4.5 for n in range(1, 7)}
    faults = [
        f"{colour} on {ground}: {found:.2f}, not {least}"
        for colour, least in wanted.items()
        for ground in ("paper", "wash")
        if (found := contrast(colours[colour], colours[ground])) < least
    ]
    for colour, ground in (("ink", "brand-wash"), ("brand", "brand-wash"), ("ink", "bad-wash")):
        if contrast(colours[colour], colours[ground]) < 4.5:
            faults.append(f"{colour} on {ground}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", ["default", "slate"])
@pytest.mark.parametrize("tint", ["positive", "negative"])
def test_words_are_read_on_the_strongest_tint_below_them(name: str, tint: str) -> None:
    """Of a heat map that the build draws, and of one that a script moves: it has the same."""
    colours, share = scheme(name), draw.STRONGEST_UNDER_TEXT
    parts = [[int(colours[each][k : k + 2], 16) for k in (1, 3, 5)] for each in (tint, "paper")]
    mixed = [round(share * a + (1 - share) * b) for a, b in zip(*parts, strict=True)]
    assert contrast(colours["ink"], "#{:02x}{:02x}{:02x}".format(*mixed)) >= 4.5
    script = (ASSETS / "figures" / "drawing.js").read_text(encoding="utf-8")
    assert f"strongest = {share}" in script


def test_on_paper_the_light_scheme_holds() -> None:
    """The dark one is for screens alone; the light one is not bound to any medium."""
    assert re.search(r'@media screen \{\s*\[data-md-color-scheme="slate"\] \{\s*--pd-ink', STYLE)
    assert '\n:root,\n[data-md-color-scheme="default"] {\n  --pd-ink' in STYLE


def test_both_schemes_set_the_same_colours() -> None:
    assert scheme("default").keys() == scheme("slate").keys()
