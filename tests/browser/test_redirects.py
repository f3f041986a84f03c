"""Old links in a browser: a small book whose pages and ids have moved."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pedocs.book.redirects import NAME, SCRIPT
from tests.book.conftest import CONFIG, INDEX, OTHER

from .conftest import Visit, served

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
INSTANT = "{name: material, font: false, favicon: favicon.svg, features: [navigation.instant]}"
REDIRECTS = """\
"other/#old" = "other/#tab-two"
"other/#away" = "./#eq-sine"
"gone/" = "other/"
"gone/#old" = "./#eq-sine"
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a small book from which links have moved."""
    book = tmp_path_factory.mktemp("book")
    docs, site = book / "docs", book / "site"
    (docs / SCRIPT).parent.mkdir(parents=True)
    shutil.copy(DOCS / SCRIPT, docs / SCRIPT)
    (docs / NAME).write_text(REDIRECTS, "utf-8")
    link = "\n\n[A link](#fig-one)\n" + "\nMore text.\n" * 60
    (docs / "index.md").write_text(INDEX, "utf-8")
    (docs / "other.md").write_text(OTHER.replace("# Other", "# Other" + link, 1), "utf-8")
    for name in ("dot.svg", "favicon.svg"):
        (docs / name).write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
    (book / "lib").mkdir()
    with served(site) as server:
        url = f"{server}book/"
        config = CONFIG.replace("{name: material, font: false}", INSTANT)
        (book / "mkdocs.yml").write_text(f"{config}site_url: {url}\n", "utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"}
        subprocess.run(command, cwd=book, env=env, check=True)
        yield url


@pytest.fixture
def visit(visit: Visit) -> Iterator[Visit]:
    """Return a visit that may go on before a page has all that it asked for."""
    yield visit
    visit.faults[:] = [fault for fault in visit.faults if "ERR_ABORTED" not in fault]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("other/#old", "other/#tab-two"),
        ("other/#away", "#eq-sine"),
        ("gone/", "other/"),
        ("gone/#old", "#eq-sine"),
        ("gone/#part", "other/#part"),
    ],
)
def test_an_old_link_leads_to_the_new_place(visit: Visit, old: str, new: str) -> None:
    page = visit.open(old)
    page.wait_for_url(visit.address + new)
    expect(page.locator("h1")).to_contain_text("Other" if "other/" in new else "Home")
    if "#" in new:
        expect(page.locator(f"#{new.partition('#')[2]}")).to_be_in_viewport()


@pytest.mark.parametrize(("old", "new"), [("old", "other/#tab-two"), ("away", "#eq-sine")])
def test_so_it_does_from_within_the_book(visit: Visit, old: str, new: str) -> None:
    """By instant navigation, and by an address that only changes behind its hash."""
    page = visit.open()
    page.locator("a[href$='other/#part']").evaluate(
        f"a => {{ a.href = 'other/#{old}'; a.click() }}"
    )
    page.wait_for_url(visit.address + new)

    page = visit.open("other/")
    page.locator("a[href$='#fig-one']").first.evaluate(f"a => {{ a.hash = '{old}'; a.click() }}")
    page.wait_for_url(visit.address + new)


def test_without_scripts_an_old_link_shows_the_new_one(chromium: Browser, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}other/#away")
    expect(page.locator("#away")).to_be_in_viewport()
    page.locator("#away a").click()
    page.wait_for_url(f"{address}#eq-sine")

    page.goto(f"{address}gone/")
    page.wait_for_url(f"{address}other/")
    context.close()
