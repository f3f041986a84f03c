"""Gradients held against finite differences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks
from pedocs.lab._model import Transformer
from pedocs.lab._pieces import Params


def gradient_errors(
    model: Transformer, *, seed: int = 0, batch: int = 2, length: int = 5, step: float = 1e-5
) -> dict[str, float]:
    """Compare the gradient of every parameter with what moving it does to the loss.

    ```text
    dL/dp ≈ (L(p + step) − L(p − step)) / (2 step)        for each number p
    ```

    Parameters, tokens and targets are random. The moved models are put side by
    side along the axis of the seeds, so that a parameter takes one call.

    Args:
        model: The model, a tiny one.
        seed: For the random numbers.
        batch: Number of texts.
        length: Length of the texts, in tokens.
        step: How far each number is moved.

    Returns:
        For each parameter the largest difference between the two, over all its
            numbers.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs.lab import Transformer, gradient_errors, scheme
        >>> tiny = {"d_model": 4, "heads": 2, "hidden": 3}
        >>> model = Transformer(3, 2, 5, scheme=scheme("T5"), **tiny)
        >>> errors = gradient_errors(model)
        >>> list(errors)[-2:]
        ['t_out', 'scheme.buckets']
        >>> max(errors.values()) < 1e-7
        True

    Source:
        [Baydin et al. 2015](https://arxiv.org/abs/1502.05767), §2.1, on finite
        differences and what they are worth.
    """
    if not isinstance(model, Transformer):
        raise _checks.refusal("model", model, "a Transformer")
    rng = np.random.default_rng(_checks.integer("seed", seed, minimum=0))
    for name, size in (("batch", batch), ("length", length)):
        _checks.integer(name, size, minimum=1)
    _checks.number_in_range("step", step, 1e-8, 1e-2)
    params = {
        name: value + 0.1 * rng.standard_normal(value.shape)  # nothing stays at zero or one
        for name, value in model.start([seed]).items()
    }
    tokens = rng.integers(0, model.vocabulary, size=(1, batch, length))
    shape = (1, batch) if model.pooled else tokens.shape
    targets: NDArray[Any] = (
        rng.standard_normal(shape)
        if model.outputs == 1
        else rng.integers(0, model.outputs, size=shape)
    )

    _, gradient = model.loss_and_gradient(params, tokens, targets)
    errors = {}
    for name, value in params.items():
        moves = step * np.eye(value.size).reshape(value.size, *value.shape[1:])
        ahead, behind = (
            _losses(model, params | {name: value + sign * moves}, tokens, targets)
            for sign in (1, -1)
        )
        difference = (ahead - behind) / (2 * step) - gradient[name].ravel()
        errors[name] = float(np.abs(difference).max())
    return errors


def _losses(
    model: Transformer, params: Params, tokens: NDArray[np.int64], targets: NDArray[Any]
) -> NDArray[np.float64]:
    """The losses of models of which one parameter differs and the others are the same."""
    models = max(len(value) for value in params.values())

    def side_by_side(array: NDArray[Any]) -> NDArray[Any]:
        return np.broadcast_to(array, (models, *array.shape[1:]))

    same = {name: side_by_side(value) for name, value in params.items()}
    return model.loss_and_gradient(same, side_by_side(tokens), side_by_side(targets))[0]
