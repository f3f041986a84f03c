"""For every scheme: tokens that come one by one or in chunks get what one pass over all gives."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pedocs import (
    NTK,
    DynamicNTK,
    KVCache,
    Linear,
    Llama3,
    LongRoPE,
    Proportional,
    YaRN,
    alibi_bias,
    causal_mask,
    cope_bias,
    deberta_scores,
    document_mask,
    fire_bias,
    forgetting_bias,
    input_stage,
    kerple_bias,
    learned,
    mrope,
    mrope_positions,
    multi_head_attention,
    packed_positions,
    padded_positions,
    padding_mask,
    rope,
    rope_2d,
    rope_frequencies,
    rope_layers,
    shaw_bias,
    shaw_values,
    sinusoidal,
    sliding_window_mask,
    t5_bias,
    transformer_xl_scores,
    xpos,
)

RNG = np.random.default_rng(2024)
HEADS, D_MODEL, D_K, D_V, LAYERS = 4, 12, 8, 6, 3
N, WINDOW, PADDING = 11, 4, (0, 3)
CHUNKS = {"one by one": [1] * N, "chunks": [4, 1, 5, 1], "one pass": [N]}
EMBEDDINGS = RNG.normal(size=(N, D_MODEL)) / 2


class Scheme(NamedTuple):
    """How one scheme lets positions into the model; each field is one of its places."""

    encode: Callable[[Any], Any] | None = None  # of positions, added to the embeddings
    attend: Mapping[str, Any] = MappingProxyType({})  # arguments of multi_head_attention
    place: Callable[[Any], Any] | None = None  # the positions of a token that rotate asks for
    from_inputs: Callable[[Any, int], Any] | None = None  # a bias of the tokens held and n_query
    from_numbers: Callable[[Any, int], Any] | None = None  # one of the queries' positions and n_key
    rotates: Any = (True,) * LAYERS


def turning(**settings: Any) -> Scheme:
    return Scheme(attend={"rotate": lambda x, p: rope(x, p, **settings)})


def scaled(scaling: Any, **settings: Any) -> Scheme:
    return turning(frequencies=rope_frequencies(D_K, scaling=scaling), **settings)


def by_offset(bias: Callable[[int, int], Any]) -> Scheme:
    return Scheme(attend={"bias": lambda q, k: bias(q.shape[-2], k.shape[-2])})


TABLE = RNG.normal(size=(N + 2, D_MODEL))
T5_TABLE = RNG.normal(size=(8, HEADS))
SHAW_KEYS, SHAW_VALUES = RNG.normal(size=(7, D_K)), RNG.normal(size=(7, D_V))
R_MAP, U, V = RNG.normal(size=(D_K, D_K)), *RNG.normal(size=(2, HEADS, D_K))
DEBERTA_Q, DEBERTA_K = RNG.normal(size=(2, HEADS, 8, D_K))
R1, R2 = RNG.uniform(0.5, 1.5, size=(2, HEADS))
COPE_TABLE = RNG.normal(size=(HEADS, 5, D_K))
FIRE_HIDDEN, FIRE_OUTPUT = RNG.normal(size=(2, 6)), RNG.normal(size=(7, HEADS))
TIME_HEIGHT_WIDTH = mrope_positions([2, (1, 2, 2), N - 6])
GATES = RNG.normal(size=(D_MODEL, HEADS))


def transformer_xl(q: Any, k: Any) -> Any:
    distances = np.arange(k.shape[-2])[::-1]
    r = sinusoidal(distances, D_K, layout="half-split") @ R_MAP
    return transformer_xl_scores(q, k, r, U, V)


def cope(q: Any, k: Any) -> Any:
    return cope_bias(q, q @ np.swapaxes(k, -1, -2) / np.sqrt(D_K), COPE_TABLE)


def fire_from(start: int, n: int, n_key: int) -> Any:
    weight, bias = FIRE_HIDDEN
    return fire_bias(
        weight, bias, FIRE_OUTPUT[1:], FIRE_OUTPUT[0], n, n_key, c=0.5, threshold=4, start=start
    )


def fire(numbers: Any, n_key: int) -> Any:
    """The bias depends on the position of the query, which its number of keys does not tell."""
    n = numbers.shape[-1]
    if numbers.ndim == 1 and (np.diff(numbers) == 1).all():
        return fire_from(int(numbers[-1]) + 1 - n_key, n, n_key)
    bias = np.zeros((*numbers.shape[:-1], HEADS, n, n_key))
    for *row, i in np.ndindex(numbers.shape):
        position, own = int(numbers[(*row, i)]), n_key - n + i
        held = min(position, own) + 1  # the keys from the first of its own text up to itself
        keys = slice(own + 1 - held, own + 1)
        bias[(*row, slice(None), i, keys)] = fire_from(position + 1 - held, 1, held)[:, 0]
    return bias


def forgetting(inputs: Any, n: int) -> Any:
    return forgetting_bias(-np.logaddexp(0, -np.swapaxes(inputs @ GATES, -1, -2)), n)


SCHEMES = {
    "no positions": Scheme(),
    "sinusoidal": Scheme(encode=lambda p: sinusoidal(p, D_MODEL)),
    "sinusoidal from 2": Scheme(encode=lambda p: sinusoidal(p + 2, D_MODEL)),
    "learned": Scheme(encode=lambda p: learned(TABLE, p)),
    "learned from 2": Scheme(encode=lambda p: learned(TABLE, p + 2)),
    "Shaw": Scheme(
        attend={
            "bias": lambda q, k: shaw_bias(q, SHAW_KEYS, k.shape[-2]),
            "value_bias": lambda weights: shaw_values(weights, SHAW_VALUES),
        }
    ),
    "Transformer-XL": Scheme(attend={"scores": transformer_xl}),
    "T5": by_offset(lambda n, m: t5_bias(T5_TABLE, n, m, max_distance=8, bidirectional=False)),
    "T5, both directions": by_offset(lambda n, m: t5_bias(T5_TABLE, n, m, max_distance=8)),
    "DeBERTa": Scheme(attend={"scores": lambda q, k: deberta_scores(q, k, DEBERTA_Q, DEBERTA_K)}),
    "DeBERTa, as released, buckets": Scheme(
        attend={
            "scores": lambda q, k: deberta_scores(
                q, k, DEBERTA_Q, DEBERTA_K, max_distance=16, position_to_content="released"
            )
        }
    ),
    "ALiBi": by_offset(lambda n, m: alibi_bias(HEADS, n, m)),
    "ALiBi by key": by_offset(lambda n, m: alibi_bias(HEADS, n, m, form="key")),
    "ALiBi by last key": by_offset(lambda n, m: alibi_bias(HEADS, n, m, form="last-key")),
    "ALiBi, causal": by_offset(lambda n, m: alibi_bias(HEADS, n, m, form="causal")),
    "KERPLE, log": by_offset(lambda n, m: kerple_bias(R1, R2, n, m, kind="log")),
    "KERPLE, power": by_offset(lambda n, m: kerple_bias(R1, R2, n, m, kind="power")),
    "FIRE": Scheme(from_numbers=fire),
    "CoPE": Scheme(attend={"bias": cope}),
    "forgetting": Scheme(from_inputs=forgetting),
    "RoPE": turning(),
    "RoPE, half-split": turning(layout="half-split"),
    "RoPE, partial": turning(rotary_dim=4),
    "RoPE, linear": scaled(Linear(4)),
    "RoPE, NTK": scaled(NTK(4)),
    "RoPE, dynamic NTK": scaled(DynamicNTK(4, original_length=4, length=N)),
    "RoPE, YaRN": scaled(YaRN(4, original_length=16)),
    "RoPE, LongRoPE": scaled(
        LongRoPE([1.0] * 4, [1.0, 1.5, 2.0, 4.0], original_length=4, length=N, factor=4)
    ),
    "RoPE, llama3": scaled(Llama3(8, 1, 4, original_length=64), layout="half-split"),
    "RoPE, proportional": scaled(Proportional(0.5), layout="half-split"),
    "xPos": Scheme(
        attend={
            "rotate": (
                lambda x, p: xpos(x, p, role="query", scale_base=8),
                lambda x, p: xpos(x, p, role="key", scale_base=8),
            )
        }
    ),
    "M-RoPE": Scheme(
        attend={"rotate": lambda x, p: mrope(x, p, sections=(2, 1, 1))},
        place=lambda index: TIME_HEIGHT_WIDTH[:, index],
    ),
    "M-RoPE, interleaved": Scheme(
        attend={"rotate": lambda x, p: mrope(x, p, sections=(2, 1, 1), arrangement="interleaved")},
        place=lambda index: TIME_HEIGHT_WIDTH[:, index],
    ),
    "RoPE by rows and columns": Scheme(
        attend={"rotate": lambda x, p: rope_2d(x, *p)}, place=lambda index: np.divmod(index, 3)
    ),
    "RoPE and NoPE layers": turning()._replace(rotates=rope_layers(LAYERS, nope_every=2)),
}


@cache
def maps_of(layer: int, key_heads: int) -> list[Any]:
    rng = np.random.default_rng(layer)
    shapes = [
        (D_MODEL, HEADS * D_K),
        (D_MODEL, key_heads * D_K),
        (D_MODEL, key_heads * D_V),
        (HEADS * D_V, D_MODEL),
    ]
    return [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes]


class Model(NamedTuple):
    """A stack of attention layers with one scheme, and nothing else."""

    scheme: Scheme
    key_heads: int
    window: int | None = None

    def read(self, chunks: list[int], **given: Any) -> Any:
        """Outputs of all tokens, which come in chunks; the caches carry them over."""
        caches: list[Any] = [None] * LAYERS
        held: list[Any] = [None] * LAYERS  # inputs of each layer, as long as its cache
        outputs, start = [], 0
        for n in chunks:
            outputs.append(self.step(start, n, caches, held, **given))
            start += n
        assert start == N
        return np.concatenate(outputs, axis=-2)

    def alone(self, start: int, stop: int) -> Any:
        """Outputs of a run of tokens without those before it, numbered from zero."""
        nothing: list[Any] = [None] * LAYERS
        index = np.arange(N) - start
        return self.step(start, stop - start, nothing, list(nothing), index=index)

    def step(
        self, start: int, n: int, caches: Any, held: Any, *, index: Any = None, allowed: Any = True
    ) -> Any:
        """`index` numbers the tokens where the caller does; `allowed` is a mask of all of them."""
        part = slice(start, start + n)
        numbers = np.arange(N) if index is None else index
        x = np.broadcast_to(EMBEDDINGS[part], (*numbers.shape[:-1], n, D_MODEL))
        if self.scheme.encode is not None:
            x = input_stage(x, self.scheme.encode(numbers[..., part]))
        for layer, rotates in enumerate(self.scheme.rotates):
            n_key = n + (0 if caches[layer] is None else caches[layer].n_key)
            if self.window is None:
                mask = causal_mask(n, n_key)
            else:
                mask = sliding_window_mask(n, n_key, window=self.window)
            if allowed is not True:
                mask = mask & allowed[..., part, start + n - n_key : start + n]
            options = dict(self.scheme.attend)
            if not rotates:
                del options["rotate"]
            if "rotate" in options and (self.scheme.place or index is not None):
                place = self.scheme.place or (lambda p: p)
                options["positions"] = place(numbers[..., part])
            if self.scheme.from_inputs is not None:
                before = x[..., :0, :] if held[layer] is None else held[layer]
                held[layer] = np.concatenate([before, x], axis=-2)[..., -n_key:, :]
                options["bias"] = self.scheme.from_inputs(held[layer], n)
            if self.scheme.from_numbers is not None:
                options["bias"] = self.scheme.from_numbers(numbers[..., part], n_key)
            result = multi_head_attention(
                x,
                *maps_of(layer, self.key_heads),
                n_heads=HEADS,
                n_key_heads=self.key_heads,
                mask=mask,
                cache=caches[layer],
                **options,
            )
            assert result.cache is not None
            caches[layer] = result.cache
            if self.window is not None:
                caches[layer] = result.cache.newest(self.window - 1)
            x = x + result.output
        return x


every_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def close(a: Any, b: Any) -> None:
    assert_allclose(a, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "no positions"])
def test_a_scheme_makes_a_difference(name: str) -> None:
    """Without this the tests below could compare a model with itself."""
    without, scheme = (Model(SCHEMES[of], HEADS).read([N]) for of in ("no positions", name))
    assert abs(without - scheme).max() > 1e-2


@every_scheme
@pytest.mark.parametrize("key_heads", [HEADS, 2, 1])
@pytest.mark.parametrize("chunks", ["one by one", "chunks"])
def test_decoding_equals_the_full_pass(scheme: Scheme, key_heads: int, chunks: str) -> None:
    """Bug kinds: transformers#10221 (T5 with a cache), positions that restart in each chunk,
    a centre or a frequency that moves with the number of cached keys.
    """
    model = Model(scheme, key_heads)
    close(model.read(CHUNKS[chunks]), model.read([N]))


@every_scheme
@pytest.mark.parametrize("chunks", ["one by one", "chunks"])
def test_a_sliding_window_needs_no_more_keys_than_the_window(scheme: Scheme, chunks: str) -> None:
    model = Model(scheme, key_heads=2, window=WINDOW)
    close(model.read(CHUNKS[chunks]), model.read([N]))


@every_scheme
@pytest.mark.parametrize("chunks", CHUNKS)
def test_padding_on_the_left_changes_nothing(scheme: Scheme, chunks: str) -> None:
    """Bug kinds: nnsight#672, unsloth#3699; decoding of prompts of different lengths."""
    real = np.arange(N) >= np.array(PADDING)[:, np.newaxis]
    mask = np.broadcast_to(padding_mask(real), (2, 1, N, N))
    model = Model(scheme, key_heads=2)
    padded = model.read(CHUNKS[chunks], index=padded_positions(real), allowed=mask)
    for row, pad in enumerate(PADDING):
        close(padded[row, pad:], model.alone(pad, N))


@every_scheme
def test_packed_documents_equal_each_document_alone(scheme: Scheme) -> None:
    """Bug kinds: torchtitan#2559, OLMo-core#591."""
    documents = np.repeat([7, 8, 9], [4, 1, 6])
    model = Model(scheme, key_heads=2)
    index = packed_positions(documents)
    packed = model.read([N], index=index, allowed=document_mask(documents))
    for start, stop in ((0, 4), (4, 5), (5, N)):
        close(packed[start:stop], model.alone(start, stop))


def test_positions_that_restart_in_each_chunk_would_be_seen() -> None:
    for name in ("sinusoidal", "RoPE"):
        model = Model(SCHEMES[name], HEADS)
        index = np.concatenate([np.arange(n) for n in CHUNKS["chunks"]])
        wrong = model.read(CHUNKS["chunks"], index=index)
        assert abs(wrong - model.read([N])).max() > 1e-2


def test_one_key_less_than_the_window_would_be_seen() -> None:
    x, maps = EMBEDDINGS[:4], maps_of(0, HEADS)
    full = multi_head_attention(x, *maps, n_heads=HEADS, mask=sliding_window_mask(4, window=3))
    cache = multi_head_attention(x[:3], *maps, n_heads=HEADS).cache
    assert cache is not None
    for held, equal in ((2, True), (1, False)):
        last = multi_head_attention(x[3:], *maps, n_heads=HEADS, cache=cache.newest(held))
        assert np.allclose(last.output, full.output[3:], rtol=0, atol=1e-12) == equal


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_a_cached_text_can_move_to_other_positions(layout: Any) -> None:
    """A shift of the cache, or the reuse of a text behind another beginning."""

    def rotate(x: Any, p: Any) -> Any:
        return rope(x, p, layout=layout)

    maps = maps_of(0, 2)
    options: Any = {"n_heads": HEADS, "n_key_heads": 2, "rotate": rotate}
    text, new = EMBEDDINGS[:6], EMBEDDINGS[6:7]
    at_zero = multi_head_attention(text, *maps, **options).cache
    assert at_zero is not None
    kept = at_zero.newest(4)  # the text without its first two tokens …
    moved = KVCache(rotate(kept.keys, np.full(4, -2)), kept.values, next_position=4)
    fresh = multi_head_attention(text[2:], *maps, **options).cache
    assert fresh is not None
    close(moved.keys, fresh.keys)  # … is as if it had begun there
    after = [multi_head_attention(new, *maps, cache=c, **options) for c in (moved, fresh)]
    close(after[0].output, after[1].output)
    assert after[0].cache is not None
    assert after[0].cache.next_position == 5


def test_frequencies_that_change_with_the_length_make_cached_keys_stale() -> None:
    """Bug kinds: transformers#25104, #27226; the caller has to rotate the keys anew."""

    def step(length: int, part: slice, cache: KVCache | None) -> Any:
        frequencies = rope_frequencies(D_K, scaling=DynamicNTK(4, original_length=4, length=length))
        return multi_head_attention(
            EMBEDDINGS[part],
            *maps_of(0, HEADS),
            n_heads=HEADS,
            rotate=lambda x, p: rope(x, p, frequencies=frequencies),
            cache=cache,
        )

    full = step(6, slice(0, 6), None).output[5:]
    same = step(6, slice(5, 6), step(6, slice(0, 5), None).cache).output
    stale = step(6, slice(5, 6), step(5, slice(0, 5), None).cache).output
    close(same, full)
    assert abs(stale - full).max() > 1e-4
