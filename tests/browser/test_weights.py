"""What a first visit weighs, and that nothing moves while a page loads and is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from benchmarks.pages import FIRST, visits
from benchmarks.served import Packed, served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def packed(address: str, folder: Path) -> Iterator[str]:
    """Return the address of the same site, served as a static host would."""
    with served(folder, Packed) as url:
        yield url


# The home page; the heaviest chapter, which has four figures that move; one of the lightest.
@pytest.mark.parametrize("place", ["", "chapters/sinusoid/", "chapters/t5/"])
def test_visits(chromium: Browser, packed: str, place: str) -> None:
    """The first is within its limit; a second one asks for the page and little else."""
    for _ in range(3):  # a face that comes late moves a line about once in fifty visits
        first, second = visits(chromium, packed, place)
        if (shift := max(first["shift"], second["shift"])) < 0.001:
            break
    assert shift < 0.001
    assert 50_000 < first["bytes"] <= FIRST
    page = sum(size for path, size in Packed.sent if path.endswith(f"/book/{place}"))
    assert 0 < page <= second["bytes"] <= page + 15_000


def test_the_search_asks_for_its_index_when_it_is_used(chromium: Browser, packed: str) -> None:
    context = chromium.new_context()
    page = context.new_page()
    Packed.sent.clear()
    page.goto(packed)
    page.wait_for_load_state("networkidle")
    asked = [path for path, _ in Packed.sent]
    assert not any("search_index" in path for path in asked)
    page.keyboard.press("f")
    page.keyboard.type("rotation")
    page.locator(".md-search-result__link").first.wait_for()
    assert sum("search_index" in path for path, _ in Packed.sent) == 1
    page.goto(packed + "chapters/rope/?h=rotation")
    page.locator(".md-content mark").first.wait_for()
    context.close()


def test_a_long_page_is_styled_at_once(chromium: Browser, packed: str) -> None:
    """No script makes the browser style all elements anew while a page loads.

    Material's did it six times: by classes of the root, whole addresses of style sheets, metas
    for colours, and an attribute against fading. Fonts that come late may do it once.
    """
    context = chromium.new_context(viewport={"width": 412, "height": 823})
    page = context.new_page()
    tracer = context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[dict[str, Any]] = []
    tracer.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    tracer.on("Tracing.tracingComplete", lambda data: ended.append(data))
    tracer.send("Tracing.start", {"categories": "devtools.timeline"})
    page.goto(f"{packed}chapters/sinusoid/")
    page.wait_for_load_state("networkidle")
    tracer.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    styled = [each["args"]["elementCount"] for each in events if each["name"] == "UpdateLayoutTree"]
    shown = page.evaluate("document.querySelectorAll('.md-content *').length")
    context.close()
    assert max(styled) > 1000, "the browser reports its work otherwise than it did"
    assert sum(count > 0.7 * shown for count in styled) <= 2, styled
