"""Rotary encoding of several coordinates: M-RoPE, its positions, and images."""

import cmath
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import RopeFrequencies, angular_frequencies, mrope, mrope_positions, rope, rope_2d

RNG = np.random.default_rng(9)
LAYOUTS: list[Any] = ["interleaved", "half-split"]
ARRANGEMENTS: list[Any] = ["contiguous", "interleaved"]


def turned(vector: Any, angles: Any, layout: str) -> list[float]:
    """One vector whose pair m turns by the angle m of the list."""
    result = [float(number) for number in vector]
    for m, angle in enumerate(angles):
        a, b = (2 * m, 2 * m + 1) if layout == "interleaved" else (m, m + len(angles))
        pair = complex(vector[a], vector[b]) * cmath.rect(1, angle)
        result[a], result[b] = pair.real, pair.imag
    return result


# M-RoPE

TURNED_BY = {
    ((4, 2, 2), "contiguous"): "tttthhww",
    ((4, 2, 2), "interleaved"): "thwthwtt",
    ((3, 3, 2), "interleaved"): "thwthwth",
    ((2, 2, 1), "interleaved"): "thwth",
    ((1, 1, 1), "interleaved"): "thw",
    ((3, 0, 1), "interleaved"): "ttwt",
    ((4, 1, 1), "interleaved"): "thwttt",
    ((0, 2, 1), "contiguous"): "hhw",
    ((2, 0, 0), "interleaved"): "tt",
}


@pytest.mark.parametrize(("setting", "axes"), TURNED_BY.items())
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_pair_turns_by_its_coordinate(setting: Any, axes: str, layout: Any) -> None:
    sections, arrangement = setting
    pairs = len(axes)
    x = RNG.standard_normal((4, 2 * pairs))
    positions = RNG.integers(0, 50, size=(3, 4))
    result = mrope(x, positions, sections=sections, arrangement=arrangement, layout=layout)
    for token in range(4):
        angles = [
            positions["thw".index(axis), token] / math.pow(10000, m / pairs)
            for m, axis in enumerate(axes)
        ]
        expected = turned(x[token], angles, layout)
        assert_allclose(result[token], expected, rtol=0, atol=1e-13)


def test_the_sections_of_qwen_have_their_places() -> None:
    """Sections (24, 20, 20) of 64 pairs: width ends at pair 59, the last four turn by time."""
    x = np.concatenate([np.ones(64), np.zeros(64)])
    for coordinate in range(3):
        positions = np.zeros(3)
        positions[coordinate] = 1
        result = mrope(x, positions, sections=(24, 20, 20), arrangement="interleaved", base=1)
        places = np.flatnonzero(result[64:])
        start = [range(0, 58, 3), range(1, 59, 3), range(2, 60, 3)][coordinate]
        expected = [*start, *([60, 61, 62, 63] if coordinate == 0 else [])]
        assert places.tolist() == expected


def test_the_defaults_of_mrope() -> None:
    x, positions = RNG.standard_normal((2, 8)), [[1, 2], [3, 4], [5, 6]]
    expected = mrope(
        x, positions, sections=[2, 1, 1], arrangement="contiguous", base=10000.0,
        layout="half-split", frequencies=None, rotary_dim=8,
    )  # fmt: skip
    assert_array_equal(mrope(x, positions, sections=[2, 1, 1]), expected)


@given(
    st.sampled_from([(4, 2, 2), (3, 3, 2), (8, 0, 0), (4, 3, 1)]),
    st.sampled_from(ARRANGEMENTS),
    st.sampled_from(LAYOUTS),
    st.lists(st.integers(-500, 500), min_size=1, max_size=5),
)
def test_text_is_rotated_as_by_rope(sections: Any, arrangement: Any, layout: Any, p: Any) -> None:
    """Three equal coordinates are one position, whatever the sections."""
    x = np.random.default_rng(len(p)).standard_normal((len(p), 16))
    setting: Any = {"sections": sections, "arrangement": arrangement, "layout": layout}
    result = mrope(x, [p, p, p], **setting)
    assert_allclose(result, rope(x, p, layout=layout), rtol=0, atol=1e-14)
    scaled = RopeFrequencies(np.linspace(1, 0, 8), 1.25)
    result = mrope(x, [p, p, p], frequencies=scaled, **setting)
    assert_allclose(result, rope(x, p, layout=layout, frequencies=scaled), rtol=0, atol=1e-13)


@given(
    st.sampled_from(ARRANGEMENTS),
    st.lists(st.integers(-300, 300), min_size=9, max_size=9),
)
def test_a_common_shift_in_any_coordinate_leaves_scores_alone(arrangement: Any, p: Any) -> None:
    q, k = RNG.standard_normal((2, 16))
    i, j, shift = np.reshape(p, (3, 3))

    def score(i: Any, j: Any) -> Any:
        setting: Any = {"sections": (4, 2, 2), "arrangement": arrangement}
        return mrope(q, i, **setting) @ mrope(k, j, **setting)

    assert score(i + shift, j + shift) == pytest.approx(score(i, j), abs=1e-11)


def test_base_frequencies_and_rotary_dim_of_mrope() -> None:
    x, positions = RNG.standard_normal((2, 10)), [[1, 2], [30, 40], [500, 600]]
    sections = (1, 1, 1)
    partial = mrope(x, positions, sections=sections, rotary_dim=6, base=100.0)
    assert_allclose(
        partial[:, :6], mrope(x[:, :6], positions, sections=sections, base=100.0), atol=1e-15
    )
    assert_array_equal(partial[:, 6:], x[:, 6:])
    rates = angular_frequencies(6, base=100.0)
    same = mrope(x, positions, sections=sections, rotary_dim=6, frequencies=rates)
    assert_array_equal(same, partial)
    assert not np.allclose(mrope(x, positions, sections=sections, rotary_dim=6), partial)


def test_batches_of_mrope() -> None:
    x = RNG.standard_normal((2, 3, 5, 8)).astype(np.float32)
    positions = RNG.integers(0, 90, size=(3, 2, 1, 5))
    result = mrope(x, positions, sections=(2, 1, 1))
    assert result.dtype == np.float32
    for batch in range(2):
        for head in range(3):
            one = mrope(x[batch, head], positions[:, batch, 0], sections=(2, 1, 1))
            assert_allclose(result[batch, head], one, rtol=0, atol=1e-6)
    single = mrope(x[1, 2, 3], positions[:, 1, 0, 3], sections=(2, 1, 1))
    assert_allclose(single, result[1, 2, 3], rtol=0, atol=1e-6)
    assert mrope(np.empty((0, 8)), np.empty((3, 0)), sections=(2, 1, 1)).shape == (0, 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positions": [[0], [0]]}, "positions has shape (2, 1); allowed: 3 along its first "
         "axis, and after it (1,)"),
        ({"positions": [0, 0, 0]}, "positions has shape (3,); allowed: 3 along its first "
         "axis, and after it (1,)"),
        ({"positions": 0}, "positions has shape (); allowed: 3 along its first "
         "axis, and after it (1,)"),
        ({"positions": np.zeros((3, 2, 1))}, "positions has shape (3, 2, 1); allowed: 3 along its "
         "first axis, and after it (1,)"),
        ({"x": np.ones(8)}, "positions has shape (3, 1); allowed: 3 along its first axis, and after it (), "
         "for x is one vector"),
        ({"x": np.ones((2, 5, 8)), "positions": np.zeros((3, 2, 1))}, "positions has shape "
         "(3, 2, 1); allowed: 3 along its first axis, and after it (5,), or 2 axes that end in 5 "
         "and broadcast to (2, 5)"),
        ({"x": np.ones(8), "positions": [0, 0]}, "positions has shape (2,); allowed: 3 along its first axis, "
         "and after it (), for x is one vector"),
        ({"positions": [[0], [np.nan], [0]]}, "positions holds nan; allowed: finite real numbers"),
        ({"positions": np.full((3, 1), 1e308), "frequencies": [9.0] * 4}, "positions are too large;"
         " allowed: angles that fit in float64"),
        ({"sections": (2, 1)}, "sections is (2, 1); allowed: three integers that add up to 4, the "
         "pairs that rotate"),
        ({"sections": (3, 1)}, "sections is (3, 1); allowed: three integers that add up to 4, the "
         "pairs that rotate"),
        ({"sections": (2, 1, 2)}, "sections is (2, 1, 2); allowed: three integers that add up to 4,"
         " the pairs that rotate"),
        ({"sections": (5, -1, 0)}, "sections[1] is -1; allowed: an integer, at least 0"),
        ({"sections": (2, True, 1)}, "sections[1] is True; allowed: an integer, at least 0"),
        ({"sections": 4}, "sections is 4; allowed: three integers that add up to 4, the pairs that "
         "rotate"),
        ({"sections": (2, 1, 1.0)}, "sections[2] is 1.0; allowed: an integer, at least 0"),
        ({"sections": (1, 2, 1), "arrangement": "interleaved"}, "sections is (1, 2, 1); allowed: "
         "height at the pairs 1, 4, 7 … and width at 2, 5, 8 … of 4"),
        ({"sections": (1, 1, 2), "arrangement": "interleaved"}, "sections is (1, 1, 2); allowed: "
         "height at the pairs 1, 4, 7 … and width at 2, 5, 8 … of 4"),
        ({"sections": (0, 2, 2), "arrangement": "interleaved"}, "sections is (0, 2, 2); allowed: "
         "height at the pairs 1, 4, 7 … and width at 2, 5, 8 … of 4"),
        ({"arrangement": "mixed"}, "arrangement is 'mixed'; allowed: 'contiguous' or 'interleaved'"),
        ({"layout": "mixed"}, "layout is 'mixed'; allowed: 'interleaved' or 'half-split'"),
        ({"rotary_dim": 10}, "rotary_dim is 10; allowed: an even integer from 2 to 8, the width of "
         "x"),
        ({"base": 5e5, "frequencies": [1.0] * 4}, "base is 500000.0; allowed: 10000.0, the "
         "default, where frequencies are given"),
        ({"x": [[np.inf] * 8]}, "x holds inf; allowed: finite real numbers"),
    ],
)  # fmt: skip
def test_refusals_of_mrope(arguments: dict[str, Any], message: str) -> None:
    call: dict[str, Any] = {
        "x": np.ones((1, 8)), "positions": np.zeros((3, 1)), "sections": (2, 1, 1), **arguments
    }  # fmt: skip
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        mrope(**call)
    assert str(refusal.value) == message


# Positions of M-RoPE


def test_text_image_text() -> None:
    """As recorded from the `get_rope_index` of Qwen2-VL in transformers 5.24.0."""
    assert mrope_positions([2, (1, 2, 2), 1]).tolist() == [
        [0, 1, 2, 2, 2, 2, 4],
        [0, 1, 2, 2, 3, 3, 4],
        [0, 1, 2, 3, 2, 3, 4],
    ]


@pytest.mark.parametrize(
    ("resume", "next_text"), [("largest", [6, 7]), ("sides", [4, 5])]
)  # fmt: skip
def test_a_video_longer_than_its_sides(resume: Any, next_text: list[int]) -> None:
    positions = mrope_positions([1, (5, 3, 2), 2], resume=resume)
    assert positions.shape == (3, 1 + 30 + 2)
    assert positions[:, -2:].tolist() == [next_text] * 3
    assert positions[:, 1:31].min() == 1
    assert positions[:, 1:31].max(axis=1).tolist() == [5, 3, 2]
    if resume == "largest":
        assert_array_equal(mrope_positions([1, (5, 3, 2), 2]), positions)


@given(
    st.lists(
        st.one_of(st.integers(0, 4), st.tuples(*[st.integers(1, 4)] * 3)), min_size=0, max_size=5
    ),
    st.sampled_from(["largest", "sides"]),
)
def test_the_count_follows_the_rules(segments: Any, resume: Any) -> None:
    expected: list[tuple[int, int, int]] = []
    start = 0
    for segment in segments:
        if isinstance(segment, int):
            expected += [(start + i,) * 3 for i in range(segment)]
            start += segment
            continue
        frames, rows, columns = segment
        for t in range(frames):
            for h in range(rows):
                for w in range(columns):
                    expected.append((start + t, start + h, start + w))
        start += max(segment) if resume == "largest" else max(rows, columns)
    result = mrope_positions(segments, resume=resume)
    assert result.dtype == np.int64
    assert result.shape == (3, len(expected))
    assert result.T.tolist() == [list(token) for token in expected]


def test_other_sequences_of_segments() -> None:
    expected = mrope_positions([2, (1, 1, 3)])
    numpy_and_lists: Any = (np.int32(2), [1, 1, np.int64(3)])
    assert_array_equal(mrope_positions(numpy_and_lists), expected)
    assert mrope_positions([]).shape == (3, 0)


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        (3, "segments is 3; allowed: a list of text lengths and grids (frames, rows, columns)"),
        ("12", "segments is '12'; allowed: a list of text lengths and grids (frames, rows, "
         "columns)"),
        (b"12", "segments is b'12'; allowed: a list of text lengths and grids (frames, rows, "
         "columns)"),
        ([2, -1], "segments[1] is -1; allowed: an integer, at least 0"),
        ([2.0], "segments[0] is 2.0; allowed: an integer, at least 0"),
        ([True], "segments[0] is True; allowed: an integer, at least 0"),
        ([1, 2, (2, 2)], "segments[2] is (2, 2); allowed: (frames, rows, columns), or a text "
         "length"),
        ([(1, 0, 2)], "segments[0] is 0; allowed: an integer, at least 1"),
    ],
)  # fmt: skip
def test_refusals_of_mrope_positions(segments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        mrope_positions(segments)
    assert str(refusal.value) == message


def test_the_way_to_resume_is_checked() -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        mrope_positions([1], resume="rows")  # type: ignore[arg-type]
    assert str(refusal.value) == "resume is 'rows'; allowed: 'largest' or 'sides'"


# Images


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("first", ["rows", "columns"])
@pytest.mark.parametrize("ladder", ["repeated", "alternating"])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_every_pair_turns_by_its_axis(layout: Any, first: Any, ladder: Any, base: float) -> None:
    width, n = 12, 6
    x = RNG.standard_normal((n, width))
    rows, columns = np.indices((2, 3)).reshape(2, -1)
    result = rope_2d(x, rows, columns, layout=layout, first=first, ladder=ladder, base=base)
    for patch in range(n):
        r, c = int(rows[patch]), int(columns[patch])
        places = (r, c) if first == "rows" else (c, r)
        angles = []
        for axis in range(2):
            for m in range(width // 4):
                step = 4 * m + (2 * axis if ladder == "alternating" else 0)
                angles.append(places[axis] / math.pow(base, step / width))
        expected = turned(x[patch], angles, layout)
        assert_allclose(result[patch], expected, rtol=0, atol=1e-14)


def test_the_defaults_of_rope_2d() -> None:
    x = RNG.standard_normal((3, 8))
    expected = rope_2d(
        x, [0, 1, 2], [5, 6, 8], base=10000.0, layout="interleaved", first="rows", ladder="repeated"
    )
    assert_array_equal(rope_2d(x, [0, 1, 2], [5, 6, 8]), expected)


def test_bug_axes_swapped() -> None:
    """Height 2, width 3: a row is not a column."""
    rows, columns = np.indices((2, 3)).reshape(2, -1)
    x = np.tile([1.0, 0, 1, 0], (6, 1))
    result = rope_2d(x, rows, columns)
    assert_allclose(result[:, 1], np.sin(rows), rtol=0, atol=1e-15)
    assert_allclose(result[:, 3], np.sin(columns), rtol=0, atol=1e-15)
    swapped = rope_2d(x, columns, rows)
    assert not np.allclose(swapped, result)
    assert_array_equal(rope_2d(x, columns, rows, first="columns"), result)


def test_one_axis_is_rope_of_half_the_head() -> None:
    x = RNG.standard_normal((5, 8))
    result = rope_2d(x, np.zeros(5), np.arange(5))
    assert_array_equal(result[:, :4], x[:, :4])
    assert_allclose(result[:, 4:], rope(x[:, 4:], np.arange(5)), rtol=0, atol=1e-14)


def test_alternating_takes_turns_in_the_ladder_of_the_head() -> None:
    x = RNG.standard_normal((5, 8))
    result = rope_2d(x, np.arange(5), np.arange(5), ladder="alternating")
    order = [0, 1, 4, 5, 2, 3, 6, 7]  # pairs 0 and 2 by rows, 1 and 3 by columns
    assert_allclose(result, rope(x[:, order], np.arange(5))[:, order], rtol=0, atol=1e-14)


@given(
    st.sampled_from(["repeated", "alternating"]),
    st.lists(st.integers(-300, 300), min_size=6, max_size=6),
)
def test_a_score_depends_on_both_offsets_alone(ladder: Any, p: list[int]) -> None:
    q, k = RNG.standard_normal((2, 12))

    def score(i: Any, j: Any) -> Any:
        return rope_2d(q, *i, ladder=ladder) @ rope_2d(k, *j, ladder=ladder)

    i, j, shift = np.reshape(p, (3, 2))
    assert score(i + shift, j + shift) == pytest.approx(score(i, j), abs=1e-11)
    assert np.linalg.norm(rope_2d(q, *i, ladder=ladder)) == pytest.approx(np.linalg.norm(q))


def test_batches_of_rope_2d() -> None:
    x = RNG.standard_normal((2, 3, 5, 8)).astype(np.float32)
    rows, columns = np.arange(5), RNG.integers(0, 9, size=(2, 1, 5))
    result = rope_2d(x, rows, columns)
    assert result.dtype == np.float32
    for batch in range(2):
        for head in range(3):
            one = rope_2d(x[batch, head], rows, columns[batch, 0])
            assert_allclose(result[batch, head], one, rtol=0, atol=1e-6)
    single = rope_2d(x[0, 0, 4], 4, columns[0, 0, 4])
    assert_allclose(single, result[0, 0, 4], rtol=0, atol=1e-6)
    assert rope_2d(np.empty((0, 8)), [], []).shape == (0, 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones((1, 6))}, "x has shape (1, 6); allowed: a head_dim that is a multiple of 4"),
        ({"rows": [0, 1]}, "rows has shape (2,); allowed: (1,)"),
        ({"columns": 0}, "columns has shape (); allowed: (1,)"),
        ({"rows": [np.nan]}, "rows holds nan; allowed: finite real numbers"),
        ({"columns": [np.inf]}, "columns holds inf; allowed: finite real numbers"),
        ({"base": 0.0}, "base is 0.0; allowed: a real number from 1 to 1e300"),
        ({"layout": "mixed"}, "layout is 'mixed'; allowed: 'interleaved' or 'half-split'"),
        ({"first": "x"}, "first is 'x'; allowed: 'rows' or 'columns'"),
        ({"ladder": "paper"}, "ladder is 'paper'; allowed: 'repeated' or 'alternating'"),
        ({"x": [[np.nan] * 4]}, "x holds nan; allowed: finite real numbers"),
    ],
)  # fmt: skip
def test_refusals_of_rope_2d(arguments: dict[str, Any], message: str) -> None:
    call: dict[str, Any] = {"x": np.ones((1, 4)), "rows": [0], "columns": [0], **arguments}
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        rope_2d(**call)
    assert str(refusal.value) == message
