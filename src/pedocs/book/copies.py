"""Copies of what names hold: what judges an answer must not see what the answer did to them."""

import contextlib
import copy
from collections.abc import Mapping
from typing import Any


def copied(names: Mapping[str, Any]) -> dict[str, Any]:
    """Names with copies of what they hold, of all that can be copied."""
    memo: dict[int, Any] = {}
    made = dict(names)
    for name in names.keys() - {"__builtins__"}:
        with contextlib.suppress(Exception):  # a module
            made[name] = copy.deepcopy(names[name], memo)
    return made
