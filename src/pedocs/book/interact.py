"""Interactive figures: what a generated part prints beside its drawing, for readers to move.

The drawing is what stands on the page without scripts. `offer` prints, behind it, the controls
of the figure and every value that it can show, as pedocs computed them: the script that draws,
docs/assets/figures/<kind>.js, looks them up and computes none.

```python
draw.show(fig)
interact.offer(
    "swap",
    interact.Choice("first", "Order", {"a": "A first", "b": "B first"}),
    interact.Range("start", "Start", 0, 20, start=10),
    scores=scores,
)
```

The script of a kind says what the values look like in one state of the controls. It exports

    render({ data, state, width, id }) → { svg, height, said }

a drawing as text, or as a list of layers, of which those are drawn again that changed, and what
it shows in words. It may also export

    widest                                               its largest width
    point({ x, y, dragging, began, data, state, width }) → what pointing there sets, or null;
                                                         began is { x, y, state } of a drag
    limits({ data, state }) → { <name>: <highest>, … }   how far sliders go in that state
    needs({ data, state })                               → a file beside the scripts, or nothing

What `needs` asks for is loaded before the state is drawn; `render` finds it, as bytes, in
data.loaded.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

__all__ = ["Choice", "Range", "Switch", "offer"]

DIGITS = 6
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True)
class Range:
    """A slider from `low` to `high` in steps, set at `start`; `play` adds a button that moves it.

    `unit` is written behind the number.
    """

    name: str
    label: str
    low: float
    high: float
    start: float
    step: float = 1
    play: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.low <= self.start <= self.high or self.step <= 0:
            raise ValueError(
                f"{self.name} starts at {self.start}; allowed: {self.low} to {self.high}, "
                f"in steps above 0, not {self.step}"
            )


@dataclass(frozen=True)
class Choice:
    """One of some options, each a key and what the reader sees; the first, or `start`, is set."""

    name: str
    label: str
    options: Mapping[str, str]
    start: str = ""

    def __post_init__(self) -> None:
        for key in self.options:
            _named(f"an option of {self.name}", key)
        if self.start and self.start not in self.options:
            raise ValueError(
                f"{self.name} starts at {self.start!r}; allowed: {', '.join(self.options)}"
            )


@dataclass(frozen=True)
class Switch:
    """Something that is on or off."""

    name: str
    label: str
    on: bool = False


Control = Range | Choice | Switch


def offer(kind: str, *controls: Control, **data: Any) -> None:
    """Print what makes the drawing before it interactive.

    Args:
        kind: The name of the script that draws it.
        *controls: What the reader can set, in the order of the keyboard.
        **data: What the script shows: arrays, numbers, texts, lists and
            mappings of these. Numbers are rounded to six decimals.

    Raises:
        ValueError: A name is not made of small letters, digits and hyphens,
            two controls have the same one, or a number is not finite.
    """
    _named("kind", kind)
    names = [control.name for control in controls]
    for name in names:
        _named("the name of a control", name)
        if names.count(name) > 1:
            raise ValueError(f"two controls are called {name!r}; each needs a name of its own")
    content = {
        "controls": [
            {"type": type(control).__name__.lower(), **asdict(control)} for control in controls
        ],
        "data": {name: _plain(value, name) for name, value in data.items()},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    print(
        f'<template class="pd-offer" data-kind="{kind}">{html.escape(text, quote=False)}</template>'
    )


def _named(what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{what} is {name!r}; allowed: small letters, digits and single hyphens")


def _plain(value: Any, name: str) -> Any:
    """A value as JSON has it, with numbers that are as short as they can be."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each, f"{name}[{key!r}]") for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(each, name) for each in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise ValueError(f"{name} holds {value}; allowed: finite numbers")
        short = round(float(value), DIGITS)
        return int(short) if short == int(short) else short
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"{name} holds a {type(value).__name__}; allowed: numbers, texts, lists, maps")
