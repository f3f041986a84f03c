"""T5's buckets of distance, and the bias that it learns for each bucket."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, _sizes
from pedocs._toeplitz import offsets_in_order, toeplitz

# The integers that decide a boundary grow with the number of buckets, and the time to compare
# them with it. T5 has 32 buckets; WavLM, which has the most of any model known to us, 320.
MOST_BUCKETS = 1024


def t5_bucket(
    offsets: ArrayLike,
    *,
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> NDArray[np.int64]:
    """Sort offsets into buckets: one per offset close by, wider ones further out.

    With B buckets for a direction, the first E hold one distance n each, and
    the others divide what is left, up to the maximum M, into steps of equal
    ratio:

    ```text
    E = ⌊B / 2⌋

    bucket(n) = n                                               n < E
              = min(B − 1, E + ⌊(B − E) ln(n/E) / ln(M/E)⌋)     n ≥ E

    bidirectional:  B = ⌊num_buckets / 2⌋,  n = |r|,  bucket + B where r > 0
    one direction:  B = num_buckets,        n = max(−r, 0)
    ```

    Here r = j − i, key minus query, as in T5; DeBERTa counts the other way.
    In one direction every key to the right of the query shares the bucket of
    the query itself, and a causal mask hides it.

    The boundaries are found in exact integers. A logarithm in floating point
    gives the same buckets as long as its terms are multiplied and divided in
    the order above; another order can put an offset on a boundary one bucket
    too low. Where M is not above E, transformers returns numbers that are no
    buckets; that is refused here.

    Args:
        offsets: Key position minus query position, in tokens: an integer or
            an array of integers of any shape.
        num_buckets: Number of buckets, both directions together; at least 4 if
            bidirectional, else at least 2, and up to 1024. With an odd number,
            bidirectional buckets leave the last one empty.
        max_distance: Distance from which on all offsets of a direction share
            its last bucket, in tokens; more than E.
        bidirectional: True gives each direction half of the buckets, as in an
            encoder; False is for a decoder.

    Returns:
        Array of the shape of `offsets`, int64, from 0 to `num_buckets − 1`.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import t5_bucket
        >>> t5_bucket([0, -1, -2, -7, -8, -11, -12, -127, -128, -1000])
        array([ 0,  1,  2,  7,  8,  8,  9, 15, 15, 15])
        >>> t5_bucket([-2, -1, 0, 1, 2])
        array([ 2,  1,  0, 17, 18])
        >>> t5_bucket([-2, -1, 0, 1, 2], bidirectional=False)
        array([2, 1, 0, 0, 0])

        A distance on a boundary belongs to the bucket above it:

        >>> t5_bucket([-31, -32], num_buckets=8, max_distance=64, bidirectional=False)
        array([6, 7])

    Source:
        [Raffel et al. 2019](https://arxiv.org/abs/1910.10683), §2.1, in words;
        the formula from
        [mesh](https://github.com/tensorflow/mesh/blob/0cb87fe07da627bf0b7e60475d59f95ed6b5be3d/mesh_tensorflow/transformer/transformer_layers.py),
        function `_relative_position_bucket`, as in
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/t5/modeling_t5.py).
    """
    r = _checks.integer_array("offsets", offsets)
    settings = _settings(num_buckets, max_distance, bidirectional)
    return _buckets(r, *settings)


def t5_bias(
    table: ArrayLike,
    n_query: int,
    n_key: int | None = None,
    *,
    max_distance: int = 128,
    bidirectional: bool = True,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Look up the learned bias of each query-key pair by the bucket of its offset.

    ```text
    bias_hij = table[bucket(j − i), h]
    ```

    The buckets are those of `t5_bucket`. T5 computes one table and adds it in
    every layer, to scores that are not divided by the square root of d_k: pass
    `scale=1` to `attention`. It has no bias in cross-attention.

    Args:
        table: The learned biases, shape `(num_buckets, heads)`.
        n_query: Number of queries. The last stands at the last key.
        n_key: Number of keys, at least as many as queries; None is as many.
        max_distance: As in `t5_bucket`, in tokens.
        bidirectional: As in `t5_bucket`.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(heads, n_query, n_key)`, to be added to the scores.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs import t5_bias
        >>> table = np.arange(8.0).reshape(4, 2)  # 4 buckets, 2 heads
        >>> bias = t5_bias(table, 3, max_distance=8)
        >>> bias.shape
        (2, 3, 3)
        >>> bias[0]
        array([[0., 6., 6.],
               [2., 0., 6.],
               [2., 2., 0.]])

    Source:
        [Raffel et al. 2019](https://arxiv.org/abs/1910.10683), §2.1;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/t5/modeling_t5.py),
        method `compute_bias`.
    """
    biases = _checks.float64_array("table", table)
    if biases.ndim != 2:
        raise ValueError(f"table has shape {biases.shape}; allowed: (num_buckets, heads)")
    n_query, n_key = _sizes(n_query, n_key)
    _check_last_query(n_query, n_key, "")
    settings = _settings(biases.shape[0], max_distance, bidirectional, "the first axis of table")
    result_dtype = _checks.float_dtype(dtype)

    by_bucket = _checks.in_dtype(biases.T, result_dtype, "table is", "biases")
    buckets = _buckets(offsets_in_order(n_query, n_key), *settings)
    return toeplitz(by_bucket[:, buckets], n_query, n_key)


def _settings(
    num_buckets: Any, max_distance: Any, bidirectional: Any, name: str = "num_buckets"
) -> tuple[int, int, bool]:
    both = _checks.boolean("bidirectional", bidirectional)
    fewest = 4 if both else 2  # one exact bucket and one more for each direction
    count = _checks.integer(name, num_buckets, minimum=fewest)
    if count > MOST_BUCKETS:
        raise _checks.refusal(name, count, f"an integer from {fewest} to {MOST_BUCKETS}")
    exact = (count // 2 if both else count) // 2
    distance = _checks.integer("max_distance", max_distance)
    if distance <= exact:
        raise _checks.refusal(
            "max_distance",
            distance,
            f"more than {exact}, the buckets of one distance each that {count} buckets have",
        )
    return count, distance, both


def _buckets(
    offsets: NDArray[Any], num_buckets: int, max_distance: int, bidirectional: bool
) -> NDArray[np.int64]:
    # Far offsets share the bucket of the maximum. Moving them there first gives every offset an
    # absolute value, which the lowest int64 has not.
    limits = np.iinfo(offsets.dtype)
    low, high = max(-max_distance, limits.min), min(max_distance, limits.max)
    r = np.asarray(np.clip(offsets, low, high), dtype=np.int64)
    if r.size <= max_distance:
        return _search(r, num_buckets, max_distance, bidirectional)
    # Fewer offsets than entries: sort each offset once and look the entries up.
    every = np.arange(-max_distance, max_distance + 1, dtype=np.int64)
    r += max_distance
    buckets: NDArray[np.int64] = np.take(
        _search(every, num_buckets, max_distance, bidirectional), np.asarray(r, dtype=np.intp)
    )
    return buckets


def _search(
    r: NDArray[np.int64], num_buckets: int, max_distance: int, bidirectional: bool
) -> NDArray[np.int64]:
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    distances = np.abs(r) if bidirectional else np.maximum(-r, 0)
    firsts = np.array(_first_distances(per_direction, max_distance))
    buckets = np.asarray(np.searchsorted(firsts, distances, side="right"), dtype=np.int64)
    if bidirectional:
        buckets += per_direction * (r > 0)
    return buckets


def _first_distances(buckets: int, max_distance: int) -> list[int]:
    """The smallest distance of every bucket but the first.

    Where the formula takes logarithms, bucket E + k begins at the smallest n for which
    k ≤ (B − E) ln(n/E) / ln(M/E). Without logarithms that is M^k E^(B−E−k) ≤ n^(B−E), which
    integers decide.
    """
    exact = buckets // 2
    steps = buckets - exact
    firsts = list(range(1, exact + 1))
    for k in range(1, steps):
        bound = max_distance**k * exact ** (steps - k)
        low, high = exact, max_distance
        while low < high:
            n = (low + high) // 2
            low, high = (n + 1, high) if n**steps < bound else (low, n)
        firsts.append(low)
    return firsts
