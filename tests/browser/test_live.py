"""Live code, as a reader uses it: Run, edit, interrupt, reload, share."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from pedocs.book import live

from ..live import Run, matches, runs
from .conftest import Visit

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = [f"chapters/{path.stem}/" for path in sorted((DOCS / "chapters").glob("*.md"))]
FIRST = "chapters/attention/"
PATIENCE = 60_000


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
    page.locator("h1").evaluate("title => title.id = 'left'")
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
def test_each_chapter_prints_what_it_says(book: Visit, place: str) -> None:
    """Its last block that prints, behind all the others, in the Python of one document."""
    page = book.page
    page_runs = blocks_of(place)
    to(book, place)
    expect(page.locator("[data-live]")).to_have_count(len(page_runs))
    open_folded(page)
    last = telling(page_runs)
    text = run(block(page, last))
    assert matches(page_runs[last].says, text), text
    if last:
        expect(status(block(page, last))).to_contain_text(f"Ran {last} earlier")


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
    heavy = [url for url in asked if url.startswith("http") and re.search("pyodide/|library-", url)]
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
        page.route("**/build.json", lambda route: route.fulfill(json={"whole": False}))
    else:
        page.route(f"**/{lacking}", lambda route: route.fulfill(status=404))
    visit.open(FIRST)
    where = block(page)
    press(where, "Run")
    expect(status(where)).to_contain_text("Python could not be loaded")
    expect(status(where).get_by_role("link")).to_have_attribute("href", visit.address + "library/")
    if lacking == "build.json":
        expect(status(where)).to_contain_text("make runtime")
    press(where, "Close")
    expect(where.locator("pre code").first).to_be_visible()
    page.unroute_all()
    visit.faults.clear()
    assert matches(blocks_of(FIRST)[0].says, run(where))


def test_a_block_that_draws_says_so(book: Visit) -> None:
    page = book.page
    run(block(page))
    assert run(block(page), "import matplotlib.pyplot as plt") == ""
    expect(status(block(page))).to_contain_text("draws")


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
    ended(where)
    expect(status(where)).to_contain_text("Not yet. The answer does not run.")
    write(where, "# by hand\nanswer = [3, 0]")
    press(where, "Check")
    ended(where)
    expect(status(where)).to_contain_text("Not yet. at distance 0 the score is")
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
