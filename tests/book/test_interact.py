"""What a generated part offers to the script that moves a figure."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedocs.book.claims import claims
from pedocs.book.interact import Choice, Control, Range, Switch, offer


def offered(capsys: pytest.CaptureFixture[str], *controls: Control, **data: Any) -> Any:
    offer("swap", *controls, **data)
    text = capsys.readouterr().out
    assert text.startswith('<template class="pd-offer" data-kind="swap">')
    return json.loads(unescape(text.partition(">")[2].rpartition("</template>")[0]))


def test_numbers_are_short_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    found = offered(
        capsys,
        table=np.array([[0.8414709848, -0.0], [1.0, -2.5e-9]]),
        count=np.int64(3),
        masked=np.array([True, False]),
        names=("<b> & c", None),
    )
    assert found["data"] == {
        "table": [[0.841471, 0], [1, 0]],
        "count": 3,
        "masked": [True, False],
        "names": ["<b> & c", None],
    }


def test_controls_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    found = offered(
        capsys,
        Range("start", "Start", 0, 20, start=10),
        Choice("first", "Order", {"a": "A first", "b": "B first"}, start="b"),
        Switch("on", "Position on", on=True),
    )
    assert [each["type"] for each in found["controls"]] == ["range", "choice", "switch"]
    assert found["controls"][1]["options"] == {"a": "A first", "b": "B first"}


@pytest.mark.parametrize("bad", [np.nan, [1, np.inf], {"a": [np.nan]}, {1, 2}, 1j])
def test_what_cannot_be_shown_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"scores.* holds .*; allowed: "):
        offer("swap", scores=bad)


def test_names_and_starts_are_held_to_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="kind is 'Swap'; allowed: small letters"):
        offer("Swap")
    with pytest.raises(ValueError, match="two controls are called 'on'"):
        offer("swap", Switch("on", "a"), Switch("on", "b"))
    with pytest.raises(ValueError, match="the name of a control is 'a b'"):
        offer("swap", Switch("a b", "a"))
    with pytest.raises(ValueError, match="start starts at 21; allowed: 0 to 20"):
        Range("start", "Start", 0, 20, start=21)
    with pytest.raises(ValueError, match="first starts at 'c'; allowed: a, b"):
        Choice("first", "Order", {"a": "A", "b": "B"}, start="c")
    with pytest.raises(ValueError, match="an option of first is 'a,b'"):
        Choice("first", "Order", {"a,b": "A"})


SCRIPTS = sorted((Path(__file__).parents[2] / "docs" / "assets" / "figures").glob("*.js"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_says_no_number_of_its_own(script: Path) -> None:
    """What it words comes from the page: a number in its sentences would be proved by nothing."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", script.read_text("utf-8"), flags=re.S)
    for quoted, template in re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', code):
        said = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", " ", template) or quoted
        said = re.sub(r"(?:translate|rotate)\([^()]*\)", "", said)
        assert not [*claims(said)], said
        assert not re.search(r"\de[+-]?\d", said), said
