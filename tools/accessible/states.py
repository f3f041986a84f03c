"""The states that a page can be brought into, as a reader's hand would."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from playwright.sync_api import Locator, Page

FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
MOST = 48  # combinations of the choices of one figure
CONTROLS = """box => [...box.querySelectorAll(".pd-controls :is(input, select)")].map(each =>
  each.type === "range" ? [Number(each.min), Number(each.max), Number(each.step)]
  : each.type === "checkbox" ? [false, true] : [...each.options].map(option => option.value))"""
SET = """(box, values) => {
  for (const [n, each] of box.querySelectorAll(".pd-controls :is(input, select)").entries()) {
    if (values[n] === null) continue
    if (each.type === "checkbox") each.checked = values[n]
    else each.value = values[n]
    each.dispatchEvent(new Event(each.type === "range" ? "input" : "change", { bubbles: true }))
  }
}"""
# A popover lies above all else. axe knows no top layer, and asks how things are stacked.
ABOVE = """() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync("[popover] { z-index: 1000 }")
  document.adoptedStyleSheets.push(sheet)
}"""
WHOLE = """() => document.querySelectorAll("template.pd-offer").length === 0
  && [...document.querySelectorAll(".pd-said")].every(each => each.textContent)"""


def opened(page: Page, address: str) -> None:
    """Open a page, and wait until what it is made of is there."""
    page.goto(address)
    page.wait_for_function(WHOLE)
    page.evaluate("document.fonts.ready.then(() => 0)")
    page.evaluate(FRAMES)


def unfold(page: Page) -> None:
    """Open every fold."""
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.evaluate(FRAMES)


def settings(controls: list[list[Any]], ranges: list[bool]) -> Iterator[list[Any]]:
    """Yield settings of a figure's controls; None leaves one as it is.

    Each slider at both ends and in the middle, each choice and switch; then all choices and
    switches together, as far as there are few, with the sliders at either end.
    """
    values = [
        [low, high, low + round((high - low) / step / 2) * step] if is_range else options
        for options, is_range in zip(controls, ranges, strict=True)
        for low, high, step in [options if is_range else (0, 0, 1)]
    ]
    yield [None] * len(values)
    for n, options in enumerate(values):
        for value in options:
            yield [value if k == n else None for k in range(len(values))]
    for end in (0, 1):
        choices = [
            [options[end]] if is_range else options
            for options, is_range in zip(values, ranges, strict=True)
        ]
        together = list(product(*choices))
        yield from map(list, together[:: -(-len(together) // MOST)])


def figure_states(page: Page, box: Locator) -> Iterator[str]:
    """Bring an interactive figure into one state after another; says what each is."""
    controls = box.evaluate(CONTROLS)
    ranges = box.evaluate(
        "box => [...box.querySelectorAll('.pd-controls :is(input, select)')]"
        ".map(each => each.type === 'range')"
    )
    for values in settings(controls, ranges):
        if values and all(value is None for value in values):
            box.get_by_role("button", name="Reset").click()
        box.evaluate(SET, values)
        page.evaluate(FRAMES)
        page.wait_for_function(
            "box => box.querySelector('.pd-moving').ariaBusy !== 'true'", arg=box.element_handle()
        )
        yield ", ".join("" if value is None else str(value) for value in values)


def layers(page: Page) -> Iterator[tuple[str, str]]:
    """Open what opens over a page or in it; says what it is, and a selector of it."""
    page.evaluate(ABOVE)
    live = page.locator("[data-live]")
    for wanted, name in (("[data-live]:not([data-answer])", "editor"), ("[data-answer]", "answer")):
        if page.locator(wanted).count():
            page.locator(wanted).first.locator(".pd-run").click()
            page.locator(".pd-live[aria-busy=false]").first.wait_for(timeout=120_000)
            yield name, f"{wanted}:has(.pd-live)"
    if live.count() and page.locator(".pd-live").count():
        editor = page.locator(".pd-live").first.get_by_role("textbox")
        editor.fill("print('x' * 300)\n" * 3 + "1 / 0\n")
        page.locator(".pd-live").first.get_by_role("button").first.click()
        page.locator(".pd-live[aria-busy=false]").first.wait_for(timeout=120_000)
        yield "output", "[data-live]:has(.pd-live)"
    value = page.locator(".md-content p data.worked:visible")
    if value.count():
        page.keyboard.press("Shift")
        value.first.focus()
        page.locator(".pd-popover:popover-open").wait_for()
        yield "value", ".pd-popover"
        page.keyboard.press("Escape")
    mark = page.locator(".md-content h2 .headerlink")
    if mark.count() and page.locator(".pd-cite").count():
        mark.first.evaluate("each => each.click()")
        page.locator("#pd-citing:popover-open").wait_for()
        yield "citing", "#pd-citing"
        page.keyboard.press("Escape")


def chrome(page: Page) -> Iterator[tuple[str, str]]:
    """Open what every page has, at any width: the search, and the drawer of the navigation."""
    page.evaluate("document.querySelector('.md-search__input').focus()")
    page.keyboard.type("rotary")
    page.locator(".md-search-result__link").first.wait_for()
    page.wait_for_timeout(400)
    yield "search", ".md-search"
    page.keyboard.press("Escape")
    drawer = page.locator(".md-header label[for=__drawer]")
    if drawer.is_visible():
        drawer.click()
        page.wait_for_timeout(500)
        yield "drawer", ".md-sidebar--primary"
