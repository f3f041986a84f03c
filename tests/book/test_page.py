"""Proving a page: what holds, what fails, where, and in which words."""

from pathlib import Path

import numpy as np
import pytest

from pedocs.book.page import Page, prove

FENCE = "```"


def page(tmp_path: Path, text: str, name: str = "page.md") -> Page:
    """A page proven from a text in which `'''` opens and closes fences."""
    path = tmp_path / name
    path.write_text(text.replace("'''", FENCE), encoding="utf-8")
    return prove(path)


def said(found: Page) -> list[str]:
    return [f"{failure.line}: {failure.message}" for failure in sorted(found.failures)]


GREEN = """---
title: A page
---

# A page

'''pycon
>>> import numpy as np
>>> x = np.array([1.5, -2.0])
>>> x
array([ 1.5, -2. ])
'''

The two are {(1.5, −2.0) = x}, in $x = ({1.5 = x[0]}, {-2.0 = x[1]})$ too.

$$
\\lVert x \\rVert = {2.5 = np.linalg.norm(x)}
$$ {#eq-norm unchecked="a norm"}

- a list with {1.5 = x[0]}

    '''pycon
    >>> x = x + 1
    >>> x
    array([ 2.5, -1. ])
    '''

- and {2.5 = x[0]} behind it, see [Equation](#eq-norm)

> '''pycon
> >>> x[0] > 2
> np.True_
> '''

!!! note "A note on {2.5 = x[0]}"

    === "A tab"

        | a | b |
        |---|---|
        | {2.5 = x[0]} | {−1 = x[1]} |

/// figure | fig-x
    alt: "A figure of {2.5 = x[0]}."

'''python exec="1"
print(f"<svg><text>{x[0]}</text></svg>")
'''

It shows {2.5 = x[0]}.
///
"""


def test_a_green_page_runs_its_parts_in_order(tmp_path: Path) -> None:
    found = page(tmp_path, GREEN)
    assert said(found) == []
    assert [value.text for value, _ in found.values()] == [
        "(1.5, −2.0)", "1.5", "-2.0", "2.5", "1.5", "2.5", "2.5", "2.5", "−1", "2.5", "2.5",
    ]  # fmt: skip
    assert found.number_count == 12


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("array([ 1.5, -2. ])", "array([ 1.5, -2.1])", "11: the text says array([ 1.5, -2.1])"),
        ("(1.5, −2.0) =", "(1.5, 2.0) =", "14: the text says 2.0 (number 2 of 2), x has −2.0"),
        ("$x = ({1.5", "$x = ({1.4", "14: the text says 1.4, x[0] is 1.5"),
        ("{2.5 = np.lin", "{2.6 = np.lin", "17: the text says 2.6"),
        ("array([ 2.5, -1. ])", "array([ 2.5, 1. ])", "25: the text says"),
        ("{2.5 = x[0]} behind", "{2.6 = x[0]} behind", "28: the text says 2.6"),
        ("> np.True_", "> np.False_", "32: the text says np.False_, the code gives np.True_"),
        ("note on {2.5", "note on {2.6", "35: the text says 2.6"),
        ("| {−1 =", "| {1 =", "41: the text says 1, x[1] is −1.0"),
        ("figure of {2.5", "figure of {2.6", "44: the text says 2.6"),
        ("shows {2.5", "shows {2.6", "50: the text says 2.6"),
        ("title: A page", "title: A page of 2.5", "2: the number 2.5 in the front matter"),
        ("# A page", "# A page of 2.5", "5: the number 2.5 is claimed and is not a worked value"),
        (" behind it", " behind −3 it", "28: the number −3 is claimed"),
        ("behind it", "`0.5` behind it", "28: the number 0.5 is claimed"),
        ("$x = (", "$x = 0.5 (", "14: the number 0.5 in math is not a worked value"),
        ("\\lVert x \\rVert", "\\lVert {x \\rVert", "18: the formula is no LaTeX"),
        ("\\lVert x \\rVert =", "\\lVert x \\rVert^{ =", "18: the formula is no LaTeX: Expected"),
        ("\\lVert x", "\\lVvert x", "17: the formula is no LaTeX: Unknown command"),
        ("(#eq-norm)", "(#eq-norms)", "28: [Equation](#eq-norms): there is no such equation"),
        ('    alt: "A figure of {2.5 = x[0]}."', "", "43: figure fig-x has no alt text"),
        ('alt: "A figure of {2.5 = x[0]}."', 'alt: ""', "43: figure fig-x has no alt text"),
        ("'''pycon\n>>> import", "'''pycn\n>>> import", "7: unknown fence (pycn)"),
        ('exec="1"', 'exce="1"', "46: unknown fence"),
        ('exec="1"', "exec=1", "46: fence ```python exec=1"),
        ('exec="1"', 'exec="1" sesion="a"', "46: generated part: unknown option sesion"),
        ("python exec", "Python exec", "46: unknown fence"),
        (
            "'''pycon\n>>> import",
            "'''pycon hl=\"1\"\n>>> import",
            "7: pycon fence: unknown option hl",
        ),
        (">>> x[0] > 2", ">>> x[0] > 2  # +SKIP 0.7", "31: the number 0.7 in a string or comment"),
        (">>> x[0] > 2", ">>> x[0] > 2  # doctest: +SKIP", "31: a doctest directive weakens"),
        (">>> x\narray([ 1.5, -2. ])", ">>> y\n1", "10: the example raises NameError"),
        (
            'print(f"<svg>',
            "import warnings; warnings.warn('no'); print(f\"<svg>",
            "47: the generated",
        ),
        ('print(f"<svg>', 'print(f"0.75<svg>', "47: the number 0.75 in a string of a generated"),
        ("It shows", "It $shows", "50: a math delimiter $ is left over"),
        ("It shows", "It {shows = x}", "50: the worked value {shows = x} has no number"),
        ("It shows", "It {2.5 = 2.5}", "50: {2.5 = 2.5}: the expression is a bare literal"),
        ("It shows", "It {2.5 = +2.5}", "50: {2.5 = +2.5}: the expression is a bare literal"),
        (
            "It shows",
            "It {2.5 = 2.5 * 1}",
            "50: {2.5 = 2.5 * 1}: the expression restates a decimal",
        ),
        ("It shows", "It {2.5 = (}", "50: {2.5 = … holds ' = ' and is not a worked value"),
        ("It shows", "It shows 1", ""),
        ("shows {2.5", "shows 1{2.5", "50: the worked value 2.5 touches '1' before it"),
        ("shows {2.5", "shows −{2.5", "50: the sign before the worked value 2.5 belongs inside"),
        ("shows {2.5", "shows **−**{2.5", "50: the sign before the worked value 2.5 belongs"),
        ("x[0]}.\n///", "x[0]}7.\n///", "50: the worked value 2.5 touches '7.' behind it"),
        ("x[0]}.\n///", "x[0]}%.\n///", "50: the worked value 2.5 touches '%.' behind it"),
        ("It shows", "It&#46;5 shows", "50: &#46; hides a part of a number"),
        ("It shows", "![](x.png) shows", "50: an image has no alt text"),
        ("It shows", '<img src="x.png"> shows', "50: an image has no alt text"),
        ("It shows", '<img src="x.png" alt="0.5"> shows', "50: the number 0.5 is claimed"),
        ("It shows", "<!-- 0.5 --> shows", ""),
        ("It shows", "It shows ''' that", "50: ``` that does not open a fence"),
        ("\n///\n", "\n", "43: the figure block is never closed"),
        ("/// figure", "/// figur", "43: unknown block /// figur"),
        ("| fig-x", "| figure x", "43: /// figure | figure x: the id must read fig-"),
        ('{#eq-norm unchecked="a norm"}', "", "16: a display equation needs an id"),
    ],
)
def test_one_fault_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert old in GREEN
    faults = said(page(tmp_path, GREEN.replace(old, new, 1)))
    if expected:
        assert any(fault.startswith(expected) for fault in faults), faults
    else:
        assert faults == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'''text\n0.5\n'''", "2: the number 0.5 in code that does not run is not a worked value"),
        ("'''text\n>>> 1\n'''", "1: a text fence holds a >>> prompt: write pycon to run it"),
        ("'''python\nx\n'''", "1: unknown fence (python)"),
        ("'''\nx\n'''", "1: unknown fence (no language)"),
        ("'''pycon\n1\n'''", "2: a worked block without a >>> prompt"),
        ("'''pycon\n>>> x = 1\n\n0.5\n'''", "4: neither prompt nor output, so nothing checks it"),
        ("'''pycon\n>>>x\n'''", "2: the worked block cannot be read"),
        ("'''pycon\n>>> 0.5\n0.5\n'''", "2: the example only repeats a literal"),
        ("'''pycon\n>>> x = 1", "1: the fence is never closed"),
        ("- '''pycon\n  >>> x = 1\n  '''", "1: ``` that does not open a fence"),
        ("'''pycon\n>>> import warnings\n>>> warnings.warn('no')\n'''", "3: the text says nothing"),
        ("'''pycon\n>>> raise SystemExit\n'''", "2: the example raises SystemExit"),
        ("'''pycon\n>>> float('nan')\n'''", "2: the text says nothing, the code gives nan"),
        ("'''python exec=\"1\"\nx = 1\n'''", "1: the generated part prints nothing"),
        ("'''python exec=\"1\"\nx = (\n'''", "2: the generated part raises SyntaxError"),
        ("'''python exec=\"1\"\nprint(1)\nraise SystemExit\n'''", "3: the generated part raises"),
        ("'''python exec=\"1\"\nprint('<svg></svg>')\n'''", "1: a picture stands in a /// figure"),
        ("[A](https://arxiv.org/abs/1706.03762)", "1: a paper is cited by its key"),
        ("---\ntitle: The {7 = n} rule\n---\n\nx", "2: {7 = n} in the front matter is shown"),
        ("---\ntitle: $x$\n---\n\nx", "2: $ in the front matter is shown"),
        ("::: pedocs.nothing", "1: ::: pedocs.nothing:"),
        ("::: nothing.at_all", "1: ::: nothing.at_all:"),
        ("{1 = source('x', 'y')}", "1: source('x', 'y') raises LookupError"),
        ("{1 = True}", "1: {1 = True}: the expression is a bare literal"),
        ("{1 = (y := 1)}", "1: {1 = (y := 1)}: the expression must not bind a name"),
        ("{1 = nowhere}", "1: nowhere raises NameError: name 'nowhere' is not defined"),
    ],
)
def test_short_pages_fail(tmp_path: Path, text: str, expected: str) -> None:
    faults = said(page(tmp_path, text))
    assert any(fault.startswith(expected) for fault in faults), faults


@pytest.mark.parametrize(
    "text",
    [
        "'''python run=\"no\"\nx = f(y)\n'''",
        "'''text\nPE[p, 2m] = sin(p / 10000^(2m/d))\n'''",
        "'''markdown\nIt is {0.5 = x}.\n'''",
        "'''pycon\n>>> raise ValueError('no')\nTraceback (most recent call last):\nValueError: no\n'''",
        "'''pycon\n>>> import warnings\n>>> warnings.warn('no')\nUserWarning: no\n'''",
        "'''pycon\n>>> float('nan')\nnan\n'''",
        "'''pycon\n>>> for k in range(2):\n...     print(k)\n...\n0\n1\n'''",
        "'''pycon\n>>> x = 1\n>>> x + 1\n2\n'''\n\n{`2` = x + 1} and {2 = {'a': x}['a'] + len(\"}\")}",
        "::: pedocs.sinusoidal",
        "costs \\$5 and \\$6",
        "`$x$` and `{a = b}`",
    ],
)
def test_short_pages_hold(tmp_path: Path, text: str) -> None:
    assert said(page(tmp_path, text)) == []


def test_what_follows_from_an_exception_is_not_listed(tmp_path: Path) -> None:
    text = "'''pycon\n>>> x = 1 / 0\n>>> y = x + 1\n>>> y\n2\n'''\n\n{2 = y} and {3 = z}"
    assert said(page(tmp_path, text)) == [
        "2: the example raises ZeroDivisionError: division by zero",
        "8: z raises NameError: name 'z' is not defined",
    ]


def test_a_page_sees_nothing_of_another(tmp_path: Path) -> None:
    first = "'''pycon\n>>> import numpy as np\n>>> leaked = 1\n>>> np.set_printoptions(precision=2)\n>>> old = np.seterr(all='ignore')\n'''"
    assert said(page(tmp_path, first, "first.md")) == []
    second = "'''pycon\n>>> import numpy as np\n>>> np.array([1 / 3])\narray([0.33333333])\n'''\n{1 = leaked}"
    assert said(page(tmp_path, second, "second.md")) == [
        "6: leaked raises NameError: name 'leaked' is not defined"
    ]
    assert np.geterr()["divide"] == "warn"


def test_an_example_that_forgets_its_seed_does_not_pass_by_luck(tmp_path: Path) -> None:
    np.random.seed(0)  # noqa: NPY002 - the state that such an example would use
    text = "'''pycon\n>>> import numpy as np\n>>> np.random.rand() == 0.5488135039273248\nTrue\n'''"
    assert said(page(tmp_path, text)) != []


def test_source_is_no_name_of_the_reader(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text(
        '["x"]\ntitle = "X"\n["x".items]\n"y" = { printed = "0.5", where = "here" }\n'
    )
    text = "{0.5 = source('x', 'y')}\n\n'''pycon\n>>> source('x', 'y')\n0.5\n'''"
    assert said(page(tmp_path, text)) == [
        "4: the example raises NameError: name 'source' is not defined"
    ]


def test_windows_line_ends_and_a_byte_order_mark_change_no_line(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes("\ufeff---\r\ntitle: x\r\n---\r\n\r\nIt is 0.5.\r\n".encode())
    assert said(prove(path)) == ["5: the number 0.5 is claimed and is not a worked value"]


def test_failures_belong_to_their_parts(tmp_path: Path) -> None:
    found = page(tmp_path, "{2 = len('a')} and {1 = len('a')}, 0.5")
    assert [f.message for f in found.failures_of(0)] == ["the text says 2, len('a') is 1"]
    assert found.failures_of(1) == []
    assert [f.message for f in found.failures_of(None)] == [
        "the number 0.5 is claimed and is not a worked value"
    ]


EQUATION = """
'''pycon
>>> omega, p = 0.5, 3
'''

$$
\\sin(\\omega p) = \\cos(\\omega p)
$$ {#eq-wrong check=""}

$$
\\theta = \\omega p
$$ {#eq-late check="theta = turned"}

'''pycon
>>> turned = omega * p
'''

$$
\\nosuch = 1
$$ {#eq-refused check=""}
"""


def test_equations_are_held_against_the_code_behind_them(tmp_path: Path) -> None:
    faults = said(page(tmp_path, EQUATION))
    assert faults[0].startswith("6: the equation does not hold: ")
    assert [fault.partition(":")[0] for fault in faults] == ["6", "19", "19"]
    right = EQUATION.replace("\\cos(\\omega p)", "\\sin(p \\omega)").replace("\\nosuch", "2 - 1")
    assert said(page(tmp_path, right)) == []
    faults = said(page(tmp_path, right.replace("\\theta = \\omega p", "\\theta = \\omega + p")))
    assert [fault.partition(": ")[0] for fault in faults] == ["10"]


WAYS_OUT = ["os._exit(0)", 'os.execv("/bin/true", ["true"])', 'os.execvp("true", ["true"])']


@pytest.mark.parametrize("way", WAYS_OUT)
def test_an_exit_that_python_does_not_hear_of_is_red(tmp_path: Path, way: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"```pycon\n>>> import os\n>>> {way}\n```\n\n{{1 = [{way}]}}\n")
    said = [str(failure) for failure in prove(path).failures]
    assert len(said) == 2
    assert all("ends the process that proves the page" in one for one in said)


def test_what_a_value_raises_is_its_failure(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```pycon\n>>> def f():\n...     raise GeneratorExit\n...\n```\n\n{1 = f()}\n")
    assert "f() raises GeneratorExit" in str(prove(path).failures)


def test_modules_that_a_page_reaches_into_are_whole_for_the_next(tmp_path: Path) -> None:
    first, second = tmp_path / "1.md", tmp_path / "2.md"
    first.write_text(
        "```pycon\n>>> import builtins, math\n>>> import numpy as np\n>>> from pedocs import _rope\n"
        ">>> np.log = np.log2\n>>> np.linalg.norm = np.sum\n>>> math.log = math.log2\n"
        ">>> builtins.len = builtins.max\n>>> _rope.np = None\n>>> del np.exp\n```\n"
    )
    second.write_text(
        "```pycon\n>>> import math\n>>> import numpy as np\n>>> from pedocs import _rope\n"
        ">>> print(np.log(1), np.linalg.norm([3, 4]), math.log(1), len([7]), np.exp(0))\n"
        "0.0 5.0 0.0 1 1.0\n>>> _rope.np is np\nTrue\n```\n"
    )
    assert prove(first).failures == []
    assert prove(second).failures == []


def test_only_source_itself_quotes(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text(
        '[x.items]\n"a" = { printed = "7", where = "here" }\n', encoding="utf-8"
    )
    path = tmp_path / "page.md"
    path.write_text('```pycon\n>>> source = lambda *a: 7\n```\n\n{7 = source("x", "a")}\n')
    assert "source is bound to something else" in str(prove(path).failures)
