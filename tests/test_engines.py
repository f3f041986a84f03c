"""The tools that hold generators and builds against each other see what they should."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.engines.compare import compare
from tools.engines.content import content
from tools.reproduce import PLACES, differences

ROOT = Path(__file__).parents[1]
PAGE = """\
<html><nav id="theme"><a href="x/">menu</a></nav>
<article class="md-content__inner md-typeset"><a id="__skip"></a>
<h1 id="one">One<a class="headerlink" href="#one">¶</a></h1>
<p>It is <data class="worked" id="v-1" value="0.25" data-expression="a / b">0.25</data>,
see <a href="../other/#part">there</a> and <math><mi>x</mi></math>.</p>
<figure id="fig-a"><svg viewBox="0 0 1 1"><path d="M0 0"/></svg></figure>
</article></html>
"""


def site(folder: Path, page: str = PAGE) -> Path:
    (folder / "one").mkdir(parents=True)
    (folder / "one/index.html").write_text(page, "utf-8")
    (folder / "values.json").write_text("{}", "utf-8")
    return folder


def test_the_dress_of_a_page_is_not_its_content(tmp_path: Path) -> None:
    other = PAGE.replace("menu", "another").replace(' id="__skip"', "").replace("\nsee", " see")
    other = other.replace("../other/#part", "../other/index.html#part").replace(
        "</article>", '<div class="pd-files"><a href="a.svg">SVG</a></div></article>'
    )
    found = compare(site(tmp_path / "a"), site(tmp_path / "b", other))
    assert found.pages == ["one/"]
    assert found.faults == []
    assert (found.same_pages, found.same_files) == (0, 1)


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("It is", "It was", ["text"]),
        (">0.25<", ">0.26<", ["text", "values"]),
        ('value="0.25"', 'value="0.252"', ["values"]),
        ("a / b", "a / c", ["values"]),
        ('id="v-1"', 'id="v-2"', ["permalinks"]),
        ('id="one"', 'id="two"', ["permalinks"]),
        ("#part", "#parts", ["links"]),
        ("<h1", "<h2", ["headings"]),
        ('viewBox="0 0 1 1"', 'viewBox="0 0 1 2"', ["pictures"]),
        ("<mi>x</mi>", "<mn>x</mn>", ["formulas"]),
    ],
)
def test_a_change_of_the_content_is_seen(
    tmp_path: Path, old: str, new: str, kinds: list[str]
) -> None:
    assert old in PAGE
    first, second = site(tmp_path / "a"), site(tmp_path / "b", PAGE.replace(old, new))
    found = content(first, "one/").differences(content(second, "one/"))
    assert [kind for kind, _, _ in found] == kinds
    assert len(compare(first, second).faults) == len(kinds)


def test_a_page_or_a_file_that_lacks_is_seen(tmp_path: Path) -> None:
    first, second = site(tmp_path / "a"), site(tmp_path / "b")
    (second / "one/index.html").unlink()
    (second / "values.json").write_text("[]", "utf-8")
    found = compare(first, second)
    assert found.faults == ["/one/ is missing"]
    assert found.other == {"The list of all worked values": 1}
    assert compare(second, first).faults == ["/one/ is a page of its own"]
    (first / "other.txt").write_text("", "utf-8")
    assert [*found.faults, "other.txt is not the same, and no reason is known"] == (
        compare(first, second).faults
    )


def test_the_lock_of_the_engines_adds_to_the_books() -> None:
    lock = (ROOT / "tools/engines/requirements.lock").read_text("utf-8")
    assert not re.search(r"://|index-url|find-links|file:|^/| /", lock, re.M)
    pins = re.findall(r"^([a-z][\w.-]*)==(.*) \\$", lock, re.M)
    asked = (ROOT / "tools/engines/requirements.in").read_text("utf-8")
    for name, version in re.findall(r"^([a-z]\w*)==(.*)$", asked, re.M):
        assert (name, version) in pins
    own = (ROOT / "requirements.lock").read_text("utf-8")
    for name, _ in pins:
        assert not re.search(rf"^{re.escape(name)}==", own, re.M)


def test_the_record_is_of_the_generators_that_are_locked() -> None:
    record = json.loads((ROOT / "docs/measured/engines.json").read_text("utf-8"))
    asked = (ROOT / "tools/engines/requirements.in").read_text("utf-8")
    for name in record["generators"]:
        assert f"{name}=={record['versions'][name]}\n" in asked


def test_a_file_that_is_not_the_same_twice_is_named(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for place, word in ((first, "one"), (second, "two")):
        (place / "dist").mkdir(parents=True)
        (place / "site").mkdir()
        (place / "site/same.html").write_text("same", "utf-8")
        (place / "site/page.html").write_text(f"it is {word}", "utf-8")
        (place / f"dist/{word}.zip").write_bytes(b"")
    assert list(differences(first, second)) == [
        "dist/one.zip: only one of the builds makes it",
        "dist/two.zip: only one of the builds makes it",
        "site/page.html: b'it is one' and b'it is two'",
    ]


def test_what_is_packed_is_the_same_bytes_in_any_zone(tmp_path: Path) -> None:
    packed = []
    for zone in ("Asia/Kolkata", "America/Lima"):
        env = {name: os.environ[name] for name in os.environ.keys() - {"SOURCE_DATE_EPOCH"}}
        folder = tmp_path / zone
        command = [sys.executable, "tools/wheel.py", str(folder)]
        subprocess.run(command, cwd=ROOT, env=env | {"TZ": zone}, check=True)
        packed.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(packed[0]) == 2
    assert packed[0] == packed[1]


def test_the_two_builds_have_nothing_in_common() -> None:
    first, second = PLACES.values()
    for name in first.keys() & second.keys():
        assert first[name] != second[name]
    assert {"TZ", "LC_ALL", "PYTHONHASHSEED"} <= first.keys() & second.keys()
    assert any(" " in place for place in PLACES)
