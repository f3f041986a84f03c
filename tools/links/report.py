"""What came of asking, in Markdown for a maintainer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pedocs.book.snapshots import Snapshot
from tools.links.ask import Answer


def dead(
    answers: Iterable[Answer], places: Mapping[str, list[str]], copies: Mapping[str, Snapshot]
) -> str:
    """Each link that leads nowhere: where it stands and which copy there is; "" if none does."""
    lines = []
    for each in answers:
        if each.kind == "dead":
            lines.append(f"- {each.link}: {each.words}")
            lines.append(f"  - in {', '.join(f'`{place}`' for place in places[each.link])}")
            if copy := copies.get(each.link):
                lines.append(f"  - archived on {copy.date}: {copy.address}")
    return "\n".join(["Links that lead nowhere:", "", *lines, ""]) if lines else ""


def whole(
    answers: Sequence[Answer],
    places: Mapping[str, list[str]],
    copies: Mapping[str, Snapshot],
    refused: str = "",
) -> str:
    """How many links there are, and of which kind; what moved, was not asked, has no copy."""
    count = {kind: sum(each.kind == kind for each in answers) for kind in Answer.KINDS}
    counted = ", ".join(f"{number} {kind}" for kind, number in count.items())
    bare = [each.link for each in answers if each.link not in copies]
    parts = [
        f"{len(answers)} links: {counted}. {len(answers) - len(bare)} have an archived copy.",
        dead(answers, places, copies),
        _list("Moved for good", (f"{a.link} → {a.words}" for a in answers if a.kind == "moved")),
        _list("Not asked, look by hand", (a.link for a in answers if a.kind == "not asked")),
        f"The archive was not asked for all of them: {refused}" if refused else "",
        _list("Without a copy: open the link and it makes one", map(_save, bare)),
    ]
    return "\n\n".join(part.rstrip() for part in parts if part) + "\n"


def _list(title: str, items: Iterable[str]) -> str:
    lines = [f"- {item}" for item in items]
    return "\n".join([f"{title}:", "", *lines]) if lines else ""


def _save(link: str) -> str:
    return f"https://web.archive.org/save/{link}"
