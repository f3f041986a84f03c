"""What a page weighs on its way to a reader, how it loads, and what Lighthouse says of it.

A site is served as a static host would serve it, packed by gzip, and opened in Chromium. A first
visit is that of a browser that keeps nothing yet, read to the page's end; a second one that of a
browser that was on another chapter. Bytes are those of all answers, heads included. The site is
built unless one is named: `python -m benchmarks.pages SITE`; `--record` writes the figures into
docs/measured/pages.json, `--once` measures once in place of five times.
"""

from __future__ import annotations

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.served import Packed, served, site
from tools.paper.browser import chromium, executable

ROOT = Path(__file__).parents[1]
LIGHTHOUSE = ROOT / "tools" / "lighthouse"
ROUNDS = 1 if "--once" in sys.argv else 5
BEFORE = "chapters/two-scores/"  # what a second visit has seen
# The home page, the two heaviest chapters (the first has four figures that move), a shorter
# one, exercises, a page of the library, and the index of all values.
PLACES = {
    "Home": "",
    "The sinusoid": "chapters/sinusoid/",
    "RoPE": "chapters/rope/",
    "T5": "chapters/t5/",
    "Exercises on RoPE": "exercises/rope/",
    "Library, rotary": "library/rotary/",
    "All values": "values/",
}
FIRST, SECOND = 300_000, 40_000  # bytes that a first and a second visit are to stay below
WATCH = """
  globalThis.seen = { shift: 0, long: [] }
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) seen.shift += each.value
  }).observe({ type: "layout-shift", buffered: true })
  new PerformanceObserver((list) => seen.long.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: "longtask", buffered: true })
"""


def opened(page: Page, address: str) -> dict[str, Any]:
    """Open a page and read it to its end: bytes, layout shift, and the longest task at load."""
    Packed.sent.clear()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    long = page.evaluate("Math.max(0, ...seen.long)")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    return {
        "bytes": sum(size for _, size in Packed.sent),
        "shift": round(page.evaluate("seen.shift"), 4),
        "longest": round(long),
    }


def visits(browser: Browser, address: str, place: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A page on a first visit, and after another chapter."""
    found = []
    for before in (None, BEFORE):
        context = browser.new_context(viewport={"width": 412, "height": 823})
        context.set_default_timeout(120_000)  # the machine may be busy
        context.add_init_script(WATCH)
        page = context.new_page()
        if before:
            opened(page, address + before)
        found.append(opened(page, address + place))
        context.close()
    return found[0], found[1]


def lighthouse(address: str) -> dict[str, int]:
    """The four marks of Lighthouse, on its phone; none if it did not come to an end."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        flags = "--headless=new --no-sandbox --disable-gpu --disable-component-update"
        command = [str(LIGHTHOUSE / "node_modules/.bin/lighthouse"), address, "--output=json"]
        command += [f"--output-path={report}", f"--chrome-flags={flags}", "--quiet"]
        env = os.environ | {"CHROME_PATH": executable() or ""}
        if subprocess.run(command, env=env).returncode:
            return {}  # a busy machine answers it too late
        told = json.loads(report.read_text("utf-8"))
    return {name: round(100 * each["score"]) for name, each in told["categories"].items()}


def main() -> None:
    """Print the figures of a site, and write them down if asked."""
    record = "--record" in sys.argv
    sys.argv = [each for each in sys.argv if not each.startswith("--")]
    if not (LIGHTHOUSE / "node_modules").is_dir():
        subprocess.run(
            ["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=LIGHTHOUSE, check=True
        )
    pages = []
    with site() as folder, served(folder, Packed) as address:
        with chromium() as browser:
            version = browser.version
            for name, place in PLACES.items():
                rounds = [visits(browser, address, place) for _ in range(ROUNDS)]
                first, second = rounds[0]
                pages.append(
                    {
                        "name": name,
                        "place": place,
                        "first": first["bytes"],
                        "second": second["bytes"],
                        "shift": max(each["shift"] for pair in rounds for each in pair),
                        "longest": statistics.median(pair[0]["longest"] for pair in rounds),
                    }
                )
                print(pages[-1], flush=True)
        for page in pages:
            marks = [lighthouse(address + page["place"]) for _ in range(ROUNDS)]
            page["marks"] = {
                name: statistics.median(each[name] for each in marks)
                for name in marks[0]
                if all(marks)
            }
            print(
                page["name"], page["marks"], [each.get("performance") for each in marks], flush=True
            )
        every = {
            path.parent.relative_to(folder).as_posix(): len(gzip.compress(path.read_bytes(), 6))
            for path in sorted(folder.rglob("index.html"))
            if "embed" not in path.parts
        }
    load = os.getloadavg()[0]
    print(f"load of this machine: {load:.1f} on {os.cpu_count()} cores")
    if record:
        found = {
            "date": datetime.now(UTC).date().isoformat(),
            "chromium": version,
            "lighthouse": json.loads((LIGHTHOUSE / "package.json").read_text("utf-8"))[
                "devDependencies"
            ]["lighthouse"],
            "rounds": ROUNDS,
            "cores": os.cpu_count(),
            "load": round(load, 1),
            "limits": {"first": FIRST, "second": SECOND},
            "pages": pages,
            "heavy": {name: size for name, size in every.items() if size > SECOND},
            "count": len(every),
        }
        file = ROOT / "docs" / "measured" / "pages.json"
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
