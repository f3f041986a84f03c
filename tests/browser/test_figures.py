"""Interactive figures: what all of them do, whatever they show."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from .conftest import Visit
from .moving import DOCS, FIGURES, Moving

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
each_figure = pytest.mark.parametrize(("place", "name"), FIGURES)
PAGES = sorted({place for place, _ in FIGURES})


def test_every_script_is_used_and_no_figure_is_missed() -> None:
    text = "".join(path.read_text("utf-8") for path in (DOCS / "chapters").glob("*.md"))
    kinds = re.findall(r'^interact\.offer\(\s*"([^"]+)"', text, re.M)
    assert len(kinds) == len(FIGURES) >= 12
    shared = {"drawing", "export", "figures"}
    scripts = {path.stem for path in (DOCS / "assets" / "figures").glob("*.js")} - shared
    assert scripts == set(kinds)


@each_figure
def test_it_is_moved_by_keyboard_and_the_address_keeps_it(
    visit: Visit, place: str, name: str
) -> None:
    """Every control changes what the drawing shows and says; a reload brings the view back."""
    page = visit.open(place)
    figure = Moving(page, name)
    for control in figure.box.locator(".pd-controls :is(input, select)").all():
        before = figure.drawing.inner_html(), figure.said
        kind = control.evaluate("each => each.type")
        control.focus()
        outline = control.evaluate("each => getComputedStyle(each).outlineStyle")
        assert outline != "none"
        if kind == "checkbox":
            page.keyboard.press("Space")
        elif kind == "range":
            value = control.input_value()
            page.keyboard.press("ArrowRight")
            figure.settle()
            if control.input_value() == value:  # it stood at its end
                page.keyboard.press("ArrowLeft")
        else:
            page.keyboard.press("ArrowDown")
        figure.settle()
        assert (figure.drawing.inner_html(), figure.said) != before
    said = figure.said
    expect(figure.box.locator(".pd-heard")).to_have_text(said)
    expect(page).to_have_url(re.compile(rf"\?{name}=[\w:,.-]+#{name}$"))
    page.reload()
    again = Moving(page, name)
    assert again.said == said
    expect(again.box).to_be_in_viewport()
    again.box.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"^[^?]*$"))
    assert again.said != said


@each_figure
def test_it_is_saved_with_its_caption_and_source(
    visit: Visit, place: str, name: str, tmp_path: Path
) -> None:
    page = visit.open(place)
    figure = Moving(page, name)
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            figure.box.get_by_role("button", name=kind).click()
        assert download.value.suggested_filename == f"pedocs-{name}.{kind.lower()}"
        download.value.save_as(tmp_path / kind)
    text = (tmp_path / "SVG").read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert "var(" not in text
    words = " ".join("".join(each.itertext()) for each in root.iter(f"{SVG}text"))
    caption = figure.box.locator("figcaption p").first.text_content() or ""
    assert " ".join(caption.split()[:6]) in words
    for wanted in ("Figure", "The pedocs authors, CC BY 4.0", "pedocs "):
        assert wanted in words, wanted
    assert f"#{name}" in words.replace(" ", "")  # an address is broken where a line ends
    assert all(not value.startswith("http") for value in re.findall(r'href="([^"]*)', text))
    png = (tmp_path / "PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 2 * float(root.attrib["width"])


@pytest.mark.parametrize("place", PAGES)
def test_a_page_with_figures_on_a_phone(visit: Visit, place: str) -> None:
    """Nothing is wider than the page or written too small, in both schemes, by the rules of WCAG."""
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        visit.open(place)
        for _, name in (each for each in FIGURES if each[0] == place):
            figure = Moving(page, name)
            size = figure.drawing.evaluate(
                "svg => Math.min(...[...svg.querySelectorAll('text')]"
                ".map(each => parseFloat(getComputedStyle(each).fontSize)))"
                " * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
            )
            assert size >= 9.9, name
            report = Axe().run(page, f"figure#{name}", {"resultTypes": ["violations"]})
            assert report.response["violations"] == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("place", PAGES)
def test_a_page_asks_for_60_kilobytes_at_most(chromium: Browser, address: str, place: str) -> None:
    """Script and data of figures and live code before the first Run, as they are, not compressed."""
    context = chromium.new_context()
    visit = Visit(context, address)
    loaded: dict[str, int] = {}
    ours = re.compile(r"/assets/(?:figures|live|pedocs)[^?]*\.(?:js|json|bin)$")
    visit.page.on(
        "response",
        lambda answer: (
            loaded.update({answer.url: len(answer.body())}) if ours.search(answer.url) else None
        ),
    )
    page = visit.open(place)
    for _, name in (each for each in FIGURES if each[0] == place):
        Moving(page, name)
    page.wait_for_load_state("networkidle")
    html = page.evaluate("fetch(location.href).then(answer => answer.text())")
    data = sum(map(len, re.findall(r"<template.*?</template>", html, re.S)))
    context.close()
    assert loaded
    assert sum(loaded.values()) + data <= 60_000, (data, loaded)


@pytest.mark.parametrize("place", PAGES)
def test_without_scripts_the_drawing_stands(chromium: Browser, address: str, place: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + place)
    for _, name in (each for each in FIGURES if each[0] == place):
        box = page.locator(f"figure#{name}")
        expect(box.locator("svg.pd-drawing")).to_be_visible()
        assert box.locator("[role=img]").first.get_attribute("aria-label")
        assert box.locator(":is(button, input, select)").count() == 0
    context.close()


def test_an_address_asks_for_what_there_is(visit: Visit) -> None:
    """What is too much is brought to the nearest; what is unknown is left as the page has it."""
    swap = "chapters/two-scores/?fig-swap="
    figure = Moving(visit.open(swap + "first:b,position:maybe,start:77,x:1"), "fig-swap")
    assert figure.control("Order").input_value() == "b"
    assert figure.control("Positions on").is_checked()
    assert figure.control("Start s").input_value() == "20"
    figure = Moving(visit.open(swap + "first:<b>,start:,"), "fig-swap")
    assert figure.control("Order").input_value() == "a"
    assert figure.control("Start s").input_value() == "10"


def test_a_link_holds_the_views_of_two_figures(visit: Visit) -> None:
    page = visit.open("chapters/two-scores/")
    Moving(page, "fig-swap").set(Start_s=3)
    Moving(page, "fig-wandering").set(Start_s=16)
    figure = Moving(page, "fig-wandering")
    figure.box.get_by_role("button", name="Copy link").click()
    expect(figure.box.locator(".pd-tools__note")).to_contain_text("clipboard")
    page.wait_for_url(re.compile("fig-swap=.*fig-wandering="))
    link = page.evaluate("navigator.clipboard.readText()")
    page = page.context.new_page()
    page.goto(link)
    assert "Start 16" in Moving(page, "fig-wandering").said
    assert "A at 3" in Moving(page, "fig-swap").said


def test_a_link_within_the_page_keeps_what_figures_show(visit: Visit) -> None:
    """It is no way to another page: what a reader has done on this one stays."""
    page = visit.open("chapters/two-scores/")
    Moving(page, "fig-swap").set(Start_s=3)
    expect(page).to_have_url(re.compile("fig-swap="))
    page.evaluate("window.sameDocument = true")
    page.locator(".md-content h2 .headerlink").first.evaluate("each => each.click()")
    expect(page.locator("#pd-citing")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".md-sidebar--secondary a[href*='#']:visible").last.click()
    expect(page).to_have_url(re.compile("fig-swap=.*#(?!fig)"))
    assert page.evaluate("window.sameDocument")
    assert "A at 3" in Moving(page, "fig-swap").said


def test_figures_come_back_under_instant_navigation(visit: Visit) -> None:
    page = visit.open("chapters/two-scores/")
    Moving(page, "fig-swap").set(Start_s=3)
    expect(page).to_have_url(re.compile("fig-swap="))
    page.evaluate("window.sameDocument = true")
    title = page.locator("h1").inner_text()
    page.locator(".md-footer__link--prev").click()
    expect(page.locator("h1")).not_to_have_text(title)
    page.go_back()
    expect(page.locator("h1")).to_have_text(title)
    assert "A at 3" in Moving(page, "fig-swap").said
    assert page.evaluate("window.sameDocument === true")
