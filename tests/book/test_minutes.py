"""How long a page takes to read: the same words in Markdown and on the page."""

from pathlib import Path

from pedocs.book.reading import PACE, minutes, words, words_of
from tests.book.test_extension import render

TEXT = """\
---
title: Not counted here
---

# A title {#title}

Two words, {0.5 = half} and $x + y$; *a* [link to](#title) and `code`.

```pycon
>>> half = 0.5
>>> print("not read")
not read
```

!!! note "A note"

    It's inside.

$$
y = 2 x
$$ {#eq-y unchecked="words that do not count"}

/// figure | fig-one
    alt: "An alt text is not read with the eye."

```python exec="1"
print("<svg><text>picture</text></svg>")
```

A caption, seen.
///

| a cell | another |
|---|---|
| well-known | {2 = len("ab")} |
"""


def test_words_are_letters_and_numbers_are_none() -> None:
    assert words("It’s 3 well-known, d_k or things.") == 5
    assert minutes(10 * PACE) == 10


def test_markdown_and_page_have_the_same_words(tmp_path: Path) -> None:
    page = render(tmp_path, TEXT.partition("---\n\n")[2]).page
    (tmp_path / "page.md").write_text(TEXT, encoding="utf-8")
    assert words_of(tmp_path / "page.md") == sum(map(words, page.rendered.texts)) == 22
