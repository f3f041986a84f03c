"""The page of errata: every entry says when it was written, and when it was changed."""

import re
from datetime import date
from pathlib import Path

import pytest

ERRATA = (Path(__file__).parents[2] / "docs" / "errata.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^### .*\{#([\w-]+)\}\n\n(.*)\n(.*)$", ERRATA, re.M)


def test_every_entry_is_read() -> None:
    assert len(ENTRIES) == len(re.findall(r"^### ", ERRATA, re.M)) >= 46


@pytest.mark.parametrize(("item", "first", "mark"), ENTRIES, ids=[entry[0] for entry in ENTRIES])
def test_an_entry_has_its_dates(item: str, first: str, mark: str) -> None:
    """One date, then one for each change: `2026-11-30, changed 2027-01-15`."""
    assert mark == "{ .pd-date }", item
    assert re.fullmatch(r"\d{4}-\d\d-\d\d(, changed \d{4}-\d\d-\d\d)*", first), item
    dates = [date.fromisoformat(found) for found in first.split(", changed ")]
    assert dates == sorted(set(dates)), item
