"""What one page is asked: by axe, by checks.js, and by the keyboard."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import JSHandle, Page

from .states import opened

# The rules of WCAG 2.0 to 2.2, A and AA, the best practices, and of AAA what a program can check.
TAGS = ["wcag2a", "wcag2aa", "wcag2aaa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SOURCE = Path(__file__).with_name("checks.js").read_text("utf-8")
# Text spacing as criterion 1.4.12 has it, by a sheet that no policy of the page forbids.
SPACING = """() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
    * { letter-spacing: 0.12em !important; line-height: 1.5 !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }
    svg *, math * { letter-spacing: normal !important; line-height: normal !important; word-spacing: normal !important }`)
  document.adoptedStyleSheets = [sheet]
}"""
# Roles that say nothing without a name.
NAMED = {
    *("button", "link", "textbox", "searchbox", "slider", "combobox", "checkbox", "radio", "img"),
    *("image", "region", "dialog", "navigation", "figure", "progressbar", "log", "heading"),
}
LANDMARKS = ("banner", "main", "contentinfo")


class Checks:
    """The checks of an open document."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.handle: JSHandle = page.evaluate_handle(SOURCE)

    def run(self, name: str, selector: str | None = None) -> list[Any]:
        """Ask one of checks.js, about the page or one part of it."""
        part = "document.querySelector(selector)" if selector else "undefined"
        code = f"(checks, [name, selector]) => checks[name]({part})"
        found: list[Any] = self.handle.evaluate(code, [name, selector])
        return found

    def axe(self, selector: str | None = None) -> tuple[list[str], dict[str, int], int]:
        """Return the violations that axe finds, what it leaves to people, and how many rules it tried."""
        options: dict[str, Any] = {"runOnly": TAGS, "resultTypes": ["violations", "incomplete"]}
        if selector:  # a part is not asked for what a page has to have
            options["rules"] = {"region": {"enabled": False}}
        report = Axe().run(self.page, selector, options).response
        faults = [
            f"{each['id']}: {node['html'][:100]}"
            for each in report["violations"]
            for node in each["nodes"][:4]
        ]
        left = {each["id"]: len(each["nodes"]) for each in report["incomplete"]}
        return (
            faults,
            left,
            sum(len(report[kind]) for kind in ("passes", "violations", "incomplete")),
        )


def walk(page: Page, checks: Checks) -> tuple[list[str], int]:
    """Go through a page by the Tab key: each stop is seen, none is a trap, the skip link skips."""
    faults: list[str] = []
    page.keyboard.press("Tab")
    if page.locator(".md-skip").count():
        if not page.evaluate("document.activeElement.matches('.md-skip')"):
            faults.append("the first stop is not the skip link")
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
        page.keyboard.press("Tab")
        stop = focus(checks)
        if not stop or not stop["inside"]:
            faults.append(f"the skip link leads to {stop and stop['kind']}")
        opened(page, page.url.split("#")[0] + "?again")
        checks = Checks(page)
        page.keyboard.press("Tab")
    stops = 0
    while stop := focus(checks):
        stops += 1
        faults += [f"{stop['kind']}: {fault}" for fault in stop["faults"]]
        page.evaluate("window.lastStop = document.activeElement")
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === window.lastStop"):
            faults.append(f"{stop['kind']}: a trap")
            break
    return list(dict.fromkeys(faults)), stops


def focus(checks: Checks) -> dict[str, Any] | None:
    """What checks.js says of the element that has the focus; None if none has."""
    found: dict[str, Any] | None = checks.handle.evaluate("checks => checks.focus()")
    return found


def scrolled(page: Page, checks: Checks) -> tuple[list[str], int]:
    """Move what scrolls by the arrow keys."""
    faults = [f"{kind}: no stop of the Tab key" for kind in checks.run("unreached")]
    tried = 0
    for box in (
        checks.handle.evaluate_handle("checks => checks.scrolling()").get_properties().values()
    ):
        element = box.as_element()
        if not element or not element.evaluate("each => each.tabIndex >= 0"):
            continue
        tried += 1
        ways = element.evaluate(
            "each => [each.scrollWidth > each.clientWidth + 1, each.scrollHeight > each.clientHeight + 1]"
        )
        key, side = ("ArrowRight", "scrollLeft") if ways[0] else ("ArrowDown", "scrollTop")
        element.evaluate(f"each => {{ each.focus(); each.{side} = 0 }}")
        page.keyboard.press(key)
        try:
            page.wait_for_function(f"each => each.{side} > 0", arg=element, timeout=4000)
        except Exception:
            kind = checks.handle.evaluate("(checks, each) => checks.kind(each)", element)
            faults.append(f"{kind}: {key} does not move it")
    return list(dict.fromkeys(faults)), tried


def tree(page: Page) -> list[dict[str, Any]]:
    """Return the accessibility tree: what a screen reader is given, and what it passes over."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return nodes


def heard(page: Page) -> tuple[list[str], dict[str, int]]:
    """Look at the accessibility tree: names, landmarks, drawings and formulas."""
    nodes = tree(page)
    known = {node["nodeId"]: node for node in nodes}
    faults: list[str] = []
    roles: dict[str, int] = {}
    for node in nodes:
        if node.get("ignored"):
            continue
        role, name = node["role"]["value"], node.get("name", {}).get("value", "").strip()
        roles[role] = roles.get(role, 0) + 1
        if role in NAMED and not name:
            faults.append(f"{role} without a name")
        if role in ("img", "image") and len(name) < 12 and name != "pedocs":
            faults.append(f"{role} is called “{name}”")
        if role == "MathMLMath" and not _text(node, known).strip():
            faults.append("a formula that is not read")
    # A page alone, as one to embed, has no frame of the site around it.
    for role in LANDMARKS if page.locator(".md-header").count() else ("main",):
        if roles.get(role, 0) != 1:
            faults.append(f"{roles.get(role, 0)} of the role {role}")
    formulas = page.evaluate(
        "[...document.querySelectorAll('math')].filter(each => each.checkVisibility()"
        " && !each.closest('[aria-hidden=true]')).length"
    )
    if roles.get("MathMLMath", 0) < formulas:
        faults.append(f"{formulas} formulas, {roles.get('MathMLMath', 0)} in the tree")
    return list(dict.fromkeys(faults)), roles


def _text(node: dict[str, Any], known: dict[str, dict[str, Any]]) -> str:
    """Return the words below a node of the tree."""
    if node["role"]["value"] == "StaticText":
        return str(node.get("name", {}).get("value", ""))
    inner = (known[each] for each in node.get("childIds", []) if each in known)
    return " ".join(_text(each, known) for each in inner)


def visible_controls(page: Page, checks: Checks) -> tuple[list[str], int]:
    """See whether one control of each kind can be told from the ground: 3 to 1, in the pixels."""
    faults: list[str] = []
    controls = checks.handle.evaluate_handle("checks => checks.controls()").get_properties()
    for each in controls.values():
        element = each.as_element()
        assert element
        element.scroll_into_view_if_needed()
        if (box := element.bounding_box()) and box["width"] >= 4 and box["height"] >= 4:
            image = Image.open(io.BytesIO(element.screenshot())).convert("RGB")
            if _most_contrast(image) < 3:
                faults.append(
                    checks.handle.evaluate("(checks, each) => checks.kind(each)", element)
                )
    return faults, len(controls)


def _most_contrast(image: Image.Image) -> float:
    """Return the contrast of a picture's commonest colour with the one farthest from it."""
    pixels = np.asarray(image).reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    share = colours / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    light = linear @ [0.2126, 0.7152, 0.0722]
    ground = light[counts.argmax()]
    low, high = np.minimum(light, ground), np.maximum(light, ground)
    return float(((high + 0.05) / (low + 0.05)).max())
