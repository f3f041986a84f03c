"""Live code, as a reader uses it: Run, edit, interrupt, reload, share."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from pedocs.book import live
from pedocs.book.page import pages_below

from ..live import Run, answers, matches, runs
from .conftest import Visit

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = [f"chapters/{path.stem}/" for path in sorted((DOCS / "chapters").glob("*.md"))]
FIRST = "chapters/attention/"
PATIENCE = 120_000  # for a machine that has much else to do


@pytest.fixture(autouse=True, scope="module")
def runtime() -> None:
    """Skip where Pyodide is not there, and fail where it has to be."""
    lacking = live.missing(DOCS / "assets" / "pyodide")
    if lacking and os.environ.get("PEDOCS_RUNTIME"):
        pytest.fail(f"make runtime: not in docs/assets/pyodide: {lacking}", pytrace=False)
    if lacking:
        pytest.skip(f"make runtime: not in docs/assets/pyodide: {', '.join(lacking)}")
    expect.set_options(timeout=PATIENCE)


def block(page: Page, number: int = 0) -> Locator:
    """Return a worked block of the page; -1 is the last."""
    return page.locator("[data-live]").nth(number)


def open_folded(page: Page) -> None:
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


def press(where: Locator, name: str) -> None:
    where.get_by_role("button", name=name, exact=False).first.click()


def ended(where: Locator) -> None:
    """Wait until the block has run."""
    expect(where.locator(".pd-live")).to_have_attribute("aria-busy", "false")


def printed(where: Locator) -> str:
    """Return what a block printed once it has run."""
    ended(where)
    return where.locator(".pd-live__output").text_content() or ""


def status(where: Locator) -> Locator:
    return where.locator(".pd-live__status")


def editor(where: Locator) -> Locator:
    return where.get_by_role("textbox")


def write(where: Locator, code: str) -> None:
    """Replace what stands in the editor, as one that pastes."""
    editor(where).fill(code)
    assert written(where) == code


def written(where: Locator) -> str:
    """Return what stands in the editor."""
    return "\n".join(line.text_content() or "" for line in where.locator(".cm-line").all())


def run(where: Locator, code: str | None = None) -> str:
    """Open a block if need be, replace its code if some is given, run it."""
    if code is None:
        press(where, "Run")
        return printed(where)
    write(where, code)
    press(where, "Run")
    return printed(where)


@pytest.fixture(scope="module")
def loaded(chromium: Browser, address: str) -> Iterator[Visit]:
    """Return a visit of one document in which Python runs; to start it takes seconds."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(PATIENCE)
    visit = Visit(context, address)
    run(block(visit.open(FIRST)))
    yield visit
    context.close()


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Give a fresh visit the time that Python needs to start."""
    visit.page.context.set_default_timeout(PATIENCE)
    return visit


@pytest.fixture
def book(loaded: Visit) -> Iterator[Visit]:
    """Return that visit at the first chapter, with nothing kept, and hold it to no faults."""
    page = loaded.page
    page.evaluate("localStorage.clear()")
    to(loaded, "exercises/")
    to(loaded, FIRST)
    yield loaded
    assert not loaded.faults


def to(visit: Visit, place: str) -> None:
    """Follow a link of the navigation: the document stays."""
    page = visit.page
    page.locator(".md-content h1").evaluate("title => title.id = 'left'")
    page.evaluate(
        """address => [...document.querySelectorAll(".md-nav--primary a[href]")]
          .find(link => link.href === address).click()""",
        visit.address + place,
    )
    expect(page).to_have_url(re.compile("^" + re.escape(visit.address + place)))
    expect(page.locator("h1#left")).to_have_count(0)


def telling(page_runs: tuple[Run, ...]) -> int:
    """Return the last block that prints: it has the most to run before it."""
    return max(n for n, each in enumerate(page_runs) if each.says)


def forgive(visit: Visit, reason: str) -> None:
    """Forget faults that the test itself made."""
    visit.faults[:] = [fault for fault in visit.faults if reason not in fault]


def blocks_of(place: str) -> tuple[Run, ...]:
    return runs((DOCS / place.rstrip("/")).with_suffix(".md"))


@pytest.mark.parametrize("place", CHAPTERS)
def test_each_chapter_prints_what_it_says(loaded: Visit, place: str) -> None:
    """Its last block that prints, behind all the others, in the Python of one document."""
    page = loaded.page
    page_runs = blocks_of(place)
    if not page.url.startswith(loaded.address + place):
        to(loaded, place)
    expect(page.locator("[data-live]")).to_have_count(len(page_runs))
    open_folded(page)
    last = telling(page_runs)
    text = run(block(page, last))
    assert matches(page_runs[last].says, text), text
    if last:
        expect(status(block(page, last))).to_contain_text(f"Ran {last} earlier")
    assert not loaded.faults


def asked(visit: Visit, **task: object) -> tuple[str, dict[str, Any]]:
    """Ask Python as a button would. Returns what it printed, and what came of it."""
    text, end = visit.page.evaluate(
        """async ([base, task]) => {
          const { run } = await import(base + "assets/live/runtime.js")
          return new Promise((done) => {
            let text = ""
            run({ element: document.body, task, heard(kind, data) {
              if (kind === "output") text += data.text
              else if (/done|failed|died|stopped/.test(kind)) done([text, { ...data, kind }])
            } })
          })
        }""",
        [visit.address, task],
    )
    return text, end


def test_every_block_prints_what_its_page_says(book: Visit) -> None:
    """All of the book, in the Python of one document."""
    differing = []
    for path in pages_below(DOCS):
        for number, each in enumerate(runs(path)):
            text, _ = asked(book, earlier=each.earlier, code=each.code)
            if not matches(each.says, text):
                differing.append((path.relative_to(DOCS).as_posix(), number, each.says, text))
    assert not differing


def test_every_solution_is_accepted_as_an_answer(book: Visit) -> None:
    refused = []
    for path in pages_below(DOCS):
        for each in answers(path):
            _, end = asked(book, **each._asdict())
            if not end.get("right"):
                refused.append((path.name, each.answer, end))
    assert not refused


def test_nothing_is_loaded_before_run(visit: Visit) -> None:
    """A page asks for its button, and for neither editor nor Python."""
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    page = visit.open(FIRST)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    live_files = sorted(re.findall(r"assets/(?:live|pyodide)/(\S+)", "\n".join(asked)))
    assert live_files == ["live.css", "memory.js", "start.js"]
    run(block(page))
    assert any("pyodide.asm.wasm" in url for url in asked)


def test_it_prints_as_a_repl(book: Visit) -> None:
    """Falsy values, prints, warnings; None prints nothing; an exception names the line."""
    page = book.page
    first = block(page)
    run(first)
    code = "import numpy as np\n0.0\nFalse\n''\nNone\nprint('so')\nnp.mean([])\n\n1 / 0"
    out = run(first, code)
    assert out.startswith("0.0\nFalse\n''\nso\nRuntimeWarning: Mean of empty slice")
    assert 'File "<block 1>", line 9, in <module>\n    1 / 0' in out
    assert out.endswith("ZeroDivisionError: division by zero\n")
    assert "live_session" not in out
    expect(status(first)).to_contain_text("An exception in line 9.")
    assert run(first, "None") == ""
    expect(status(first)).to_contain_text("prints nothing")


def test_a_loop_without_end_is_interrupted(visit: Visit) -> None:
    """The next Run starts another Python and repeats the earlier blocks, also offline."""
    page = visit.open(FIRST)
    page_runs = blocks_of(FIRST)
    wanted = telling(page_runs)
    where = block(page, wanted)
    open_folded(page)
    run(where)
    write(where, "while True:\n    print(1)\n")
    press(where, "Run")
    expect(where.get_by_role("button", name="Interrupt")).to_be_visible()
    expect(where.locator(".pd-live__output")).to_contain_text("the rest is not shown")
    press(where, "Interrupt")
    expect(status(where)).to_contain_text("Interrupted")
    page.context.set_offline(True)
    press(where, "Reset")
    assert matches(page_runs[wanted].says, run(where))
    expect(status(where)).to_contain_text(f"Ran {wanted} earlier")
    forgive(visit, "ERR_INTERNET_DISCONNECTED")


def test_loading_shows_megabytes_and_can_be_cancelled(visit: Visit) -> None:
    held = []
    visit.page.route("**/*.wasm", lambda route: held.append(route))
    page = visit.open(FIRST)
    where = block(page)
    press(where, "Run")
    expect(where.locator(".pd-live__bytes")).to_have_text(re.compile(r"^\d+\.\d of 1\d\.\d MB$"))
    expect(where.get_by_role("progressbar")).to_be_visible()
    press(where, "Cancel")
    expect(status(where)).to_have_text("Cancelled.")
    visit.page.unroute("**/*.wasm")
    visit.faults.clear()
    assert matches(blocks_of(FIRST)[0].says, run(where))


def test_the_second_page_loads_nothing_again(visit: Visit) -> None:
    """Also where the document is a new one: the runtime is kept."""
    page = visit.open(FIRST)
    run(block(page))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.on("request", lambda request: asked.append(request.url))
    visit.open("chapters/sinusoid/")
    run(block(page))
    heavy = [url for url in asked if url.startswith("http") and re.search(r"pyodide/|\.whl", url)]
    assert heavy == []


def test_an_edit_survives_a_reload_until_it_is_reset(visit: Visit) -> None:
    page = visit.open(FIRST)
    press(block(page), "Run")
    write(block(page), "6 * 7")
    page.reload()
    forgive(visit, "ERR_ABORTED")  # it was loading
    expect(editor(block(page))).to_have_text("6 * 7")
    second = block(page, 1)
    run(second)
    expect(status(second)).to_contain_text("Your own version of an earlier block was used.")
    press(block(page), "Reset")
    assert written(block(page)) == block(page).get_attribute("data-copy")
    page.reload()
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".pd-live")).to_have_count(0)


def test_a_link_shares_an_edit(visit: Visit) -> None:
    """It opens on another device, does not run by itself, and an edit of it is the reader's."""
    page = visit.open(FIRST)
    where = block(page, 1)
    code = "'é → ✓ ' * 2  # + / ?"
    press(where, "Run")
    write(where, code)
    press(where, "Copy link")
    expect(status(where)).to_contain_text("clipboard")
    address = page.evaluate("navigator.clipboard.readText()")
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(address)
    forgive(visit, "ERR_ABORTED")  # it was loading
    expect(editor(where)).to_have_text(code)
    expect(where).to_be_in_viewport()
    expect(status(where)).to_contain_text("came with the link")
    expect(where.locator(".pd-live__output")).to_be_hidden()
    assert run(where, code + " ") == "'é → ✓ é → ✓ '\n"
    page.reload()
    expect(editor(where)).to_have_text(code)


def address_of(page: Page, number: int, code: str) -> str:
    """Return what a block's link is for some code."""
    where = block(page, number)
    press(where, "Run")
    write(where, code)
    press(where, "Copy link")
    expect(status(where)).to_contain_text("clipboard")
    address: str = page.evaluate("navigator.clipboard.readText()")
    return address


def follow(page: Page, address: str) -> None:
    """Enter an address of the page that stands there already."""
    page.evaluate("address => location.hash = new URL(address).hash", address)


def test_a_link_takes_nothing_from_a_reader_who_has_edited(book: Visit) -> None:
    """Their own version is a button away, and is not lost if they go on with the other."""
    page = book.page
    where = block(page, 1)
    address = address_of(page, 1, "'from a link'")
    write(where, "'my own'")
    follow(page, address)
    expect(editor(where)).to_have_text("'from a link'")
    press(status(where), "Show my own version")
    expect(editor(where)).to_have_text("'my own'")
    assert page.evaluate("location.hash") == ""
    follow(page, address)
    expect(status(where)).to_contain_text("came with the link")
    write(where, "'from a link, and more'")
    to(book, "exercises/")
    to(book, FIRST)
    expect(editor(where)).to_have_text("'from a link, and more'")
    expect(strays(page)).to_have_count(1)
    expect(strays(page).locator("pre")).to_have_text("'my own'")


def strays(page: Page) -> Locator:
    return page.locator(".pd-stray")


def test_a_link_to_a_block_that_has_changed_says_so(book: Visit) -> None:
    """And shows what it holds, as text."""
    page = book.page
    address = address_of(page, 0, "x = '<b>é</b>'\nx")
    press(block(page), "Reset")
    follow(page, re.sub("run=[^:]*", "run=b-00000000", address))
    expect(strays(page)).to_contain_text("a block that has changed since")
    expect(strays(page)).to_be_in_viewport()
    expect(strays(page).locator("pre")).to_have_text("x = '<b>é</b>'\nx")
    press(strays(page), "Copy")
    expect(strays(page)).to_contain_text("clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == "x = '<b>é</b>'\nx"
    follow(page, address[:-3])
    expect(strays(page)).to_have_count(1)
    expect(strays(page)).to_contain_text("not whole")
    press(strays(page), "Close")
    expect(strays(page)).to_have_count(0)
    assert page.evaluate("location.hash") == ""


def test_an_edit_of_a_block_that_has_changed_is_shown_until_it_is_deleted(book: Visit) -> None:
    page = book.page
    press(block(page), "Run")
    write(block(page), "6 * 7")
    page.evaluate(
        """() => {
          const [name] = Object.keys(localStorage).filter(each => each.startsWith("pedocs:"))
          localStorage.setItem(name.replace(/#.*/, "#b-00000000"), localStorage.getItem(name))
          localStorage.removeItem(name)
        }"""
    )
    for _ in range(2):
        to(book, "exercises/")
        to(book, FIRST)
        expect(strays(page)).to_contain_text("kept on this device")
        expect(strays(page).locator("pre")).to_have_text("6 * 7")
    expect(page.locator(".pd-live:not(.pd-stray)")).to_have_count(0)
    press(strays(page), "Delete")
    to(book, "exercises/")
    to(book, FIRST)
    expect(page.locator(".pd-run").first).to_be_visible()
    expect(strays(page)).to_have_count(0)


def test_where_nothing_is_kept_it_says_so(book: Visit) -> None:
    """The storage may be full or forbidden: the edit then lives as long as the document."""
    page = book.page
    page.evaluate(
        """() => {
          window.put = Storage.prototype.setItem
          Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }
        }"""
    )
    run(block(page))
    write(block(page), "6 * 7")
    expect(status(block(page))).to_contain_text("This browser keeps nothing")
    assert run(block(page)) == "42\n"
    to(book, "exercises/")
    to(book, FIRST)
    expect(editor(block(page))).to_have_text("6 * 7")
    press(block(page), "Reset")
    page.evaluate("() => { Storage.prototype.setItem = window.put }")


def test_back_and_forward(book: Visit) -> None:
    """Under instant navigation each page has its buttons, and the Python goes on."""
    page = book.page
    page.evaluate("window.sameDocument = true")
    press(block(page), "Run")
    run(block(page), "'kept'")
    title = page.locator("h1").inner_text()
    page.locator(".md-footer__link--next").click()
    expect(page.locator("h1")).not_to_have_text(title)
    expect(page.locator("[data-live] .pd-run").first).to_be_visible()
    assert matches(blocks_of("chapters/why-position/")[0].says, run(block(page)))
    page.go_back()
    expect(page.locator("h1")).to_have_text(title)
    expect(editor(block(page))).to_have_text("'kept'")
    expect(page.locator(".pd-live")).to_have_count(1)
    assert run(block(page)) == "'kept'\n"
    page.go_forward()
    expect(page.locator("h1")).not_to_have_text(title)
    assert page.locator(".pd-run").count() == page.locator("[data-live]").count()
    assert page.evaluate("window.sameDocument === true")


def test_leaving_a_page_ends_what_runs_on_it(book: Visit) -> None:
    page = book.page
    run(block(page))
    write(block(page), "while True: pass")
    press(block(page), "Run")
    expect(status(block(page))).to_have_text("Running…")
    page.locator(".md-footer__link--next").click()
    expect(page.locator("h1")).to_contain_text("position")
    assert matches(blocks_of("chapters/why-position/")[0].says, run(block(page)))


def test_by_keyboard_alone(book: Visit) -> None:
    page = book.page
    where = block(page)
    where.locator(".pd-run").focus()
    page.keyboard.press("Enter")
    ended(where)
    expect(where.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(editor(where)).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("for n in range(2):")
    page.keyboard.press("Enter")
    page.keyboard.type("print(n)")
    page.keyboard.press("Shift+Enter")
    assert printed(where) == "0\n1\n"
    editor(where).focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(where.get_by_role("button", name="Run", exact=True)).to_be_focused()
    where.get_by_role("button", name="Close").focus()
    page.keyboard.press("Enter")
    expect(where.locator(".pd-run")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(visit: Visit, scheme: str) -> None:
    """Nothing is wider than the page, and an open block keeps the rules of WCAG."""
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    visit.open(FIRST)
    where = block(page)
    run(where)
    run(where, "print('x' * 300)\n" * 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in where.get_by_role("button").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] + box["width"] <= 390
    report = Axe().run(page, ".pd-live-open", {"resultTypes": ["violations"]})
    assert report.response["violations"] == []


@pytest.mark.parametrize("lacking", ["build.json", "pyodide.asm.wasm", "worker.js"])
def test_without_the_runtime_it_says_so(visit: Visit, lacking: str) -> None:
    """And goes on when it is there."""
    page = visit.page
    if lacking == "build.json":
        page.route("**/build.json", lambda route: route.fulfill(json={"files": {}}))
    else:
        page.route(f"**/{lacking}", lambda route: route.fulfill(status=404))
    visit.open(FIRST)
    where = block(page)
    press(where, "Run")
    expect(status(where)).to_contain_text("Python could not be loaded")
    ways_out = status(where).get_by_role("link")
    expect(ways_out.last).to_have_attribute("href", visit.address + "library/")
    if lacking == "build.json":  # which lists the notebooks, too
        expect(status(where)).to_contain_text("make runtime")
        expect(ways_out).to_have_count(1)
    else:
        notebook = visit.address + f"notebooks/{FIRST.rstrip('/')}.ipynb"
        expect(ways_out.first).to_have_attribute("href", notebook)
    press(where, "Close")
    expect(where.locator("pre code").first).to_be_visible()
    page.unroute_all()
    visit.faults.clear()
    assert matches(blocks_of(FIRST)[0].says, run(where))


def test_a_file_that_is_not_what_it_should_be_is_not_kept(visit: Visit) -> None:
    """Such as what a hotel's network serves for it."""
    page = visit.page
    page.context.route("**/pyodide.asm.wasm", lambda route: route.fulfill(body="<html>Welcome"))
    visit.open(FIRST)
    where = block(page)
    press(where, "Run")
    expect(status(where)).to_contain_text("Python could not be loaded")
    page.context.unroute("**/pyodide.asm.wasm")
    visit.faults.clear()
    assert matches(blocks_of(FIRST)[0].says, run(where))


def test_without_caches_it_runs(visit: Visit) -> None:
    """A private window may refuse them."""
    page = visit.page
    refuse = "self.caches && (CacheStorage.prototype.open = () => Promise.reject(Error('no')));"
    page.add_init_script(refuse)
    page.route(
        "**/worker.js",
        lambda route: route.fulfill(
            body=refuse + route.fetch().text(), content_type="text/javascript"
        ),
    )
    visit.open(FIRST)
    assert matches(blocks_of(FIRST)[0].says, run(block(page)))


@pytest.mark.parametrize("notebook", [True, False])
def test_a_block_that_draws_leads_to_where_it_runs(book: Visit, notebook: bool) -> None:
    """To the page's notebook, if the site has one, and to the library."""
    page = book.page
    there = ["notebooks/chapters/attention.ipynb"] if notebook else []
    page.route("**/build.json", lambda route: route.fulfill(json={"notebooks": there}))
    press(block(page), "Run")
    ended(block(page))
    assert run(block(page), "import matplotlib.pyplot as plt") == ""
    expect(status(block(page))).to_contain_text("draws")
    links = status(block(page)).get_by_role("link")
    expect(links.last).to_have_attribute("href", book.address + "library/")
    expect(links).to_have_count(1 + notebook)
    if notebook:
        expect(links.first).to_have_attribute("href", book.address + there[0])
    page.unroute_all()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("input('Name? ')", "EOFError"),
        ("exit()", "SystemExit"),
        ("import threading\nthreading.Thread(target=print).start()", "RuntimeError: can't start"),
        ("import numpy as np\nnp.zeros(10**10)", "ValueError: Maximum allowed"),
        ("def f(n):\n    return f(n + 1)\n\nf(0)", "RecursionError"),
        ("import time\ntime.sleep(0.1)\n'awake'", "'awake'"),
        ("'x' * 10**7", "the rest is not shown"),
    ],
)
def test_what_a_reader_may_try(book: Visit, code: str, says: str) -> None:
    """The Python of the page goes on."""
    where = block(book.page)
    run(where)
    assert says in run(where, code)
    expect(status(where)).not_to_contain_text("broke down")


def test_a_python_that_breaks_down_is_started_anew(book: Visit) -> None:
    where = block(book.page)
    run(where)
    assert run(where, "print('so')\nimport os\nos.abort()") == "so\n"
    expect(status(where)).to_contain_text("Python broke down")
    book.faults.clear()  # Pyodide tells the console, too
    assert run(where, "'again'") == "'again'\n"


def test_a_second_block_waits_for_the_first(book: Visit) -> None:
    first, second = block(book.page), block(book.page, 1)
    run(second)
    write(second, "while True: pass")
    press(second, "Run")
    expect(status(second)).to_have_text("Running…")
    press(first, "Run")
    expect(status(first)).to_contain_text("Waits for another block")
    press(first, "Cancel")
    expect(status(first)).to_have_text("Cancelled.")
    press(first, "Run")
    press(second, "Interrupt")
    assert matches(blocks_of(FIRST)[0].says, printed(first))


def test_numpy_is_known_to_be_silent(book: Visit) -> None:
    """WebAssembly has no flags for what went wrong in floating point."""
    where = block(book.page)
    run(where)
    assert run(where, "import numpy as np\nnp.log(np.zeros(1))") == "array([-inf])\n"
    expect(status(where)).to_contain_text("numpy does not warn")
    run(where, "1 + 1")
    expect(status(where)).not_to_contain_text("numpy does not warn")


def test_an_answer_to_an_exercise_is_checked(book: Visit) -> None:
    """It is held against the exercise's own test, which says what differs; hints are at hand."""
    page = book.page
    to(book, "exercises/rope/")
    check = page.locator(".pd-check").first
    check.locator("summary").click()
    where = check.locator("[data-live]")
    press(where, "Answer")
    expect(editor(where)).to_be_focused()
    press(where, "Check")
    expect(status(where)).to_contain_text("Write your answer behind")
    write(where, "answer = unknown")
    press(where, "Check")
    ended(where)
    expect(status(where)).to_contain_text("Not yet. The answer does not run.")
    write(where, "# by hand\nanswer = [3, 0]")
    press(where, "Check")
    ended(where)
    expect(status(where)).to_contain_text("Not yet. At distance 0 the score is")
    press(status(where), "Show a hint")
    expect(page.locator(".pd-hint").first).to_have_attribute("open", "")
    write(where, "answer = [3, 12]")
    press(where, "Check")
    ended(where)
    expect(status(where)).to_have_text("Right. ")
    expect(where.locator("pre code").first).to_be_visible()  # the test stands there still


def test_exercises_know_nothing_of_each_other(book: Visit) -> None:
    """A block of the last exercise runs behind the page's first block and its own alone."""
    page = book.page
    to(book, "exercises/rope/")
    page_runs = blocks_of("exercises/rope/")
    blocks = page.locator("[data-live]:not([data-answer])")
    expect(blocks).to_have_count(len(page_runs))
    open_folded(page)
    last = telling(page_runs)
    assert len(page_runs[last].earlier) < last
    assert matches(page_runs[last].says, run(blocks.nth(last)))
    expect(status(blocks.nth(last))).to_contain_text(f"Ran {len(page_runs[last].earlier)} earlier")
