"""The ten kinds of test of the chapter on pitfalls, each asked of many functions at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import (
    NTK,
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    Proportional,
    YaRN,
    alibi_bias,
    attention,
    causal_mask,
    deberta_bucket,
    from_hf_config,
    grid_positions,
    half_split_to_interleaved,
    padded_positions,
    padding_mask,
    relative_shift,
    rope,
    rope_frequencies,
    sinusoidal,
    sinusoidal_2d,
    t5_bias,
    t5_bucket,
)

WIDTH = 16
PAIRS = WIDTH // 2
SCALINGS: dict[str, Any] = {
    "none": None,
    "linear": Linear(4),
    "ntk": NTK(4),
    "dynamic": DynamicNTK(2, original_length=1024, length=4096),
    "yarn": YaRN(4, 1024),
    "longrope": LongRoPE([1.0] * PAIRS, [2.0 + m for m in range(PAIRS)], 1024, 4096, factor=4),
    "llama3": Llama3(8, 1, 4, original_length=1024),
    "proportional": Proportional(0.5),
}
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 256,
    "num_attention_heads": 16,
    "num_hidden_layers": 2,
    "max_position_embeddings": 8192,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 1024,
    },
}
PHI_3: dict[str, Any] = {
    "model_type": "phi3",
    "hidden_size": 256,
    "num_attention_heads": 16,
    "num_hidden_layers": 2,
    "max_position_embeddings": 8192,
    "original_max_position_embeddings": 1024,
    "rope_scaling": {
        "type": "longrope",
        "short_factor": [1.0] * PAIRS,
        "long_factor": [2.0] * PAIRS,
    },
}


def vectors(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


def read(config: dict[str, Any], **given: Any) -> Any:
    stack = from_hf_config(config, **given).decoder
    assert stack is not None
    assert stack.layers[0].frequencies is not None
    return stack.layers[0].frequencies.frequencies


def test_one_score_by_complex_numbers() -> None:
    q, k = vectors(2, WIDTH)
    rates = [500000 ** (-2 * m / WIDTH) for m in range(PAIRS)]
    turns = [complex(math.cos(5 * rate), math.sin(5 * rate)) for rate in rates]
    pairs = [complex(*q[2 * m : 2 * m + 2]) for m in range(PAIRS)]
    others = [complex(*k[2 * m : 2 * m + 2]) for m in range(PAIRS)]
    known = sum(
        (a * turn * b.conjugate()).real for a, turn, b in zip(pairs, turns, others, strict=True)
    )
    assert_allclose(rope(q, 9, base=500000) @ rope(k, 4, base=500000), known, rtol=1e-12)
    halves = [np.concatenate([x[0::2], x[1::2]]) for x in (q, k)]
    query, key = (
        rope(x, p, base=500000, layout="half-split") for x, p in zip(halves, (9, 4), strict=True)
    )
    assert_allclose(query @ key, known, rtol=1e-12)
    assert_array_equal(half_split_to_interleaved(halves[0], head_dim=WIDTH, axis=0), q)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_row_and_column_lie_on_circles_of_their_own(layout: Any) -> None:
    table = sinusoidal_2d(*grid_positions(3, 5), d_model=WIDTH, layout=layout)
    for half in np.split(table, 2, axis=-1):
        squares = half**2
        if layout == "interleaved":
            sums = squares[..., 0::2] + squares[..., 1::2]
        else:
            sums = squares[..., : PAIRS // 2] + squares[..., PAIRS // 2 :]
        assert_allclose(sums, 1, atol=1e-12)
    assert (np.ptp(table[:, 0, : WIDTH // 2], axis=0) > 0).all()
    assert (np.ptp(table[:, 0, WIDTH // 2 :], axis=0) == 0).all()


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_a_scaled_score_depends_on_the_offset_only(name: str, layout: Any) -> None:
    q, k = vectors(2, 1, WIDTH)
    rates = rope_frequencies(WIDTH, base=10000, scaling=SCALINGS[name])

    def score(i: int, j: int) -> Any:
        query, key = (rope(x, [p], layout=layout, frequencies=rates) for x, p in ((q, i), (k, j)))
        return (query @ key.T)[0, 0]

    assert_allclose(score(2007, 2000), score(7, 0), rtol=1e-9)
    assert not np.isclose(score(7, 0), score(0, 7))


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_word_at_two_places_has_two_keys(name: str, dtype: Any) -> None:
    rates = rope_frequencies(WIDTH, scaling=SCALINGS[name])
    for p in (0, 256, 2048, 65536):
        word = np.ones((2, 2, WIDTH), dtype)  # two heads, two tokens
        turned = rope(word, [p, p + 1], frequencies=rates)
        assert (turned[:, 0] != turned[:, 1]).any(axis=-1).all()
        assert_array_equal(turned[0], turned[1])


@pytest.mark.parametrize("name", SCALINGS)
def test_sixteen_bits_are_the_wide_result_rounded_once(name: str) -> None:
    rates = rope_frequencies(WIDTH, scaling=SCALINGS[name])
    x = vectors(64, WIDTH).astype(np.float16)
    far = 100_000 + np.arange(64)
    wide = rope(x.astype(np.float64), far, frequencies=rates)
    assert_array_equal(rope(x, far, frequencies=rates), wide.astype(np.float16))


def test_no_call_remembers_another() -> None:
    slopes = [0.5, 0.25]
    table = vectors(32, 2)
    calls: list[Callable[[], Any]] = [
        lambda: sinusoidal(np.arange(3), 8),
        lambda: sinusoidal(np.arange(3), 8, dtype=np.float32),
        lambda: sinusoidal(np.arange(7, 10), 8),
        lambda: sinusoidal(np.arange(3), 4),
        lambda: rope_frequencies(8, scaling=DynamicNTK(2, 1024, 3000)).frequencies,
        lambda: rope_frequencies(8, scaling=DynamicNTK(2, 1024, 4096)).frequencies,
        lambda: rope_frequencies(8, scaling=DynamicNTK(2, 1024, 10)).frequencies,
        lambda: alibi_bias(2, 3, 4, slopes=slopes),
        lambda: alibi_bias(2, 3, 3, slopes=slopes),
        lambda: t5_bias(table, 3, bidirectional=True),
        lambda: t5_bias(table, 3, bidirectional=False),
    ]
    first = [call().copy() for call in calls]
    for call, expected in reversed(list(zip(calls, first, strict=True))):
        result = call()
        assert result.dtype == expected.dtype
        assert_array_equal(result, expected)
        if result.flags.writeable:
            result[...] = 99  # an edit must not reach the next call
    for call, expected in zip(calls, first, strict=True):
        assert_array_equal(call(), expected)


@pytest.mark.parametrize("left", [True, False])
def test_a_padded_text_is_read_as_if_it_were_alone(left: bool) -> None:
    x = vectors(5, WIDTH)
    real = np.array([False, False, True, True, True])
    real = real if left else real[::-1]

    def two_layers(x: Any, positions: Any, mask: Any) -> Any:
        for _ in range(2):
            turned = rope(x + sinusoidal(positions, WIDTH), positions)
            x = attention(turned, turned, x, mask=mask).output
        return x

    alone = two_layers(x[real], np.arange(3), causal_mask(3))
    batch = two_layers(x, padded_positions(real), causal_mask(5) & padding_mask(real))
    assert np.isfinite(batch).all()
    assert_allclose(batch[real], alone, rtol=1e-12)


def test_double_loops_without_any_mask() -> None:
    n = 5
    products = vectors(n, 2 * n - 1)
    shifted = relative_shift(products, n_key=n)
    bias = alibi_bias(1, n, slopes=[0.5])[0]
    buckets = deberta_bucket(np.arange(n) - np.arange(n)[:, None], num_buckets=n)
    for i in range(n):
        for j in range(n):
            assert shifted[i, j] == products[i, n - 1 + j - i]
            assert bias[i, j] == -0.5 * abs(i - j)
            assert buckets[i, j] == n + i - j  # query minus key


def test_limits_are_where_they_are_promised() -> None:
    assert_array_equal(read(PHI_3, length=1024), read(PHI_3))
    assert_array_equal(read(PHI_3, length=1025), read(PHI_3) / 2)
    assert set(t5_bucket([-(10**9), 10**9])) == {15, 31}


@pytest.mark.parametrize(
    ("config", "start"),
    [
        ({"model_type": "gpt2", "n_positions": 64}, 0),
        ({"model_type": "opt", "max_position_embeddings": 64}, 2),
        ({"model_type": "roberta", "max_position_embeddings": 66, "pad_token_id": 1}, 2),
        ({"model_type": "roberta", "max_position_embeddings": 68, "pad_token_id": 3}, 4),
    ],
)
def test_the_longest_text_that_is_promised_fits(config: dict[str, Any], start: int) -> None:
    scheme = from_hf_config(config)
    stack = scheme.decoder or scheme.encoder
    assert stack is not None
    assert (stack.max_positions, stack.position_start) == (64, start)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rope_theta", 10000.0),
        ("rope_scaling", None),
        ("head_dim", 32),
        ("num_attention_heads", 8),
        ("hidden_size", 512),
    ],
)
def test_every_key_counts(key: str, value: Any) -> None:
    assert not np.array_equal(read(LLAMA), read(LLAMA | {key: value}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rope_type", "linear"),
        ("factor", 4.0),
        ("low_freq_factor", 2.0),
        ("high_freq_factor", 8.0),
        ("original_max_position_embeddings", 4096),
    ],
)
def test_every_key_of_a_scaling_counts(key: str, value: Any) -> None:
    scaling = LLAMA["rope_scaling"] | {key: value}
    if key == "rope_type":
        scaling = {"rope_type": value, "factor": 8.0}
    assert not np.array_equal(read(LLAMA), read(LLAMA | {"rope_scaling": scaling}))
