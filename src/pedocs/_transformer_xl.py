"""Scores of Transformer-XL: content and distance apart, each with a bias of its own."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, relative_offsets


def relative_shift(scores: ArrayLike, n_key: int) -> NDArray[np.float64]:
    """Move scores that stand by distance to the keys that stand so far away.

    A query is multiplied once by the vector of every distance. The product for
    a distance then belongs to another key in each row, one key further to the
    right than in the row above:

    ```text
    out_ij = scores_ic        c = (n_key − 1) + (j − i)
    ```

    The columns of `scores` run from the farthest key to the left, distance
    n_key − 1, down by one distance each: by offset j − i, they rise. There are
    two forms. With n_key columns the last is distance 0, the query itself, and
    the entries for keys ahead are −inf. With n_query + n_key − 1 columns they
    go on to the farthest key ahead, and all entries have a score. The last
    query stands at the last key.

    Implementations shift by reshaping, as the paper's appendix suggests. The
    code of Transformer-XL leaves scores of the wrong query in the entries
    ahead, for the causal mask to hide. XLNet carries a column for the distance
    n_key, which no pair has, and drops it.

    Args:
        scores: Scores by falling distance, shape `(…, n_query, n_key)` or
            `(…, n_query, n_query + n_key − 1)`; −inf is allowed.
        n_key: Number of keys, at least as many as queries.

    Returns:
        Array of shape `(…, n_query, n_key)`, float64.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        Three queries, four keys, none ahead of its query:

        >>> import numpy as np
        >>> from pedocs import relative_shift
        >>> relative_shift(np.arange(1, 13).reshape(3, 4), n_key=4)
        array([[  3.,   4., -inf, -inf],
               [  6.,   7.,   8., -inf],
               [  9.,  10.,  11.,  12.]])

        Keys on both sides; the columns are the offsets of three tokens:

        >>> import numpy as np
        >>> from pedocs import relative_shift
        >>> relative_shift([[-2, -1, 0, 1, 2]] * 3, n_key=3)
        array([[ 0.,  1.,  2.],
               [-1.,  0.,  1.],
               [-2., -1.,  0.]])

    Source:
        [Dai et al. 2019](https://arxiv.org/abs/1901.02860), §3.3 and
        appendix B;
        [Transformer-XL](https://github.com/kimiyoung/transformer-xl/blob/44781ed21dbaec88b280f74d9ae2877f52b492a5/pytorch/mem_transformer.py),
        method `_rel_shift`.
    """
    by_distance = _checks.float64_array("scores", scores, minus_infinity=True)
    if by_distance.ndim < 2:
        raise ValueError(
            f"scores has shape {by_distance.shape}; "
            "allowed: at least two axes, a row for each token"
        )
    n_query, n_columns = by_distance.shape[-2:]
    n_key = _checks.integer("n_key", n_key, minimum=0)
    _check_last_query(n_query, n_key, "")
    if n_query and n_columns not in (n_key, n_query + n_key - 1):
        raise ValueError(
            f"scores has shape {by_distance.shape}; allowed: {n_key} columns, "
            f"no key ahead, or {n_query + n_key - 1}, keys on both sides"
        )
    if n_query == 0:
        return np.empty((*by_distance.shape[:-1], n_key))
    # In the rows laid end to end, the next query's window begins one entry less than a row later.
    line = by_distance.reshape(*by_distance.shape[:-2], n_query * n_columns)
    windows = sliding_window_view(line, n_key, axis=-1)
    shifted = windows[..., n_query - 1 :: max(n_columns - 1, 1), :]
    given = n_key - 1 + relative_offsets(n_query, n_key) < n_columns
    return np.where(given, shifted, -np.inf)


def transformer_xl_scores(
    q: ArrayLike,
    k: ArrayLike,
    r: ArrayLike,
    content_bias: ArrayLike,
    position_bias: ArrayLike,
    *,
    scale: float | None = None,
) -> NDArray[np.float64]:
    """Scores of queries and keys, plus scores of queries and distances.

    The paper expands the product of two tokens that carry absolute encodings
    into four terms, and replaces in them all that is absolute:

    ```text
    S_ij = scale · (  q_i · k_j          (a) content and content
                    + q_i · r_{i−j}      (b) content and distance
                    +  u  · k_j          (c) what a key says to everyone
                    +  v  · r_{i−j} )    (d) what a distance says to everyone

         = scale · ((q_i + u) · k_j + (q_i + v) · r_{i−j})
    ```

    i − j is the distance, query minus key: the offset with its sign changed.
    The last query stands at the last key, so the keys before it may be the
    memory of an earlier segment. The scores are complete: the weights are
    `softmax(scores)`.

    The vectors r are sinusoids of the distances times a learned matrix, in the
    layout "half-split". Their rows fall from the distance n_key − 1, as the
    columns of `relative_shift`: down to zero where no query sees a key ahead,
    as in Transformer-XL, or down to 1 − n_query for both directions, as in
    XLNet.

    Args:
        q: Queries, shape `(…, n_query, d_k)`, no more of them than keys.
        k: Keys, shape `(…, n_key, d_k)`.
        r: Projected encodings by falling distance, shape `(…, n_key, d_k)` or
            `(…, n_query + n_key − 1, d_k)`.
        content_bias: The learned vector u, shape `(d_k,)`, or `(heads, d_k)`
            with one for each head.
        position_bias: The learned vector v, of such a shape as well.
        scale: Factor of all terms; None is 1 / √d_k, as in the paper's code.

    Returns:
        Array of shape `(…, n_query, n_key)`, float64. With n_key rows in `r`,
            the entries for keys ahead are −inf.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a product does not fit in float64.

    Examples:
        One query, the newest of three tokens; r says the distance:

        >>> from pedocs import transformer_xl_scores
        >>> k = [[0.5, 0.0], [0.25, 0.0], [0.0, 0.0]]
        >>> r = [[0.0, 2.0], [0.0, 1.0], [0.0, 0.0]]
        >>> transformer_xl_scores([[1.0, 1.0]], k, r, [0.0, 0.0], [0.0, 0.0], scale=1)
        array([[2.5 , 1.25, 0.  ]])

        The biases u and v count for every query:

        >>> transformer_xl_scores([[1.0, 1.0]], k, r, [1.0, 0.0], [0.0, 1.0], scale=1)
        array([[5. , 2.5, 0. ]])

        The encodings of the distances, before the learned matrix:

        >>> import numpy as np
        >>> from pedocs import sinusoidal
        >>> distances = np.arange(3)[::-1]
        >>> sinusoidal(distances, d_model=4, layout="half-split").round(3)
        array([[ 0.909,  0.02 , -0.416,  1.   ],
               [ 0.841,  0.01 ,  0.54 ,  1.   ],
               [ 0.   ,  0.   ,  1.   ,  1.   ]])

    Source:
        [Dai et al. 2019](https://arxiv.org/abs/1901.02860), §3.3 and
        appendix B.
    """
    queries, keys = _checks.token_vectors("q", q), _checks.token_vectors("k", k)
    distances = _checks.token_vectors("r", r)
    (n_query, d_k), n_key = queries.shape[-2:], keys.shape[-2]
    if d_k == 0:
        raise ValueError(f"q has shape {queries.shape}; allowed: d_k at least 1")
    for name, array in (("k", keys), ("r", distances)):
        if array.shape[-1] != d_k:
            raise ValueError(
                f"{name} has shape {array.shape}; allowed: (…, rows, {d_k}), "
                f"the width of q with shape {queries.shape}"
            )
    _check_last_query(n_query, n_key, "")
    rows = (n_key, max(n_query + n_key - 1, n_key))
    if distances.shape[-2] not in rows:
        raise ValueError(
            f"r has shape {distances.shape}; allowed: {rows[0]} rows, "
            f"no key ahead, or {rows[1]}, keys on both sides"
        )
    u = _bias("content_bias", content_bias, d_k)
    v = _bias("position_bias", position_bias, d_k)
    factor = 1 / np.sqrt(d_k) if scale is None else _checks.real_number("scale", scale)
    leading = _checks.leading_axes(q=queries, k=keys, r=distances, content_bias=u, position_bias=v)

    arguments = "q, k, r and the biases"
    with np.errstate(all="ignore"):  # what overflows is refused by name
        position = (factor * (queries + v)) @ np.swapaxes(distances, -1, -2)
        position = relative_shift(_checks.products_that_fit(arguments, position), n_key)
        scores = np.empty((*leading, n_query, n_key))
        np.matmul(factor * (queries + u), np.swapaxes(keys, -1, -2), out=scores)
        _checks.products_that_fit(arguments, scores)
        scores += position
    fits = np.isfinite(scores)
    fits |= np.isneginf(position)
    if not fits.all():
        raise ValueError(f"{arguments} are too large; allowed: dot products that fit in float64")
    return scores


def _bias(name: str, value: ArrayLike, d_k: int) -> NDArray[np.float64]:
    """One vector for all queries, or one for the queries of each head."""
    array = _checks.float64_array(name, value)
    if array.shape[-1:] != (d_k,):
        raise ValueError(
            f"{name} has shape {array.shape}; allowed: (d_k,) or (heads, d_k), where d_k is {d_k}"
        )
    return array[..., np.newaxis, :]
