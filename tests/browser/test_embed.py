"""A figure of the book in a frame of another site."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, FrameLocator, Page, Request, expect

from .conftest import served

pytestmark = pytest.mark.browser

PLACE = "embed/rope/fig-turn/"
CHAPTER = "chapters/rope/"


class Host:
    """Another site, on another port, and everything that went wrong while it was looked at."""

    def __init__(self, page: Page, folder: Path, address: str, book: str) -> None:
        self.page, self.folder, self.address, self.book = page, folder, address, book
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on(
            "console",
            lambda m: (
                self.faults.append(f"{m.text} {m.location['url']}")
                if m.type in ("error", "warning")
                else None
            ),
        )
        page.on("requestfailed", lambda request: self.faults.append(request.url))
        page.on("request", self._asked)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.address, self.book, "data:", "blob:")):
            self.faults.append(request.url)

    def frame(self, code: str) -> FrameLocator:
        """Show a page that holds a frame."""
        html = f'<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,">{code}'
        (self.folder / "index.html").write_text(html, "utf-8")
        self.page.goto(self.address)
        return self.page.frame_locator("iframe")


@pytest.fixture
def host(chromium: Browser, address: str, tmp_path: Path) -> Iterator[Host]:
    """Return another site, which must end without faults."""
    with served(tmp_path) as server:
        context = chromium.new_context(viewport={"width": 900, "height": 900})
        context.set_default_timeout(30_000)
        yield (result := Host(context.new_page(), tmp_path, f"{server}book/", address))
        context.close()
    assert not result.faults


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_moves_in_a_frame(host: Host, scheme: str) -> None:
    host.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    address = f"{host.book}{PLACE}?fig-turn=query:5,key:9"
    frame = host.frame(f'<iframe src="{address}" width="700" height="700"></iframe>')
    said = frame.locator(".pd-said")
    expect(said).to_contain_text("query at 5, key at 9")
    frame.get_by_label("Query at i", exact=True).focus()
    host.page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("query at 6, key at 9")
    expect(frame.get_by_role("button", name="Copy link")).to_be_hidden()
    ground = frame.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert light == (scheme == "light")
    # What the site's pages have around their text is not here.
    assert frame.locator(".md-header, .md-footer, .md-search, .md-sidebar").count() == 0
    # The link back takes this view to the chapter, in the whole window.
    host.page.wait_for_timeout(500)
    frame.locator("a.pd-back").click()
    host.page.wait_for_url(re.compile(r"/chapters/rope/\?fig-turn=.*query:6.*#fig-turn$"))
    expect(host.page.locator("#fig-turn .pd-said")).to_contain_text("query at 6, key at 9")


def test_opened_by_itself_it_says_how_to_embed_it(host: Host) -> None:
    page = host.page
    page.goto(f"{host.book}{CHAPTER}")
    page.locator("#fig-turn").get_by_role("link", name="alone, to embed").click()
    page.wait_for_url(re.compile(f"{PLACE}$"))
    assert Axe().run(page).response["violations"] == []
    page.get_by_label("Key at j", exact=True).press("ArrowRight")
    code = page.locator(".pd-embed-code code")
    expect(code).to_contain_text("?fig-turn=")
    frame = host.frame(code.text_content() or "")
    expect(frame.locator(".pd-said")).to_contain_text("key at 3")
    box = frame.locator("html").evaluate("root => [root.scrollHeight, root.clientHeight]")
    assert box[0] <= box[1] + 60  # it nearly fits: the frame is another width than the page was
    assert frame.locator(".pd-embed-code").count() == 0


def test_a_figure_is_whole_without_scripts(chromium: Browser, address: str) -> None:
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 800}
    )
    page = context.new_page()
    page.goto(f"{address}{PLACE}")
    expect(page.locator("svg.pd-drawing")).to_be_visible()
    expect(page.get_by_role("link", name="CC BY 4.0")).to_be_visible()
    page.goto(f"{address}{CHAPTER}")
    for name in ("as SVG", "as PNG"):
        expect(page.get_by_role("link", name=name).first).to_be_visible()
    context.close()


def test_links_below_a_figure(chromium: Browser, address: str) -> None:
    """Those to pictures stand where no button saves one."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{address}{CHAPTER}")
    moving, still = page.locator("#fig-turn"), page.locator("#fig-layouts")
    expect(moving.locator(".pd-said")).not_to_be_empty(timeout=30_000)
    expect(moving.locator("figcaption .pd-files a:visible")).to_have_text(["Embed"])
    expect(still.locator(".pd-files a:visible")).to_have_text(["SVG", "PNG", "Embed"])
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            still.get_by_role("link", name=kind).click()
        assert download.value.suggested_filename == f"pedocs-fig-layouts.{kind.lower()}"
        assert download.value.path().stat().st_size > 1000
    context.close()
