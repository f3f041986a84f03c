"""The library against real implementations: every recorded value, within its tolerance."""

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

from tests.parity.cases import CASES, REFERENCE, Case, compare, implementations, in_dtype, leaves
from tools.parity import store

ROOT = Path(__file__).parents[2]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_case(case: Case) -> None:
    found = compare(case)
    if case.because:
        assert found.largest == pytest.approx(case.tolerance, rel=1e-3), "another difference"
    else:
        assert found.largest <= case.tolerance


def test_the_list_is_not_empty() -> None:
    assert CASES
    assert len({case.scheme for case in CASES}) > 1


def test_every_recorded_value_is_read_and_every_case_has_one() -> None:
    recorded = {
        (name, record)
        for name, content in implementations().items()
        for record in content["records"]
    }
    read = Counter((case.implementation, case.record) for case in CASES)
    assert recorded - read.keys() == set(), "recorded and never compared"
    assert read.keys() - recorded == set(), "compared and never recorded"
    assert {which: times for which, times in read.items() if times > 1} == {}, "compared twice"


@every_case
def test_a_changed_value_is_noticed(case: Case) -> None:
    """In each array, the number in the middle is moved a little further than is allowed."""
    record = implementations()[case.implementation]["records"][case.record]
    if case.because:  # and here the implementation is made to agree
        agreeing = in_dtype(plain(case.ours(record["arguments"])), "float64")
        repaired = {**record, "dtype": "float64", "values": plain(agreeing)}
        assert compare(case, repaired).largest <= case.tolerance
        return
    for path, _ in leaves(record["values"]):
        changed = copy.deepcopy(record)
        move(changed, path, case)
        assert compare(case, changed).largest > case.tolerance, path


def move(record: dict[str, Any], path: str, case: Case) -> None:
    """Change the number in the middle of one array of the record."""
    holder: dict[str, Any] = {"": record["values"]}
    key = ""
    for name in path.split("/")[1:]:
        holder, key = holder[key], name
    array = np.array(holder[key], dtype=record["dtype"])
    middle = np.unravel_index(array.size // 2, array.shape)
    value = array[middle]
    if array.dtype.kind == "b":
        array[middle] = not value
    elif array.dtype.kind == "i":
        array[middle] = value + 1
    else:
        step = 3 * case.tolerance * (abs(value) if case.relative else 1)
        array[middle] = value + max(step, np.finfo(array.dtype).tiny)
        if array[middle] == value:  # an exact case: the next number
            array[middle] = np.nextafter(value, np.inf, dtype=array.dtype)
    if path:
        holder[key] = array.tolist()
    else:
        record["values"] = array.tolist()


def plain(values: Any) -> Any:
    """Arrays as lists."""
    if isinstance(values, dict):
        return {name: plain(value) for name, value in values.items()}
    return np.asarray(values).tolist()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], "case: shape (2,) there, (3,) here"),
        ({"a": [1.0, 2.0, 3.0]}, "case: theirs are ['/a'], ours ['']"),
    ],
)
def test_what_is_not_alike_is_not_compared(values: Any, message: str) -> None:
    case = Case("scheme", "an implementation", "case", lambda _: np.arange(3.0), 1.0)
    record = {"arguments": {}, "dtype": "float64", "values": values}
    with pytest.raises(ValueError, match=re.escape(message)):
        compare(case, record)


def test_integers_are_not_held_against_floats_nor_nothing_against_nothing() -> None:
    case = Case("scheme", "an implementation", "case", lambda _: np.arange(3.0), 1.0)
    record: dict[str, Any] = {"arguments": {}, "dtype": "int64", "values": [0, 1, 2]}
    with pytest.raises(ValueError, match="int64 there, float64 here"):
        compare(case, record)
    empty = Case("scheme", "an implementation", "case", lambda _: np.zeros(0), 1.0)
    with pytest.raises(ValueError, match="nothing is compared"):
        compare(empty, {"arguments": {}, "dtype": "float64", "values": []})


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_far_from_every_number(wrong: float) -> None:
    case = Case("scheme", "an implementation", "case", lambda _: np.array([0.0, wrong]), 1.0)
    record: dict[str, Any] = {"arguments": {}, "dtype": "float32", "values": [0.0, 0.0]}
    assert compare(case, record).largest > case.tolerance


# --- what is recorded ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(REFERENCE.iterdir()), ids=lambda path: path.name)
def test_a_file_of_references_is_as_the_recorder_writes_it(path: Path) -> None:
    text = path.read_text("utf-8")
    assert store.text(json.loads(text)) == text
    assert "://" not in text
    for name, content in json.loads(text).items():
        assert ("commit" in content) == ("/" in name), "a repository has a commit, a package none"
        assert ("version" in content) != ("commit" in content)
        for record in content["records"].values():
            assert set(record) == {"function", "arguments", "dtype", "values"}


def test_the_versions_are_those_that_are_installed() -> None:
    folder = ROOT / "tools" / "parity"
    lines = (folder / "requirements.in").read_text("utf-8").splitlines()
    pins = {each.name: str(each.specifier) for each in map(Requirement, lines[1:])}
    for name, pin in pins.items():
        content = json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))
        assert list(content) == [name]
        assert f"=={content[name]['version']}" == pin
        if name != "torch":
            assert content[name]["with"] == f"torch {pins['torch'].removeprefix('==')}"
    del pins["torch"]  # the lock leaves the build to pip
    lock = (folder / "requirements.lock").read_text("utf-8")
    for name, pin in pins.items():
        assert f"\n{name}{pin} " in lock
    assert not re.search(r"://|index-url|find-links|file:|^torch==|^nvidia", lock, re.M)
    for entry in re.split(r"\n(?=[a-z])", lock.partition("\n")[2]):
        assert re.fullmatch(r"[^\n]*==[^\n]*( \\\n    --hash=sha256:[0-9a-f]{64})+\n?", entry)


# --- the recorder's own rules --------------------------------------------------------------------


def recorded(values: Any, **arguments: Any) -> dict[str, Any]:
    return {"package": {"version": "1", "records": {"r": store.record("f", arguments, values)}}}


def test_a_record_holds_numbers_of_one_dtype_in_their_shortest_form() -> None:
    values = {2: np.array([0.1, -0.0], dtype=np.float32), 1: np.float32(1 / 3)}
    record = store.record("f", {"x": np.arange(2), "n": np.int64(3)}, values)
    assert record == {
        "function": "f",
        "arguments": {"x": [0, 1], "n": 3},
        "dtype": "float32",
        "values": {"2": [0.1, 0.0], "1": 0.33333334},
    }
    assert np.float32(record["values"]["1"]) == np.float32(1 / 3)
    with pytest.raises(
        TypeError, match=re.escape("f: one record holds values of ['float32', 'int64']")
    ):
        store.record("f", {}, {"a": np.float32(1), "b": np.int64(1)})
    with pytest.raises(ValueError, match="a recorded value is not finite"):
        store.record("f", {}, np.array([np.inf]))
    with pytest.raises(TypeError, match="values of dtype"):
        store.record("f", {}, np.array(["a"]))


def test_the_text_is_one_row_of_numbers_a_line_with_keys_in_order() -> None:
    text = store.text({"b": {"values": [[1, 2], [3, 4]]}, "a": {"n": 1, "m": None}})
    assert text == (
        '{\n "a": {"m": null, "n": 1},\n "b": {\n  "values": [\n   [1, 2],\n   [3, 4]\n  ]\n }\n}\n'
    )


@pytest.mark.parametrize(
    ("old", "new", "notes", "drifts"),
    [
        (recorded([1.0]), recorded([1.0]), [], []),
        ({}, recorded([1.0]), ["package, r: new"], []),
        (recorded([1.0]), {"package": {"version": "1", "records": {}}}, [], ["package, r: gone"]),
        # small frequencies count as much as large ones, small cosines do not
        (
            recorded([1.0, 1e-6]),
            recorded([1.0, 5e-7]),
            [],
            ["package, r: a value moved by 5.0e-01"],
        ),
        (
            recorded([-1.0, 1e-6]),
            recorded([-1.0, 5e-7]),
            ["package, r: a value moved by 5.0e-07"],
            [],
        ),
        (
            recorded([1.0], n=1),
            recorded([2.0], n=2),
            [],
            ["package, r: another function, arguments or dtype"],
        ),
        (recorded([1.0]), recorded([1.0 + 9e-7]), ["package, r: a value moved by 9.0e-07"], []),
        (recorded([1.0]), recorded([1.0 - 2e-6]), [], ["package, r: a value moved by 2.0e-06"]),
        (recorded([1e3]), recorded([1e3 + 5e-4]), ["package, r: a value moved by 5.0e-07"], []),
        (recorded([1, 2]), recorded([1, 3]), [], ["package, r: a value moved by 5.0e-01"]),
        (recorded([1.0]), recorded([[1.0]]), [], ["package, r: another shape"]),
        (
            recorded([1.0], n=1),
            recorded([1.0], n=2),
            ["package, r: another function, arguments or dtype"],
            [],
        ),
        (
            recorded([1.0]),
            {"package": {**recorded([1.0])["package"], "version": "2"}},
            ['package: now {"version": "2"}'],
            [],
        ),
    ],
)
def test_a_drift_is_told_from_rounding(old: Any, new: Any, notes: Any, drifts: Any) -> None:
    assert store.compare(old, new) == (notes, drifts)


def test_a_file_that_drifted_is_left_until_the_new_one_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, aside = tmp_path / "package.json", tmp_path / "new" / "package.json"
    first, drifted = store.text(recorded([1.0])), store.text(recorded([2.0]))
    assert store.replace(path, first, aside, accept=False)
    assert capsys.readouterr().out == "package.json: package, r: new\npackage.json: written anew\n"
    assert store.replace(path, first, aside, accept=False)
    assert capsys.readouterr().out == "package.json: the same\n"
    assert not store.replace(path, drifted, aside, accept=False)
    assert capsys.readouterr().out == (
        "package.json: DRIFT: package, r: a value moved by 1.0e+00\n"
        f"package.json is left as it was; what was computed now is in {aside}\n"
    )
    assert (path.read_text(), aside.read_text()) == (first, drifted)
    assert store.replace(path, drifted, aside, accept=True)
    assert path.read_text() == drifted
