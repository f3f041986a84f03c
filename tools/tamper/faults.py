"""The faults that a book can have, each in a small book that is green without it.

The small book is that of tests/book/conftest.py. A fault is one or more edits of it, and what
every command has to say: the page and the line, for most also the words.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault: its kind, the page that has it, what becomes what there, and what is said.

    also holds edits of other files that the fault needs, each as file, old and new.
    """

    kind: str
    page: str
    old: str
    new: str
    says: str
    also: tuple[tuple[str, str, str], ...] = ()

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        """All edits: file, old text, new text."""
        return ((self.page, self.old, self.new), *self.also)


_DIFFERS = "a block or a value differs"
_ENDS = "an exception, a warning or an exit"
_FENCE = "a fence that would not run"
_NAME = "a name or a setting from another page"
_CLAIM = "a number that nothing works"
_PROVES = "a worked value that proves nothing"
_FORMULA = "a formula or an equation"
_ALT = "a missing alt text"
_LINK = "a link, an anchor or a reference"
_ID = "an id that stands twice"
_BLOCK = "a figure or a table"

# What `make test` tries one at a time, under a quiet build.
FAULTS = [
    Fault(_DIFFERS, "index.md", "0.01    ", "0.02    ",
          "docs/index.md:7: the text says array([0.841471"),
    Fault(_DIFFERS, "index.md", "{0.841471", "{0.841472",
          "docs/index.md:10: the text says 0.841472, first[0] is"),
    Fault(_DIFFERS, "index.md", "{0.841471", "{−0.841471",
          "docs/index.md:10: the text says −0.841471"),
    Fault(_DIFFERS, "index.md", "{0.8415", "{0.8425", "docs/index.md:13: the text says 0.8425"),
    Fault(_FORMULA, "index.md", "\\sin 1", "\\sin {1", "docs/index.md:13: {1 = … holds"),
    Fault(_FORMULA, "index.md", "\\sin 1", "\\sine 1",
          "docs/index.md:13: the formula is no LaTeX"),
    Fault(_CLAIM, "index.md", "The first", "The 0.5 first",
          "docs/index.md:10: the number 0.5 is claimed"),
    Fault(_ENDS, "index.md", ">>> first.round(6)", ">>> last.round(6)",
          "docs/index.md:6: the example raises"),
    Fault(_LINK, "index.md", "#part", "#parts",
          "docs/index.md:10: the link other.md#parts leads nowhere"),
    Fault(_LINK, "index.md", "other.md#part", "other.md?fig-none=a:1#part",
          "docs/index.md:10: the link other/?fig-none=a:1#part sets fig-none, which is not on that"),
    Fault(_LINK, "other.md", "# Other", "# Other\n\nAs Equation 3 shows.",
          "docs/other.md:3: Equation 3 is typed: the build counts, [Equation](#id), or name the work"),
    Fault(_LINK, "index.md", "#fig-one", "#fig-two",
          "docs/index.md:10: [Figure](other.md#fig-two): there is no"),
    Fault(_LINK, "index.md", "(other.md#part)", "(another.md)",
          "docs/index.md:10: the link another.md leads"),
    Fault(_ALT, "other.md", 'alt: "A text."', 'alt: ""',
          "docs/other.md:5: figure fig-one has no alt text"),
    Fault(_ALT, "other.md", "a dot", "", "docs/other.md:15: an image has no alt text"),
    Fault(_FENCE, "other.md", "exec=", "exce=", "docs/other.md:8: unknown fence"),
    Fault(_FENCE, "other.md", 'exec="1"', 'exec="1" id="a"',
          "docs/other.md:8: generated part: unknown option"),
    Fault(_NAME, "other.md", "{2 = len", "{2 = first.size + len",
          "docs/other.md:12: first.size + len"),
    Fault(_DIFFERS, "other.md", "| {2 =", "| {3 =", "docs/other.md:21: the text says 3"),
    Fault(_DIFFERS, "other.md", "number {3", "number {5", "docs/other.md:26: the text says 5"),
    Fault(_DIFFERS, "other.md", "of {4", "of {5", "docs/other.md:26: the text says 5"),
    Fault(_LINK, "other.md", "# Other", '# Other\n\n<a href="../nowhere/">a</a>',
          "docs/other.md:3: the link ../nowhere/ leads"),
    Fault(_LINK, "other.md", "# Other", "# Other\n\n<a href='#nowhere'>a</a>",
          "docs/other.md:3: the link #nowhere leads nowhere"),
    Fault(_LINK, "other.md", "# Other", '# Other\n\n<img src="no.png" alt="x">',
          "docs/other.md:3: the link no.png leads nowhere"),
    Fault(_LINK, "other.md", "# Other", "# Other\n\n[a](//index.md)",
          "docs/other.md:3: the link //index.md leads"),
    Fault(_ID, "other.md", "## A part {#part}", "## A part {#part}\n\n## B {#part}",
          "docs/other.md:3: the id part stands 2"),
    Fault(_ID, "other.md", "# Other", "# Other\n\n## Same\n\n## Same",
          "docs/other.md:3: two sections would have the id same"),
    Fault(_LINK, "other.md", "# Other", "# Other\n\n[a][nowhere]",
          "docs/other.md:3: the link nowhere leads nowhere"),
    Fault(_FENCE, "other.md", "# Other", "# Other\n\n```pycon\n>>> 1 + 1\n2",
          "docs/other.md:3: the fence is not closed before ```python"),
]  # fmt: skip


def _written(kind: str, text: str, line: int, *, first: str = "") -> Fault:
    """What is written below the title of the second page, in line 3, and where it is named.

    first is a worked block at the end of the first page, for what must not reach the second.
    """
    also: tuple[tuple[str, str, str], ...] = ()
    if first:
        end = '$$ {#eq-sine unchecked="a small book"}'
        block = f"{end}\n\n```pycon\n>>> import matplotlib, numpy\n{first}\n```"
        also = (("index.md", end, block),)
    where = f"docs/other.md:{line}: "
    return Fault(kind, "other.md", "# Other\n", f"# Other\n\n{text}\n", where, also)


def _block(kind: str, code: str, line: int, *, first: str = "") -> Fault:
    return _written(kind, f"```pycon\n{code}\n```", line, first=first)


def _part(kind: str, code: str, line: int) -> Fault:
    return _written(kind, f'```python exec="1"\n{code}\n```', line)


_WRONG = "```pycon\n>>> 1 + 1\n3\n```"


def _inside(prefix: str) -> str:
    return _WRONG.replace("\n", f"\n{prefix}")


# What `make tamper` tries besides, in every command.
MORE = [
    _block(_DIFFERS, ">>> import numpy as np\n>>> np.float64(3.0)\n3.0", 6),
    _block(_DIFFERS, ">>> 0.1 + 0.2 - 0.3\n0.0", 5),
    _block(_DIFFERS, ">>> list(range(3))\n[0, ..., 2]", 5),
    _block(_DIFFERS, ">>> 1 + 1", 4),
    _block(_DIFFERS, ">>> a = 1\n1", 5),
    _block(_DIFFERS, ">>> 1 + 1\n2\n\nand more", 7),
    _written(_DIFFERS, "It is {0.0 = float('nan') + 1}.", 3),
    _written(_DIFFERS, "It is {(1, 2) = [len('a')]}.", 3),
    _written(_DIFFERS, "It is {< 1 = len('a')}.", 3),
    _written(_DIFFERS, "It is {0.24 = len('a') / 4}.", 3),
    _written(_DIFFERS, "It is {−0.0 = len('a') / 1e9}.", 3),
    _written(_DIFFERS, "<span title=\"{3 = len('ab')}\">a</span>", 3),
    _written(_DIFFERS, f"- a\n\n    {_inside('    ')}", 7),
    _written(_DIFFERS, f"!!! note\n\n    {_inside('    ')}", 7),
    _written(_DIFFERS, f'=== "A"\n\n    {_inside("    ")}', 7),
    _written(_DIFFERS, f"> {_inside('> ')}", 5),
    Fault(_DIFFERS, "other.md", "# Other", "---\ndescription: A page\n---\n\n# Other",
          "docs/other.md:25: ", (("other.md", "| {2 =", "| {3 ="),)),
    Fault(_DIFFERS, "other.md", 'title="two"', "title=\"{3 = len('ab')}\"", "docs/other.md:15: "),
    Fault(_DIFFERS, "other.md", '"A text."', "\"A text of {3 = len('ab')}.\"", "docs/other.md:6: "),
    _block(_ENDS, ">>> 1 / 0", 4),
    _block(_ENDS, ">>> import warnings\n>>> warnings.warn('a')", 5),
    _block(_ENDS, ">>> raise SystemExit", 4),
    _block(_ENDS, ">>> import os\n>>> os._exit(0)", 5),
    _block(_ENDS, ">>> import sys\n>>> sys.exit(0)", 5),
    _written(_ENDS, "It is {2 = len('ab') // 0}.", 3),
    _written(_ENDS, "It is {2 = __import__('numpy').log(len('')) + len('ab')}.", 3),
    _written(_ENDS, "It is {2 = exit() or len('ab')}.", 3),
    _part(_ENDS, "print(1 / 0)", 4),
    _part(_ENDS, "import warnings\nwarnings.warn('a')\nprint('a')", 5),
    _part(_ENDS, "print('a')\nraise SystemExit", 5),
    _part(_ENDS, "print('a')\nimport os\nos._exit(0)", 6),
    _part(_ENDS, "import sys\nprint('a')\nprint('b', file=sys.stderr)", 3),
    _part(_ENDS, "a = 1", 3),
    _part(_ENDS, "print(", 4),
    *(
        _written(_FENCE, f"```{info}\nprint('a')\n```", 3)
        for info in (
            "python exec=1", 'pythn exec="1"', 'Python exec="1"', "python exec", "python exec='1'",
            'python exec="yes"', 'python exec="on"', 'python exec="1" session="a"', "pyodide",
            'python Exec="1"', 'py exec="1"', '{.python exec="1"}', "python", "", "pycon +SKIP",
            'pycon exec="1"', "Pycon", "doctest", "python run='no'",
        )
    ),
    _written(_FENCE, "~~~pycon\n>>> 1 + 1\n3\n~~~", 5),
    _written(_FENCE, "```console\n>>> 1 + 1\n3\n```", 3),
    _written(_FENCE, "```pycon\n1 + 1\n```", 4),
    _written(_FENCE, "    ```pycon\n    >>> 1 + 1\n    2\n    ```", 3),
    _written(_FENCE, ">>> 1 + 1", 3),
    _block(_FENCE, ">>> 1 / 0  # doctest: +SKIP", 4),
    _block(_FENCE, ">>> list(range(3))  # doctest: +ELLIPSIS\n[0, ...]", 4),
    _block(_NAME, ">>> first", 4),
    _block(_NAME, ">>> import numpy\n>>> numpy.array([0.25])\narray([0.2])", 6,
           first=">>> numpy.set_printoptions(precision=1)"),
    _block(_NAME, ">>> import numpy\n>>> numpy.array([1.0]) / 0\narray([inf])", 6,
           first=">>> old = numpy.seterr(all='ignore')"),
    _block(_NAME, ">>> import numpy\n>>> numpy.random.rand()\n0.5488135039273248", 6,
           first=">>> numpy.random.seed(0)"),
    _block(_NAME, ">>> import matplotlib\n>>> matplotlib.rcParams['lines.linewidth']\n9.0", 6,
           first=">>> matplotlib.rcParams['lines.linewidth'] = 9"),
    _block(_NAME, ">>> _\n2", 4, first=">>> 1 + 1\n2"),
    _block(_NAME, ">>> import numpy\n>>> numpy.pi\n3", 6, first=">>> numpy.pi = 3"),
    Fault(_NAME, "index.md", ">>> first = sinusoidal(1, d_model=4)\n", "",
          "docs/index.md:5: the example raises NameError"),
    *(
        _written(_CLAIM, text, 3)
        for text in (
            "It is 0.5 here.", "It is −7 here.", "It is -7 here.", "It is +7 here.", "−7 it is.",
            "It is (−7, 2).", "It is 10,000.5 here.", "It is 60.0% here.", "It is .5 here.",
            "It is 1e-3 here.", "It is 1.5e3 here.", "BLEU 28.4 it is.", "It *is* **0.5** here.",
            "It is `0.5` here.", "It is `−7` here.", "[0.5](index.md)", "- It is 0.5 here.",
            "> It is 0.5 here.", "## It is 0.5 here", '!!! note "It is 0.5"\n\n    A note.',
            '=== "0.5"\n\n    A tab.', "<p>It is 0.5 here.</p>", '<span title="0.5">a</span>',
            '<span aria-label="It is −7">a</span>', "![a 0.5 dot](dot.svg)",
            '![a dot](dot.svg "It is 0.5")', "[a](index.md){ title=\"0.5\" }", "It is $0.5$ here.",
            "It is $x = -7$ here.", "It is $-7$ here.", "It is 0&#46;5 here.",
            "It is 0\u200b.5 here.", "It is 0<b>.5</b> here.", "It is 0**.5** here.",
            "It is 0\\.5 here.", "It is <!-- a -->0.5 here.",
        )
    ),
    _written(_CLAIM, "| a |\n|---|\n| 0.5 |", 5),
    _written(_CLAIM, "It is\n0.5 here.", 4),
    _written(_CLAIM, "```text\n0.5\n```", 4),
    _written(_CLAIM, '```python run="no"\na = 0.5\n```', 4),
    _block(_CLAIM, ">>> a = 1  # it is 0.5", 4),
    _block(_CLAIM, ">>> print('it is 0.5')\nit is 0.5", 4),
    _part(_CLAIM, "print('it is 0.5')", 4),
    _part(_CLAIM, "print(f'it is {0.5}')", 4),
    Fault(_CLAIM, "other.md", "A caption with", "A caption of 0.5 with", "docs/other.md:12: "),
    Fault(_CLAIM, "other.md", '"A text."', '"A text of 0.5."', "docs/other.md:6: "),
    Fault(_CLAIM, "other.md", "# Other", "---\ndescription: It is 0.5\n---\n\n# Other",
          "docs/other.md:2: "),
    Fault(_CLAIM, "other.md", "# Other", "---\ntitle: Version −7\n---\n\n# Other",
          "docs/other.md:2: "),
    *(
        _written(_PROVES, text, 3)
        for text in (
            "It is {0.5 = 0.5}.", "It is {2 = 2}.", "It is {−2 = -2}.", "It is {0.5 = float('0.5')}.",
            "It is `{2 = len('ab')}`.", "It is {2 = len('ab'}.", "It is -{2 = len('ab')}.",
            "It is −{2 = len('ab')}.", "It is {2 = len('ab')}5.", "It is 1{2 = len('ab')}.",
            "It is {2 = len('ab')}.5.", "It is {2 = len('ab')}%.", "It is {two = len('ab')}.",
            "It is {2 =len('ab')}.", "It is {2= len('ab')}.", "    {2 = len('ab')}",
            "It is {2 = (a := len('ab'))}.", "It is {2 = True + len('a')} = {True = len('a')}.",
            "It is {2 = None}.",
        )
    ),
    *(
        _written(_FORMULA, text, 3)
        for text in (
            "It is $\\frac{1$ here.", "It is $\\nothing$ here.", "It is $ a here.", "It is $a here.",
            "$$\na = b\n$$", "$$\na = b\n$$ {#eq-a}", "$$\na = b\n$$ {#a unchecked=\"no\"}",
            "$$\na = b\n$$ {#eq-a check=\"a = len('a'); b = len('ab')\"}",
            "$$\na = b\n$$ {#eq-a check=\"a = len('a')\"}", "$$\na = a\n$$ {#eq-a check=\"a = len('a')\"}",
            "It is $$a$$ here.",
        )
    ),
    _written(_ALT, "![](dot.svg)", 3),
    _written(_ALT, "![ ](dot.svg)", 3),
    _written(_ALT, '<img src="dot.svg">', 3),
    _written(_ALT, '<img src="dot.svg" alt="">', 3),
    Fault(_ALT, "other.md", '    alt: "A text."\n', "", "docs/other.md:5: "),
    *(
        _written(_LINK, text, 3)
        for text in (
            "[a](nowhere.md)", "[a](nowhere.svg)", "[a](#nowhere)", "[a](index.md#nowhere)",
            "[a](/index.md)", "[a]()", "![a](nowhere.svg)", "[Figure](#fig-two)",
            "[Table](#fig-one)", "[Equation](other.md#eq-none)", "[Figure 1](#fig-one)",
            "As Figure 1 shows.", "[@nobody2000]", "[a](https://arxiv.org/abs/a)",
        )
    ),
    _written(_ID, '<a id="part"></a>', 3),
    _written(_ID, "## C {#fig-one}", 3),
    Fault(_ID, "other.md", "tab-two", "fig-one", "docs/other.md:17: "),
    Fault(_BLOCK, "other.md", "/// figure", "/// figur", "docs/other.md:5: "),
    Fault(_BLOCK, "other.md", "/// figure", "//// figure", "docs/other.md:5: "),
    Fault(_BLOCK, "other.md", "fig-one\n", "one\n", "docs/other.md:5: "),
    Fault(_BLOCK, "other.md", "A caption.\n///\n", "A caption.\n", "docs/other.md:17: "),
    _part(_BLOCK, "print('<svg></svg>')", 3),
]  # fmt: skip

# Faults of a book as a whole, each alone in a book.
OF_THE_BOOK = [
    Fault("the configuration", "../mkdocs.yml", "A small book", "Version 0.5 of a small book",
          "mkdocs.yml:1: the number 0.5"),
    Fault("the configuration", "../mkdocs.yml", "site_name",
          "nav: [{Home at 0.5: index.md}, {Other: other.md}]\nsite_name", "mkdocs.yml:1: the number 0.5"),
    Fault("the configuration", "../mkdocs.yml", "site_name", "nav: [index.md]\nsite_name",
          "mkdocs.yml:1: "),
    Fault("the configuration", "../mkdocs.yml", "site_name",
          "nav: [index.md, other.md, none.md]\nsite_name", "mkdocs.yml:1: "),
    Fault("the configuration", "../mkdocs.yml", "site_name", "extra_css: [nowhere.css]\nsite_name",
          "mkdocs.yml:1: the file nowhere.css is not there"),
    Fault("the configuration", "../mkdocs.yml", "site_name", "site_description: It is −7\nsite_name",
          "mkdocs.yml:1: the number −7"),
    Fault("the configuration", "../mkdocs.yml", "  - pedocs.book\n", "",
          "docs/index.md:1: the page was rendered unproven"),
]  # fmt: skip
