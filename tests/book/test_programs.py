"""What a built book holds for programs: Markdown beside each page, all values, lists of both."""

import json
import re
from pathlib import Path
from posixpath import normpath

import pytest

from .conftest import built_book, write_book

MORE = """\
# Work

```pycon
>>> half = 1 / 2
>>> half
0.5
```

It is {0.5 = half}, of [the first](index.md#eq-sine).

```python exec="1"
print("| a | b |\\n|---|---|\\n| [there](other.md#part) | b |")
```

::: pedocs.rope
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small built book with one more page."""
    book = write_book(tmp_path_factory.mktemp("book"))
    (book / "docs" / "work.md").write_text(MORE, encoding="utf-8")
    config = book / "mkdocs.yml"
    nav = "nav:\n  - index.md\n  - Part:\n    - other.md\n    - work.md\n"
    about = "site_description: A book\ncopyright: Text <a href='https://l.example/'>L</a>\n"
    config.write_text(config.read_text("utf-8") + nav + about, encoding="utf-8")
    return built_book(book)


def targets(text: str) -> list[str]:
    """The links of a Markdown file that lead to another file beside it."""
    links = re.findall(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)", text)
    return [link for link in links if "://" not in link]


def test_each_page_lies_in_markdown_beside_itself(built: Path) -> None:
    for page in ("", "other/", "work/"):
        assert (built / page / "index.html").is_file()
        text = (built / page / "index.md").read_text("utf-8")
        assert text.startswith("# ")
        assert "in a build that has no public address" in text
        assert not re.search(r"[\ue000-\uf8ff]|^/{3}|\{#|\{[\d−.]+ = |exec=|<svg", text, re.M)
        for link in targets(text):
            place = built / normpath(f"{page}{link}")
            assert place.is_file() or (place / "index.html").is_file(), link


def test_blocks_tables_figures_and_functions_in_markdown(built: Path) -> None:
    text = (built / "work" / "index.md").read_text("utf-8")
    assert "```pycon\n>>> half = 1 / 2\n>>> half\n0.5\n```" in text
    assert "It is 0.5, of [the first](../#eq-sine)." in text
    assert "| [there](../other/#part) | b |" in text
    assert "### `pedocs.rope`\n\n````text\nrope(x, positions, *, base=10000.0" in text
    other = (built / "other" / "index.md").read_text("utf-8")
    assert "![A text.](../figures/other/fig-one.svg)\n\n**Figure 1.** A caption with 2." in other
    assert "| 2 | b |" in other
    assert "**Table 1.** A caption." in other


def test_all_values_with_their_expressions(built: Path) -> None:
    found = json.loads((built / "values.json").read_text("utf-8"))
    assert found["version"]
    values = {each["expression"]: each for each in found["values"]}
    half = values["half"]
    assert half == {
        "id": half["id"],
        "page": "work",
        "text": "0.5",
        "expression": "half",
        "value": "0.5",
        "quoted": False,
        "link": f"work/#{half['id']}",
    }
    html = (built / "work" / "index.html").read_text("utf-8")
    assert f'id="{half["id"]}"' in html
    assert values["first[0]"]["value"].startswith("0.84147098")
    assert [each["page"] for each in found["values"]] == sorted(
        (each["page"] for each in found["values"]), key=["index", "other", "work"].index
    )


def test_the_list_for_language_models(built: Path) -> None:
    text = (built / "llms.txt").read_text("utf-8")
    assert text.startswith("# pedocs\n\n> A book\n")
    assert re.findall(r"^## (.*)", text, re.M) == ["Home", "Part", "Optional"]
    assert [*dict.fromkeys(targets(text))] == [
        "index.md", "other/index.md", "work/index.md", "values.json", "llms-full.txt",
    ]  # fmt: skip
    for link in targets(text):
        assert (built / link).is_file()
