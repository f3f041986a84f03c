"""How recorded values are written, and how a drift is told from rounding.

A file of tests/reference/ maps an implementation to its version (or commit) and its records; a
record says which function was called with which arguments and what it gave, all in one dtype.
Floats are written as the shortest decimal that gives the same number in that dtype.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

# Another processor may round its sines differently in the last digits of float32; what moves
# further, relative to a number above one, is a change of the implementation.
DRIFT = 1e-6


def record(function: str, arguments: dict[str, Any], values: Any) -> dict[str, Any]:
    """One record, from tensors, arrays, numbers, or a dict of them."""
    arrays = {path: np.asarray(leaf) for path, leaf in leaves(values)}
    dtypes = {array.dtype.name for array in arrays.values()}
    if len(dtypes) != 1:
        raise TypeError(f"{function}: one record holds values of {sorted(dtypes)}")
    return {
        "function": function,
        "arguments": json.loads(json.dumps(arguments, default=_plain)),
        "dtype": dtypes.pop(),
        "values": _plain(values),
    }


def leaves(values: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The arrays of a record with their names, in the order of the names."""
    if isinstance(values, dict):
        for name in sorted(values):
            yield from leaves(values[name], (*path, name))
    else:
        yield path, values


def text(implementations: dict[str, Any]) -> str:
    """The file: keys in order, one row of numbers a line."""
    return _write(implementations, "") + "\n"


def compare(old: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What is different, one line a record; and which of these lines are drifts."""
    notes: list[str] = []
    drifts: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, {}), new.get(name, {})
        about = {key: value for key, value in after.items() if key != "records"}
        if before and after and about != {k: v for k, v in before.items() if k != "records"}:
            notes.append(f"{name}: now {json.dumps(about)}")
        records = before.get("records", {}), after.get("records", {})
        for key in sorted(records[0].keys() | records[1].keys()):
            was, is_ = records[0].get(key), records[1].get(key)
            if was == is_:
                continue
            title = f"{name}, {key}"
            if was is None:
                notes.append(f"{title}: new")
            elif is_ is None:
                drifts.append(f"{title}: gone")
            elif {**was, "values": 0} != {**is_, "values": 0}:
                line = f"{title}: another function, arguments or dtype"
                (notes if was["values"] == is_["values"] else drifts).append(line)
            elif _shape(was["values"]) != _shape(is_["values"]):
                drifts.append(f"{title}: another shape")
            else:
                moved = _moved(was["values"], is_["values"])
                line = f"{title}: a value moved by {moved:.1e}"
                (drifts if moved > (DRIFT if "float" in is_["dtype"] else 0) else notes).append(
                    line
                )
    return notes, drifts


def replace(path: Path, new: str, aside: Path, *, accept: bool) -> bool:
    """Write one file and say what is different; False if it drifted and was not accepted."""
    old = path.read_text("utf-8") if path.exists() else "{}"
    notes, drifts = compare(json.loads(old), json.loads(new))
    for line in notes:
        print(f"{path.name}: {line}")
    for line in drifts:
        print(f"{path.name}: DRIFT: {line}")
    if drifts and not accept:
        aside.parent.mkdir(exist_ok=True)
        aside.write_text(new, "utf-8")
        print(f"{path.name} is left as it was; what was computed now is in {aside}")
        return False
    if new != old:
        path.write_text(new, "utf-8")
    print(f"{path.name}: {'the same' if new == old else 'written anew'}")
    return True


def _moved(was: Any, is_: Any) -> float:
    """The largest move, as a part of the number where that is above one.

    Where no number is below zero they are frequencies or slopes, small ones among them that count
    as much: there a move is a part of its number however small that is.
    """
    farthest = 0.0
    for (_, a), (_, b) in zip(leaves(was), leaves(is_), strict=True):
        before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        if before.size:
            size = np.maximum(1, np.abs(before))
            if (before >= 0).all():
                size = np.where(before > 0, before, 1)
            move = np.nan_to_num(np.abs(after - before) / size, nan=np.inf)
            farthest = max(farthest, float(move.max()))
    return farthest


def _shape(values: Any) -> list[Any]:
    return [(path, np.asarray(leaf).shape) for path, leaf in leaves(values)]


def _plain(values: Any) -> Any:
    """Lists and Python numbers; a float of few bits as its shortest decimal."""
    if isinstance(values, dict):
        return {str(key): _plain(value) for key, value in values.items()}
    array = np.asarray(values)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("a recorded value is not finite")
    if array.dtype in (np.float32, np.float16):
        shortest = np.array([float(str(number)) for number in array.ravel()])
        return (shortest.reshape(array.shape) + 0.0).tolist()
    if array.dtype.kind == "f":
        return (array + 0.0).tolist()  # + 0.0: no negative zero
    if array.dtype.kind not in "biu":
        raise TypeError(f"values of dtype {array.dtype}")
    return array.tolist()


def _write(value: Any, indent: str) -> str:
    inner = indent + " "
    if (
        isinstance(value, dict)
        and value
        and any(isinstance(v, dict | list) for v in value.values())
    ):
        lines = (
            f"{inner}{json.dumps(str(k), ensure_ascii=False)}: {_write(v, inner)}"
            for k, v in sorted(value.items())
        )
        return "{\n" + ",\n".join(lines) + "\n" + indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(inner + _write(v, inner) for v in value) + "\n" + indent + "]"
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
