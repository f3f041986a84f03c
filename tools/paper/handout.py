"""A sheet for each chapter: what it is about on one page, without solutions.

What stands on it is found by rule. Of what a chapter has of a kind, the sheet takes what fits.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from playwright.sync_api import Browser

from tools.paper.browser import lay, press
from tools.paper.site import Place, Site
from tools.paper.tree import classes, drop, element, text, with_class
from tools.paper.whole import HERE, document, packed, page_of

_EQUATIONS, _EXERCISES = 6, 3
_FOLDS = {"pd-hint", "pd-check", "pd-solution"}
_FIT = (HERE / "handout.js").read_text("utf-8")
_HEADINGS = ("h2", "h3", "h4")


def chapters(site: Site) -> list[Place]:
    """The pages that have a sheet."""
    return [place for place in site.places if place.address.startswith("chapters/")]


def sheet(site: Site, place: Place) -> Element:
    """The sheet of a chapter, with more on it than may fit: the browser takes off the rest."""
    page = page_of(site, place)
    body = element("div", class_="pd-sheet__body")
    goals = next(with_class(page, "tip"), None)
    _add(body, goals, "What you will be able to do", 1)
    remember = _section(page, "remember")
    _add(body, remember, "What to remember", 1)
    if goals is None and remember is None:
        _add(body, _topics(page), "What it answers", 2)
    figure = next(with_class(page, "pd-figure"), None)
    if figure is not None:
        figure.set("data-rank", "4")
        body.append(figure)
    equations = _equations(page)
    if equations:
        body.append(element("h2", "Key equations"))
    body.extend(equations)
    exercises = _exercises(site, place)
    if exercises:
        body.append(element("h2", "Exercises"))
    body.extend(exercises)
    sheet = element(
        "section", _head(site, place, page), body, _foot(site, place), class_="md-typeset pd-sheet"
    )
    # Off its page a sheet has no anchors but those that drawings use: a link leads to the site.
    drawn = {each for drawing in sheet.iter("svg") for each in drawing.iter()}
    for each in sheet.iter():
        if each not in drawn:
            each.attrib.pop("id", None)
        if each.tag == "a" and each.get("href", "").startswith("#"):
            each.tag = "span"
            del each.attrib["href"]
    return element("main", sheet, class_="md-content")


def print_handouts(browser: Browser, site: Site) -> dict[str, bytes]:
    """The PDF of each chapter's sheet, by the chapter's name."""
    made = {}
    with press(browser, site.folder) as page:
        for place in chapters(site):
            lay(page, document(site, sheet(site, place), "handout.css"))
            if page.evaluate(_FIT):
                raise ValueError(f"the sheet of {place.address} is too long whatever is left out")
            pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
            made[place.address.strip("/").rpartition("/")[2]] = packed(pdf, site.edition.date)
    return made


def _add(body: Element, found: Element | None, title: str, rank: int) -> None:
    """The list of an element under a title of ours."""
    items = next(found.iter("ul"), None) if found is not None else None
    if items is not None:
        for item in items.findall("li")[3:]:
            item.set("data-rank", str(rank))
        body.extend([element("h2", title), items])


def _section(page: Element, name: str) -> Element | None:
    """What stands under a heading of that id, up to the next one."""
    found: Element | None = None
    for each in page:
        if each.tag in _HEADINGS:
            if found is not None:
                return found
            found = element("div") if each.get("id", "").endswith(f"--{name}") else None
        elif found is not None:
            found.append(each)
    return found


def _topics(page: Element) -> Element:
    """The questions of a page that has no list of goals: its smaller headings."""
    questions = [each for each in page.iter() if "pd-h3" in classes(each)]
    return element("div", element("ul", *(element("li", text(each)) for each in questions)))


def _equations(page: Element) -> list[Element]:
    """The equations that the chapter refers to most, in its order."""
    links = [each.get("href", "") for each in page.iter("a")]
    found = list(with_class(page, "pd-equation"))
    # Each has one link to itself, its number. Of two the earlier one is the more basic.
    order = sorted(found, key=lambda each: -links.count(f"#{each.get('id')}"))[:_EQUATIONS]
    for rank, each in enumerate(order):
        each.tail = None
        each.set("data-rank", "0" if rank == 0 else "3")
        each.set("data-order", str(rank))
    return [each for each in found if each in order]


def _exercises(site: Site, place: Place) -> list[Element]:
    """The exercises with the fewest words: those by hand before those with code."""
    there = place.address.replace("chapters/", "exercises/", 1)
    found = next((each for each in site.places if each.address == there), None)
    if found is None:
        return []
    page = page_of(site, found)
    drop(page, lambda each: bool(classes(each) & _FOLDS))
    exercises = list(with_class(page, "pd-exercise"))

    def effort(exercise: Element) -> tuple[bool, int]:
        level = next(with_class(exercise, "pd-level"), None)
        return text(level) != "by hand", len(text(exercise))

    order = sorted(exercises, key=effort)[:_EXERCISES]
    for rank, each in enumerate(order):
        each.tail = None
        each.set("data-rank", "2")
        each.set("data-order", str(rank))
    return [each for each in exercises if each in order]


def _head(site: Site, place: Place, page: Element) -> Element:
    over = [site.title, place.part, *map(text, with_class(page, "pd-chapter"))]
    return element(
        "header",
        element("p", " · ".join(over), class_="pd-sheet__part"),
        element("h1", place.title),
        element("p", site.description_of(place.address), class_="pd-sheet__about"),
    )


def _foot(site: Site, place: Place) -> Element:
    edition = site.edition
    link = edition.link(place.address)
    year = f" ({edition.date[:4]})" if edition.date else ""
    who = ", ".join(site.authors) + year
    cited = f"{who}. {place.title}. In {site.title}, version {edition.name}. "
    return element(
        "footer",
        element("p", cited, element("a", link, href=link) if link else "This copy has no address."),
        element("p", site.licence),
    )
