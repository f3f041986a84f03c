"""A site of a few pages, as the generator writes them."""

import json
from pathlib import Path

import pytest

from tools.paper.site import Site

STYLE = """
[data-md-color-scheme="default"] {
  --pd-ink: #111111;
}
"""
DRAWING = (
    '<svg viewBox="0 0 9 9" focusable="false"><defs><clipPath id="c"><path id="p" d="M0 0"/></clipPath>'
    '</defs><g clip-path="url(#c)" style="fill:var(--pd-ink)"><use xlink:href="#p"/></g></svg>'
)
PAGES = {
    "": '<h1 id="home">Home</h1><p><a href="chapters/one/">Begin</a></p>',
    "chapters/one/": f"""
<h1 id="one">One<a class="headerlink" href="#one">¶</a></h1>
<div class="admonition tip"><p class="admonition-title">Goals</p><ul><li>do it</li></ul></div>
<h2 id="start">The start<a class="headerlink" href="#start">¶</a></h2>
<p>See <a href="../two/#start">the other</a>, <a href="#start">this</a>, <a href="../two/">two</a>,
<a href="../two/#gone">gone</a>, <a href="../../one.ipynb">file</a>,
<a href="https://example.org/">out</a>.</p>
<div class="pd-equation" id="eq-a"><math display="block"><mi>x</mi></math>
<a class="pd-equation-number" href="#eq-a">(1)</a></div>
<p>By <a href="#eq-a">Equation 1</a>, <data class="worked" value="1" id="v-1">1</data>.</p>
<figure class="pd-figure" id="fig-a">{DRAWING}<figcaption>Drawn</figcaption></figure>
<details class="pd-check"><summary>Check</summary><p>hidden</p></details>
<button type="button">Run</button><div class="pd-proof" id="proof">values</div>
<h2 id="remember">What to remember</h2><ul><li>this</li></ul>""",
    "chapters/two/": '<h1 id="two">Two</h1><h2 id="start">Start</h2><p>End<br>now</p>',
    "exercises/one/": """<h1 id="exercises">Exercises on One</h1><section class="pd-exercise">
<h2 id="ex-a">1. Try</h2><p class="pd-level">by hand</p><p>Add <a href="../../chapters/one/#eq-a">
it</a>.</p></section><details class="pd-solution"><summary>Solution</summary><p>Secret.</p>
</details>""",
    "values/": "<h1>Values</h1>",
}
LISTING = """<nav aria-label="All pages"><ul><li><a data-page="./">Home</a></li>
<li>I<ul><li><a data-page="chapters/one/">One</a></li>
<li><a data-page="chapters/two/">Two</a></li></ul></li>
<li>Exercises<ul><li>I<ul><li><a data-page="exercises/one/">Exercises on One</a></li></ul></li></ul>
</li><li><a data-page="values/">Values</a></li></ul></nav>"""


@pytest.fixture(params=["https://book.example/", ""], ids=["published", "no address"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    for address, article in PAGES.items():
        folder = tmp_path / address
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(
            '<meta name="description" content="About &amp; so">'
            '<script type="application/ld+json">{"author": [{"name": "A & B"}, {"name": "C"}]}</script>'
            '<span class="md-header__topic"> <span class="md-ellipsis">book</span></span>'
            f'<div class="md-copyright__highlight">Free</div><article class="x">{article}</article>',
            "utf-8",
        )
    (tmp_path / "404.html").write_text(LISTING, "utf-8")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/pedocs.css").write_text(STYLE, "utf-8")
    (tmp_path / "assets/fonts").mkdir()
    for name in ("stix-math.woff2", "stix-math-more.woff2"):
        (tmp_path / "assets/fonts" / name).write_bytes(b"face")
    edition = {
        "version": "1.2",
        "date": "2026-11-30",
        "commit": "abc",
        "released": False,
        "address": request.param,
        "repository": "",
    }
    (tmp_path / "edition.json").write_text(json.dumps(edition), "utf-8")
    return Site(tmp_path)
