"""What the content security policy refuses, and what a reader's code reaches.

That it refuses nothing of the book's own holds for every visit: see ``Visit``.
"""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import REFUSALS, Visit
from .test_live import FIRST, PATIENCE, asked, block, forgive, run, runtime, status, to

pytestmark = pytest.mark.browser
__all__ = ["runtime"]  # its fixture: skips where Pyodide is not there


@pytest.fixture
def open_page(chromium: Browser, address: str) -> Iterator[Page]:
    """Return a chapter in a browser, where faults are looked for and forgiven."""
    context = chromium.new_context()
    context.add_init_script(REFUSALS)
    page = context.new_page()
    page.goto(address + FIRST)
    page.wait_for_load_state("networkidle")
    yield page
    context.close()


@pytest.mark.parametrize(
    "attack",
    [
        "const script = document.createElement('script'); script.textContent = 'done = 1'; "
        "document.body.append(script)",
        "document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"done = 1\">')",
        "location.href = 'javascript:void(done = 1)'",
        "try { (0, eval)('done = 1') } catch {}",
        "setTimeout('done = 1')",
        "document.body.insertAdjacentHTML('beforeend', "
        "'<iframe srcdoc=\"<script>top.done = 1</script>\"></iframe>')",
    ],
    ids=["script", "handler", "address", "eval", "timer", "frame"],
)
def test_a_script_from_outside_is_refused(open_page: Page, attack: str) -> None:
    """Whatever brings it into the page."""
    said: list[str] = []
    open_page.on("console", lambda message: said.append(message.text))
    # By a script of the site: what the test itself evaluates is bound by no policy.
    open_page.route("**/attack.js", lambda route: route.fulfill(body=f"done = 0; {attack}"))
    open_page.evaluate(
        "() => document.body.append(Object.assign(document.createElement('script'), { src: 'attack.js' }))"
    )
    open_page.wait_for_timeout(300)
    assert open_page.evaluate("done") == 0
    assert any(text.startswith("refused: ") for text in said)


class Elsewhere(BaseHTTPRequestHandler):
    """Another host, which anybody may ask."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def elsewhere() -> Iterator[ThreadingHTTPServer]:
    """Return another host, which keeps what it was asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        server.asked = []  # type: ignore[attr-defined]
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_nothing_is_sent_elsewhere(open_page: Page, elsewhere: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{elsewhere.server_port}/"
    open_page.evaluate(
        """async (url) => {
          await fetch(url + "fetch").catch(() => {})
          navigator.sendBeacon(url + "beacon", "x")
          const image = new Image()
          image.src = url + "image"
          const style = document.createElement("link")
          Object.assign(style, { rel: "stylesheet", href: url + "style" })
          const frame = document.createElement("iframe")
          frame.src = url + "frame"
          document.body.append(style, frame)
          document.body.style.backgroundImage = `url(${url}background)`
          await import(url + "module").catch(() => {})
        }""",
        url,
    )
    open_page.wait_for_timeout(300)
    assert elsewhere.asked == []  # type: ignore[attr-defined]


# What of the browser a reader's code could do harm with, asked for in each way that Python has.
REACHED = """\
import js, pyodide_js
names = (
    "fetch XMLHttpRequest WebSocket WebTransport EventSource Worker SharedWorker importScripts "
    "BroadcastChannel caches indexedDB cookieStore navigator postMessage close FontFace fonts "
    "document window localStorage sessionStorage parent top"
).split()
roots = {"js": js, "self": js.self, "globalThis": js.globalThis}
print(sorted(f"{root}.{name}" for name in names for root, at in roots.items() if hasattr(at, name)))
"""
REFUSED = [
    "from pyodide.code import run_js\nrun_js('fetch')",
    "import js\njs.eval('1')",
    "import js\njs.Function.new('return 1')",
    "from js import fetch",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1/')",
]


def test_the_code_of_a_reader_reaches_neither_page_nor_site_nor_network(visit: Visit) -> None:
    visit.page.context.set_default_timeout(PATIENCE)
    run(block(visit.open(FIRST)))
    text, _ = asked(visit, earlier=[], code=REACHED)
    assert text == "[]\n"
    for code in REFUSED:
        text, end = asked(visit, earlier=[], code=code)
        assert end["kind"] == "done" and "Traceback" in text, code
    forgive(visit, "eval")


def test_what_the_worker_says_is_text(visit: Visit) -> None:
    """Of the session in the worker a reader's code can make what it likes; the page shows it."""
    page = visit.page
    page.context.set_default_timeout(PATIENCE)
    where = block(visit.open(FIRST))
    run(where)
    mark = "<img src=x onerror=alert(1)>"
    forged = (
        "import json\nfrom pedocs.book.live_session import Session\n"
        f"said = {{'kind': 'failed', 'message': '{mark}', 'line': '{mark}', 'faults': []}}\n"
        f"Session.run = lambda *given: json.dumps(said)\nprint('{mark}')"
    )
    assert run(where, forged) == mark + "\n"
    where.get_by_role("button", name="Run").first.click()
    expect(status(where)).to_contain_text(mark)
    assert page.locator(".pd-live img").count() == 0


def test_a_file_that_was_changed_is_not_run(visit: Visit) -> None:
    """Also one of the same size, and also one that lies in the browser's cache."""
    page = visit.page
    page.context.set_default_timeout(PATIENCE)
    where = block(visit.open(FIRST))
    run(where)
    page.evaluate(
        """async () => {
          for (const name of await caches.keys()) {
            if (!name.startsWith("pedocs-runtime")) continue
            const cache = await caches.open(name)
            for (const request of await cache.keys()) {
              const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer())
              bytes[bytes.length >> 1] ^= 1
              await cache.put(request, new Response(bytes))
            }
          }
        }"""
    )
    to(visit, "exercises/")
    visit.open(FIRST)
    run(where)
    expect(status(where)).to_contain_text("Done")

    page.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((each) => caches.delete(each))))"
    )
    page.route(
        "**/pyodide.mjs",
        lambda route: route.fulfill(body=(route.fetch().body()).replace(b"Pyodide", b"pYodide")),
    )
    visit.open(FIRST)
    where.get_by_role("button", name="Run").first.click()
    expect(status(where)).to_contain_text("is not what it should be")


def test_a_link_with_code_does_not_run_it(visit: Visit) -> None:
    """However the reader comes to it; Python is not even loaded."""
    visit.page.context.set_default_timeout(PATIENCE)
    page = visit.open(FIRST)
    made = page.evaluate(
        """async (base) => {
          const { link } = await import(base + "assets/live/keeping.js")
          return link(document.querySelector("[data-live]").dataset.live, "print('ran')")
        }""",
        visit.address,
    )
    loaded: list[str] = []
    page.context.on("request", lambda request: loaded.append(request.url))
    page.goto("about:blank")
    page.goto(made)
    expect(status(block(page))).to_contain_text("came with the link")
    page.reload()
    expect(status(block(page))).to_contain_text("came with the link")
    to(visit, "exercises/")
    page.evaluate("(address) => location.assign(address)", made)
    expect(status(block(page))).to_contain_text("came with the link")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".pd-live__output")).to_be_hidden()
    assert not [url for url in loaded if re.search(r"pyodide/|\.whl|live/worker", url)]
    forgive(visit, "ERR_ABORTED")  # it was loading


def test_the_site_is_used_as_a_reader_uses_it(visit: Visit) -> None:
    """Search, instant navigation, scheme, a figure, a page that is not there: nothing is refused."""
    visit.page.context.set_default_timeout(PATIENCE)
    page = visit.open("chapters/two-scores/")
    page.locator("figure#fig-wandering input[type=range]").first.press("ArrowRight")
    page.locator("[data-pd-scheme]:visible").click()
    page.locator("input.md-search__input").click()
    page.locator("input.md-search__input").fill("rotation")
    page.locator(".md-content h1").evaluate("title => title.id = 'left'")
    page.locator(".md-search-result__link").first.click()
    expect(page).to_have_url(re.compile("[?]h=rotation"))
    expect(page.locator("h1#left")).to_have_count(0)
    page.evaluate("globalThis.same = true")
    to(visit, "chapters/rope/")
    to(visit, "")
    assert page.evaluate("same")
    visit.open("embed/two-scores/fig-wandering/")
    page.locator("figure input[type=range]").first.press("ArrowRight")
    visit.open("nowhere/")
    expect(page.locator("h1")).to_have_text("There is no page here")
    forgive(visit, "404")
