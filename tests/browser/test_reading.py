"""What a reader does with the pages: copy, hover, tab, go on, search."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = [f"chapters/{path.stem}/" for path in sorted((DOCS / "chapters").glob("*.md"))]
VALUE = ".md-content p data.worked:not(:is(a, summary) *)"


def code_of(place: str) -> list[str]:
    """Return the code of each worked block of a chapter: what stands behind its prompts."""
    text = (DOCS / place.rstrip("/")).with_suffix(".md").read_text("utf-8")
    blocks = re.findall(r"^( *)```pycon.*?\n(.*?)^\1```", text, re.S | re.M)
    prompted = (
        re.findall(rf"^{indent}(?:>>>|\.\.\.) (.*\S)", block, re.M) for indent, block in blocks
    )
    return ["\n".join(lines) for lines in prompted]


@pytest.mark.parametrize("place", CHAPTERS)
def test_copy_takes_the_code_only(visit: Visit, place: str) -> None:
    """Pasted into a file, each block runs: no prompts, and blank lines for the output."""
    page = visit.open(place)
    wanted = code_of(place)
    assert wanted
    # What is folded gets its button when it is opened.
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    buttons = page.locator(".worked-block [data-md-type=copy]")
    expect(buttons).to_have_count(len(wanted))
    copied = []
    for button in buttons.all():
        button.evaluate("button => button.click()")
        expect(page.locator(".md-dialog--active")).to_be_attached()
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    assert [re.sub(r"\n\s*\n", "\n", code).strip() for code in copied] == wanted


def proof(page: Page) -> str:
    """Return what the open proof of a worked value says."""
    box = page.get_by_role("tooltip")
    expect(box).to_be_visible()
    return box.inner_text()


def test_a_value_shows_its_expression(visit: Visit) -> None:
    page = visit.open(CHAPTERS[0])
    value = page.locator(f"{VALUE}:not(.quoted)").first
    expression, exact = value.get_attribute("data-expression"), value.get_attribute("value")
    assert expression
    assert exact
    value.scroll_into_view_if_needed()
    value.hover()
    assert expression in proof(page)
    assert exact.lstrip("-") in proof(page)
    assert "recomputed" in proof(page)
    page.mouse.move(0, 0)
    expect(page.get_by_role("tooltip")).to_be_hidden()


def test_a_quoted_number_says_so(visit: Visit) -> None:
    page = visit.open("chapters/sinusoid/")
    value = page.locator(f"{VALUE}.quoted").first
    value.scroll_into_view_if_needed()
    value.hover()
    assert "source(" in proof(page)
    assert "as printed in the source" in proof(page)
    assert "recomputed" not in proof(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_proof_leaves_what_is_being_read_alone(visit: Visit, width: int) -> None:
    """It stands below its value, clear of the pointer, above it only at the foot of the screen."""
    page = visit.open(CHAPTERS[0])
    page.set_viewport_size({"width": width, "height": 800})
    value = page.locator(VALUE).nth(9)
    for top, below in ((300, True), (760, False)):
        value.evaluate("(v, y) => scrollTo(0, scrollY + v.getBoundingClientRect().top - y)", top)
        place = value.bounding_box()
        assert place
        page.mouse.move(place["x"] + 3, place["y"] + place["height"] / 2)
        proof(page)
        box = page.get_by_role("tooltip").bounding_box()
        assert box
        assert box["height"] < 80
        assert 0 <= box["x"] <= width - box["width"]
        if below:
            assert box["y"] >= place["y"] + place["height"] + 8
        else:
            assert box["y"] + box["height"] <= place["y"] - 8
        page.mouse.move(0, 0)
        expect(page.get_by_role("tooltip")).to_be_hidden()


def test_a_value_can_be_reached_by_keyboard(visit: Visit) -> None:
    page = visit.open(CHAPTERS[0])
    value = page.locator("data.worked:focus")
    for _ in range(300):
        page.keyboard.press("Tab")
        if value.count():
            break
    assert str(value.get_attribute("data-expression")) in proof(page)
    described = value.get_attribute("aria-describedby")
    assert described == page.get_by_role("tooltip").get_attribute("id")
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()


@pytest.mark.parametrize("place", CHAPTERS)
def test_values_are_one_stop_a_section(visit: Visit, place: str) -> None:
    """The Tab key goes past a section's values; the arrow keys go from one to the next."""
    page = visit.open(place)
    values = page.locator(".md-content data.worked[tabindex]:visible")
    stops = page.locator(".md-content data.worked[tabindex='0']:visible")
    sections = page.locator(".md-content :is(h1, h2, h3)").count()
    boxes = page.locator(".md-content :is(details, .tabbed-block):has(data.worked)").count()
    assert 0 < stops.count() <= sections + boxes
    page.keyboard.press("Shift+Tab")  # so that the focus is the keyboard's
    values.first.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("next value")
    for n in range(1, min(8, values.count())):
        page.keyboard.press("ArrowRight")
        expect(values.nth(n)).to_be_focused()
        assert str(values.nth(n).get_attribute("data-expression")) in proof(page)
    page.keyboard.press("ArrowLeft")
    expect(values.nth(n - 1)).to_be_focused()
    assert stops.count() <= sections + boxes


def test_a_value_can_be_tapped(visit: Visit) -> None:
    page = visit.open(CHAPTERS[0])
    page.set_viewport_size({"width": 390, "height": 844})
    value = page.locator(VALUE).first
    value.scroll_into_view_if_needed()
    value.click()
    assert str(value.get_attribute("data-expression")) in proof(page)
    box = page.get_by_role("tooltip").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_the_next_chapter_works_like_the_first(visit: Visit) -> None:
    """Instant navigation: the document stays, the page changes, and everything still works."""
    page = visit.open("chapters/attention/")
    page.evaluate("window.sameDocument = true")
    title = page.locator("h1").inner_text()
    page.locator(".md-footer__link--next").click()
    expect(page.locator("h1")).not_to_have_text(title)
    assert page.evaluate("window.sameDocument === true")
    assert page.url.startswith(visit.address)
    value = page.locator(VALUE).first
    value.scroll_into_view_if_needed()
    value.hover()
    assert str(value.get_attribute("data-expression")) in proof(page)
    page.mouse.move(0, 0)
    button = page.locator(".worked-block [data-md-type=copy]").first
    button.evaluate("button => button.click()")
    expect(page.locator(".md-dialog--active")).to_be_attached()
    assert ">>>" not in page.evaluate("navigator.clipboard.readText()")
    page.go_back()
    expect(page.locator("h1")).to_have_text(title)


def test_search_finds_a_chapter(visit: Visit) -> None:
    page = visit.open()
    page.keyboard.press("/")
    page.keyboard.type("permutation")
    result = page.locator(".md-search-result__link").first
    expect(result).to_be_visible()
    result.click()
    expect(page.locator(".md-content")).to_contain_text(re.compile("permutation", re.I))


def test_the_scheme_can_be_chosen_and_stays(visit: Visit) -> None:
    page = visit.open()
    body = page.locator("body")
    before = body.get_attribute("data-md-color-scheme")
    page.locator("[data-pd-scheme]:visible").click()
    expect(body).not_to_have_attribute("data-md-color-scheme", str(before))
    after = body.get_attribute("data-md-color-scheme")
    visit.open(CHAPTERS[0])
    expect(body).to_have_attribute("data-md-color-scheme", str(after))


@pytest.mark.parametrize("place", ["", *CHAPTERS])
def test_it_can_be_read_without_scripts(visit: Visit, place: str) -> None:
    context = visit.page.context.browser
    assert context
    page = context.new_page(java_script_enabled=False)
    page.goto(visit.address + place)
    assert page.locator("h1").is_visible()
    assert all(figure.is_visible() for figure in page.locator(".md-content figure").all())
    values = page.locator(".md-content p > data.worked")
    assert all(value.get_attribute("tabindex") == "0" for value in values.all())
    page.context.close()
