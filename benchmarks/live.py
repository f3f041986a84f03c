"""What live code costs a reader: bytes before Run, bytes and seconds until the first result.

A chapter is opened in Chromium, from a server on this machine, and its first block is run:
cold, in a new browser profile each time, then on a second page with what the first has kept.
Bytes are those of files, and of the same files packed by gzip; a server that packs sends about
as many. Seconds are from the press to the output, and without the network's: add those of the
bytes. The site is built unless one is named: `python -m benchmarks.live SITE`.
"""

from __future__ import annotations

import gzip
import os
import statistics
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.served import served, site
from tests.browser.conftest import Handler
from tools.paper.browser import chromium

ROUNDS = 5
FIRST, SECOND = "chapters/attention/", "chapters/sinusoid/"


class Counting(Handler):
    """Serves a site, and remembers which files."""

    served: list[Path] = []  # noqa: RUF012 - one list for all requests

    def send_head(self) -> Any:
        """Serve a file."""
        self.served.append(Path(self.translate_path(self.path)))
        return super().send_head()


def bytes_of(files: list[Path], *kinds: str) -> str:
    """The size of files of some kinds, or of all, raw and packed."""
    contents = [file.read_bytes() for file in files if not kinds or file.suffix in kinds]
    packed = sum(len(gzip.compress(content)) for content in contents)
    return f"{sum(map(len, contents)) / 1e3:,.0f} kB ({packed / 1e3:,.0f} kB with gzip)"


def run(page: Page, address: str) -> float:
    """The seconds from pressing Run on the first block to what it prints."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    start = time.perf_counter()
    page.locator(".pd-run").first.click()
    page.locator(".pd-live[aria-busy=false]").wait_for(timeout=120_000)
    return time.perf_counter() - start


def rounds(browser: Browser, address: str) -> tuple[list[float], list[float]]:
    """Seconds to the first result, cold and on a second page."""
    cold, again = [], []
    for _ in range(ROUNDS):
        context = browser.new_context()
        page = context.new_page()
        cold.append(run(page, address + FIRST))
        again.append(run(page, address + SECOND))
        context.close()
    return cold, again


def main() -> None:
    """Print what a site costs."""
    files = Counting.served
    with site() as folder, served(folder, Counting) as address, chromium() as browser:
        page = browser.new_page()
        page.goto(address + FIRST)
        page.wait_for_load_state("networkidle")
        ours = [file for file in files if file.parent.name == "live"]
        print(f"before Run, script and style: {bytes_of(files, '.js', '.css')}")
        print(f"    of it for live code: {bytes_of(ours)}")
        files.clear()
        run(page, address + FIRST)
        live = [file for file in files if {"live", "pyodide"} & {*file.parts}]
        print(f"until the first result: {bytes_of([*{*live} - {*ours}])}")
        cold, again = rounds(browser, address)
    for name, seconds in (("the first result", cold), ("that of a second page", again)):
        all_of_them = ", ".join(f"{each:.1f}" for each in sorted(seconds))
        print(f"seconds to {name}: {statistics.median(seconds):.1f} ({all_of_them})")
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
