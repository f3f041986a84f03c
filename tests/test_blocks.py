"""Long tables, which are built by shifting blocks, against every entry computed by itself."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import _blocks, angular_frequencies, sinusoidal

EPS = np.finfo(np.float64).eps


def entry_by_entry(positions: Any, d_model: int, layout: str) -> Any:
    angles = np.asarray(positions, float)[:, np.newaxis] * angular_frequencies(d_model)
    if layout == "half-split":
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), d_model)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("start", [0, 7, -1500, 0.25, 10**6])
@pytest.mark.parametrize("n", [1024, 1025, 1500, 4096])
def test_a_long_table_is_the_table_of_its_entries(n: int, start: Any, layout: Any) -> None:
    positions = start + np.arange(n)
    expected = entry_by_entry(positions, 24, layout)
    largest_angle = np.abs(positions).max()
    double = sinusoidal(positions, 24, layout=layout)
    assert double.dtype == np.float64
    assert_allclose(double, expected, rtol=0, atol=(largest_angle + 4) * EPS)
    single = sinusoidal(positions, 24, layout=layout, dtype=np.float32)
    assert single.dtype == np.float32
    assert_allclose(single, expected, rtol=0, atol=2e-7)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_float32_at_65536_positions_stays_within_2e7(layout: Any) -> None:
    table = sinusoidal(np.arange(65536), 64, layout=layout, dtype=np.float32)
    assert np.abs(table - entry_by_entry(np.arange(65536), 64, layout)).max() < 2e-7


def test_float16_is_the_rounded_float64_entry_at_every_position() -> None:
    """Bug kind: angles in float16 or bfloat16, where 2049 is 2048."""
    table = sinusoidal(np.arange(2050), 8, dtype=np.float16)
    assert_array_equal(table, entry_by_entry(np.arange(2050), 8, "interleaved").astype(np.float16))
    assert (table[2049] != table[2048]).any()


@pytest.mark.parametrize(
    "positions",
    [
        np.arange(1023),
        np.arange(2048)[::-1],
        2 * np.arange(2048),
        np.arange(2048) + (np.arange(2048) == 2047),
        np.zeros(2048),
        np.arange(2048).reshape(2, 1024),
        np.full(2000, 1e20),
        2.0**32 + 1 + np.arange(1024),
        0.1 + 2.0**40 + np.arange(2048),
    ],
    ids=[
        "short",
        "falling",
        "by two",
        "a jump at the end",
        "all alike",
        "two axes",
        "where float64 has no next integer",
        "far",
        "far and between integers",
    ],
)
def test_all_other_tables_are_computed_entry_by_entry(positions: Any) -> None:
    assert not _blocks.is_long_run(np.asarray(positions, float))
    table = sinusoidal(positions, 8).reshape(-1, 8)
    assert_array_equal(table, entry_by_entry(np.ravel(positions), 8, "interleaved"))


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_a_byte_swapped_dtype_gives_the_same_numbers(layout: Any) -> None:
    for dtype in (">f4", ">f8", "<f4"):
        native = np.dtype(dtype).newbyteorder("=")
        table = sinusoidal(np.arange(1500), 8, layout=layout, dtype=dtype)
        assert table.dtype == np.dtype(dtype)
        assert_array_equal(table, sinusoidal(np.arange(1500), 8, layout=layout, dtype=native))


def test_a_long_run_is_seen() -> None:
    assert _blocks.is_long_run(np.arange(1024.0))
    assert _blocks.is_long_run(2.0**32 + np.arange(1024.0))
    assert _blocks.is_long_run(-(2.0**32) + np.arange(1024.0))
    assert _blocks.is_long_run(0.5 + np.arange(1500.0))


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_long_table_needs_little_more_memory_than_itself(layout: Any, dtype: Any) -> None:
    positions = np.arange(16384)
    tracemalloc.start()
    table = sinusoidal(positions, 256, layout=layout, dtype=dtype)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * table.nbytes
