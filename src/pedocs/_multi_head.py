"""Multi-head attention, with every place where positions can enter."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _arguments, _checks
from pedocs._arguments import Rotation
from pedocs._attention import attention, check_broadcasts_to
from pedocs._cache import KVCache
from pedocs._heads import merge_heads, split_heads

OfQueriesAndKeys: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], ArrayLike]
OfWeights: TypeAlias = Callable[[NDArray[np.float64]], ArrayLike]


class MultiHeadResult(NamedTuple):
    """What `multi_head_attention` returns: the result, two steps before it, and the cache.

    ```text
    output = [α_1 V_1 | … | α_h V_h] W_O        α = softmax(S) in each head
    ```

    Attributes:
        output: Vectors of the tokens, shape `(…, n_query, d_out)`, float64.
        weights: The weights α, shape `(…, n_heads, n_query, n_key)`, float64.
        scores: The scores S that enter the softmax, in the shape of the
            weights, float64, −inf where masked.
        cache: The keys and values that were read, a `KVCache` for the next
            call; None when they come from a memory.

    Examples:
        >>> import numpy as np
        >>> from pedocs import multi_head_attention
        >>> one = np.eye(4)
        >>> x = np.ones((3, 4))
        >>> result = multi_head_attention(x, one, one, one, one, n_heads=2)
        >>> result.output.shape, result.weights.shape, result.cache.n_key
        ((3, 4), (2, 3, 3), 3)

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.2.
    """

    output: NDArray[np.float64]
    weights: NDArray[np.float64]
    scores: NDArray[np.float64]
    cache: KVCache | None


def multi_head_attention(
    x: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    *,
    n_heads: int,
    n_key_heads: int | None = None,
    memory: ArrayLike | None = None,
    rotate: Rotation | tuple[Rotation, Rotation] | None = None,
    positions: ArrayLike | None = None,
    scores: OfQueriesAndKeys | None = None,
    bias: ArrayLike | OfQueriesAndKeys | None = None,
    value_bias: OfWeights | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    cache: KVCache | None = None,
) -> MultiHeadResult:
    """Let each token read the others through several heads, with a scheme of positions.

    ```text
    Q_h = rotate(x W_Q)_h     K_g, V_g likewise, g = h // (n_heads / n_key_heads)
    S_h = scale · Q_h K_gᵀ + bias_h        or  scores(Q, K)_h + bias_h
    O_h = softmax(S_h) V_g + value_bias(weights)_h
    output = [O_1 | O_2 | …] W_O
    ```

    Each scheme needs at most one or two of these places: rotary encodings
    `rotate`, biases by offset `bias`, Transformer-XL and DeBERTa `scores`,
    Shaw's vectors `bias` and `value_bias`. What is added at the input is added
    to `x`. With fewer key heads than heads, the heads of a group share their
    keys and values; one key head for all is multi-query attention.

    With a cache the new tokens read those that it holds and then themselves,
    and `bias` and `mask` are as wide as both together. A decoder that passes
    on the cache of each result computes what one pass over all tokens does.

    Args:
        x: Vectors of the tokens, shape `(…, n_query, d_model)`.
        W_Q: Shape `(d_model, n_heads · d_k)`, applied from the right; head h
            has the columns from h · d_k to (h + 1) · d_k.
        W_K: Shape `(d_model, n_key_heads · d_k)`.
        W_V: Shape `(d_model, n_key_heads · d_v)`.
        W_O: Shape `(n_heads · d_v, d_out)`.
        n_heads: Number of heads.
        n_key_heads: Number of heads that have keys of their own, a divisor of
            `n_heads`; None is as many.
        memory: Vectors to read in place of `x`, shape `(…, n_key, d_memory)`,
            for the cross-attention of a decoder. W_K and W_V then have
            d_memory rows, and there is no rotation and no cache.
        rotate: A function of vectors `(…, heads, n_query, d_k)` and their
            positions, applied to queries and keys before they meet, or a pair
            of functions, for queries and for keys.
        positions: Positions for `rotate`, in tokens, shape `(…, n_query)`.
            Axes in front are those of a batch, or what `rotate` asks for; an
            axis for the heads is put before the last. None counts on from the
            cache, or from zero.
        scores: A function of all queries `(…, n_heads, n_query, d_k)` and all
            keys `(…, n_heads, n_key, d_k)` that gives the scores, scaled.
        bias: Added to the scores, an array that broadcasts to
            `(…, n_heads, n_query, n_key)` or a function of queries and keys
            like `scores`. An entry of −inf shuts a key out.
        value_bias: A function of the weights `(…, n_heads, n_query, n_key)`
            whose result, `(…, n_heads, n_query, d_v)`, is added to what the
            heads read.
        mask: Booleans, True where the key may be read; broadcasts to
            `(…, n_heads, n_query, n_key)`.
        scale: Factor of the dot products; None is 1 / √d_k.
        cache: Keys and values of earlier tokens, the `cache` of an earlier
            result.

    Returns:
        A `MultiHeadResult` with the fields `output`, shape
            `(…, n_query, d_out)`, `weights` and `scores`, both of shape
            `(…, n_heads, n_query, n_key)`, and `cache`.

    Raises:
        ValueError: An argument, or what a function among them returned, is
            not as described; two arguments exclude each other; or a cache that
            was filled with `positions` of the caller comes without new ones.

    Examples:
        Three tokens at once, and the last of them alone with a cache:

        >>> import numpy as np
        >>> from pedocs import alibi_bias, causal_mask, multi_head_attention
        >>> rng = np.random.default_rng(1)
        >>> x, *maps = rng.normal(size=(3, 4)), *rng.normal(size=(4, 4, 4))
        >>> def alibi(q, k):
        ...     return alibi_bias(2, q.shape[-2], k.shape[-2])
        ...
        >>> def layer(x, **more):
        ...     return multi_head_attention(x, *maps, n_heads=2, bias=alibi, **more)
        ...
        >>> full = layer(x, mask=causal_mask(3))
        >>> two = layer(x[:2], mask=causal_mask(2))
        >>> last = layer(x[2:], cache=two.cache)
        >>> np.allclose(last.output, full.output[2:])
        True

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.2;
        [Shazeer 2019](https://arxiv.org/abs/1911.02150), §3, one key head;
        [Ainslie et al. 2023](https://arxiv.org/abs/2305.13245), §2.2, groups.
    """
    tokens = _checks.token_vectors("x", x)
    source, source_name = tokens, "x"
    if memory is not None:
        source, source_name = _checks.token_vectors("memory", memory), "memory"
        _checks.leading_axes(x=tokens, memory=source)
    heads = _checks.integer("n_heads", n_heads, minimum=1)
    key_heads = _arguments.key_heads_of(n_key_heads, heads)
    w_q = _arguments.projection("W_Q", W_Q, tokens.shape[-1], multiple_of=heads)
    w_k = _arguments.projection(
        "W_K", W_K, source.shape[-1], columns=w_q.shape[1] // heads * key_heads
    )
    w_v = _arguments.projection("W_V", W_V, source.shape[-1], multiple_of=key_heads)
    w_o = _arguments.projection("W_O", W_O, w_v.shape[1] // key_heads * heads)
    turns = _arguments.rotations(rotate)
    _arguments.check_not_both("memory", memory, rotate=rotate, cache=cache)
    _arguments.check_not_both("scores", scores, scale=scale)
    _arguments.check_function("scores", scores, "queries and keys")
    _arguments.check_function("value_bias", value_bias, "weights")
    if cache is not None and not isinstance(cache, KVCache):
        raise _checks.refusal("cache", cache, "None or a KVCache")
    n_key = source.shape[-2] + (0 if cache is None else cache.n_key)
    readable = _checks.boolean_array("mask", True if mask is None else mask)
    check_broadcasts_to("mask", readable, (heads, tokens.shape[-2], n_key))
    places = _arguments.places_of(positions, tokens, cache, rotated=turns is not None)

    q = split_heads(_product("x", tokens, "W_Q", w_q), heads)
    k = split_heads(_product(source_name, source, "W_K", w_k), key_heads)
    v = split_heads(_product(source_name, source, "W_V", w_v), key_heads)
    if turns is not None:
        q = _arguments.returned("rotate(q, positions)", turns[0](q, places), q.shape)
        k = _arguments.returned("rotate(k, positions)", turns[1](k, places), k.shape)
    held = None
    if memory is None:
        held = _hold(cache, k, v, counted=positions is None)
        k, v = held.keys, held.values
    k, v = (np.repeat(array, heads // key_heads, axis=-3) for array in (k, v))

    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], n_key)
    added = _bias(bias, q, k, shape)
    if scores is not None:
        given = _arguments.returned("scores(q, k)", scores(q, k), shape, minus_infinity=True)
        added = _arguments.sum_that_fits("scores(q, k) and bias", given, added)
        scale = 0.0  # what is given takes the place of the dot products
    result = attention(q, k, v, bias=added, mask=readable, scale=scale)
    read = result.output
    if value_bias is not None:
        given = _arguments.returned("value_bias(weights)", value_bias(result.weights), read.shape)
        read = _arguments.sum_that_fits("what the heads read and value_bias(weights)", read, given)
    output = _product("what the heads read", merge_heads(read), "W_O", w_o)
    return MultiHeadResult(output, result.weights, result.scores, held)


def _product(
    name: str, x: NDArray[np.float64], map_name: str, matrix: NDArray[np.float64]
) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):  # what overflows is refused by name
        return _checks.products_that_fit(f"{name} and {map_name}", x @ matrix)


def _hold(
    cache: KVCache | None, k: NDArray[np.float64], v: NDArray[np.float64], *, counted: bool
) -> KVCache:
    """The cache with the new tokens; positions of the caller's cannot be counted on."""
    if cache is None:
        return KVCache(k, v, k.shape[-2] if counted else None)
    return (cache if counted else replace(cache, next_position=None)).append(k, v)


def _bias(
    bias: ArrayLike | OfQueriesAndKeys | None,
    q: NDArray[np.float64],
    k: NDArray[np.float64],
    shape: tuple[int, ...],
) -> NDArray[np.float64]:
    if not callable(bias):
        added = _checks.float64_array("bias", 0 if bias is None else bias, minus_infinity=True)
        check_broadcasts_to("bias", added, shape[-3:])
        return added
    added = _checks.float64_array("bias(q, k)", bias(q, k), minus_infinity=True)
    check_broadcasts_to("bias(q, k)", added, shape[-3:])
    if added.shape[-1:] != shape[-1:]:  # a decoder's entry for itself would pass for all keys
        allowed = f"an entry for each of the {shape[-1]} keys"
        raise ValueError(f"bias(q, k) has shape {added.shape}; allowed: {allowed}")
    return added
