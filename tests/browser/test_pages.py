"""Every page, as Chromium shows it."""

from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

from .conftest import Visit

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
PLACES = sorted(
    path.relative_to(DOCS).with_suffix("").as_posix().removesuffix("index")
    for path in DOCS.rglob("*.md")
)
PLACES = [place if place.endswith("/") or not place else f"{place}/" for place in PLACES]

# What stands out to the right and cannot be scrolled to where it stands.
TOO_WIDE = """() => {
  const root = document.documentElement;
  const wide = root.scrollWidth > innerWidth ? [`the page: ${root.scrollWidth}`] : [];
  const kept = box => /auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX);
  for (const each of document.querySelectorAll(".md-main *")) {
    const { right, width } = each.getBoundingClientRect();
    if (!width || right <= innerWidth + 1) continue;
    let box = each.parentElement;
    while (box !== document.body && !kept(box)) box = box.parentElement;
    if (box === document.body)
      wide.push(`${each.tagName}.${each.getAttribute("class")}: ${each.textContent.trim()}`);
  }
  return wide.slice(0, 5).map(line => line.slice(0, 90));
}"""
# The list of all values of a page is long, and one is like another.
OPEN_FOLDED = """() => {
  for (const each of document.querySelectorAll("details:not(.worked-list)")) each.open = true;
}"""
SCHEMES: dict[Literal["light", "dark"], list[str]] = {
    "light": ["wcag2a", "wcag2aa", "wcag21aa"],
    "dark": ["color-contrast"],
}
# Contrast takes seconds to check, and these have all colours that a page has.
IN_BOTH_SCHEMES = {"", "chapters/attention/", "library/sinusoid/"}
# Blocks of code that hide a part of a line of 76 characters or less.
CUT_CODE = """() => [...document.querySelectorAll(".md-content pre > code")]
  .filter(code => code.checkVisibility() && code.scrollWidth > code.clientWidth + 1
    && code.textContent.split("\\n").every(line => line.length <= 76))
  .map(code => code.textContent.slice(0, 90))"""
# The number of an equation that is not on the screen, and parts that scroll and share a name.
LOST_NUMBERS = """() => [...document.querySelectorAll(".pd-equation-number")]
  .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
  .map(each => each.textContent)"""
SHARED_NAMES = """() => [...document.querySelectorAll(".md-content [role=region]")]
  .map(each => each.getAttribute("aria-label"))
  .filter((name, n, all) => !name || all.indexOf(name) !== n)"""
LOADED_FONTS = """() => [...document.fonts]
  .filter(font => font.status === "loaded").map(font => font.family.replace(/["']/g, ""))"""


@pytest.mark.parametrize("place", PLACES)
def test_page(visit: Visit, place: str) -> None:
    """It asks no other host, logs no error, and can be read on a phone."""
    page = visit.open(place)
    assert page.locator("h1").count() == 1
    # Read it to its end, so that what loads late is loaded.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")

    assert page.evaluate(CUT_CODE) == []

    math = page.locator("math")
    if math.count():
        assert math.first.evaluate("math => math.namespaceURI").endswith("MathML")
        family = math.first.evaluate("math => getComputedStyle(math).fontFamily")
        assert family.split(",")[0].strip("\"'") in page.evaluate(LOADED_FONTS)

    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(LOST_NUMBERS) == []
    assert page.evaluate(SHARED_NAMES) == []


@pytest.mark.parametrize("place", PLACES)
def test_page_is_accessible(visit: Visit, place: str) -> None:
    """Its content keeps the rules of WCAG 2.1, A and AA, that a program can check."""
    found = []
    for scheme, rules in SCHEMES.items():
        if scheme == "dark" and place not in IN_BOTH_SCHEMES:
            continue
        visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page = visit.open(place)
        page.evaluate(OPEN_FOLDED)
        options = {"runOnly": rules, "resultTypes": ["violations"]}
        for fault in Axe().run(page, ".md-content", options).response["violations"]:
            places = [node["html"][:120] for node in fault["nodes"][:3]]
            found.append(f"{scheme}: {fault['id']}: {fault['help']}: {places}")
    assert "\n".join(found) == ""


def test_not_found(visit: Visit) -> None:
    """The page for a wrong address is whole at any depth."""
    page = visit.page
    page.goto(f"{visit.address}chapters/no/such/page/", wait_until="networkidle")
    assert page.locator("h1").count() == 1
    faults = [f for f in visit.faults if "no/such/page" not in f and "status of 404" not in f]
    visit.faults.clear()
    assert not faults
