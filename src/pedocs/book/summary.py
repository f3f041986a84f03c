"""What a build or a page proved, in words."""

from __future__ import annotations

from collections.abc import Iterable

from pedocs.book.page import Page
from pedocs.book.parts import Block, Formula, Generated, Value
from pedocs.book.reading import minutes, words


def per_chapter(pages: Iterable[Page]) -> str:
    """A line for each chapter: how long it is, and how much of it is proven.

    Words are those of the text, captions and tables as rendered, without code, numbers and
    formulas. Its exercises are those of the page of the same name in `exercises/`.
    """
    pages = list(pages)
    exercises = {
        page.path.stem: len(page.scan.exercises)
        for page in pages
        if page.path.parent.name == "exercises"
    }
    rows: list[tuple[str, ...]] = [
        ("", "words", "minutes", "blocks", "values", "figures", "equations", "checked", "exercises")
    ]
    for page in pages:
        if page.path.parent.name != "chapters":
            continue
        count = sum(map(words, page.rendered.texts))
        equations = displayed(page)
        counts = (
            count,
            minutes(count),
            page.count(Block),
            page.count(Value),
            sum(item.kind == "figure" for item in page.scan.captioned),
            len(equations),
            sum(equation.check is not None for equation in equations),
            exercises.get(page.path.stem, 0),
        )
        rows.append((page.name, *map(str, counts)))
    first = max(len(row[0]) for row in rows)
    return "\n".join(
        row[0].ljust(first)
        + "".join(
            cell.rjust(len(head) + 2) for cell, head in zip(row[1:], rows[0][1:], strict=True)
        )
        for row in rows
    )


def displayed(page: Page) -> list[Formula]:
    """The display equations of a page."""
    return [part for part in page.parts if isinstance(part, Formula) and part.display]


def equations(pages: Iterable[Page]) -> str:
    """How many display equations are held against the code, and why the others are not."""
    found = [(page.name, equation) for page in pages for equation in displayed(page)]
    left = [(name, equation) for name, equation in found if equation.check is None]
    share = (len(found) - len(left)) / len(found) if found else 1
    lines = [
        f"{len(found)} equations, {len(found) - len(left)} checked ({share:.1%}), not checked:"
    ]
    lines += [f"{name} #{equation.id}: {equation.unchecked}" for name, equation in left]
    return "\n".join(lines if left else [lines[0].removesuffix(", not checked:")])


def summary(pages: Iterable[Page]) -> str:
    """The counts of a whole build."""
    pages = list(pages)
    docstrings = sum(page.docstring_count for page in pages)
    return (
        f"{len(pages)} pages, {sum(p.count(Block) for p in pages)} blocks, "
        f"{sum(p.count(Value) for p in pages)} values, "
        f"{sum(len(p.scan.captioned) for p in pages)} figures and tables, "
        f"{sum(len(p.scan.exercises) for p in pages)} exercises, "
        f"{sum(p.count(Generated) for p in pages)} generated parts, "
        f"{docstrings} docstrings proved"
    )
