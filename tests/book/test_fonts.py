"""The fonts of the site: their licences, their size, the letters that they have."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FONTS = ROOT / "docs" / "assets" / "fonts"
STYLE = (ROOT / "docs" / "assets" / "pedocs.css").read_text(encoding="utf-8")


def letters(family: str) -> set[int]:
    """The letters of a family, as the style sheet lists them."""
    found: set[int] = set()
    for face in re.findall(r"@font-face\{([^}]*)\}", STYLE):
        if f'font-family:"{family}"' in face:
            for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face):
                found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def test_every_font_is_named_by_the_style_sheet_and_only_those() -> None:
    named = set(re.findall(r"url\(fonts/([\w-]+\.woff2)\)", STYLE))
    assert named == {path.name for path in FONTS.glob("*.woff2")}


def test_a_first_visit_is_light() -> None:
    first = ["stix-text.woff2", "stix-text-italic.woff2", "stix-math.woff2"]
    assert sum((FONTS / name).stat().st_size for name in first) <= 110_000


@pytest.mark.parametrize("name", ["OFL-STIX.txt", "OFL-Tiro.txt"])
def test_licences_are_beside_the_fonts(name: str) -> None:
    text = (FONTS / name).read_text(encoding="utf-8")
    assert text.startswith("Copyright")
    assert "SIL Open Font License, Version 1.1" in text


def test_the_style_sheet_asks_no_other_host() -> None:
    assert not re.findall(r"url\((?!fonts/)[^)]*\)|@import|https?:", STYLE)


def test_the_fonts_have_what_the_text_is_made_of() -> None:
    text, math = letters("STIX Two Text"), letters("STIX Two Math")
    assert {ord(c) for c in "abcXYZ0189éüő“”‘’—–…−×§°".replace("ő", "")} <= text
    assert {ord(c) for c in "≈≤≥≠→∞√ωλπ𝜔𝜆𝑝𝑑𝐪𝐊ℝ𝒪∑∏⟨⌊‖⊤"} <= math
    assert {ord(c) for c in "भारत ने ऑस्ट्रेलिया को हराया"} <= letters("Tiro Devanagari Hindi")


class Letters(HTMLParser):
    """Gathers the letters of a page by the face that they are set in."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.math: set[str] = set()
        self.prose: set[str] = set()
        self.hindi: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self.open}
        if "article" not in tags or tags & {"script", "style", "code", "pre"}:
            return
        letters = {letter for letter in data if not letter.isspace()}
        style = " ".join(given.get("style") or "" for _, given in self.open)
        if "math" in tags or "--pd-math-font" in style:
            self.math |= letters
        elif any(given.get("lang") == "hi" for _, given in self.open):
            self.hindi |= letters
        elif "svg" not in tags:
            self.prose |= letters


def test_the_pages_use_no_other_letters(site: Path) -> None:
    """A letter that the fonts lack is set in another face: see tools/fonts.py."""
    text, math = letters("STIX Two Text"), letters("STIX Two Math")
    hindi = letters("Tiro Devanagari Hindi")
    lacking = []
    for page in sorted(site.rglob("*.html")):
        found = Letters()
        found.feed(page.read_text(encoding="utf-8"))
        for kind, used, have in (
            ("formulas", found.math, math),
            ("Hindi", found.hindi, hindi | text),
            ("prose", found.prose, text | math),
        ):
            if missing := "".join(sorted(letter for letter in used if ord(letter) not in have)):
                lacking.append(f"{page.relative_to(site)}: {kind}: {missing!a} {missing}")
    assert not lacking, "\n".join(lacking)
