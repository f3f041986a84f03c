"""The index of worked values: nothing is lost, all is in order, every link leads to its number."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from pedocs.book.audit import audit
from pedocs.book.numbers import written_numbers
from pedocs.book.values import NAME, SECTIONS, Entry, addressed, entries, listed, section, spelled
from tests.book.conftest import Run
from tests.book.test_commands import pages, spoil
from tests.book.test_exercises import EXERCISE
from tests.book.test_extension import render

VALUES = "# Values {#values}\n" + "".join(
    f'\n## {name} {{#{name}}}\n\n<div data-values="{name}"></div>\n' for name in SECTIONS
)
SOURCES = """\
[paper]
title = "A paper"

[paper.items]
"share" = { printed = "73.5%", where = "Table 1" }
"""
SETTING = """\
```pycon
>>> n, half = 100, -0.5
```

Before any section: ![an alt text of {0.125 = half**2 / 2}](dot.svg).

## First {#first}

It is {−0.5 = half} of {200 = 2 * n}, or {0.25, 99 = (half**2, n - 1)}; {< 1e-3 = half}.

$$
{0.75 = -half * 3 / 2} = x
$$ {#eq-x unchecked="a number alone"}

## Second {#second}

Inside, $x = {0.875 = half + 1.375}$, and again {0.25 = half**2}.

```pycon
>>> half = 0.5
```

Now {+0.50 = half}, {50% = half}.
"""

Listed = dict[str, list[tuple[str, str, str]]]


@pytest.fixture
def indexed(book: Path) -> Path:
    """The small book with a page for the index, and one that quotes."""
    (book / "docs" / NAME).write_text(VALUES, "utf-8")
    (book / "docs" / "sources.toml").write_text(SOURCES, "utf-8")
    quoting = '# Quoting {#quoting}\n\nIt prints {73.5% = source("paper", "share")}.\n'
    (book / "docs" / "quoting.md").write_text(quoting, "utf-8")
    return book


def read(html: str) -> Listed:
    """The entries of a built index: by number, the address, the expression and what follows."""
    found = re.findall(r"<div><dt>([^<]*)</dt><dd>(.*?)</dd></div>", html)
    link = re.compile(r'<a href="([^"]*)" title="([^"]*)">[^<]*</a>( \(quoted\))?')
    return {
        unescape(text): [(href, unescape(title), mark) for href, title, mark in link.findall(dd)]
        for text, dd in found
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-0.5", "−0.5"),
        ("+2.50", "+2.50"),
        ("< 1e-12", "< 1e−12"),
        (r"\leq 0.5", "≤ 0.5"),
        ("12.5 %", "12.5%"),
        ("3 × 10⁻⁵", "3 × 10⁻⁵"),
        ("1,024", "1,024"),
        ("−100", "−100"),
    ],
)
def test_a_number_is_listed_as_it_is_written(text: str, expected: str) -> None:
    (number,) = written_numbers(text)
    assert listed(number)
    assert spelled(number) == expected


@pytest.mark.parametrize("text", ["99", "−99", "0", "∞"])
def test_small_whole_numbers_are_left_out(text: str) -> None:
    (number,) = written_numbers(text)
    assert not listed(number)


def test_every_value_has_the_nearest_address(tmp_path: Path) -> None:
    page = render(tmp_path, SETTING).page
    assert [f for f in page.failures if "alt" in str(f)] == []
    found = [(value.text, item) for value, item in addressed(page)]
    assert [text for text, _ in found] == [value.text for value, _ in page.values()]
    permalinks = {text: item for text, item in found if item.startswith("v-")}
    assert set(permalinks) == {"−0.5", "200", "0.25, 99", "0.25", "< 1e-3"}
    assert all(item in page.rendered.ids for item in permalinks.values())
    assert {text: item for text, item in found if text not in permalinks} == {
        "0.125": "",  # in an alt text, above all sections
        "0.75": "eq-x",
        "0.875": "second",
        "+0.50": "second",  # the permalink of this expression leads to another number
        "50%": "second",
    }


def test_the_index_is_in_order_and_whole(tmp_path: Path) -> None:
    page = render(tmp_path, SETTING).page
    index = entries([("page/", page)])
    assert [entry.text for entry in index] == [
        "−0.5", "< 1e−3", "0.125", "0.25", "50%", "+0.50", "0.75", "0.875", "200",
    ]  # fmt: skip
    assert [entry.value for entry in index] == sorted(entry.value for entry in index)
    quarter = index[3].places["page/"]
    assert sorted(map(tuple, (expressions for expressions, _ in quarter.values()))) == [
        ("(half**2, n - 1)",),
        ("half**2",),
    ]


def test_every_entry_has_a_section() -> None:
    values = {-1: "below-zero", 0: "zero-to-one", 1: "one-to-ten", 10: "ten-to-a-hundred"}
    values |= {100: "from-a-hundred", 10**9: "from-a-hundred"}
    for value, expected in values.items():
        (number,) = written_numbers(f"{value}.0")
        assert section(Entry("", number.value)) == expected


def test_a_build_fills_the_index(run: Run, indexed: Path) -> None:
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 0, result.stderr
    html = (indexed / "site" / "values" / "index.html").read_text("utf-8")
    found = read(html)
    assert list(found) == ["73.5%", "0.841471", "0.8415"]
    assert [(title, mark) for _, title, mark in found["73.5%"]] == [
        ('source("paper", "share")', " (quoted)")
    ]
    ((equation, _, _),), ((home, title, mark),) = found["0.8415"], found["0.841471"]
    assert equation == "../#eq-sine"
    assert re.fullmatch(r"\.\./#v-[0-9a-f]{8}", home)
    assert (title, mark) == ("first[0]", "")
    faults = audit(indexed / "site")  # each link leads to an element
    assert [fault for fault in faults if fault.startswith("values/")] == []


@pytest.mark.parametrize(
    ("page", "old", "new", "expected"),
    [
        (NAME, '<div data-values="zero-to-one"></div>', "", "stands 0 times, not once"),
        (NAME, '"one-to-ten"', '"zero-to-one"', "stands 2 times, not once"),
        (NAME, '"one-to-ten"', '"one-to-two"', "the index of values has no section one-to-two"),
        ("other.md", "# Other", '# Other\n\n<div data-values="a"></div>', "other.md:1: an index"),
    ],
)
def test_an_index_that_is_not_whole_is_red(
    run: Run, indexed: Path, page: str, old: str, new: str, expected: str
) -> None:
    spoil(indexed, page, old, new)
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert expected in result.stderr
    assert "Traceback" not in result.stderr
    assert pages(indexed) == []


def test_the_book_has_every_value_in_its_index(site: Path) -> None:
    html = (site / "values" / "index.html").read_text("utf-8")
    found = read(html)
    assert len(html.encode()) < 400_000
    assert "data-values" not in html
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    kept = [entry["text"] for entry in index["docs"] if entry["location"].startswith("values/")]
    assert 0 < sum(map(len, kept)) < 2000  # what the page says, not what it lists
    assert any("2^(−4)" in entry["text"] for entry in index["docs"])  # formulas in one line
    for path in site.rglob("*.html"):
        address = path.parent.relative_to(site).as_posix()
        if address.startswith(("exercises/", "embed/")):
            continue  # numbers that are drawn, and what stands in a chapter too
        prefix = "../" if address == "." else f"../{address}/"
        text = path.read_text("utf-8")
        for shown in re.findall(r'<data class="worked[^>]*>(.*?)</data>', text, re.S):
            for number in written_numbers(unescape(re.sub(r"<[^<>]*>", "", shown))):
                if listed(number):
                    places = found[spelled(number)]
                    assert prefix in {href.partition("#")[0] for href, _, _ in places}


def test_exercises_are_not_listed(tmp_path: Path) -> None:
    """Their numbers are drawn, and their solutions may be kept back."""
    page = render(tmp_path, EXERCISE.replace("{14 = answer}", "{14.0 = answer}")).page
    assert page.failures == []
    assert entries([("page.html", page)]) == []
