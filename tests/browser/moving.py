"""An interactive figure, as a test moves it."""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

DOCS = Path(__file__).parents[2] / "docs"
# Every interactive figure of the book: its page and its id.
FIGURES = [
    (f"chapters/{path.stem}/", found[1])
    for path in sorted((DOCS / "chapters").glob("*.md"))
    for found in re.finditer(
        r"^/// figure \| (\S+)\n(?:(?!^///).*\n)*?^interact\.offer\(", path.read_text("utf-8"), re.M
    )
]


def as_number(text: str) -> float:
    """Return the number that a figure writes."""
    return float(text.replace("\N{MINUS SIGN}", "-").replace("+", ""))


class Moving:
    """One figure of an open page."""

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.name = page, name
        self.box = page.locator(f"figure#{name}")
        expect(self.box).to_have_class(re.compile("pd-interactive"))
        expect(self.box.locator(".pd-said")).not_to_be_empty()

    @property
    def said(self) -> str:
        """What it shows, in words; the drawing says the same to a screen reader."""
        self.settle()
        words = self.box.locator(".pd-said").text_content() or ""
        assert self.drawing.get_attribute("aria-label") == words
        return words

    @property
    def numbers(self) -> list[float]:
        """Return the decimals of what it says."""
        return [as_number(text) for text in re.findall(r"[\u2212+]?\d+\.\d+", self.said)]

    @property
    def drawing(self) -> Locator:
        """Its drawing."""
        return self.box.locator(".pd-moving svg[role=img]")

    def control(self, label: str) -> Locator:
        """One of its controls, by its label."""
        return self.box.get_by_label(label, exact=True)

    def set(self, **controls: Any) -> None:
        """Set controls by their labels, `_` for a blank, each as a reader's hand would."""
        for label, value in controls.items():
            control = self.control(label.replace("_", " "))
            kind = control.evaluate("each => each.type")
            if kind == "checkbox":
                control.set_checked(value)
            elif kind == "range":
                control.evaluate(
                    "(each, value) => { each.value = value;"
                    " each.dispatchEvent(new Event('input', { bubbles: true })) }",
                    str(value),
                )
            else:
                control.select_option(value)
        self.settle()

    def settle(self) -> None:
        """Let the next frame be drawn, with what it has to load."""
        frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(frames)
        host = self.box.locator(".pd-moving")
        if host.get_attribute("aria-busy") == "true":
            expect(host).to_have_attribute("aria-busy", "false")

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from one place of the drawing to another, in shares of its width and height."""
        self.drawing.scroll_into_view_if_needed()
        box = self.drawing.bounding_box()
        assert box
        (x0, y0), (x1, y1) = (
            (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)
        )
        mouse = self.page.mouse
        mouse.move(x0, y0)
        mouse.down()
        mouse.move(x1, y1, steps=5)
        mouse.up()
        self.settle()
