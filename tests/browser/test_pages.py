"""Every page, as Chromium shows it."""

from pathlib import Path

import pytest

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
LOADED_FONTS = """() => [...document.fonts]
  .filter(font => font.status === "loaded").map(font => font.family.replace(/["']/g, ""))"""


@pytest.mark.parametrize("place", PLACES)
def test_page(visit: Visit, place: str) -> None:
    """It asks no other host, logs no error, and is never wider than a phone."""
    page = visit.open(place)
    assert page.locator("h1").count() == 1
    # Read it to its end, so that what loads late is loaded.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")

    math = page.locator("math")
    if math.count():
        assert math.first.evaluate("math => math.namespaceURI").endswith("MathML")
        family = math.first.evaluate("math => getComputedStyle(math).fontFamily")
        assert family.split(",")[0].strip("\"'") in page.evaluate(LOADED_FONTS)

    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(TOO_WIDE) == []


def test_not_found(visit: Visit) -> None:
    """The page for a wrong address is whole at any depth."""
    page = visit.page
    page.goto(f"{visit.address}chapters/no/such/page/", wait_until="networkidle")
    assert page.locator("h1").count() == 1
    faults = [f for f in visit.faults if "no/such/page" not in f and "status of 404" not in f]
    visit.faults.clear()
    assert not faults
