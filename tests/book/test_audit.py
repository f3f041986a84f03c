"""The audit of a built site."""

import json
from pathlib import Path

import pytest

from pedocs.book import policy
from pedocs.book.audit import audit, css_urls, main

HEAD = '<link rel="canonical" href="{}"><link rel="stylesheet" href="{}css/a.css">'


def build(site: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return site


def page(body: str) -> dict[str, str]:
    """A site whose home page has this body, with a second page and a few assets to point at."""
    return {
        "index.html": f"<!doctype html>\n<body>{body}</body>",
        "a/index.html": '<h1 id="mask">The mask</h1><a href="..">home</a>',
        "a/b.png": "",
        "sp ace.svg": '<svg><g id="mark"/></svg>',
    }


@pytest.mark.parametrize(
    "body",
    [
        '<a href="a/">',
        '<a href="a">',
        '<a href="a/index.html#mask">',
        '<a href="/a/#mask">',
        '<a href="a/#:~:text=mask">',
        '<a href="#">',
        '<a href="#top">',
        '<a href="?q=1">',
        '<a href="https://example.org/">',
        '<a href="mailto:a@example.org">',
        '<a name="old"></a><a href="#old">',
        '<a id="é"></a><a href="#%C3%A9">',
        '<img src="a/b.png" srcset="a/b.png 1x, sp%20ace.svg 2x">',
        '<img src="data:image/png;base64,AAAA">',
        '<svg><use href="sp%20ace.svg#mark"/></svg>',
        '<svg><clipPath id="c"/><g clip-path="url(#c)"/></svg>',
        '<link rel="next" href="https://example.org/"><link rel="canonical" href="">',
        '<style>a { background: url("a/b.png") } /* url(gone.png) */</style>',
        '<data value="0.5">0.5</data><p data="0.5">',
        '<label for="q"></label><input id="q" aria-describedby="q">',
        '<script>load("https://example.org/")</script>',
    ],
)
def test_sound(tmp_path: Path, body: str) -> None:
    assert audit(build(tmp_path, page(body))) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="gone/">', "no such file: gone/"),
        ('<a href="A/">', "no such file: A/"),
        ('<a href="a/#gone">', "no such anchor: a/#gone"),
        ('<a href="#gone">', "no such anchor: #gone"),
        ('<a href="a/../../up">', "no such file: a/../../up"),
        ('<a href="http://[">', "not an address: http://["),
        ('<img src="gone.png">', "no such file: gone.png"),
        ('<img srcset="a/b.png 1x, gone.png 2x">', "no such file: gone.png"),
        ('<svg><use href="sp%20ace.svg#gone"/></svg>', "no such anchor: sp%20ace.svg#gone"),
        ('<g fill="url(#gone)">', "no such anchor: #gone"),
        ('<p style="background: url(gone.png)">', "no such file: gone.png"),
        ("<style>@import 'gone.css';</style>", "no such file: gone.css"),
        ('<meta http-equiv="refresh" content="0; url=gone/">', "no such file: gone/"),
        ('<input aria-describedby="gone">', "no such anchor: #gone"),
        ('<p id="x"><p id="x">', "id stands twice: x"),
        *(
            (f"<{tag}>", "loads from another host: //example.org/x")
            for tag in (
                'script src="//example.org/x"',
                'img src="//example.org/x"',
                'img srcset="//example.org/x 2x"',
                'iframe src="//example.org/x"',
                'video poster="//example.org/x"',
                'object data="//example.org/x"',
                'link rel="stylesheet" href="//example.org/x"',
                'link rel="preconnect" href="//example.org/x"',
                'link rel="dns-prefetch" href="//example.org/x"',
                'link rel="icon" href="//example.org/x"',
                'image xlink:href="//example.org/x"',
                'p style="background: url(//example.org/x)"',
            )
        ),
    ],
)
def test_fault(tmp_path: Path, body: str, fault: str) -> None:
    assert audit(build(tmp_path, page(body))) == [f"index.html:2: {fault}"]


@pytest.mark.parametrize("base", ["https://example.org/", "https://example.org/a/b/", "/"])
def test_base_path(tmp_path: Path, base: str) -> None:
    """A site built for an address links absolutely to itself, and 404.html always does."""
    path = base.removeprefix("https://example.org")
    canonical = "" if base == "/" else base
    site = build(
        tmp_path,
        {
            "index.html": HEAD.format(canonical, ""),
            "404.html": HEAD.format(canonical, path) + f'<a href="{path}">',
            "css/a.css": "@font-face { src: url(../f.woff2) }",
            "f.woff2": "",
        },
    )
    assert audit(site) == []
    (site / "f.woff2").unlink()
    assert audit(site) == ["css/a.css:1: no such file: ../f.woff2"]


def test_a_version_leads_to_the_latest(tmp_path: Path) -> None:
    latest, other = "https://example.org/book/latest/a/", "https://example.org/book/0.9.0/"
    canonical = '<link rel="canonical" href="https://example.org/book/1.0.0/">'

    def faults(body: str) -> list[str]:
        return audit(build(tmp_path, {"index.html": canonical + body}))

    assert faults(f'<a href="{latest}"></a>') == []
    assert faults(f'<a href="{other}"></a>') == [f"index.html:1: outside the site: {other}"]
    assert faults(f'<img src="{latest}">') == [f"index.html:1: outside the site: {latest}"]


@pytest.mark.parametrize(
    ("prose", "faults"),
    [
        ('<a id="x"></a> [x](#x) and [a](a/#mask), `[no](link)`, [b](https://else.example/)', []),
        ("[x](#gone)", ["no such anchor: #gone"]),
        ("[a](https://example.org/a/#gone)", ["no such anchor: https://example.org/a/#gone"]),
        ("[a](https://example.org/b/)", ["no such file: https://example.org/b/"]),
        (
            "![a](https://else.example/a.png)",
            ["loads from another host: https://else.example/a.png"],
        ),
        ('<a id="x"></a><a id="x"></a>', ["id stands twice: x"]),
    ],
)
def test_notebooks(tmp_path: Path, prose: str, faults: list[str]) -> None:
    cells = [
        {"cell_type": "code", "id": "one", "source": ["[x](gone)"]},
        {"cell_type": "markdown", "id": "two", "source": ["Prose\n", prose]},
    ]
    files = page("") | {"a.ipynb": json.dumps({"cells": cells}, indent=1)}
    files["index.html"] = HEAD.format("https://example.org/", "") + files["index.html"]
    files["css/a.css"] = ""
    found = audit(build(tmp_path, files))
    assert found == [f"a.ipynb:12: {fault}" for fault in faults]


def test_outside_the_base_path(tmp_path: Path) -> None:
    site = build(tmp_path, {"index.html": HEAD.format("https://example.org/a/", "/")})
    assert audit(site) == ["index.html:1: outside the site: /css/a.css"]


def test_404_is_shown_at_any_address(tmp_path: Path) -> None:
    site = build(tmp_path, {"index.html": "", "404.html": '<a href="index.html">'})
    assert audit(site) == ["404.html:1: shown at any address, links to index.html"]


def test_search_index(tmp_path: Path) -> None:
    index = '{"docs": [{"location": "a/"}, {"location": "a/#mask"}, {"location": "a/#gone"}]}'
    site = build(tmp_path, page("") | {"search/search_index.json": index})
    assert audit(site) == ["search/search_index.json:1: no such anchor: ../a/#gone"]


def test_css_urls() -> None:
    text = "a{b:url( 'x(1)' )} /* url(y) */ @import \"z\"; @import url(w); c{d:URL(data:v)}"
    assert css_urls(text) == ["x(1)", "z", "w", "data:v"]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path)]) == 1
    assert "no index.html" in capsys.readouterr().out
    files = page("").items()
    build(tmp_path, {n: f'<meta charset="utf-8">{t}' if ".html" in n else t for n, t in files})
    policy.write(tmp_path)
    assert main([str(tmp_path)]) == 0
    with (tmp_path / "index.html").open("a", encoding="utf-8") as home:
        home.write('<a href="gone"><a href="lost">')
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "index.html:2: no such file: gone",
        "index.html:2: no such file: lost",
    ]
