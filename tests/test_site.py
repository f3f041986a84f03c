"""The built site, without a browser."""

import json
import re
from pathlib import Path

import pytest

from pedocs.book.audit import audit

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
        path.relative_to(site).as_posix() for path in site.rglob("*.html")
    }


def test_audit(site: Path) -> None:
    assert "\n".join(audit(site)) == ""


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
