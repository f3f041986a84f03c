"""Citing a page from the box at its end, and an item of it from its permalink."""

import json
import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Visit

pytestmark = pytest.mark.browser

expect.set_options(timeout=30_000)

PLACE = "chapters/sinusoid/"
# Where it is published, which is not where the tests are served.
PUBLISHED = "link => link.href"
COPY = {"APA": "Version ", "BibTeX": "@incollection{", "CSL-JSON": '"chapter"'}


def copied(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def opened(page: Page, mark: Locator) -> Locator:
    mark.click()
    panel = page.locator(".pd-citing")
    expect(panel).to_be_visible()
    return panel


def test_the_box_copies_each_format_with_one_click(visit: Visit) -> None:
    page = visit.open(PLACE)
    address = page.locator("link[rel=canonical]").evaluate(PUBLISHED)
    box = page.locator(".pd-cite")
    box.locator("summary").click()
    for name, wanted in COPY.items():
        row = box.locator("p", has_text=name)
        row.get_by_role("button", name=f"Copy {name}", exact=True).click()
        expect(row.get_by_role("status")).to_have_text("Copied.")
        assert wanted in copied(page)
        assert address in copied(page)
    assert json.loads(copied(page))[0]["URL"] == address


@pytest.mark.parametrize(
    ("mark", "label"),
    [
        ("a.pd-equation-number", "Equation "),
        (".pd-figure a.pd-number", "Figure "),
        ("h2 .headerlink", "Section “"),
        (".worked-block .headerlink", "Example"),
    ],
)
def test_a_permalink_opens_a_panel_for_its_item(visit: Visit, mark: str, label: str) -> None:
    page = visit.open(PLACE)
    address = page.locator("link[rel=canonical]").evaluate(PUBLISHED)
    link = page.locator(f".md-content {mark}").first
    link.scroll_into_view_if_needed()
    item = str(link.evaluate("link => link.hash"))
    panel = opened(page, link)
    assert page.evaluate("location.hash") == item
    assert (panel.get_attribute("aria-label") or "").startswith(f"Cite {label}")
    shown = panel.locator(".pd-citing__label").inner_text()
    for name, wanted in (
        ("link", address + item),
        ("APA", f", {shown}. In "),
        ("BibTeX", f"url = {{{address}{item}}}"),
        ("CSL-JSON", f', {shown}"'),
    ):
        panel.get_by_role("button", name=f"Copy {name}", exact=True).click()
        expect(panel.get_by_role("status")).to_have_text("Copied.")
        assert wanted in copied(page)
        assert not re.search("[\ue000-\uf8ff]", copied(page))


def test_a_value_is_cited_from_what_it_shows(visit: Visit) -> None:
    page = visit.open(PLACE)
    value = page.locator(".md-content p > data.worked[id]").first
    value.click()
    panel = opened(page, page.locator(".pd-popover a"))
    assert page.evaluate("location.hash") == f"#{value.get_attribute('id')}"
    expect(panel.locator(".pd-citing__label")).to_have_text(
        f"Worked value {value.inner_text()} ({value.get_attribute('id')})"
    )
    # It stands beside the value.
    near, box = value.bounding_box(), panel.bounding_box()
    assert near
    assert box
    assert (
        min(abs(box["y"] - near["y"] - near["height"]), abs(near["y"] - box["y"] - box["height"]))
        < 20
    )


def test_by_keyboard(visit: Visit) -> None:
    """Enter on a value opens the panel, whose first button has the focus; Escape leads back."""
    page = visit.open(PLACE)
    value = page.locator(".md-content p > data.worked[id]").first
    value.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    panel = page.locator(".pd-citing")
    expect(panel.get_by_role("button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status")).to_have_text("Copied.")
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(value).to_be_focused()

    link = page.locator(".md-content h2 .headerlink").first
    link.focus()
    page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(link).to_be_focused()


def test_it_fits_on_a_phone(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    visit.open(PLACE)
    for mark in ("a.pd-equation-number", "h2 .headerlink", "figcaption a.pd-number"):
        link = page.locator(f".md-content {mark}").nth(1)
        link.scroll_into_view_if_needed()
        box = opened(page, link).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_error_is_reported_for_the_item(visit: Visit) -> None:
    """Without a repository the link leads to the section that says how."""
    page = visit.open(PLACE)
    report = page.locator(".md-content .pd-files a", has_text="Report an error here")
    assert report.evaluate(PUBLISHED) == f"{visit.address}errata/#report"
    panel = opened(page, page.locator(".md-content h2 .headerlink").first)
    panel.get_by_role("link", name="Report an error here").click()
    page.wait_for_url(f"{visit.address}errata/#report")
    expect(page.locator("#report")).to_be_visible()


def test_without_an_address_there_is_no_link_to_copy(visit: Visit) -> None:
    page = visit.page

    def unpublished(route: object) -> None:
        answer = route.fetch()  # type: ignore[attr-defined]
        found = answer.json() | {"link": ""}
        found["formats"]["APA"] = "This copy has no public link."
        route.fulfill(response=answer, json=found)  # type: ignore[attr-defined]

    page.route("**/cite/**", unpublished)
    visit.open(PLACE)
    panel = opened(page, page.locator(".md-content h2 .headerlink").first)
    expect(panel.get_by_role("button")).to_have_count(3)
    expect(panel).to_contain_text("This copy has no public link.")


def test_without_scripts_the_box_shows_all_formats(chromium: Browser, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = Visit(context, address).open(PLACE)
    page.locator(".pd-cite summary").click()
    expect(page.locator(".pd-cite__text--bibtex")).to_be_visible()
    expect(page.locator(".pd-cite button").first).to_be_hidden()
    context.close()
