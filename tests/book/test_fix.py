"""`make fix` writes what is computed, shows it first, and touches nothing else."""

from pathlib import Path

import pytest

from pedocs.book.fix import rewrite

BEFORE = """\
---
title: x
---

'''pycon
>>> x = 1.5
>>> print(x)
1.4
>>> for k in range(2):
...     print(k)
...
0
>>> x + 1
2.5
'''

- {1.4 = x} and {−1.5 = x}, $y = {1.4 = -x}$, {3 = x}, {< 1 = x}

    '''pycon
    >>> print("a\\nb")
    b
    '''
"""
AFTER = """\
---
title: x
---

'''pycon
>>> x = 1.5
>>> print(x)
1.5
>>> for k in range(2):
...     print(k)
...
0
1
>>> x + 1
2.5
'''

- {1.5 = x} and {1.5 = x}, $y = {-1.5 = -x}$, {3 = x}, {< 1 = x}

    '''pycon
    >>> print("a\\nb")
    a
    b
    '''
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(BEFORE.replace("'''", "```"), encoding="utf-8")
    return path


def test_what_can_be_written_is_and_the_rest_is_named(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rewrite([path], dry_run=False) == 1
    assert path.read_text(encoding="utf-8") == AFTER.replace("'''", "```")
    output = capsys.readouterr().out
    assert "-1.4\n" in output
    assert "+1.5\n" in output
    assert "Left to do by hand:" in output
    assert ":18: the text says 3, x is 1.5" in output
    assert ":18: the text says < 1, x is 1.5" in output
    assert [p.name for p in path.parent.iterdir()] == ["page.md"]


def test_a_dry_run_shows_and_writes_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rewrite([path], dry_run=True) == 1
    assert path.read_text(encoding="utf-8") == BEFORE.replace("'''", "```")
    assert "+1.5\n" in capsys.readouterr().out


def test_a_second_run_changes_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite([path], dry_run=False)
    after = path.read_bytes()
    capsys.readouterr()
    rewrite([path], dry_run=False)
    assert path.read_bytes() == after
    assert "@@" not in capsys.readouterr().out


def test_a_green_page_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text("{1 = len('a')}\n")
    assert rewrite([path], dry_run=False) == 0
    assert capsys.readouterr().out == "Everything is written as it is computed.\n"


def test_a_docstring_is_rewritten_in_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "rewritten_module.py"
    module.write_text(
        'def one() -> int:\n    """One.\n\n    >>> from rewritten_module import one\n'
        '    >>> one()\n    2\n    """\n    return 1\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    page = tmp_path / "page.md"
    page.write_text("::: rewritten_module.one\n")
    rewrite([page], dry_run=False)
    assert "    >>> one()\n    1\n" in module.read_text()
