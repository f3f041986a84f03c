"""A sample of `make accessible`, and whether its checks see what is wrong."""

import pytest
from playwright.sync_api import Browser, Page

from tools.accessible.audit import Audit, Found
from tools.accessible.checks import Checks, heard, scrolled, walk

pytestmark = pytest.mark.browser

# What each check has to see.
WRONG = {
    "contrasts": '<p style="color: #777">pale</p>',
    "headings": "<h1>One</h1><h3>Three</h3>",
    "icons": '<p style="mask-image: linear-gradient(red, red); background: #eee">x</p>',
    "unreached": '<pre style="overflow: auto; width: 5em"><code>long lines of code</code></pre>',
    "wide": '<main><p style="width: 200vw">wide</p></main>',
    "cut": '<main><p style="height: 1em; overflow: hidden">two<br>lines<br>of text</p></main>',
    "covered": '<header class="md-header" style="height: 60vh">high</header>',
    "motion": '<p style="transition: color 1s">moves</p>',
    "shared": '<div class="md-content"><p role="region">a</p><p role="region">b</p></div>',
    "drawn": '<figure id="f"><div role="img"><svg><rect width="99" height="99"/>'
    '<text x="9" y="40">dark</text></svg></div></figure>',
}


@pytest.fixture
def page(chromium: Browser) -> Page:
    """Return an empty page that reads no file."""
    return chromium.new_page()


@pytest.mark.parametrize("check", WRONG)
def test_a_check_sees_a_fault(page: Page, check: str) -> None:
    page.set_content(f"<body style='background: white'>{WRONG[check]}")
    assert Checks(page).run(check)
    page.set_content("<h1>Nothing wrong</h1><main><p>Black on white.</p></main>")
    assert Checks(page).run(check) == []
    page.close()


def test_the_keyboard_sees_a_fault(page: Page) -> None:
    page.set_content("<p><a href='#a'>seen</a> <a href='#b' style='outline: none'>unseen</a>")
    faults, stops = walk(page, Checks(page))
    assert faults == ["p.a: the focus is not seen"] or len(faults) == 1
    assert stops == 2
    page.set_content(
        "<pre tabindex=0 style='overflow: hidden auto; height: 2em'>1\n2\n3\n4\n5</pre>"
    )
    assert scrolled(page, Checks(page)) == ([], 1)
    page.close()


def test_the_tree_sees_a_fault(page: Page) -> None:
    page.set_content("<button></button><svg role=img aria-label='x'></svg>")
    faults, _ = heard(page)
    assert {"button without a name", "0 of the role main"} < set(faults)
    page.close()


@pytest.mark.parametrize("place", ["errata/", "embed/two-scores/fig-swap/"])
def test_a_page_for_every_reader(chromium: Browser, address: str, place: str) -> None:
    """All of it by keyboard, at 200 and 400 %, in forced colours, without motion, by axe."""
    found = Found(place)
    audit = Audit(chromium, address)
    audit.keys(found, 390)
    audit.changed(found)
    audit.whole(found, "light", 1280)
    assert found.faults == []
