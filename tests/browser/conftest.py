"""A Chromium that looks at the built site, served from this machine under a path of its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route

from tools.paper import browser


class Handler(SimpleHTTPRequestHandler):
    """Serves the folder ``site`` under /book/, and its 404.html for what is not there."""

    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".woff2": "font/woff2",
    }

    def translate_path(self, path: str) -> str:
        inside = path.startswith("/book/")
        return super().translate_path(path.removeprefix("/book") if inside else "/outside")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def served(folder: Path, handler: type[Handler] = Handler) -> Iterator[str]:
    """Serve a folder for a while; gives the address of the server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the site is, or will be as soon as its address is known."""
    given = os.environ.get("PEDOCS_SITE")
    return Path(given) if given else tmp_path_factory.mktemp("served") / "site"


@pytest.fixture(scope="session")
def address(build: Callable[[Path, str], None], folder: Path) -> Iterator[str]:
    """Return the address of a site that was built for it, or of the one that PEDOCS_SITE names."""
    with served(folder) as server:
        url = f"{server}book/"
        if not folder.exists():
            build(folder, url)
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Return a running Chromium."""
    try:
        with browser.chromium() as running:
            yield running
    except browser.NoChromium as problem:
        if os.environ.get("CI"):
            pytest.fail(f"no Chromium starts here: {problem}", pytrace=False)
        pytest.skip(f"no Chromium starts here (install one, or set PEDOCS_CHROMIUM): {problem}")


# What the content security policy refuses, in a page and in what it frames.
REFUSALS = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`refused: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`))"""


class Visit:
    """A page of the site, and everything that went wrong while it was looked at."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.faults: list[str] = []
        context.add_init_script(REFUSALS)
        context.route("**/*", self._route)
        context.on("requestfailed", self._failed)
        context.on("response", lambda r: self._note(f"{r.status}: {r.url}", r.status >= 400))
        context.on("weberror", lambda e: self._note(f"exception: {e.error}"))
        context.on(
            "console", lambda m: self._note(f"{m.type}: {m.text}", m.type in {"error", "warning"})
        )
        self.page = context.new_page()

    def _failed(self, request: Request) -> None:
        # The browser gives up on what is under way where a reader goes on before it is there.
        gone_on = request.failure == "net::ERR_ABORTED"
        self._note(f"failed: {request.url} {request.failure}", not gone_on)

    def _note(self, fault: str, is_one: bool = True) -> None:
        if is_one:
            self.faults.append(fault)

    def _route(self, route: Route, request: Request) -> None:
        if request.url.startswith((self.address, "data:", "blob:")):
            route.continue_()
        else:
            self._note(f"asked another host: {request.url}")
            route.abort()

    def open(self, place: str = "") -> Page:
        """Open a place of the site."""
        self.page.goto(self.address + place)
        return self.page


@pytest.fixture
def visit(chromium: Browser, address: str) -> Iterator[Visit]:
    """Return a fresh visit, 1280 pixels wide, that must end without faults."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(30_000)
    yield (result := Visit(context, address))
    context.close()
    assert not result.faults
