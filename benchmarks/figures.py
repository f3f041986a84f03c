"""How smoothly the interactive figures move.

In Chromium each slider, or the drawing itself where there is none, is dragged to and fro by the
mouse for two seconds. Printed are the times between frames while it is dragged, beside those of
the same hand over the page's title, and how long a drawing takes. The site is built unless one is
named: `python -m benchmarks.figures SITE`.
"""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator, Page

from benchmarks.served import served, site
from tools.paper.browser import chromium

# What a page notes of its frames: when each began, and how long the scripts in it took.
WATCH = """
const ask = window.requestAnimationFrame.bind(window)
window.drawings = []
window.frames60 = []
window.requestAnimationFrame = (act) => ask((time) => {
  const start = performance.now()
  act(time)
  drawings.push(performance.now() - start)
})
const each = (time) => { frames60.push(time); ask(each) }
ask(each)
"""
SECONDS = 2.0


def dragged(page: Page, what: Locator) -> tuple[np.ndarray, np.ndarray]:
    """Drag over something to and fro; the frames' intervals and the scripts' times, in ms."""
    what.scroll_into_view_if_needed()
    box = what.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.1, y)
    page.mouse.down()
    page.evaluate("drawings.length = frames60.length = 0")
    start, turn = page.evaluate("performance.now()"), 0
    while page.evaluate("performance.now()") - start < 1000 * SECONDS:
        turn += 1
        share = 0.1 + 0.8 * abs(1 - (turn / 40) % 2)
        page.mouse.move(box["x"] + box["width"] * share, y)
    frames, drawings = page.evaluate("[frames60, drawings]")
    page.mouse.up()
    return np.diff(frames), np.array(drawings or [0.0])


def row(name: str, frames: np.ndarray, drawings: np.ndarray) -> str:
    """A line of the table."""
    late = np.mean(frames > 1000 / 60 * 1.5)
    return (
        f"{name:44}{len(frames) / SECONDS:7.1f}{np.median(frames):9.1f}"
        f"{np.percentile(frames, 95):9.1f}{late:9.1%}{np.median(drawings):9.2f}"
        f"{np.percentile(drawings, 95):9.2f}"
    )


def main() -> None:
    """Measure every figure of every page that has some."""
    print(f"{'':44}{'frames':>7}{'between frames':>18}{'later':>9}{'in scripts':>18}")
    print(f"{'':44}{'a s':>7}{'median':>9}{'95 %':>9}{'25 ms':>9}{'median':>9}{'95 %':>9}")
    with site() as folder, served(folder) as address, chromium() as browser:
        for path in sorted(folder.rglob("index.html")):
            if 'class="pd-offer"' in path.read_text("utf-8"):
                place = path.parent.relative_to(folder).as_posix() + "/"
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.add_init_script(WATCH)
                page.goto(address + place, wait_until="networkidle")
                measure(page, place)
                page.close()


def measure(page: Page, place: str) -> None:
    """Print a line for the page's title, then one for each slider of its figures."""
    page.locator("figure.pd-interactive .pd-said").first.wait_for()
    print(row(place, *dragged(page, page.locator("h1"))))
    for figure in page.locator("figure.pd-interactive").all():
        sliders = figure.locator(".pd-controls input[type=range]").all()
        for what in sliders or [figure.locator(".pd-moving svg[role=img]")]:
            label = what.get_attribute("id") or figure.get_attribute("id") or ""
            print(row(f"  {label}", *dragged(page, what)))


if __name__ == "__main__":
    main()
