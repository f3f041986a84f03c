"""Ask the Wayback Machine for copies of what has none on record."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pedocs.book.snapshots import Snapshot

AVAILABLE = "https://archive.org/wayback/available"
_COPY = re.compile(r"https?://(web\.archive\.org/web/(\d{4})(\d\d)(\d\d)\d{6}/\S+)")
_BUSY = (429, 500, 502, 503, 504)


class Archive:
    """The archive's interface that tells the newest copy of an address."""

    def __init__(self, place: str = AVAILABLE, pause: float = 2, patience: float = 10) -> None:
        self.place, self.pause = place, pause
        # An archive that says when to come back is obeyed; one that does not is given more and
        # more time: after the first refusal none, then 2, 4 and 8 times `patience` seconds.
        again = Retry(
            total=4, backoff_factor=patience, status_forcelist=_BUSY, raise_on_status=False
        )
        self.session = requests.Session()
        self.session.headers["User-Agent"] = "pedocs-links (looks for copies of what a book cites)"
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, HTTPAdapter(max_retries=again))

    def copy(self, link: str) -> Snapshot | None:
        """The newest copy of an address, if there is one. Raises OSError if the archive refuses."""
        answer = self.session.get(self.place, params={"url": link}, timeout=60)
        answer.raise_for_status()
        found = answer.json().get("archived_snapshots", {}).get("closest", {})
        read = _COPY.fullmatch(found.get("url", ""))
        if not read or not found.get("available") or str(found.get("status")) != "200":
            return None
        return Snapshot(f"https://{read[1]}", "-".join(read.groups()[1:]))

    def copies(self, links: Iterable[str]) -> tuple[dict[str, Snapshot], str]:
        """The copies of addresses, and why the archive was not asked for all of them, if so.

        An archive that refuses is left in peace: what it has told is kept, and what is missing is
        asked for another time.
        """
        found: dict[str, Snapshot] = {}
        for link in links:
            time.sleep(self.pause)
            try:
                if copy := self.copy(link):
                    found[link] = copy
            except (OSError, ValueError) as error:
                return found, f"{type(error).__name__}: {error}"
        return found, ""
