"""A last look at a page as it came out: what the reader of the HTML sees.

The scan reads Markdown; this reads what became of it, so that no way of writing gets a
number past the rule: attributes, raw HTML, text joined over tags. Worked values come
marked; what runs and what is generated is left out. What a page dresses up as one of these
has no mark of ours, which no page can write, and is read like anything else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from pedocs.book.claims import claims

# Around the text of a worked value where it has no element: in attributes.
OPEN, CLOSE = "\ue002", "\ue003"
# In the tag of each element that is proven elsewhere: nothing but the build makes it.
MADE = "\ue008"
_MARKED = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}")
_VALUE = "\ue004"  # stands for a worked value in the text that is looked at
_MATH = "\ue005"  # stands for a formula, which is checked by itself

_INLINE = {
    "a", "abbr", "b", "br", "cite", "code", "data", "del", "em", "i", "ins", "kbd", "mark", "q",
    "s", "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
}  # fmt: skip
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_SHOWN = {"alt", "title", "placeholder", "label", "summary", "content", "value", "start"}
# Heavy and proven elsewhere: pictures, and the code of worked blocks.
_SKIPPED = re.compile(
    rf'(?P<svg><svg\b)[^>]*>.*?</svg>|(?P<kept><div class="worked-block{MADE}"[^>]*>).*?</pre>',
    re.S | re.I,
)
_WORKED = re.compile(rf'<data class="worked{MADE}[^"]*"(?P<rest>[^>]*)>.*?</data>', re.S)
_FORMULA = re.compile(rf"<math{MADE}.*?</math>", re.S)
# Numbers that the build counts, where no word before them says so.
_NUMBERS = {"pd-equation-number", "pd-exercise-number"}
# What is called by one of these names and lacks the mark is a fake, and reads as one.
_OURS = {"worked", "worked-block", "generated", *_NUMBERS}
_FOREIGN = {"embed", "iframe", "math", "object", "script", "style", "svg"}
# What shows a text otherwise than it reads, or leads elsewhere than it says.
_MISLEADING = {"base", "bdo", "bdi", "form", "link", "meta", "rp"}
_UNSEEN = re.compile(r"(?:display|visibility|font-size|opacity|direction)\s*:", re.I)
_LINKS = ("href", "src", "poster", "cite", "formaction")
# Which addresses with a scheme lead somewhere.
_LEADS: dict[str, Callable[[str], bool]] = defaultdict(
    lambda: lambda rest: False,
    http=lambda rest: bool(re.match(r"//[\w.-]", rest)),
    https=lambda rest: bool(re.match(r"//[\w.-]", rest)),
    mailto=lambda rest: "@" in rest,
    data=lambda rest: rest.startswith("image/"),
)
_SCHEME = re.compile(r"(?i)(?P<scheme>[a-z][a-z0-9+.-]*):(?P<rest>.*)", re.S)
_PAPER = re.compile(r"https?://(?:\w+\.)*(?:arxiv|doi)\.org/", re.I)
_SIGN = r"[-−+‐‑‒–—⁻－﹣±∓]"
_TOUCHING = re.compile(
    rf"[\d.]{_VALUE}|\d,{_VALUE}|[^\W\d_]{_VALUE}(?!\))|{_VALUE}\s?[%‰％½¼¾⁰¹²³⁴-⁹]"
    rf"|{_VALUE}(?:[\u2009\u202f ]\d{{3}}(?!\d)|/\d|[⅐-⅞]|[·٫]\d)"
    rf"|{_VALUE}\s?[×·]\s?10|{_VALUE}(?:\^|\d|[.,]\d|[eE][-+−]?\d|\u00a0\d|{_VALUE}|{_MATH})"
    rf"|(?:^|[\s(\[{{|,;:=≈\"'“‘]){_SIGN}\s?{_VALUE}"
)
_NEAR_MISS = re.compile(
    r"\{(?:[^{}]|\{[^{}]*\})*\d(?:[^{}]|\{[^{}]*\})*=(?:[^{}]|\{[^{}]*\})*\}"  # a worked value
    r"|\[[@^][^\]\s]+\]|\]\s?\([^()\s]*(?:\.(?:md|png|svg|html)\b|#)[^()]*\)"  # a citation, a footnote, a link
    r"|\[[^\[\]]+\]\[[^\[\]]*\]"  # a link by a name that no line defines
    r"|(?<![\w@])@[a-z][a-z-]*\d{4}\w*"  # a citation in another language
)
_UNMADE = re.compile(r"\[@[^\]\s]+\]|\]\s?\([^()\s]*(?:\.md\b|#)[^()]*\)")
# Around what is set as code, where braces and brackets mean something else.
_CODE, _PLAIN = "\ue006", "\ue007"
_AS_CODE = re.compile(f"{_CODE}[^{_PLAIN}]*{_PLAIN}")


@dataclass
class Rendered:
    """What a rendered page shows and points to."""

    texts: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)  # what is wrong, near which text
    documented: int = 0  # objects whose documentation is shown

    def problems(self) -> Iterator[tuple[str, str]]:
        """Everything that is wrong: what, and a text near it to find its line by."""
        yield from self.faults
        for text in self.attributes:
            plain = _MARKED.sub(_VALUE, text)
            for _, claim in claims(plain):
                yield f"the page shows the number {claim}, which is not worked", claim
            for found in _TOUCHING.finditer(plain):
                yield f"a worked value touches {_readable(found[0])!r}", text[:20]
            if missed := _NEAR_MISS.search(plain):
                yield f"{missed[0]} is shown as it is written: nothing works it", missed[0]
        for marked in self.texts:
            text = marked.replace(_CODE, "").replace(_PLAIN, "")
            for offset, claim in claims(text):
                near = text[max(0, offset - 40) : offset] or claim
                yield f"the page shows the number {claim}, which is not worked", near
            for found in _TOUCHING.finditer(text):
                before = re.split(f"[{_VALUE}{_MATH}]", text[: found.start()])[-1][-40:]
                near = before if before.strip() else text[found.end() : found.end() + 40]
                yield f"a worked value touches {_readable(found[0])!r}", near
            if missed := _NEAR_MISS.search(_AS_CODE.sub(" ", marked)):
                yield f"{missed[0]} is shown as it is written: nothing works it", missed[0]
        ids = Counter(self.ids)
        for item in sorted(item for item, times in ids.items() if times > 1):
            yield f"the id {item} stands {ids[item]} times", f"#{item}"
        for item in self.ids:
            if re.fullmatch(r".*_\d+", item) and item.rpartition("_")[0] in ids:
                yield (
                    f"two sections would have the id {item.rpartition('_')[0]}: give them ids",
                    item,
                )


def _readable(text: str) -> str:
    return text.replace(_VALUE, "…").replace(_MATH, "$…$").strip()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = Rendered()
        self.open: list[tuple[str, str]] = []  # tag, and what it makes of what is inside
        self.text: list[str] = []

    def state(self) -> str:
        return self.open[-1][1] if self.open else ""

    def flush(self) -> None:
        text = "".join(self.text)
        if text.strip():
            self.seen.texts.append(text)
        self.text = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        state = self.state()
        if not state:
            if tag == "div" and "doc-object" in classes:
                state = "documented"
                self.seen.documented += 1
            elif f"generated{MADE}" in classes:
                state = "generated"
            elif any(f"{name}{MADE}" in classes for name in _NUMBERS):
                state = "counted"
            elif tag in ("script", "style"):
                state = "code"
            elif tag not in _INLINE:
                self.flush()
            if not state and tag in ("code", "pre"):
                self.text.append(_CODE)
            if state in ("", "code"):
                self.judge(tag, given, classes)
        if tag == "a" and state != "documented" and any(name == "a" for name, _ in self.open):
            self.seen.faults.append(
                ("a link, or a citation, stands in a link", given.get("href", ""))
            )
        self.attributes(tag, given, state)
        if tag not in _VOID:
            self.open.append((tag, state))
            if tag == "pre" and not state:
                self.open[-1] = (tag, "")

    def judge(self, tag: str, given: dict[str, str], classes: list[str]) -> None:
        """What the text of a page must not hold."""
        near = self.text[-1][-40:] if self.text else f"<{tag}"
        if tag in _FOREIGN or (fake := _OURS & {*classes}):
            what = f"<{tag}>" if tag in _FOREIGN else f'class="{fake.pop()}"'
            self.seen.faults.append((f"{what} is written by hand, so nothing proves it", near))
        hidden = sorted(given.keys() & {"hidden", "dir"})
        if tag in _MISLEADING or hidden or _UNSEEN.search(given.get("style", "")):
            what = f"<{tag}>" if tag in _MISLEADING else (hidden or ["style"])[0]
            message = f"{what} in a page's text shows it otherwise than it reads"
            self.seen.faults.append((message, near))
        if tag == "a" and _PAPER.match(given.get("href", "")):
            message = "a paper is cited by its key in the bibliography: [@key]"
            self.seen.faults.append((message, given["href"]))

    def attributes(self, tag: str, given: dict[str, str], state: str) -> None:
        if "id" in given:
            self.seen.ids.append(given["id"])
        if tag == "a" and "name" in given:
            self.seen.ids.append(given["name"])
        if tag == "a" and given.get("href") == "":
            self.seen.faults.append(("a link leads nowhere", "]("))
        links = [given[name] for name in _LINKS if given.get(name)]
        links += [each.split()[0] for each in given.get("srcset", "").split(",") if each.strip()]
        self.seen.links += links
        for asked in (given.get(name, "") for name in ("src", "poster")):
            if re.match(r"(?:https?:)?//", asked):
                self.seen.faults.append((f"{asked} is asked of another host", asked))
        for link in links:
            led = _SCHEME.fullmatch(link)
            if led and not _LEADS[led["scheme"].lower()](led["rest"]):
                self.seen.faults.append((f"the link {link} leads nowhere", f"]({link[:40]}"))
        if state == "code":
            return
        if (tag in ("img", "area") or given.get("type") == "image") and not given.get(
            "alt", ""
        ).strip():
            near = given.get("src", "")
            self.seen.faults.append(("an image has no alt text", near))
        if given.get("role") == "img" and not given.get("aria-label", "").strip():
            self.seen.faults.append(("a figure has no alt text", given.get("id", "")))
        if state not in ("generated", "documented"):
            shown = {n: v for n, v in given.items() if n in _SHOWN or n.startswith("aria-")}
            self.seen.attributes += [value for value in shown.values() if value]

    def handle_endtag(self, tag: str) -> None:
        if not any(name == tag for name, _ in self.open):
            return
        while self.open:
            name, state = self.open.pop()
            if not state and name in ("code", "pre"):
                self.text.append(_PLAIN)
            if name == tag:
                break
        if tag not in _INLINE and not self.state():
            self.flush()

    def handle_data(self, data: str) -> None:
        state = self.state()
        if not state:
            self.text.append(data)
        if state in ("", "generated") and re.search(
            r"^\s*(?:>>> |(?:In |Out)\[\d+\]:)", data, re.M
        ):
            self.seen.faults.append(("a >>> prompt is shown that nothing runs", data.strip()[:20]))
        if state == "generated" and (missed := _UNMADE.search(data)):
            message = f"a generated part prints {missed[0]}, which cites and links nothing"
            self.seen.faults.append((message, missed[0]))


def read_rendered(html: str) -> Rendered:
    """Read a page's HTML."""
    reader = _Reader()
    light = _SKIPPED.sub(lambda found: found["kept"] or f"{found['svg']}></svg>", html)
    light = _FORMULA.sub(_MATH, light)
    for worked in _WORKED.finditer(light):
        reader.seen.ids += re.findall(r' id="([^"]*)"', worked["rest"])
    reader.feed(_WORKED.sub(_VALUE, light))
    reader.close()
    reader.flush()
    return reader.seen


def without_marks(html: str) -> str:
    """The HTML as it is published."""
    return html.replace(OPEN, "").replace(CLOSE, "").replace(MADE, "")
