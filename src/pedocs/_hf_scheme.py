"""What a model's configuration says about positions, as named tuples."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pedocs._alibi import Form
from pedocs._rope_scaling import RopeFrequencies
from pedocs._sinusoidal import Layout, Spacing

Kind = Literal["rope", "none", "t5", "alibi", "learned", "sinusoidal"]


class LayerPositions(NamedTuple):
    """How one layer of a model learns where its tokens stand.

    ```text
    rope     rotate dimensions rotary_start … rotary_start + rotary_dim − 1
    window   query i reads keys i − window + 1 … i
    chunk    query i reads keys of its own chunk, ⌊j / chunk⌋ = ⌊i / chunk⌋
    ```

    Attributes:
        kind: "rope", "t5" or "alibi" where the layer itself encodes positions,
            "none" where nothing does, "learned" or "sinusoidal" where they
            were added to the embeddings before the first layer.
        frequencies: For "rope": what `rope` takes.
        rotary_dim: For "rope": how many dimensions of a head rotate; else 0.
        rotary_start: The first of them. Above 0 in DeepSeek's models, which
            put the rotated part of a query or key after the rest: give `rope`
            the slice `x[..., rotary_start:]` and put the two parts together.
        layout: For "rope" and "sinusoidal": how the dimensions are paired.
        window: How many keys a query reads, itself among them; None is all.
        chunk: Length of the chunks beyond which a query does not read.
        sections: For several axes, how many pairs each turns, contiguously:
            time, height and width.
        temperature: Two numbers F and a, where the query at p is multiplied by
            1 + a · ln(1 + ⌊(p + 1) / F⌋), as in Llama 4.

    Examples:
        >>> from pedocs import from_hf_config
        >>> layer = from_hf_config({"model_type": "gptj"}).decoder.layers[0]
        >>> layer.kind, layer.rotary_dim, layer.layout
        ('rope', 64, 'interleaved')

    Source:
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.2.2.
    """

    kind: Kind
    frequencies: RopeFrequencies | None = None
    rotary_dim: int = 0
    rotary_start: int = 0
    layout: Layout | None = None
    window: int | None = None
    chunk: int | None = None
    sections: tuple[int, ...] | None = None
    temperature: tuple[int, float] | None = None


class PositionStack(NamedTuple):
    """The layers of an encoder or of a decoder, and what they share.

    ```text
    rows of a learned table = position_start + max_positions
    ```

    Attributes:
        layers: One entry for each layer.
        n_heads: Number of heads of the queries.
        head_dim: Width of a head.
        bidirectional: Whether a query reads the keys after it.
        max_positions: How many positions the model is made for; None where
            the configuration does not say.
        position_start: The position of the first token that is not padding.
        spacing: For "sinusoidal": the frequencies of `sinusoidal`.
        num_buckets: For "t5": number of buckets.
        max_distance: For "t5": distance from which all share a bucket.
        slopes: For "alibi": shape `(n_heads,)`, per token.
        form: For "alibi": the form of `alibi_bias` that the model adds.
        score_factor: What the scaled scores are multiplied by, beside the
            attention factor: YaRN's temperature in DeepSeek's models.
        grid: For an image: rows and columns of patches. The positions are one
            for the class token and then the patches, row by row.

    Examples:
        >>> from pedocs import from_hf_config
        >>> stack = from_hf_config({"model_type": "opt"}).decoder
        >>> stack.position_start, stack.max_positions
        (2, 2048)

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.1, for the
        two stacks.
    """

    layers: tuple[LayerPositions, ...]
    n_heads: int
    head_dim: int
    bidirectional: bool
    max_positions: int | None = None
    position_start: int = 0
    spacing: Spacing | None = None
    num_buckets: int | None = None
    max_distance: int | None = None
    slopes: NDArray[np.float64] | None = None
    form: Form | None = None
    score_factor: float = 1.0
    grid: tuple[int, int] | None = None


class PositionScheme(NamedTuple):
    """How a model encodes positions, as `from_hf_config` reads it.

    ```text
    scheme.decoder.layers[l].frequencies   of a model that rotates, layer l from 0
    ```

    Attributes:
        model_type: The type of the model, or of its text part.
        encoder: Layers that read in both directions; None where there are none.
        decoder: Layers that read backwards; None where there are none.

    Examples:
        >>> from pedocs import from_hf_config
        >>> scheme = from_hf_config({"model_type": "t5"})
        >>> scheme.encoder.bidirectional, scheme.decoder.bidirectional
        (True, False)

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.1.
    """

    model_type: str
    encoder: PositionStack | None
    decoder: PositionStack | None
