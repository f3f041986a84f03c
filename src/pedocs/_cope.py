"""Contextual position encoding: positions that count what the query finds worth counting."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._masks import causal_mask
from pedocs._offsets import _check_last_query


def cope_positions(
    logits: ArrayLike, *, mask: ArrayLike | None = None, max_position: float | None = None
) -> NDArray[np.float64]:
    """How many tokens worth counting stand from each key up to its query.

    Each query opens a gate for each key, and the position of a key is the sum
    of the gates from it to the query:

    ```text
    g_ij = σ(logits_ij) = 1 / (1 + exp(−logits_ij))    up to the query, else 0

    p_ij = min(g_ij + g_i,j+1 + … + g_ii, p_max)
    ```

    With all gates open the position is i − j + 1, one more than the distance.
    With gates open at full stops only, it counts sentences. The last query
    stands at the last key. A gate ahead of the query, or where the mask is
    False, is zero and counts nothing.

    The logits are the scores before any position is added. The paper writes
    them as q_i · k_j, its code and its repository divide by the square root of
    d_k: what is given is taken. Implementations without a mask of their own, as x-transformers,
    need logits that the causal mask has already made very low.

    Args:
        logits: Scores that open the gates, shape `(…, n_query, n_key)`, no more
            queries than keys; −inf is a closed gate.
        mask: Booleans, True where a key may be counted, for instance because it
            is no padding; broadcasts to the shape of `logits`. None counts all
            keys up to the query.
        max_position: The largest position p_max, at least zero; None is no
            limit.

    Returns:
        Array of the shape of `logits`, float64: positions, from zero. Keys
            ahead of the query have position zero.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        Gates half open everywhere:

        >>> import numpy as np
        >>> from pedocs import cope_positions
        >>> cope_positions(np.zeros((3, 3)))
        array([[0.5, 0. , 0. ],
               [1. , 0.5, 0. ],
               [1.5, 1. , 0.5]])

        Gates open at the second and the fourth token, which is the query:

        >>> import numpy as np
        >>> from pedocs import cope_positions
        >>> shut, open_ = -np.inf, 100.0
        >>> cope_positions([[shut, open_, shut, open_]])
        array([[2., 2., 1., 1.]])

    Source:
        [Golovneva et al. 2024](https://arxiv.org/abs/2405.18719), §4.
    """
    scores = _logits(logits)
    allowed = _checks.boolean_array("mask", True if mask is None else mask)
    try:
        counted = np.broadcast_to(allowed, scores.shape)
    except ValueError:
        raise ValueError(
            f"mask has shape {allowed.shape}; "
            f"allowed: one that broadcasts to the shape of logits, {scores.shape}"
        ) from None
    limit = np.inf
    if max_position is not None:
        limit = _checks.real_number("max_position", max_position)
        if limit < 0:
            raise _checks.refusal("max_position", max_position, "None, or a number of at least 0")

    with np.errstate(under="ignore"):
        gates = np.logaddexp(0, -scores)  # −log σ, and no power of e overflows
        np.exp(np.negative(gates, out=gates), out=gates)
    gates *= counted & causal_mask(*scores.shape[-2:])
    positions = np.empty_like(gates)
    np.cumsum(gates[..., ::-1], axis=-1, out=positions[..., ::-1])  # from the right
    return np.minimum(positions, limit, out=positions)


def cope_bias(
    q: ArrayLike, logits: ArrayLike, table: ArrayLike, *, mask: ArrayLike | None = None
) -> NDArray[np.float64]:
    """What the positions of the context add to the scores.

    A position is seldom whole, so the products of the query with the two
    vectors around it are mixed:

    ```text
    bias_ij = (1 − w) · q_i · e_⌊p⌋ + w · q_i · e_⌈p⌉      p = p_ij,  w = p − ⌊p⌋
    ```

    p_ij is that of `cope_positions`, limited to the last row of the table. The
    query is multiplied by each row once, so that no vector is ever copied to a
    pair of tokens.

    The authors disagree with themselves about the square root of d_k. The
    listing in the paper adds the bias undivided to scores that are divided:
    `logits + cope_bias(q, logits, table)`. Their repository opens the gates
    with the same quotients and divides the sum, so that the bias to add is
    `cope_bias(q / np.sqrt(d_k), logits, table)`; its option `--cope-nodiv`
    is the listing. The bias is not divided here: q is what decides.

    Keys ahead of a query get the bias of position zero: a causal mask has to
    shut them out, as in
    `attention(q, k, v, bias=cope_bias(q, logits, table), mask=causal_mask(n))`.

    Args:
        q: Queries, shape `(…, n_query, d_k)`.
        logits: Scores that open the gates, shape `(…, n_query, n_key)`, as in
            `cope_positions`.
        table: A vector for each whole position, shape `(…, positions, d_k)`;
            the last row is for p_max and all beyond. The axes before the last
            two of the three arrays broadcast.
        mask: Booleans, True where a key may be counted; as in
            `cope_positions`.

    Returns:
        Array of shape `(…, n_query, n_key)`, float64, to add to the scores.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a product does not fit in float64.

    Examples:
        The table counts in tens, and the gates are half open:

        >>> import numpy as np
        >>> from pedocs import cope_bias
        >>> q, table = np.ones((3, 1)), [[0.0], [10.0], [20.0]]
        >>> cope_bias(q, np.zeros((3, 3)), table)
        array([[ 5.,  0.,  0.],
               [10.,  5.,  0.],
               [15., 10.,  5.]])

    Source:
        [Golovneva et al. 2024](https://arxiv.org/abs/2405.18719), §4, and the
        listing in appendix B; the authors'
        [repository](https://github.com/facebookresearch/RAM/blob/5420e20124c73746a3d63f784928cc60e1e051e9/projects/cope/src/cope/context_position.py),
        class `ContextPosSelfAttn`.
    """
    queries, vectors = _checks.token_vectors("q", q), _checks.token_vectors("table", table)
    scores = _logits(logits)
    (n_query, d_k), n_key = queries.shape[-2:], scores.shape[-1]
    if d_k == 0:
        raise ValueError(f"q has shape {queries.shape}; allowed: d_k at least 1")
    if scores.shape[-2] != n_query:
        raise ValueError(
            f"logits has shape {scores.shape}; allowed: (…, {n_query}, n_key), "
            f"a row for each query of q with shape {queries.shape}"
        )
    if vectors.shape[-1] != d_k or vectors.shape[-2] == 0:
        raise ValueError(
            f"table has shape {vectors.shape}; allowed: (…, positions, {d_k}), "
            f"positions at least 1, the width of q with shape {queries.shape}"
        )
    leading = _checks.leading_axes(q=queries, logits=scores, table=vectors)
    positions = cope_positions(scores, mask=mask, max_position=vectors.shape[-2] - 1)

    with np.errstate(all="ignore"):  # what overflows is refused by name
        products = queries @ np.swapaxes(vectors, -1, -2)
    _checks.products_that_fit("q and table", products)
    products = np.broadcast_to(products, (*leading, *products.shape[-2:]))
    positions = np.broadcast_to(positions, (*leading, n_query, n_key))
    bias = np.empty(positions.shape)
    for i in range(n_query):  # one query at a time keeps the steps between small
        p, of_rows = positions[..., i, :], products[..., i, :]
        below = np.floor(p)
        share = p - below
        low = np.take_along_axis(of_rows, below.astype(np.intp), axis=-1)
        high = np.take_along_axis(of_rows, np.ceil(p).astype(np.intp), axis=-1)
        bias[..., i, :] = (1 - share) * low + share * high
    return bias


def _logits(value: ArrayLike) -> NDArray[np.float64]:
    scores = _checks.float64_array("logits", value, minus_infinity=True)
    if scores.ndim < 2:
        raise ValueError(
            f"logits has shape {scores.shape}; allowed: at least two axes, a row for each query"
        )
    n_query, n_key = scores.shape[-2:]
    _check_last_query(n_query, n_key, "")
    return scores
