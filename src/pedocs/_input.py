"""Where absolute encodings enter a Transformer: the sum at its input."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


def input_stage(
    embeddings: ArrayLike,
    encodings: ArrayLike,
    *,
    scale: float | None = None,
    dropout: float = 0.0,
    rng: "np.random.Generator | None" = None,
) -> NDArray[np.float64]:
    """Add encodings to scaled embeddings, and drop entries of the sum at random.

    ```text
    Z      = scale · X + PE
    output = keep ⊙ Z / (1 − dropout)
    ```

    Each entry of keep is 0 with the probability `dropout`, else 1. The division
    leaves the mean of an entry as it was, so that nothing changes when training
    is over and `dropout` is 0.

    Implementations differ in the scale. The first Transformer multiplies by
    √d_model, where its embeddings also serve as the weights of the last layer;
    the paper gives no reason. BERT and GPT-2 do not scale: give them a `scale`
    of 1.

    Args:
        embeddings: The tokens' vectors, shape `(…, n, d_model)`, or `(d_model,)`
            for a single token.
        encodings: A vector for each of the n positions, `(…, n, d_model)`, or
            `(d_model,)` for a single token. Axes before the last two broadcast
            to those of `embeddings`; the positions never do.
        scale: Factor of the embeddings; None is √d_model.
        dropout: Probability that an entry of the sum becomes 0, at least 0 and
            below 1. The first Transformer trained with one tenth.
        rng: Source of the chance, needed where `dropout` is above 0.

    Returns:
        Array of the shape of `embeddings`, float64.

    Raises:
        ValueError: An argument is not as described, for instance a dropout
            with no generator, or the sum does not fit in float64.

    Examples:
        >>> import numpy as np
        >>> from pedocs import input_stage, sinusoidal
        >>> embeddings = [[0.5, -0.5, 0.25, 0.0], [0.5, -0.5, 0.25, 0.0]]
        >>> encodings = sinusoidal(range(2), d_model=4)
        >>> input_stage(embeddings, encodings).round(6)
        array([[ 1.      ,  0.      ,  0.5     ,  1.      ],
               [ 1.841471, -0.459698,  0.51    ,  0.99995 ]])

        Half of the entries are dropped, and the others are doubled:

        >>> rng = np.random.default_rng(0)
        >>> ones = np.ones((100, 4))
        >>> sums = input_stage(ones, ones, dropout=0.5, rng=rng)
        >>> np.unique(sums)
        array([0., 6.])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.4 for the
        scale, §3.5 for the sum and §5.4 for the dropout.
    """
    x = _checks.float64_array("embeddings", embeddings)
    pe = _checks.float64_array("encodings", encodings)
    _check_shapes(x, pe)
    factor = np.sqrt(x.shape[-1]) if scale is None else _checks.real_number("scale", scale)
    dropout = _check_dropout(dropout, rng)

    with np.errstate(all="ignore"):  # what overflows is refused by name
        output: NDArray[np.float64] = factor * x
        output += pe
        output += 0.0  # -0 and -0 show 0
        if rng is not None and dropout > 0:
            output /= 1 - dropout
            output[rng.random(output.shape) < dropout] = 0
    if not np.isfinite(output).all():
        raise ValueError(
            "embeddings and encodings are too large; allowed: a sum that fits in float64"
        )
    return output


def _check_shapes(x: NDArray[np.float64], pe: NDArray[np.float64]) -> None:
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(
            f"embeddings has shape {x.shape}; allowed: (…, n, d_model) with d_model at least 1, "
            "or (d_model,)"
        )
    # One vector stretched over all tokens would give them all one position.
    tokens = x.shape[-2:]
    try:
        fits = np.broadcast_shapes(pe.shape, x.shape) == x.shape and pe.shape[-2:] == tokens
    except ValueError:
        fits = False
    if not fits:
        wanted = ", ".join(map(str, tokens))
        allowed = f"({wanted},)" if x.ndim == 1 else f"(…, {wanted})"
        raise ValueError(
            f"encodings has shape {pe.shape}; allowed: {allowed}, a vector for each position "
            f"of embeddings with shape {x.shape}"
        )


def _check_dropout(dropout: Any, rng: Any) -> float:
    allowed = "a real number, at least 0 and below 1"
    probability = _checks.real_number("dropout", dropout, allowed)
    if not 0 <= probability < 1:
        raise _checks.refusal("dropout", dropout, allowed)
    if rng is None:
        if dropout > 0:
            raise _checks.refusal("rng", rng, "a numpy.random.Generator where dropout is above 0")
    elif not isinstance(rng, np.random.Generator):
        raise _checks.refusal("rng", rng, "None or a numpy.random.Generator")
    return probability
