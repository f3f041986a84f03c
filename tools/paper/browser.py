"""The Chromium that prints the book and drives its tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Error, Page, Route, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
# Where a document is while it is printed: an address that is nowhere.
PRESS = "http://press.invalid/"
# A4 without its margins, in CSS pixels, as paper.css has it.
WIDTH, HEIGHT = 640, 978


class NoChromium(Exception):
    """None starts here."""


def executable() -> str | None:
    """Where a Chromium lies: PEDOCS_CHROMIUM, or the one on the path."""
    return os.environ.get("PEDOCS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the Chromium that lies here, or Chrome or Edge."""
    path = executable()
    problem = ""
    with sync_playwright() as playwright:
        for channel in [None] if path else ["chrome", "msedge"]:
            try:
                browser = playwright.chromium.launch(
                    executable_path=path, channel=channel, args=ARGUMENTS
                )
            except Error as error:
                problem = problem or str(error).splitlines()[0]
            else:
                try:
                    yield browser
                finally:
                    browser.close()
                return
    raise NoChromium(problem)


@contextmanager
def press(browser: Browser, site: Path) -> Iterator[Page]:
    """Open a page that is as wide as paper, reads the site's files, and asks no other host."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    context.set_default_timeout(600_000)
    page = context.new_page()
    page.emulate_media(media="print", color_scheme="light")

    def serve(route: Route) -> None:
        file = site / unquote(urlsplit(route.request.url).path).lstrip("/")
        if route.request.url.startswith(PRESS) and file.is_file():
            route.fulfill(path=file)
        else:
            route.abort()

    context.route("**/*", serve)
    yield page
    context.close()


def lay(page: Page, document: str) -> None:
    """Show a document, and wait for its faces."""
    page.route(PRESS, lambda route: route.fulfill(body=document, content_type="text/html"))
    page.goto(PRESS)
    page.evaluate("() => document.fonts.ready.then(() => 0)")
    page.unroute(PRESS)
