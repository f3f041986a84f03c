"""The site as one file, unpacked on a course server."""

import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pedocs.book import archive

from .conftest import Handler, Visit, served

pytestmark = pytest.mark.browser


class Course(Handler):
    """Serves files where they are, as a server does that knows nothing of the book."""

    def translate_path(self, path: str) -> str:
        return SimpleHTTPRequestHandler.translate_path(self, path)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        SimpleHTTPRequestHandler.send_error(self, code, message, explain)


@pytest.fixture
def course(site: Path, tmp_path: Path) -> Iterator[str]:
    """Return where the unpacked site is, in a folder of a server."""
    archive.pack(site, tmp_path / "site.zip")
    folder = tmp_path / "root" / "courses" / "unit 3"
    with zipfile.ZipFile(tmp_path / "site.zip") as packed:
        packed.extractall(folder)
    with served(tmp_path / "root", Course) as server:
        yield f"{server}courses/unit%203/{archive.name()}/"


def test_it_works_in_a_folder_of_a_server(chromium: Browser, course: str) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    visit = Visit(context, course)
    page = visit.open()
    page.locator(".md-content a[href$='chapters/rope/']").first.click()
    page.wait_for_url(f"{course}chapters/rope/**")
    expect(page.locator("#fig-turn .pd-said")).not_to_be_empty(timeout=30_000)
    page.get_by_role("textbox", name="Search").fill("half-split")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    visit.open("chapters/rope/")
    page.locator("#fig-layouts").get_by_role("link", name="alone, to embed").click()
    page.wait_for_url(f"{course}embed/rope/fig-layouts/")
    expect(page.locator("svg.pd-drawing")).to_be_visible()
    for place in (
        "llms.txt",
        "values.json",
        "notebooks/chapters/rope.ipynb",
        "chapters/rope/index.md",
    ):
        assert context.request.get(course + place).ok
    context.close()
    assert not visit.faults
