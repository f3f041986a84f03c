"""What gets past the Markdown is seen in the HTML; each case once got past a green build."""

import re
from pathlib import Path

import pytest

from pedocs.book.page import prove
from pedocs.book.rendered import CLOSE, MADE, OPEN, read_rendered, without_marks
from tests.book.test_extension import render

V = "{5 = len('abcde')}"


@pytest.mark.parametrize(
    "text",
    [
        # signed integers and decimals in odd places
        "It is −3.",
        "It is −3.\nAnd more.",
        "(−3.)",
        "## Minus −4.",
        "−1,000.",
        "(0,0.5)",
        "a,0.5",
        "...0.5",
        "1E-5 and 2E3",
        "<p>−3.</p>",
        "0.<!-- -->5",
        "x≤−3",
        '"−3"',
        # numbers that touch a value
        V + "{7 = 7 + 0 * len('a')}",
        "1<b>" + V + "</b>",
        V + "<b>7</b>",
        V + "<!-- -->7",
        V + "[7](page.md)",
        V + "½",
        V + "²",
        V + "E3",
        V + " %",
        V + "&nbsp;000",
        "<b>2.</b>" + V,
        "$2 " + V + "$",
        "$" + V + "{7}$",
        "$" + V + "{.}7$",
        "$" + V + V + "$",
        # what a value's own text hides
        "{− 5 = len('abcde')}",
        "{–5 = len('abcde')}",
        "{a−5 = len('abcde')}",
        "{5E3 = len('abcde')}",
        "{5_000 = len('abcde')}",
        "{5½ = len('abcde')}",
        "{5‰ = len('abcde')}",
        "{5k = len('abcde')}",
        "{5 and x0.7 = len('abcde')}",
        "{≠5 = len('abcde')}",
        "{⩽ 5 = len('abcde')}",
        "{−0.0 = 0.04 * len('a')}",
        # the sign outside
        "is − " + V,
        "<b>−</b>" + V,
        "−<b>" + V + "</b>",
        "−[" + V + "](page.md)",
        "$x = -\\," + V + "$",
        # attributes
        '*x*{ title="0.6" .a }',
        "*x*{ .a title='0.6' }",
        '*x*{: title="0.6" }',
        '*x*{ title="−3" }',
        '![a](page.md){ alt="0.5" }',
        '![a](page.md){ alt="" }',
        "<span title=0.5>x</span>",
        '<span TITLE="0.5">x</span>',
        "<IMG src='x.png'>",
        '<img src="x.png" data-alt="x">',
        '<img src="x.png" alt=" ">',
        '[a](page.md "−3 title")',
        # ids
        "<p id='dup'>a</p>\n\n<p id='dup'>b</p>",
        "## A\n\n## A",
        # math
        "$0{.}5$",
        "$0\\text{.}5$",
        "$０．５$",
        "$x =\\; -3$",
        "$x = -{3}$",
        "$|-3|$",
        "$x \\Rightarrow -3$",
        # near misses and code that nothing runs
        "{5=len('abcde')}",
        "<pre>\n>>> 1 + 1\n3\n</pre>",
        "'''python exec=\"1\"\nprint(\"```text\\n>>> 1 + 1\\n3\\n```\")\n'''",
        "'''python exec=\"1\"\nprint(r\"so $\\nosuch$ is\")\n'''",
        "'''python exec=\"1\"\nprint(\"![](x.png)\")\n'''",
        "'''python exec=\"1\"\nprint(0.7, f\"{-3}\")\n'''",
        # references
        "[Figure 7](#x)",
        "[*Table*](#tab-x)",
        # blocks
        "'''pycon\n>>> 1 / 0\nTraceback (most recent call last):\n  it was 0.5\nZeroDivisionError: division by zero\n'''",
        "'''pycon\n>>> for k in range(2):\n...     k\n0\n1\n'''",
        "{5 = __import__('numpy').ma.array([5], mask=[True])}",
        "::: pedocs.__version__.nothing",
        # the second round
        "$10^{4 = 4 + 0 * len('')}$",
        "${10^{4} = len('abcde')}$",
        "{10^{4} = len('abcde')}",
        "$n = 50% -3$",
        "$\\eqref{eq-a}$",
        V + " × 10⁻³",
        V + "·10⁻³",
        "$" + V + " \\times 10$",
        V + "^2",
        "{28.4 = round(28.4, 1)}",
        "{0.5 = float('0.5')}",
        "{0.7 = abs(-0.7)}",
        '/// figure | fig-a\n    alt: "a"\n///',
        '/// figure | fig-a\n    alt: "a"\n\nA caption.\n///',
        "/// table | tab-a\n\nA caption.\n///",
        '/// figure | fig-a\n    alt: "says "hi" there"\n\n\'\'\'python exec="1"\nprint("<svg></svg>")\n\'\'\'\n\nA caption.\n///',
        "A `{5 = len('abcde')}` in code.",
        "//// table | tab-a\n\n| a |\n|---|\n| b |\n\nA caption.\n////",
        "foot[^9]",
        "[s]()",
        "[text] (page.md)",
        "[Eq. 7](#x)",
        "[equation 7](#x)",
        "'''python exec=\"1\"\nprint('%.2f' % 0.73)\n'''",
        "'''python exec=\"1\"\nprint('is', round(0.731, 2), str(-3))\n'''",
        "'''pycon\n>>> print([0.73][0])\n0.73\n'''",
        "'''pycon\n>>> print(1); 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n'''",
        ">>> len('ab')\n2",
        "In transformers −3 of them",
        "Table −3",
        # the third round: what is dressed up as proven
        'It is <data class="worked">*−*3</data>.',
        'It is <data class="worked">0.*7*</data>.',
        'It is <data class="worked">0.*7* and ' + V,
        '<p><data class="worked"><a href="../nowhere/">x</a></data></p>',
        "It is 0.**7** here.\n{ .doc }",
        "It is 0.**7** here.\n{ .generated }",
        "It is 0.**7** here.\n{ class=doc-x }",
        '<div class="doc doc-object">0.<b>7</b></div>',
        "<div class='generated'>0.<b>7</b></div>",
        '<div class="worked-block" markdown>\n\n0.**7**\n\n<pre></pre>\n</div>',
        "x <math>0.**7**</math>",
        "x <svg>0.**7**</svg>",
        "<script>x = '0.' + '7'</script>",
        """<style>\np::after{content: "−" "3"}\n</style>""",
        '<iframe srcdoc="0.&#53;"></iframe>',
        # what no reader sees
        "It is 0\u2060.\u20607",
        "It is 0&NoBreak;.&NoBreak;7",
        "It is ０．７",
        "x \ue006 [^foo] and [a] (b.md) \ue007 y",
        '<abbr title="&#xe002;0&#46;7&#xe003;">x</abbr>',
        '<abbr title="&#xe002">x</abbr>',
        "a\x0bb",
        '<ol start="-3"><li>a</li></ol>',
        # links
        "[see [a](#x)](#y)\n\n## X {#x}\n\n## Y {#y}",
        "'''python exec=\"1\"\nprint('[see [a](#x)](#x)')\n'''\n\n## X {#x}",
        "'''python exec=\"1\"\nprint('[see <a href=\"#x\">a</a>](#x)')\n'''\n\n## X {#x}",
        # the fourth round: what stands behind, under or around a value
        V + '{ value="17" data-expression="theorem(17)" }',
        V + "{ .big }",
        '## A setting {#set data-toc-label="It costs 0.93"}',
        V + "\u202f000",
        V + "/7",
        V + "⅓",
        V + "·5",
        "<span hidden>x</span>" + V,
        '<span style="display:none">x</span>',
        '<bdo dir="rtl">' + V + "</bdo>",
        # other writings of a sign and of a decimal
        "It is ‑7",
        "It is －7",
        "It is ⁻7",
        "It is ‒7",
        "It is 0·841",
        "It is 0,841",
        "It is 0٫84",
        # an expression that states what it is to prove
        "'''pycon\n>>> n = 2\n'''\n\n{0.93 = n and 0.93}",
        "'''pycon\n>>> n = 2\n'''\n\n{0.93 = [0.93, n][0]}",
        "'''pycon\n>>> n = 2\n'''\n\n{0.93 = float('.93') + 0 * n}",
        "'''pycon\n>>> 1 == 1\n1\n'''",
        # what a generated part changes behind the reader's back
        "'''python exec=\"1\"\nlen = lambda of: 5\nprint('so')\n'''",
        "'''python exec=\"1\"\nimport pedocs\npedocs.sinusoidal = None\nprint('so')\n'''",
        "'''python exec=\"1\"\nimport doctest\ndoctest.OutputChecker.check_output = 1\nprint('so')\n'''",
        # links and pictures in places of their own
        '<img src="page.md" alt="x" srcset="https:nowhere 2x">',
        '<form action="nowhere/"></form>',
        "[here](#x)\n\n## X {#x}",
        "![a](https://example.org/x.png)",
        "[a](http:rope.md)",
        "[a](htps://example.org)",
        "[a](javascript:void)",
        "[a](https://)",
        '<base href="../../">',
        "'''text\nIn [1]: len('a')\nOut[1]: 2\n'''",
    ],
)
def test_it_is_red(tmp_path: Path, text: str) -> None:
    assert render(tmp_path, text).page.failures != []


@pytest.mark.parametrize(
    "text",
    [
        "costs \\$5",
        "$\\sum_{i = 0}^{n} i$ and $\\{x : x = 3\\}$ and $a - 3$ and $|a| - 3$",
        "$x - " + V + "$ and $f(" + V + ")$",
        "'''pycon\n>>> # only a comment\n>>> 1 + 1\n2\n'''",
        "<!--\n'''pycon\n>>> 1 / 0\n'''\n-->\n\ntext",
        "{> 5 = float('inf') + len('a')}",
        "- a ` b\n- c ` " + V,
        "'''python exec=\"1\"\nprint(f\"[a](#b){{ #b }} {1 / 2}\")\n'''",
        "so " + V + " and (" + V + ") and " + V + ".",
        "`f'{x1=}'`",
        "'''markdown\n{5 = x} and [a](b.md)\n'''",
        "'''bibtex\n@misc{key2017, year = 2017}\n'''",
        "$\\infty - 1$ and $\\mathrm{dim} - 1$ and $\\partial - 1$",
        "'''pycon\n>>> 1 + 1\n2\n'''\n\n'''pycon\n>>> 1 + 1\n2\n'''",
        "a footnote[^1]\n\n[^1]: with text",
        "Llama-3.2 and Python 3.11",
        "{0.1 = __import__('numpy').longdouble(1) / 10}",
    ],
)
def test_it_is_green(tmp_path: Path, text: str) -> None:
    assert render(tmp_path, text).page.failures == []


def test_an_escaped_dollar_is_shown_without_its_backslash(tmp_path: Path) -> None:
    assert "<p>costs $5</p>" in render(tmp_path, "costs \\$5").html


def test_an_equation_in_a_list_stays_in_the_list(tmp_path: Path) -> None:
    found = render(
        tmp_path, '- item\n\n    $$\n    x = y\n    $$ {#eq-a unchecked="a"}\n\n    more\n'
    )
    assert found.page.failures == []
    assert (
        found.html.index('id="eq-a"') < found.html.index("<p>more</p>") < found.html.index("</li>")
    )


def test_settings_that_a_page_brings_in_do_not_reach_the_next(tmp_path: Path) -> None:
    first, second = tmp_path / "1.md", tmp_path / "2.md"
    first.write_text(
        '```pycon\n>>> import decimal, matplotlib\n>>> matplotlib.rcParams["font.size"] = 33\n'
        ">>> decimal.getcontext().prec = 3\n```\n"
    )
    second.write_text(
        '```pycon\n>>> import decimal, matplotlib\n>>> matplotlib.rcParams["font.size"] == 33\nFalse\n'
        ">>> decimal.getcontext().prec\n28\n```\n"
    )
    assert prove(first).failures == []
    assert prove(second).failures == []


def test_what_is_read_of_a_page() -> None:
    found = read_rendered(
        f'<p id="a">x <data class="worked{MADE}">0.5</data> <a href="#b" title="{OPEN}0.5{CLOSE}">y</a></p>'
        f'<div class="generated{MADE}">0.5 <img src="i.png" alt="an image"><svg>0.7</svg></div>'
    )
    assert list(found.problems()) == []
    assert found.ids == ["a"]
    assert found.links == ["#b", "i.png"]
    assert [text.strip() for text in found.texts] == ["x \ue004 y"]


def test_marks_are_not_published() -> None:
    assert without_marks(f"a{OPEN}0.5{CLOSE}<b{MADE}>") == "a0.5<b>"


def test_a_heading_with_a_formula_keeps_its_address(tmp_path: Path) -> None:
    found = render(tmp_path, "$y$ and `x`\n\n## The {5 = len('abcde')} and $x^2$ here")
    assert 'id="the-and-here"' in found.html


def test_the_line_of_what_is_seen_late_is_that_of_its_words(tmp_path: Path) -> None:
    found = render(tmp_path, "This is fine.\n\nMore.\n\nIt is 0.**5**.")
    assert [failure.line for failure in found.page.failures] == [5]


def test_figures_and_settings_of_a_page_do_not_reach_the_next(tmp_path: Path) -> None:
    first, second = tmp_path / "1.md", tmp_path / "2.md"
    first.write_text(
        "```pycon\n>>> import os, pedocs\n>>> pedocs.softmax = len\n>>> pedocs.extra = 7\n"
        ">>> os.environ['PEDOCS_EXTRA'] = 'x'\n>>> os.chdir('/')\n```\n"
    )
    second.write_text(
        "```pycon\n>>> import os, pedocs\n>>> pedocs.softmax is len, hasattr(pedocs, 'extra')\n"
        "(False, False)\n>>> 'PEDOCS_EXTRA' in os.environ, os.getcwd() == '/'\n(False, False)\n```\n"
    )
    assert prove(first).failures == []
    assert prove(second).failures == []


def test_a_link_may_end_with_a_formula(tmp_path: Path) -> None:
    found = render(tmp_path, "[Divided by $d$](#x), see [$d$] and ($d$).\n\n## X {#x}\n")
    assert found.page.failures == []
    assert re.search(r'<a href="#x">Divided by <math>.*?</math></a>, see', found.html)
