"""The built site, without a browser."""

import gzip
import json
import re
from pathlib import Path
from posixpath import normpath
from xml.etree import ElementTree

import pytest

from pedocs.book import policy
from pedocs.book.audit import audit, read

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path.relative_to(DOCS) for path in DOCS.rglob("*.md"))


def built(page: Path) -> str:
    """Return where mkdocs puts a page."""
    return (
        (page.with_suffix("") / "index.html" if page.stem != "index" else page)
        .with_suffix(".html")
        .as_posix()
    )


def test_every_page_is_built(site: Path) -> None:
    assert {built(page) for page in PAGES} | {"404.html"} == {
        path.relative_to(site).as_posix()
        for path in site.rglob("*.html")
        if not path.is_relative_to(site / "embed")  # one for each figure
    }


def test_every_figure_is_a_file_and_alone_on_a_page(site: Path) -> None:
    figures = [
        f"{page.relative_to('chapters') if page.parts[0] == 'chapters' else page}".removesuffix(
            ".md"
        )
        + f"/{name}"
        for page in PAGES
        for name in re.findall(r"^/// figure \| (\S+)", (DOCS / page).read_text("utf-8"), re.M)
    ]
    assert len(figures) > 70
    for kind in ("svg", "png"):
        made = {path.relative_to(site / "figures") for path in site.glob(f"figures/**/*.{kind}")}
        assert {path.as_posix() for path in made} == {f"{name}.{kind}" for name in figures}
    alone = {path.parent.relative_to(site / "embed") for path in site.glob("embed/**/*.html")}
    assert {path.as_posix() for path in alone} == {*figures}
    for path in site.glob("figures/**/*.svg"):
        text = path.read_text("utf-8")
        assert ElementTree.fromstring(text).find("{http://www.w3.org/2000/svg}metadata") is not None
        assert "var(" not in text


@pytest.mark.parametrize("page", PAGES, ids=Path.as_posix)
def test_every_page_is_there_in_markdown(site: Path, page: Path) -> None:
    place = Path(built(page)).with_suffix(".md")
    text = (site / place).read_text("utf-8")
    assert text.startswith("# ")
    prose = re.sub(
        r"^[ >]*(```+).*?^[ >]*\1$|`[^`\n]+`|\$\$.*?\$\$|\$[^$]+\$", "", text, flags=re.S | re.M
    )
    assert not re.search(r"[\ue000-\uf8ff]|^/{3}|\{#|\[@|^:::|<svg|<template|\.md#", prose, re.M)
    assert f"]({place.as_posix()})" in (site / "llms.txt").read_text("utf-8")
    html = (site / built(page)).read_text("utf-8")
    assert '<link rel="alternate " type="text/markdown" href="' in html
    for link in re.findall(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)", prose):
        if "://" not in link:
            target = site / normpath(place.parent / link)
            assert target.is_file() or (target / "index.html").is_file(), link


def test_values_are_all_there(site: Path) -> None:
    found = json.loads((site / "values.json").read_text("utf-8"))["values"]
    assert len(found) > 3000
    ids: dict[str, set[str]] = {}
    for each in found:
        if each["id"]:
            assert each["link"].endswith(f"#{each['id']}")
            place = f"{each['link'].partition('#')[0]}index.html"
            if place not in ids:
                ids[place] = set(re.findall(r' id="([^"]*)"', (site / place).read_text("utf-8")))
            assert each["id"] in ids[place], each


def test_audit(site: Path) -> None:
    pages = read(site)
    html = {name: page for name, page in pages.items() if isinstance(page, policy.Inline)}
    assert "\n".join([*audit(site, pages), *policy.faults(html)]) == ""


@pytest.mark.parametrize("page", PAGES, ids=Path.as_posix)
def test_page(site: Path, page: Path) -> None:
    """Each page has one title, says what it is in, and shows no leftover of the engine."""
    text = (site / built(page)).read_text("utf-8")
    assert len(re.findall(r"<h1\b", text)) == 1
    assert '<html lang="en' in text
    assert '<meta name="viewport"' in text
    prose = re.sub(
        r"<(script|style|pre|code|svg|template)\b.*?</\1>|<[^>]*>", " ", text, flags=re.S
    )
    assert not re.search(r"[\ue000-\uf8ff]|\{[^{}]* = [^{}]*\}|\$\$", prose)
    images = re.findall(r"<img\b[^>]*>", text)
    assert all(re.search(r'\balt="', image) for image in images)


def test_a_site_that_stands_alone_knows_no_versions(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert "data-md-component=outdated" not in text and 'data-md-component="outdated"' not in text
    config = re.search(r'<script id="__config"[^>]*>(.*?)</script>', text, re.S)
    assert config and json.loads(config[1])["version"] is None


def test_search_index_has_the_text(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    assert {entry["location"].partition("#")[0] for entry in index["docs"]} >= {
        built(page).removesuffix("index.html") for page in PAGES
    }


# Bytes of a page's text as a static host packs it. What is heavier than a second visit is to be
# may not grow: drawings and code, which stand in the page.
LIGHT = 40_000
HEAVY = {
    "chapters/sinusoid.md": 71_000,
    "chapters/rope.md": 54_000,
    "chapters/why-position.md": 53_000,
    "values.md": 49_500,
    "chapters/attention.md": 46_500,
    "chapters/alibi.md": 43_000,
    "errata.md": 43_000,
    "chapters/pitfalls.md": 41_500,
}


@pytest.mark.parametrize("page", PAGES, ids=Path.as_posix)
def test_weight(site: Path, page: Path) -> None:
    packed = len(gzip.compress((site / built(page)).read_bytes(), 6))
    assert packed <= HEAVY.get(page.as_posix(), LIGHT)
