"""The site's HTML as a tree that can be changed and written out, as HTML or as XHTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement, tostring

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
# The parser makes all names small; SVG has some that are not.
_CAMEL = {
    name.lower(): name
    for name in (
        *("clipPath", "linearGradient", "radialGradient", "textPath", "foreignObject"),
        *("viewBox", "preserveAspectRatio", "gradientUnits", "gradientTransform"),
        *("clipPathUnits", "patternUnits", "patternTransform", "markerWidth", "markerHeight"),
        *("markerUnits", "refX", "refY", "textLength", "lengthAdjust"),
    )
}
_XHTML = "http://www.w3.org/1999/xhtml"
_SPACES = {
    "html": {"xmlns": _XHTML, "xmlns:epub": "http://www.idpf.org/2007/ops"},
    "math": {"xmlns": "http://www.w3.org/1998/Math/MathML"},
    "svg": {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"},
}


class _Builder(HTMLParser):
    """Builds the tree. An end that nothing opened is passed over, as browsers do."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("body")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {_CAMEL.get(name, name): value or "" for name, value in attrs}
        element = SubElement(self.open[-1], _CAMEL.get(tag, tag), values)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        # In HTML the stroke means nothing; in pictures and formulas it ends the element.
        inside = {element.tag for element in self.open[1:]}
        if tag not in VOID and inside & {"svg", "math"}:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        name = _CAMEL.get(tag, tag)
        if any(element.tag == name for element in self.open[1:]):
            while self.open.pop().tag != name:
                pass

    def handle_data(self, data: str) -> None:
        here = self.open[-1]
        if len(here):
            here[-1].tail = (here[-1].tail or "") + data
        else:
            here.text = (here.text or "") + data


def parse(html: str) -> Element:
    """Return the elements of a piece of HTML, in a ``body``."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


def element(tag: str, *content: str | Element, **attributes: str) -> Element:
    """Return an element with its content; ``class_`` is the attribute ``class``."""
    made = Element(tag, {name.rstrip("_"): value for name, value in attributes.items()})
    for item in content:
        if isinstance(item, Element):
            made.append(item)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + item
        else:
            made.text = (made.text or "") + item
    return made


def classes(found: Element) -> set[str]:
    """Return the classes of an element."""
    return set(found.get("class", "").split())


def text(found: Element | None) -> str:
    """Return the words of an element, without those of its links to itself."""
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def with_class(root: Element, name: str) -> Iterator[Element]:
    """Return the elements that have a class."""
    return (each for each in root.iter() if name in classes(each))


def drop(root: Element, unwanted: Callable[[Element], bool]) -> None:
    """Take elements out, and leave the text that stands behind them."""
    before: Element | None = None
    for child in list(root):
        if not unwanted(child):
            drop(child, unwanted)
            before = child
            continue
        if before is not None:
            before.tail = (before.tail or "") + (child.tail or "")
        else:
            root.text = (root.text or "") + (child.tail or "")
        root.remove(child)


def html(root: Element) -> str:
    """Return the element as HTML."""
    return tostring(root, encoding="unicode", method="html")


def xhtml(root: Element) -> str:
    """Return the element as XHTML, formulas and pictures in their own namespaces."""
    for each in root.iter():
        for name, value in _SPACES.get(each.tag, {}).items():
            each.set(name, value)
    return tostring(root, encoding="unicode")
