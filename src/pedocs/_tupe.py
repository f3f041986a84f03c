"""TUPE: positions that ask positions, with projections of their own."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._attention import check_broadcasts_to


def tupe_bias(
    table: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    *,
    relative: ArrayLike | None = None,
    reset: tuple[ArrayLike, ArrayLike] | None = None,
    scale: float | None = None,
) -> NDArray[np.float64]:
    """What the positions of TUPE add to the scores, whatever the words are.

    ```text
    bias_ij = scale · (p_i U_Q) · (p_j U_K) + relative_ij

    with reset = (θ_1, θ_2), where position 0 is the symbol [CLS]:

    bias_0j = θ_1                  from [CLS] to every token, itself included
    bias_i0 = θ_2,  i ≥ 1          from every other token to [CLS]

    scale = 1 / √(2 d_k)
    ```

    Words and positions have projections of their own, so the score has two
    terms in place of four. Their sum has twice the variance of one, which is
    why both are scaled by 1 / √(2 d_k): pass that `scale` to `attention`, too,
    which adds this bias as it is. All layers of TUPE share one bias.

    The paper calls this TUPE-A, and TUPE-R with a `relative` bias, for instance
    that of `t5_bias`; the reset replaces both. Every head has its own θ_1 and
    θ_2. They are learned as vectors: each is such a vector, projected twice and
    scored against itself with the scale of the rest (appendix B). A table goes
    through LayerNorm first; here it is taken as it is.

    In the authors' code, the vector of θ_1 is a row in front of the table, that
    of θ_2 the row of [CLS], and the projections add biases. Its TUPE-R adds the
    relative bias behind the reset, with entries of its own for the row and the
    column of [CLS]: pass the sums as `reset`.

    Args:
        table: A learned vector for each token's position, shape
            `(…, n, d_model)`; row 0 is the first token.
        w_q: The projection U_Q, shape `(…, d_model, d_k)`, applied from the
            right; axes in front, such as heads, broadcast.
        w_k: The projection U_K, of such a shape as well.
        relative: Added before the reset; broadcasts to `(…, n, n)`. None is no
            relative bias.
        reset: θ_1 and θ_2, each a number or an array with one for each head,
            shape `(heads,)`. None treats [CLS] as every other token.
        scale: Factor of the products; None is 1 / √(2 d_k).

    Returns:
        Array of shape `(…, n, n)`, float64, to be added to scaled scores.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a product does not fit in float64.

    Examples:
        Three positions, one number each, and one head:

        >>> from pedocs import tupe_bias
        >>> table = [[1.0], [2.0], [3.0]]
        >>> tupe_bias(table, [[1.0]], [[10.0]], scale=1)
        array([[10., 20., 30.],
               [20., 40., 60.],
               [30., 60., 90.]])

        With [CLS] in front:

        >>> tupe_bias(table, [[1.0]], [[10.0]], reset=(-1.0, -2.0), scale=1)
        array([[-1., -1., -1.],
               [-2., 40., 60.],
               [-2., 60., 90.]])

    Source:
        [Ke et al. 2020](https://arxiv.org/abs/2006.15595), §3.1 to §3.3 and
        appendix B; the authors'
        [code](https://github.com/guolinke/TUPE/blob/000ded0596c81649bd9af079837b920c84854b9e/fairseq/modules/transformer_sentence_encoder.py).
    """
    positions = _checks.token_vectors("table", table)
    projections = {name: _checks.token_vectors(name, w) for name, w in (("w_q", w_q), ("w_k", w_k))}
    n, d_model = positions.shape[-2:]
    d_k = projections["w_q"].shape[-1]
    if d_k == 0:
        raise ValueError(f"w_q has shape {projections['w_q'].shape}; allowed: d_k at least 1")
    for name, projection in projections.items():
        if projection.shape[-2:] != (d_model, d_k):
            raise ValueError(
                f"{name} has shape {projection.shape}; allowed: (…, {d_model}, {d_k}), "
                f"for a table with shape {positions.shape}"
            )
    added = _checks.float64_array("relative", 0 if relative is None else relative)
    check_broadcasts_to("relative", added, (n, n))
    given = {"table": positions, **projections, "relative": np.atleast_2d(added)}
    thetas = () if reset is None else _thetas(reset)
    given |= {name: theta[..., np.newaxis, np.newaxis] for name, theta in thetas}
    leading = _checks.leading_axes(**given)
    factor = 1 / np.sqrt(2 * d_k) if scale is None else _checks.real_number("scale", scale)

    bias = np.empty((*leading, n, n))
    with np.errstate(all="ignore"):  # what overflows is refused by name
        queries, keys = positions @ projections["w_q"], positions @ projections["w_k"]
        bias[...] = factor * (queries @ np.swapaxes(keys, -1, -2)) + added
    _checks.products_that_fit("table, w_q and w_k", bias)
    if thetas:
        (_, from_cls), (_, to_cls) = thetas
        bias[..., :, :1] = to_cls[..., np.newaxis, np.newaxis]
        bias[..., :1, :] = from_cls[..., np.newaxis, np.newaxis]
    return bias


def _thetas(
    reset: tuple[ArrayLike, ArrayLike],
) -> tuple[tuple[str, NDArray[np.float64]], ...]:
    """The two numbers of each head, by the names that a refusal gives them."""
    try:
        from_cls, to_cls = reset
    except (TypeError, ValueError):
        raise ValueError(
            f"reset is {reset!r}; allowed: None, or a pair of numbers or of arrays"
        ) from None
    names = ("reset[0]", "reset[1]")
    return tuple(
        (name, _checks.float64_array(name, theta))
        for name, theta in zip(names, (from_cls, to_cls), strict=True)
    )
