"""Which layers of a model rotate their queries and keys."""

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks


def rope_layers(n_layers: int, *, nope_every: int) -> NDArray[np.bool_]:
    """Which layers rotate, where every so many of them go without a position encoding.

    ```text
    layer l rotates  unless nope_every divides l        l = 1 … n_layers
    ```

    With `nope_every` 4, the layers 4, 8, 12 and so on, counted from one, see
    no positions. Their attention is told apart from a bag of tokens by the
    causal mask alone, and reads far keys as easily as near ones.

    The configuration files of SmolLM3 and Llama 4 hold the same pattern under
    the name `no_rope_layers`, where, against the name, a 1 means that the
    layer does rotate. The result here is named for what it says: True rotates.

    Args:
        n_layers: Number of layers.
        nope_every: Distance between two layers that do not rotate, at least 1.
            With 1 no layer rotates.

    Returns:
        Array of shape `(n_layers,)`, bool, True where the layer rotates. The
            first layer is entry 0.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import rope_layers
        >>> rope_layers(8, nope_every=4)
        array([ True,  True,  True, False,  True,  True,  True, False])

    Source:
        [Yang et al. 2025](https://arxiv.org/abs/2501.18795), §3; the
        configuration classes of SmolLM3 and Llama 4 in
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/smollm3/configuration_smollm3.py).
    """
    n_layers = _checks.integer("n_layers", n_layers, minimum=0)
    nope_every = _checks.integer("nope_every", nope_every, minimum=1)
    rotates: NDArray[np.bool_] = np.arange(1, n_layers + 1) % nope_every != 0
    return rotates
