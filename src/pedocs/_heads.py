"""Vectors cut into the parts that the heads see, and put together again."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


def split_heads(x: ArrayLike, n_heads: int) -> NDArray[np.float64]:
    """Cut each vector into equal parts, one for each head.

    ```text
    (…, n, n_heads · d)  →  (…, n_heads, n, d)
    ```

    Head h gets the columns from h · d to (h + 1) · d. The heads stand before
    the tokens, so that scores are matrices of queries and keys.

    Args:
        x: Vectors, shape `(…, n, n_heads · d)`.
        n_heads: Number of heads.

    Returns:
        Array of shape `(…, n_heads, n, d)`, float64.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import split_heads
        >>> first, second = split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], n_heads=2)
        >>> first
        array([[1., 2.],
               [5., 6.]])
        >>> second
        array([[3., 4.],
               [7., 8.]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.2.
    """
    vectors = _checks.token_vectors("x", x)
    heads = _checks.integer("n_heads", n_heads, minimum=1)
    *batch, n, width = vectors.shape
    if width % heads:
        raise ValueError(
            f"x has shape {vectors.shape}; allowed: (…, n, a multiple of {heads}), "
            "the same width for each head"
        )
    parts = vectors.reshape(*batch, n, heads, width // heads)
    return np.swapaxes(parts, -2, -3).copy()


def merge_heads(x: ArrayLike) -> NDArray[np.float64]:
    """Put the parts of the heads side by side again; the inverse of `split_heads`.

    ```text
    (…, n_heads, n, d)  →  (…, n, n_heads · d)
    ```

    Args:
        x: Vectors of the heads, shape `(…, n_heads, n, d)`.

    Returns:
        Array of shape `(…, n, n_heads · d)`, float64.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import merge_heads
        >>> merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
        array([[1., 2., 3., 4.],
               [5., 6., 7., 8.]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.2.
    """
    vectors = _checks.token_vectors("x", x)
    if vectors.ndim < 3:
        raise ValueError(
            f"x has shape {vectors.shape}; allowed: at least three axes, (…, n_heads, n, d)"
        )
    *batch, heads, n, width = vectors.shape
    return np.swapaxes(vectors, -2, -3).copy().reshape(*batch, n, heads * width)
