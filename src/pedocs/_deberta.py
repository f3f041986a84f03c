"""Scores of DeBERTa: content and relative position, each asking the other."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query
from pedocs._toeplitz import offsets_in_order, toeplitz

PositionToContent = Literal["paper", "released"]


def deberta_bucket(
    offsets: ArrayLike, *, num_buckets: int, max_distance: int | None = None
) -> NDArray[np.int64]:
    """The row of the tables of relative vectors that belongs to each offset.

    DeBERTa counts from the key to the query, i − j, which is the offset with
    its sign changed. The tables have twice `num_buckets` rows, and row
    `num_buckets` is the token itself:

    ```text
    δ(i, j) = clip(bucket(i − j) + B, 0, 2B − 1)        i − j = −r,  B = num_buckets

    bucket(x) = x                                   without max_distance, or |x| ≤ M
    bucket(x) = sign(x) · (M + ⌈(M − 1) · ln(|x| / M) / ln((D − 1) / M)⌉)    else

    M = B // 2,  D = max_distance
    ```

    Without `max_distance` every distance has a row of its own until the table
    ends: the paper, and the first release. With it, distances beyond M share
    rows, ever more of them, until row 1 and row 2B − 1 hold the distance D − 1:
    DeBERTa-v2 and v3. The bucket is odd in x, the clip is not: row 0 is for
    keys too far ahead, and keys too far behind share the last row.

    In the configuration of transformers B is `position_buckets` and D is
    `max_relative_positions`, or `max_position_embeddings` where that is unset.

    Args:
        offsets: Key position minus query position, in tokens: an integer or an
            array of integers of any shape, up to 2^53 in size.
        num_buckets: Rows for each direction, at least 1, or 2 with
            `max_distance`.
        max_distance: The distance, in tokens, near which the rows end; more
            than `num_buckets // 2 + 1`. None is a row for each distance.

    Returns:
        Array of the shape of `offsets`, int64, from 0 to 2 `num_buckets` less 1.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        A key to the left has a higher row than one to the right:

        >>> from pedocs import deberta_bucket, relative_offsets
        >>> deberta_bucket(relative_offsets(4), num_buckets=2)
        array([[2, 1, 0, 0],
               [3, 2, 1, 0],
               [3, 3, 2, 1],
               [3, 3, 3, 2]])

        Far keys share rows:

        >>> from pedocs import deberta_bucket
        >>> deberta_bucket([0, 1, 2, 4, 8, 16, 32], num_buckets=4, max_distance=17)
        array([4, 3, 2, 1, 1, 1, 0])

    Source:
        [He et al. 2020](https://arxiv.org/abs/2006.03654), §3.1;
        [DeBERTa](https://github.com/microsoft/DeBERTa/blob/6d0b7c371b622e2d9793042102394bd104689f3f/DeBERTa/deberta/da_utils.py),
        function `make_log_bucket_position`.
    """
    r = _checks.integer_array("offsets", offsets)
    size, distance = _settings(num_buckets, max_distance)
    for extreme in (int(r.min(initial=0)), int(r.max(initial=0))):
        if abs(extreme) > _checks.LARGEST_INTEGER:
            raise ValueError(f"offsets holds {extreme}; allowed: integers up to 2^53 in size")
    return _rows(r.astype(np.int64), size, distance)


def deberta_scores(
    q: ArrayLike,
    k: ArrayLike,
    q_table: ArrayLike | None,
    k_table: ArrayLike | None,
    *,
    max_distance: int | None = None,
    position_to_content: PositionToContent = "paper",
    scale: float | None = None,
) -> NDArray[np.float64]:
    """Scores of content with content, content with position and position with content.

    ```text
    S_ij = scale · (  q_i · k_j                  content to content
                    + q_i · k_table[δ(i, j)]     content to position
                    + k_j · q_table[δ(j, i)] )   position to content

    scale = 1 / √(3 d_k)
    ```

    δ is the row of `deberta_bucket`. The scores are complete: the weights are
    `softmax(scores)`. Nothing here looks only back; a mask goes to `softmax`.

    The code of the authors and that of transformers index the third term by
    δ(i, j) as well: they change the sign of the distance, and later transpose
    keys and queries, which changes it back. A port that does one without the
    other has the wrong sign. `position_to_content` says which is meant, and
    "released" is what released weights need.

    Each table is multiplied once by the queries or keys, and each pair of
    tokens then picks its product, as in the paper's algorithm 1.

    Args:
        q: Queries, shape `(…, n_query, d_k)`. The last stands at the last key.
        k: Keys, shape `(…, n_key, d_k)`.
        q_table: Projected relative vectors that act as queries, shape
            `(…, 2 num_buckets, d_k)`; None leaves out position to content.
        k_table: Projected relative vectors that act as keys, with as many rows;
            None leaves out content to position. One table must be there.
        max_distance: As in `deberta_bucket`, in tokens; None is a row for each
            distance.
        position_to_content: "paper" for δ(j, i), "released" for δ(i, j).
        scale: Factor of all terms; None is 1 / √(t d_k) with t terms in use.

    Returns:
        Array of shape `(…, n_query, n_key)`, float64.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a product does not fit in float64.

    Examples:
        Only positions speak here, and only through the keys' table:

        >>> import numpy as np
        >>> from pedocs import deberta_scores
        >>> q, k = np.ones((3, 1)), np.zeros((3, 1))
        >>> k_table = [[10.0], [20.0], [30.0], [40.0]]
        >>> deberta_scores(q, k, None, k_table, scale=1)
        array([[30., 20., 10.],
               [40., 30., 20.],
               [40., 40., 30.]])

        The same numbers on the other side, by the paper and as released:

        >>> deberta_scores(k, q, k_table, None, scale=1)
        array([[30., 40., 40.],
               [20., 30., 40.],
               [10., 20., 30.]])
        >>> deberta_scores(k, q, k_table, None, position_to_content="released", scale=1)
        array([[30., 20., 10.],
               [40., 30., 20.],
               [40., 40., 30.]])

    Source:
        [He et al. 2020](https://arxiv.org/abs/2006.03654), §3.1 and its
        algorithm 1; the authors'
        [code](https://github.com/microsoft/DeBERTa/blob/009cc44b8c003d4682e2c77798803231cee04e89/DeBERTa/deberta/disentangled_attention.py)
        and questions [47](https://github.com/microsoft/DeBERTa/issues/47) and
        [162](https://github.com/microsoft/DeBERTa/issues/162) about it.
    """
    queries, keys = _checks.token_vectors("q", q), _checks.token_vectors("k", k)
    (n_query, d_k), n_key = queries.shape[-2:], keys.shape[-2]
    if d_k == 0:
        raise ValueError(f"q has shape {queries.shape}; allowed: d_k at least 1")
    if keys.shape[-1] != d_k:
        raise ValueError(
            f"k has shape {keys.shape}; allowed: (…, n_key, {d_k}), "
            f"the width of q with shape {queries.shape}"
        )
    _check_last_query(n_query, n_key, "")
    if q_table is None and k_table is None:
        raise ValueError("q_table and k_table are None; allowed: at least one table")
    tables = {
        name: _table(name, table, d_k)
        for name, table in (("q_table", q_table), ("k_table", k_table))
        if table is not None
    }
    n_rows, *other = {table.shape[-2] for table in tables.values()}
    if other:
        listed = " and ".join(f"{name} has shape {table.shape}" for name, table in tables.items())
        raise ValueError(f"{listed}; allowed: as many rows in both")
    settings = _settings(n_rows // 2, max_distance)
    _checks.choice("position_to_content", position_to_content, get_args(PositionToContent))
    terms = 1 + len(tables)
    factor = 1 / np.sqrt(terms * d_k) if scale is None else _checks.real_number("scale", scale)
    leading = _checks.leading_axes(q=queries, k=keys, **tables)

    # A row belongs to an offset, and each pair gets the one of its offset.
    offsets = offsets_in_order(n_query, n_key)
    rows = toeplitz(_rows(offsets, *settings), n_query, n_key)
    queries_at, keys_at = np.arange(n_query)[:, np.newaxis], np.arange(n_key)
    with np.errstate(all="ignore"):  # what overflows is refused by name
        scores = np.empty((*leading, n_query, n_key))
        np.matmul(queries, np.swapaxes(keys, -1, -2), out=scores)
        if "k_table" in tables:
            products = queries @ np.swapaxes(tables["k_table"], -1, -2)
            scores += products[..., queries_at, rows]
        if "q_table" in tables:
            products = keys @ np.swapaxes(tables["q_table"], -1, -2)
            if position_to_content == "paper":
                rows = toeplitz(_rows(-offsets, *settings), n_query, n_key)
            scores += products[..., keys_at, rows]
        scores *= factor
    return _checks.products_that_fit("q, k and the tables", scores)


def _settings(num_buckets: Any, max_distance: Any) -> tuple[int, int | None]:
    if max_distance is None:
        return _checks.integer("num_buckets", num_buckets, minimum=1), None
    size = _checks.integer("num_buckets", num_buckets, minimum=2)
    distance = _checks.integer("max_distance", max_distance)
    nearest = size // 2 + 1  # the logarithm of its quotient would be zero
    if distance <= nearest:
        raise _checks.refusal(
            "max_distance", distance, f"None, or more than {nearest}, num_buckets // 2 + 1"
        )
    return size, distance


def _rows(offsets: NDArray[np.int64], size: int, max_distance: int | None) -> NDArray[np.int64]:
    buckets = -offsets
    if max_distance is not None:
        middle = size // 2
        quotients = np.maximum(np.abs(buckets), middle) / middle
        steps = np.log(quotients) / np.log((max_distance - 1) / middle) * (middle - 1)
        # Where the quotient of logarithms is a whole number, rounding must not lift it.
        far = middle + np.ceil(steps * (1 - 2**-50))
        near = np.abs(buckets) < middle
        buckets = np.where(near, buckets, np.sign(buckets) * far).astype(np.int64)
    rows: NDArray[np.int64] = np.clip(buckets + size, 0, 2 * size - 1)
    return rows


def _table(name: str, value: ArrayLike, d_k: int) -> NDArray[np.float64]:
    """A table with as many rows for either direction."""
    table = _checks.token_vectors(name, value)
    n_rows, width = table.shape[-2:]
    if width != d_k or n_rows % 2 or not n_rows:
        raise ValueError(f"{name} has shape {table.shape}; allowed: (…, 2 num_buckets, {d_k})")
    return table
