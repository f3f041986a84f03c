"""The API pages: every public name on exactly one of them."""

import re
from pathlib import Path

import pedocs
from pedocs import lab

PUBLIC = [f"pedocs.{name}" for name in pedocs.__all__] + [
    f"pedocs.lab.{name}" for name in lab.__all__ if callable(getattr(lab, name))
]
PAGES = sorted((Path(__file__).parents[1] / "docs" / "library").glob("*.md"))


def directives(page: Path) -> list[str]:
    return re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_every_public_name_stands_on_exactly_one_page() -> None:
    shown = [name for page in PAGES for name in directives(page)]
    assert sorted(shown) == sorted(PUBLIC)


def test_the_table_of_contents_says_where_each_name_is() -> None:
    (index,) = (page for page in PAGES if page.name == "index.md")
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(([\w-]+\.md)#(pedocs\.[\w.]+)\) \|",
        index.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    where = [
        (name.rpartition(".")[2], page.name, name) for page in PAGES for name in directives(page)
    ]
    assert sorted(rows) == sorted(where)
