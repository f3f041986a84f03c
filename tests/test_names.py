"""The public names, which are imported from their modules when they are first asked for."""

import re
from typing import Any

import pytest

import pedocs

PUBLIC = sorted(pedocs.__all__)


def test_the_public_names_are_all_there_is() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", pedocs.__version__)
    namespace: dict[str, Any] = {}
    exec("from pedocs import *", namespace)
    assert sorted(namespace.keys() - {"__builtins__"}) == PUBLIC
    assert set(PUBLIC) <= set(dir(pedocs))


def test_a_name_is_found_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(pedocs), "rope", raising=False)
    found = pedocs.rope
    assert (found.__module__, found.__name__) == ("pedocs._rope", "rope")
    assert vars(pedocs)["rope"] is found


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError) as refused:
        _ = pedocs.rop
    assert str(refused.value) == "module 'pedocs' has no attribute 'rop'"
    assert refused.value.name == "rop"
