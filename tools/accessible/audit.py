"""Everything that one page is put through, in views and states, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from playwright.sync_api import Browser, Page

from . import checks as look
from .checks import Checks
from .states import FRAMES, chrome, figure_states, layers, opened, unfold

Scheme = Literal["light", "dark"]
VIEWS: list[tuple[Scheme, int]] = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
# A screen of 1280 pixels at 200 %, and at 400 %.
ZOOMS = {"200 %": (640, 400), "400 %": (320, 256)}
HEIGHT = 800


@dataclass
class Found:
    """What was found on a page: how often each check was made, and what was wrong."""

    place: str
    made: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)  # what axe leaves to people, by its rule
    rules: int = 0  # the most that axe tried on one view

    def note(self, check: str, where: str, faults: Iterable[str], times: int = 1) -> None:
        """Count a check, and keep what it says."""
        self.made[check] += times
        self.faults += [f"{self.place or 'home'} ({where}): {check}: {each}" for each in faults]


class Audit:
    """Puts pages of a site at one address through everything."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address

    def page(self, place: str) -> Found:
        """Put one page through everything."""
        found = Found(place)
        for scheme, width in VIEWS:
            self.view(found, scheme, width)
        for width in (1280, 390):
            self.keys(found, width)
        self.changed(found)
        return found

    @contextmanager
    def _at(self, found: Found, width: int, height: int = HEIGHT, **media: Any) -> Iterator[Page]:
        context = self.browser.new_context(viewport={"width": width, "height": height}, **media)
        context.set_default_timeout(120_000)
        page = context.new_page()
        opened(page, self.address + found.place)
        yield page
        context.close()

    def whole(self, found: Found, scheme: Scheme, width: int) -> None:
        """Look at a page in one scheme and width, unfolded."""
        with self._at(found, width, color_scheme=scheme) as page:
            self._whole(found, page, f"{scheme}, {width}")

    def _whole(self, found: Found, page: Page, view: str) -> Checks:
        checks = Checks(page)
        unfold(page)
        self._axe(found, checks, view)
        for check in ("contrasts", "drawn", "icons", "headings", "shared", "wide"):
            found.note(check, view, checks.run(check))
        if view == "light, 1280":
            faults, roles = look.heard(page)
            found.note("accessibility tree", view, faults)
            found.made["formulas in the tree"] += roles.get("MathMLMath", 0)
        return checks

    def view(self, found: Found, scheme: Scheme, width: int) -> None:
        """Look at a page in one scheme and width, in all its states."""
        view = f"{scheme}, {width}"
        with self._at(found, width, color_scheme=scheme) as page:
            checks = self._whole(found, page, view)
            # All states of a figure in its page to embed: axe reads the whole page for each.
            embedded = found.place.startswith("embed/")
            for box in page.locator("figure.pd-interactive").all():
                name = box.get_attribute("id")
                part = f"figure#{name}"
                for state in islice(figure_states(page, box), None if embedded else 1):
                    where = f"{view}, {name}, {state}"
                    self._axe(found, checks, where, part)
                    found.note("contrasts", where, checks.run("contrasts", part))
                    found.note("drawn", where, checks.run("drawn", part))
                    said = box.locator(".pd-said").text_content()
                    name_of = box.locator(".pd-moving svg").get_attribute("aria-label")
                    found.note(
                        "figure says what it shows",
                        where,
                        [] if said == name_of else [str(name_of)],
                    )
                found.note("wide", f"{view}, {name}", checks.run("wide"))
            for state, part in layers(page):
                where = f"{view}, {state}"
                self._axe(found, checks, where, part)
                found.note("contrasts", where, checks.run("contrasts", part))
                found.note("wide", where, checks.run("wide"))
            if not found.place:
                for state, part in chrome(page):
                    where = f"{view}, {state}"
                    self._axe(found, checks, where, part)
                    found.note("contrasts", where, checks.run("contrasts", part))

    def _axe(self, found: Found, checks: Checks, where: str, part: str | None = None) -> None:
        faults, left, rules = checks.axe(part)
        found.note("axe", where, faults)
        found.left.update(left)
        found.rules = max(found.rules, rules)

    def keys(self, found: Found, width: int) -> None:
        """Use a page by keyboard alone."""
        view = f"keyboard, {width}"
        with self._at(found, width, reduced_motion="reduce") as page:
            checks = Checks(page)
            found.note("stops of the Tab key", view, *look.walk(page, checks))
            unfold(page)
            found.note("scrolled by keys", view, *look.scrolled(page, Checks(page)))

    def changed(self, found: Found) -> None:
        """Look at a page as a reader's settings change it."""
        with self._at(found, 1280) as page:
            self._forced(found, page)
            checks = Checks(page)
            page.emulate_media(forced_colors="none", reduced_motion="reduce")
            page.evaluate(FRAMES)
            found.note("motion", "less motion", checks.run("motion"))
            for spaced in ("", ", spaced"):
                if spaced:
                    page.evaluate(look.SPACING)
                for zoom, (width, height) in ZOOMS.items():
                    page.set_viewport_size({"width": width, "height": height})
                    page.evaluate(FRAMES)
                    for check in ("wide", "cut", "covered"):
                        found.note(check, zoom + spaced, checks.run(check))

    def _forced(self, found: Found, page: Page) -> None:
        """The colours that a reader's system forces on a page."""
        schemes: list[Scheme] = ["light", "dark"]
        for scheme in schemes:
            view = f"forced colours, {scheme}"
            page.emulate_media(forced_colors="none", color_scheme=scheme)
            opened(page, page.url)
            unfold(page)
            checks = Checks(page)
            plain = checks.run("shapes")
            page.emulate_media(forced_colors="active")
            page.evaluate(FRAMES)
            for check in ("contrasts", "icons"):
                found.note(check, view, checks.run(check))
            lost = sum(a >= 3 > b for a, b in zip(plain, checks.run("shapes"), strict=True))
            faults = [f"{lost} of {len(plain)} shapes are lost"] if lost else []
            found.note("drawings in forced colours", view, faults)
            found.note("controls seen", view, *look.visible_controls(page, checks))
