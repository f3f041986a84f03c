"""Citations: what each format says, what it escapes, and that its readers can read it."""

import datetime
import json
import re
import subprocess
import sys
import tomllib
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema
import pytest
import yaml
from pybtex.database import BibliographyData, Entry, parse_string
from pybtex.richtext import Text

from pedocs.book import cite, citing, feedback, scholar
from pedocs.book.cite import Author, Cited, Work
from pedocs.book.edition import Edition
from pedocs.book.items import Item

ROOT = Path(__file__).parents[2]
ADDRESS = "https://book.example/"
EDITION = Edition("1.2.0", "2027-03-04", "0123456789ab", False, ADDRESS, "https://code.example/b/")
WORK = Work("pedocs: a book", (Author("The authors"),), "https://licence.example/by/")
PAGE = Cited(WORK, EDITION, "The rotation", "chapters/rope/", "chapters/rope")
EQUATION = PAGE.of(Item("Equation", "eq-score", "3"))
BOOK = Cited(WORK, EDITION, name="index")
NASTY = "50% of {d_model} \\ <$5> #1 & ~ ^ | ` \"x\" 'y' “z” − × √ … é σ Llama’s RoPE"


def entry(cited: Cited) -> Entry:
    """What a reader of BibTeX makes of the entry."""
    found: BibliographyData = parse_string(cite.bibtex(cited), "bibtex")
    assert list(found.entries) == [cited.key]
    return found.entries[cited.key]


def test_an_equation_in_each_format() -> None:
    assert cite.apa(EQUATION) == (
        "The authors. (2027, March 4). The rotation, Equation 3. In pedocs: a book "
        "(Version 1.2.0+0123456789ab). https://book.example/chapters/rope/#eq-score"
    )
    assert cite.bibtex(EQUATION) == (
        "@incollection{pedocs:rope:eq-score,\n"
        "  author = {{The authors}},\n"
        "  title = {The rotation, {Equation} 3},\n"
        "  booktitle = {pedocs: a book},\n"
        "  year = {2027},\n"
        "  month = mar,\n"
        "  note = {Version 1.2.0+0123456789ab of 4 March 2027},\n"
        "  url = {https://book.example/chapters/rope/#eq-score},\n"
        "}"
    )
    assert json.loads(cite.csl_json(EQUATION)) == [
        {
            "id": "pedocs:rope:eq-score",
            "type": "chapter",
            "title": "The rotation, Equation 3",
            "container-title": "pedocs: a book",
            "author": [{"literal": "The authors"}],
            "issued": {"date-parts": [[2027, 3, 4]]},
            "version": "1.2.0+0123456789ab",
            "language": "en",
            "URL": "https://book.example/chapters/rope/#eq-score",
        }
    ]


def test_the_home_page_is_the_book() -> None:
    assert cite.apa(BOOK) == (
        "The authors. (2027, March 4). pedocs: a book (Version 1.2.0+0123456789ab). " + ADDRESS
    )
    assert (entry(BOOK).type, cite.csl(BOOK)["type"]) == ("book", "book")
    released = replace(BOOK, edition=replace(EDITION, released=True))
    assert "(Version 1.2.0)." in cite.apa(released)


def test_a_copy_without_an_address_says_so() -> None:
    copy = replace(EQUATION, edition=replace(EDITION, address=""))
    for text in cite.texts(copy).values():
        assert "This copy has no public link" in text
        assert "1.2.0+0123456789ab" in text
        assert "://" not in text
    assert (
        not {"citation_public_url", "citation_fulltext_html_url"} & dict(scholar.tags(copy)).keys()
    )
    assert "url" not in scholar.linked_data(copy)
    assert parse_qs(urlsplit(feedback.report(copy)).query)["place"] == [
        "chapters/rope/#eq-score (this copy has no public link)"
    ]


@pytest.mark.parametrize(
    ("released", "commit", "seed", "name"),
    [
        (True, "0123", None, "1.2.0"),
        (False, "0123", None, "1.2.0+0123"),
        (False, "", None, "1.2.0"),
        (True, "0123", 7, "1.2.0+seed7"),
        (False, "0123", 0, "1.2.0+0123.seed0"),
    ],
)
def test_what_bears_a_version_is_told_apart(
    released: bool, commit: str, seed: int | None, name: str
) -> None:
    """A course's exercises have other numbers under the same addresses."""
    assert replace(EDITION, released=released, commit=commit, seed=seed).name == name


def test_an_edition_without_a_date() -> None:
    undated = replace(EQUATION, edition=replace(EDITION, date=""))
    assert "(n.d.)" in cite.apa(undated)
    assert not {"year", "month"} & {*entry(undated).fields}
    assert "issued" not in cite.csl(undated)


def test_people_are_named_as_each_format_has_it() -> None:
    people = (Author("Doe", "Jane Q."), Author("Núñez", "Rosa"))
    by = replace(PAGE, work=replace(WORK, authors=people))
    assert cite.apa(by).startswith("Doe, J. Q., & Núñez, R. (2027, March 4).")
    assert [str(person) for person in entry(by).persons["author"]] == [
        "{Doe}, Jane Q.",
        r"{N\'u\~nez}, Rosa",
    ]
    assert cite.csl(by)["author"][0] == {"family": "Doe", "given": "Jane Q."}
    assert ("citation_author", "Doe, Jane Q.") in list(scholar.tags(by))
    assert scholar.linked_data(by)["author"][0]["@type"] == "Person"


def test_a_title_ends_once() -> None:
    asked = replace(PAGE, page="Which one?")
    assert ". Which one? In " in cite.apa(asked)
    assert asked.of(Item("Figure", "fig-a", "1")).title == "Which one? Figure 1"


def test_bibtex_escapes_what_latex_reads() -> None:
    """No special letter is left bare, all is ASCII, and a reader gets the letters back."""
    written = entry(replace(PAGE, page=NASTY)).fields["title"]
    assert written.isascii()
    bare(written)
    plain = "RoPE − “a” × é σ & 5% #1 d_model"
    back = str(Text.from_latex(entry(replace(PAGE, page=plain)).fields["title"]))
    assert back == plain


def bare(written: str) -> None:
    """No letter that LaTeX or BibTeX would read as a sign."""
    known = re.sub(r"\\[A-Za-z]+(?:\{\})?|\\[$%&#_]|\\['`^\"~=.]|\$[^$]*\$", "", written)
    assert not re.search(r'[\\$%&#_^"<>|]', known), written
    assert written.count("{") == written.count("}")
    assert not re.search("[\ue000-\uf8ff]", written)


@pytest.mark.parametrize("word", ["RoPE", "Shaw", "T5", "ALiBi"])
def test_capitals_survive_a_style(word: str) -> None:
    """Styles write titles small, but for what stands in braces."""
    assert f"{{{word}}}" in entry(replace(PAGE, page=f"On {word}")).fields["title"]
    assert entry(replace(PAGE, page="Shaw")).fields["title"] == "Shaw"


def test_a_processor_of_csl_reads_the_entry() -> None:
    import citeproc
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fields that its style does not use
        source = CiteProcJSON(json.loads(cite.csl_json(EQUATION)))
        style = citeproc.CitationStylesStyle("harvard-cite-them-right", validate=False)
        made = citeproc.CitationStylesBibliography(style, source, citeproc.formatter.plain)
        made.register(citeproc.Citation([citeproc.CitationItem(EQUATION.key)]))
        (text,) = (str(line) for line in made.bibliography())
    for part in (
        "The authors",
        "2027",
        "The rotation, Equation 3",
        "pedocs: a book",
        EQUATION.link,
    ):
        assert part in text


def filled(content: dict[str, Any], item: str) -> dict[str, str]:
    """What the script makes of the file, in Python."""
    label, *rest = content["items"][item]
    marks, others = content["marks"], rest[0] if rest else {}
    made = {}
    for name, text in content["formats"].items():
        labelled = text.replace(marks["label"], others.get(name, label))
        made[name] = labelled.replace(marks["id"], item).replace(
            marks["key"], others.get("key", item)
        )
    return made


def test_the_file_of_a_page_holds_the_citation_of_each_item() -> None:
    found = [
        Item("Equation", "eq-score", "3"),
        Item("Section", "cost", title=NASTY),
        Item("Worked value", "v-1", title="−0.793"),
        Item("Function", "pedocs.lab.Scheme", title="Scheme"),
    ]
    content = json.loads(json.dumps(citing.items_file(PAGE, found)))
    for item in found:
        assert filled(content, item.id) == cite.texts(PAGE.of(item))
    assert citing.items_file(PAGE, [Item("Place", "a b")])["items"] == {}


class Head(HTMLParser):
    """The tags, links and linked data of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: dict[str, str] = {}
        self.reports: list[str] = []
        self.data = ""
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self.tags[given.get("name") or given.get("property", "")] = given.get("content", "")
        self.inside = given.get("type") == "application/ld+json"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = False


def pages(site: Path) -> list[Path]:
    return sorted(
        path for path in site.rglob("index.html") if 'class="pd-cite"' in path.read_text("utf-8")
    )


def test_every_item_of_the_book_can_be_cited(site: Path) -> None:
    """Of every page and every item, each format reads as what it says, with nothing left open."""
    count = 0
    for path in sorted((site / citing.FOLDER).rglob("*.json")):
        content = json.loads(path.read_text("utf-8"))
        page = (site / path.relative_to(site / citing.FOLDER)).with_suffix("")
        html = page / "index.html" if page.name != "index" else page.with_suffix(".html")
        ids = set(re.findall(r' id="([^"]+)"', html.read_text("utf-8")))
        bib = ""
        for item, (label, *_) in content["items"].items():
            count += 1
            assert item in ids, (path, item)
            texts = filled(content, item)
            assert not re.search("[\ue000-\uf8ff]", "".join(texts.values()))
            assert label in texts["APA"]
            (read,) = json.loads(texts["CSL-JSON"])
            assert read["title"].endswith(label)
            assert texts["BibTeX"].isascii(), texts["BibTeX"]
            bib += texts["BibTeX"] + "\n"
        entries = parse_string(bib, "bibtex").entries
        assert len(entries) == len(content["items"])
        for each in entries.values():
            for name in ("title", "booktitle", "note"):
                bare(each.fields.get(name, ""))
    assert count > 5000
    assert len(pages(site)) == len(list((site / citing.FOLDER).rglob("*.json")))


def test_the_head_of_every_page(site: Path) -> None:
    for path in pages(site):
        text = path.read_text("utf-8")
        head = Head(text)
        home = path.parent == site
        data = json.loads(head.data)
        assert data["@context"] == "https://schema.org"
        assert data["@type"] == ["Book" if home else "Chapter", "LearningResource"]
        assert data["name"] == head.tags["citation_title"]
        assert data["license"].startswith("https://creativecommons.org/licenses/by/")
        assert head.tags["citation_author"] == "The pedocs authors"
        assert re.fullmatch(r"\d{4}/\d\d/\d\d", head.tags["citation_publication_date"])
        assert head.tags["og:type"] == ("book" if home else "article")
        assert ("citation_book_title" in head.tags) is not home
        assert "&" not in head.tags["citation_title"]
        # Built for no address: that is said, and the page still has a version and a commit.
        assert "This copy has no public link" in text
        assert 'class="pd-edition"' in text


def test_no_title_ends_the_script_of_linked_data() -> None:
    evil = replace(PAGE, page="</script><script>alert(1)</script> & <!--")
    text = scholar.in_script(scholar.linked_data(evil, "</script>"))
    assert not re.search("[<>&]", text)
    assert json.loads(text)["name"] == evil.page
    assert "<script" not in citing.shown(evil)["texts"]["APA"]


def test_a_report_fills_in_fields_of_the_form() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE" / feedback.FORM).read_text("utf-8"))
    ids = {field["id"] for field in form["body"] if "id" in field}
    address = urlsplit(feedback.report(EQUATION))
    assert address.path == "/b/issues/new"
    asked = parse_qs(address.query)
    assert asked.keys() - {"template", "title"} <= ids
    assert {"page", "place", "version"} <= asked.keys()
    assert asked["page"] == ["The rotation"]
    assert asked["place"] == [EQUATION.link]
    assert asked["version"] == ["1.2.0+0123456789ab"]
    assert asked["title"] == ["Erratum: The rotation, Equation 3"]
    assert asked["template"] == [feedback.FORM]


def test_without_a_repository_a_page_says_how_to_report() -> None:
    alone = replace(PAGE, edition=replace(EDITION, repository=""))
    assert feedback.report(alone) == ""
    how = feedback.how(["index", "errata"])
    assert citing.shown(alone, how=how)["report"] == "errata/#report"
    assert citing.items_file(alone, [], how)["report"] == "../../errata/#report"
    assert feedback.how(["index"]) == ""
    assert "{#report}" in (ROOT / "docs/errata.md").read_text("utf-8")


# --- the files beside the book ------------------------------------------------------------------


def citation() -> dict[str, Any]:
    """CITATION.cff with its dates as text, as the schema wants them."""
    read = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return {
        name: value.isoformat() if isinstance(value, datetime.date) else value
        for name, value in read.items()
    }


def test_citation_cff_is_valid() -> None:
    """By the schema that cffconvert uses, which itself asks for an old jsonschema."""
    schema = json.loads((Path(__file__).parent / "cff-schema-1.2.0.json").read_text("utf-8"))
    jsonschema.validate(citation(), schema, format_checker=jsonschema.FormatChecker())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(citation() | {"licence": "MIT"}, schema)


def test_title_and_authors_stand_in_one_place() -> None:
    """Where other files have to name them, they are the same."""
    work = cite.work(ROOT, "unused", "unused", '<a href="licence">L</a>')
    assert (work.title, work.licence) == (citation()["title"], "licence")
    (author,) = work.authors
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["authors"] == [{"name": author.name}]
    assert project["license"] == citation()["license"]
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert f"site_author: {author.name}\n" in config
    assert f"{author.name} ({citation()['date-released'][:4]}). *{work.title}*" in " ".join(
        (ROOT / "README.md").read_text("utf-8").split()
    )


def test_a_book_without_that_file_is_called_as_its_site(tmp_path: Path) -> None:
    assert cite.work(tmp_path, "A site", "") == Work("A site", (), "")
    nobody = replace(PAGE, work=Work("A site", ()))
    assert cite.apa(nobody).startswith("(2027, March 4). The rotation. In A site")
    assert "author" not in entry(nobody).persons


def test_codemeta_is_made_from_the_others() -> None:
    command = [sys.executable, "-c", "from tools.codemeta import text; print(text(), end='')"]
    made = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout
    assert (ROOT / "codemeta.json").read_text("utf-8") == made, "run python tools/codemeta.py"
    read = json.loads(made)
    assert read["@context"] == "https://w3id.org/codemeta/3.0"
    assert read["version"] == citation()["version"]
