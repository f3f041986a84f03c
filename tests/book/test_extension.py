"""What a proven page looks like in HTML."""

import re
from pathlib import Path

import pytest
from markdown import Markdown

from pedocs.book import build
from pedocs.book.page import Page

EXTENSIONS = [
    "pedocs.book",
    "abbr",
    "admonition",
    "attr_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.highlight",
    "pymdownx.superfences",
    "pymdownx.tabbed",
]


class Rendered:
    def __init__(self, html: str, md: Markdown, page: Page) -> None:
        self.html, self.md, self.page = html, md, page


def render(tmp_path: Path, text: str) -> Rendered:
    path = tmp_path / "page.md"
    text = text.replace("'''", "```")
    path.write_text(text, encoding="utf-8")
    build.begin(gathering=True)
    md = Markdown(
        extensions=EXTENSIONS,
        extension_configs={
            "pedocs.book": {"path": str(path)},
            "pymdownx.tabbed": {"alternate_style": True},
        },
    )
    html = md.convert(text)
    return Rendered(html, md, build.current.pages[path.resolve()])


def test_a_value_carries_its_expression_and_full_precision(tmp_path: Path) -> None:
    found = render(tmp_path, "It is {0.33 = len('a') / 3}.")
    assert found.page.failures == []
    data = re.search(r"<p>It is (<data.*?</data>)\.</p>", found.html)
    assert data
    assert 'class="worked"' in data[1]
    assert 'value="0.3333333333333333"' in data[1]
    assert "data-expression=\"len('a') / 3\"" in data[1]
    assert 'tabindex="0"' in data[1]
    assert data[1].endswith(">0.33</data>")
    assert re.search(r'id="v-[0-9a-f]{8}"', data[1])


def test_the_same_expression_has_one_id_whatever_its_text(tmp_path: Path) -> None:
    found = render(tmp_path, "{0.33 = len('a') / 3} {0.333 = len('a') / 3}")
    assert len(re.findall(r'<data[^>]*\sid="v-', found.html)) == 1


def test_a_value_in_backticks_is_code(tmp_path: Path) -> None:
    found = render(tmp_path, "{`base=4.0` = len('a') + 3}")
    assert re.search(r"<data[^>]*><code>base=4.0</code></data>", found.html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**{1 = len('a')}**", r"<strong><data[^>]*>1</data></strong>"),
        ("- {1 = len('a')}", r"<li><data[^>]*>1</data></li>"),
        ("> {1 = len('a')}", r"<blockquote>\s*<p><data[^>]*>1</data></p>"),
        ("| a |\n|---|\n| {1 = len('a|b') - 2} |", r"<td><data[^>]*>1</data></td>"),
        ("!!! note \"N {1 = len('a')}\"\n\n    x", r'admonition-title">N <data[^>]*>1</data>'),
        ("=== \"T {1 = len('a')}\"\n\n    x", r"<label[^>]*>T <data[^>]*>1</data></label>"),
        ("![n {1 = len('a')}](x.png)", r'<img alt="n 1"'),
        ("![n](x.png \"t {1 = len('a')}\")", r'title="t 1"'),
        ("[n](x.md){ title=\"t {1 = len('a')}\" }", r'title="t 1"'),
        ("<div title=\"t {1 = len('a')}\">x {1 = len('a')}</div>", r'title="t 1">x <data[^>]*>1<'),
        ("x[^1]\n\n[^1]: n {1 = len('a')}", r"<p>n <data[^>]*>1</data>"),
        ("a {(1, 2) =\nlen('a'), 2 * len('a')} b", r"a <data[^>]*>\(1, 2\)</data> b"),
        ("$x = {1 = len('a')}$", r"<math><mi>x</mi><mo>=</mo><mn>1</mn></math>"),
        ("$x < {-1 = -len('a')}$", r"<mo[^>]*>−</mo><mn>1</mn>"),
        ("so $x$, and", r'so <span class="pd-nobreak"><math><mi>x</mi></math>,</span> and'),
    ],
)
def test_values_stand_in_every_place(tmp_path: Path, text: str, expected: str) -> None:
    found = render(tmp_path, text)
    assert found.page.failures == []
    assert re.search(expected, found.html), found.html
    assert "\ue000" not in found.html


def test_a_heading_keeps_its_value_out_of_its_id_and_in_the_contents(tmp_path: Path) -> None:
    found = render(tmp_path, "## The score {−0.5 = -len('a') / 2} holds")
    assert '<h2 id="the-score-holds">' in found.html
    assert [token["name"] for token in found.md.toc_tokens] == ["The score −0.5 holds"]  # type: ignore[attr-defined]
    assert "tabindex" not in re.search(r"<h2.*?</h2>", found.html)[0]  # type: ignore[index]


def test_display_equations_are_numbered_linkable_and_scrollable(tmp_path: Path) -> None:
    text = 'Text\n$$\na = b\n$$ {#eq-one unchecked="a"}\nmore\n\n- in a list\n\n    $$ c = d $$ {#eq-two unchecked="b"}\n\n[Equation](#eq-two)'
    found = render(tmp_path, text)
    assert found.page.failures == []
    assert re.search(r'<div [^>]*id="eq-one"[^>]*><math display="block">', found.html)
    assert re.search(r'<a aria-label="Equation 2" [^>]*href="#eq-two">\(2\)</a>', found.html)
    assert '<a href="#eq-two">Equation\xa02</a>' in found.html
    assert "<p>more</p>" in found.html


def test_a_figure_has_alt_text_number_and_caption(tmp_path: Path) -> None:
    text = (
        "/// figure | fig-a\n    alt: \"Shows {1 = len('a')}: one.\"\n\n'''python exec=\"1\"\n"
        "print('<svg><text>*_$</text></svg>')\n'''\n\nIt shows {1 = len('a')}.\n///\n\n[Figure](#fig-a)"
    )
    found = render(tmp_path, text)
    assert found.page.failures == []
    assert '<figure class="pd-figure" id="fig-a">' in found.html
    assert '<div aria-label="Shows 1: one." role="img">' in found.html
    assert re.search(r'<div class="generated"><svg><text>\*_\$</text></svg>\s*</div>', found.html)
    assert '<figcaption><a class="pd-number" href="#fig-a">Figure 1</a>' in found.html
    assert '<a href="#fig-a">Figure\xa01</a>' in found.html


def test_generated_markdown_is_rendered_and_not_proven_again(tmp_path: Path) -> None:
    text = "'''python exec=\"1\"\nprint('| a |\\n|---|\\n| $x$ |')\nprint(f'| {1 / 2} |')\n'''"
    found = render(tmp_path, text)
    assert found.page.failures == []
    assert "<td>0.5</td>" in found.html
    assert "<td><math><mi>x</mi></math></td>" in found.html


def test_a_worked_block_and_code_that_is_not_run(tmp_path: Path) -> None:
    text = (
        "'''pycon\n>>> x = 'a'\n>>> x\n'a'\n'''\n\n'''python run=\"no\"\nx\n'''\n\n'''text\ny\n'''"
    )
    found = render(tmp_path, text)
    assert found.page.failures == []
    assert re.search(
        r'<div class="worked-block" id="b-[0-9a-f]{8}" data-copy="x = &#x27;a&#x27;&#10;x"><div',
        found.html,
    )
    assert re.search(r'<a class="headerlink" href="#(b-\w+)".*?>&para;</a></div>', found.html)
    assert '<div class="not-run"><p class="not-run-label">Not run</p>' in found.html


def test_the_page_lists_its_values_and_says_what_it_proves(tmp_path: Path) -> None:
    found = render(tmp_path, "{1 = len('a')} {1 = len('a')} {(1, 2) = [1, len('ab')]}")
    assert "Recomputed for this page: 4 numbers in the text.</p>" in found.html
    assert re.search(r'<td><a class="worked-back" href="#v-\w+">1</a></td>', found.html)
    html = re.sub(r"</?a[^>]*>", "", found.html)
    rows = re.findall(r"<tr><td>(.*?)</td><td><code>(.*?)</code></td><td><code>(.*?)</code>", html)
    assert rows == [
        ("1", "len(&#x27;a&#x27;)", "1"),
        ("(1, 2)", "[1, len(&#x27;ab&#x27;)]", "1, 2"),
    ]


def test_what_is_only_quoted_is_counted_and_marked_as_such(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text(
        '["x"]\ntitle = "X"\n["x".items]\n"y" = { printed = "0.5", where = "here" }\n'
    )
    found = render(tmp_path, "{0.5 = source('x', 'y')} of {1 = len('a')}")
    assert "1 number in the text; 1 number is quoted from sources.</p>" in found.html
    assert found.html.count('class="worked quoted"') == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*[abc]: a {1 = len('a')}\n\nno abc, no abc", "comes out"),
        ("text\n\n    {1 = len('a')} in indented code", "stands in indented code"),
        ("x\n\n    '''pycon\n    >>> 1 + 1\n    2\n    '''", "the fence stands in indented code"),
        ("0.**5**", "the page shows the number 0.5"),
        ("0.<span>5</span>", "the page shows the number 0.5"),
    ],
)
def test_what_does_not_come_out_as_written_is_a_failure(
    tmp_path: Path, text: str, expected: str
) -> None:
    found = render(tmp_path, text)
    assert any(expected in failure.message for failure in found.page.failures), found.html


def test_a_page_that_cannot_be_identified_raises() -> None:
    with pytest.raises(Exception, match="cannot tell which page it renders"):
        Markdown(extensions=EXTENSIONS).convert("text")


def test_a_text_that_is_not_the_file_raises(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("one\n")
    md = Markdown(extensions=EXTENSIONS, extension_configs={"pedocs.book": {"path": str(path)}})
    with pytest.raises(Exception, match="not the text of the file"):
        md.convert("another")


def test_lines_count_from_the_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("---\ntitle: x\n---\n\n\nIt is 0.5.\n")
    build.begin(gathering=True)
    md = Markdown(extensions=EXTENSIONS, extension_configs={"pedocs.book": {"path": str(path)}})
    md.convert("It is 0.5.\n")
    assert [f.line for f in build.current.pages[path.resolve()].failures] == [6]


def test_superfences_is_required(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("x\n")
    md = Markdown(
        extensions=["pedocs.book"], extension_configs={"pedocs.book": {"path": str(path)}}
    )
    with pytest.raises(Exception, match=r"needs pymdownx\.superfences"):
        md.convert("x\n")
