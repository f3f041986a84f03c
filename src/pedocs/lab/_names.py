"""The schemes by the names that the book gives them."""

from pedocs import _checks
from pedocs.lab._biases import T5, Alibi, Kerple, OneSidedAlibi
from pedocs.lab._relative import Shaw, TransformerXL
from pedocs.lab._schemes import Learned, Rope, Scheme, Sinusoidal

SCHEMES: dict[str, type[Scheme]] = {
    "none": Scheme,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "Shaw": Shaw,
    "Transformer-XL": TransformerXL,
    "T5": T5,
    "ALiBi": Alibi,
    "one-sided ALiBi": OneSidedAlibi,
    "KERPLE": Kerple,
    "RoPE": Rope,
}


def scheme(name: str, *, causal: bool = False) -> Scheme:
    """A positional scheme that a `Transformer` can be trained with.

    ```text
    at the embeddings:  sinusoidal, learned
    at the scores:      Shaw, Transformer-XL, T5, ALiBi, one-sided ALiBi, KERPLE, RoPE
    nowhere:            none
    ```

    What a scheme adds is computed by the functions of the library; the lab adds
    the gradient. Its parameters are shared by all layers. Shaw's vectors stand
    on the side of the keys only, clipped at 4 tokens; T5 has 16 buckets up to
    16 tokens, and its scores are divided by √d_k here; KERPLE is the
    logarithmic kind. "one-sided ALiBi" is ours: ALiBi's bias, in heads of which
    every second reads backward only and the others ahead only.

    Args:
        name: One of the names above.
        causal: Whether no query reads a key ahead of it.

    Returns:
        A `Scheme` for the argument of that name of `Transformer`.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs.lab import Transformer, scheme
        >>> for name in ("none", "learned", "Shaw"):
        ...     Transformer(8, 8, 16, scheme=scheme(name)).count()
        ...
        2456
        2712
        2492

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5, and the
        sources of the library's functions.
    """
    _checks.choice("name", name, tuple(SCHEMES))
    return SCHEMES[name](causal=_checks.boolean("causal", causal))
