"""The stacks of the models that do not share the settings of the rotary decoders."""

from collections.abc import Callable
from typing import Any

from pedocs import _checks
from pedocs._alibi import alibi_slopes
from pedocs._hf_reader import Reader
from pedocs._hf_scheme import Kind, LayerPositions, PositionStack
from pedocs._rope_scaling import rope_frequencies

Stacks = tuple[PositionStack | None, PositionStack | None]


def _stack(
    n_layers: int, n_heads: int, head_dim: int, kind: Kind, *, bidirectional: bool, **shared: Any
) -> PositionStack:
    """A stack whose layers are all alike."""
    layout = shared.pop("layout", None)
    layers = (LayerPositions(kind, layout=layout),) * n_layers
    return PositionStack(layers, n_heads, head_dim, bidirectional, **shared)


def _head_dim(config: Reader, n_heads: int, *spellings: str, default: int) -> int:
    width: int = config.integer(*spellings, default=default)
    if width % n_heads:
        raise _checks.refusal(
            config.called(config.first(*spellings)), width, f"a multiple of the {n_heads} heads"
        )
    return width // n_heads


def _gpt2_sizes(
    config: Reader, layers: int, heads: int, width: int, positions: int
) -> tuple[int, int, int, int]:
    n_layers = config.integer("n_layer", "num_hidden_layers", default=layers)
    n_heads = config.integer("n_head", "num_attention_heads", default=heads)
    head_dim = _head_dim(config, n_heads, "n_embd", "hidden_size", default=width)
    max_positions = config.integer("n_positions", "max_position_embeddings", default=positions)
    return n_layers, n_heads, head_dim, max_positions


def _gpt2(config: Reader) -> Stacks:
    n_layers, n_heads, head_dim, positions = _gpt2_sizes(config, 12, 12, 768, 1024)
    return None, _stack(
        n_layers, n_heads, head_dim, "learned", bidirectional=False, max_positions=positions
    )


def _gptj(config: Reader) -> Stacks:
    n_layers, n_heads, head_dim, positions = _gpt2_sizes(config, 28, 16, 4096, 2048)
    rotary_dim = config.integer("rotary_dim", default=64)
    if rotary_dim % 2 or not 2 <= rotary_dim <= head_dim:
        allowed = f"an even integer from 2 to the width of a head, {head_dim}"
        raise _checks.refusal(config.called("rotary_dim"), rotary_dim, allowed)
    layers = tuple(
        LayerPositions("rope", rope_frequencies(rotary_dim), rotary_dim, layout="interleaved")
        for _ in range(n_layers)
    )
    return None, PositionStack(layers, n_heads, head_dim, False, positions)


def _bert_sizes(config: Reader) -> tuple[int, int, int]:
    n_layers = config.integer("num_hidden_layers", default=12)
    n_heads = config.integer("num_attention_heads", default=12)
    return n_layers, n_heads, _head_dim(config, n_heads, "hidden_size", default=768)


def _bert(config: Reader, start: int = 0) -> Stacks:
    sizes = _bert_sizes(config)
    rows = config.integer("max_position_embeddings", default=512, minimum=start + 1)
    decodes = config.flag("is_decoder", default=False)
    stack = _stack(
        *sizes,
        "learned",
        bidirectional=not decodes,
        max_positions=rows - start,
        position_start=start,
    )
    return (None, stack) if decodes else (stack, None)


def _roberta(config: Reader) -> Stacks:
    """The first rows of its table belong to padding: the tokens start after them."""
    return _bert(config, start=config.integer("pad_token_id", default=1, minimum=0) + 1)


def _opt(config: Reader) -> Stacks:
    """Its table has two rows more than positions, and the tokens start after those."""
    sizes = _bert_sizes(config)
    positions = config.integer("max_position_embeddings", default=2048)
    return None, _stack(
        *sizes, "learned", bidirectional=False, max_positions=positions, position_start=2
    )


def _vit(config: Reader) -> Stacks:
    sizes = _bert_sizes(config)
    rows, columns = (
        image // patch
        for image, patch in zip(
            _two(config, "image_size", 224), _two(config, "patch_size", 16), strict=True
        )
    )
    if not rows * columns:
        raise _checks.refusal("image_size", config.values.get("image_size"), "at least one patch")
    return _stack(
        *sizes,
        "learned",
        bidirectional=True,
        max_positions=1 + rows * columns,
        grid=(rows, columns),
    ), None


def _two(config: Reader, key: str, default: int) -> tuple[int, int]:
    """A height and a width, or one number for both."""
    value = config.values[key] if config.has(key) else default
    pair = list(value) if isinstance(value, (list, tuple)) else [value, value]
    if len(pair) != 2:
        raise config.refusal(key, "an integer, or two of them")
    height, width = (_checks.integer(config.called(key), side, minimum=1) for side in pair)
    return height, width


def _t5(config: Reader) -> Stacks:
    n_heads = config.integer("num_heads", "num_attention_heads", default=8)
    head_dim = config.integer("d_kv", "head_dim", default=64)
    n_layers = config.integer("num_layers", "num_hidden_layers", default=6)
    decoder_layers = config.integer("num_decoder_layers", default=n_layers)
    buckets = {
        "num_buckets": config.integer("relative_attention_num_buckets", default=32),
        "max_distance": config.integer("relative_attention_max_distance", default=128),
    }
    return (
        _stack(n_layers, n_heads, head_dim, "t5", bidirectional=True, **buckets),
        _stack(decoder_layers, n_heads, head_dim, "t5", bidirectional=False, **buckets),
    )


def _bloom(config: Reader) -> Stacks:
    n_layers = config.integer("n_layer", "num_hidden_layers", default=2)
    n_heads = config.integer("n_head", "num_attention_heads", default=8)
    head_dim = _head_dim(config, n_heads, "n_embed", "hidden_size", default=64)
    return None, _stack(
        n_layers,
        n_heads,
        head_dim,
        "alibi",
        bidirectional=False,
        max_positions=config.integer("seq_length", default=None),
        slopes=alibi_slopes(n_heads),
        form="key",
    )


def _mpt(config: Reader) -> Stacks:
    """Its class adds ALiBi with eight as the largest exponent, whatever the file says."""
    n_layers = config.integer("n_layers", "num_hidden_layers", default=24)
    n_heads = config.integer("n_heads", "num_attention_heads", default=16)
    head_dim = _head_dim(config, n_heads, "d_model", "hidden_size", default=2048)
    attention = config.level("attn_config") or Reader({})
    attention.leave({"alibi": (True,), "alibi_bias_max": (8,)})
    return None, _stack(
        n_layers,
        n_heads,
        head_dim,
        "alibi",
        bidirectional=False,
        max_positions=config.integer("max_seq_len", default=2048),
        slopes=alibi_slopes(n_heads),
        form="last-key",
    )


def _whisper(config: Reader) -> Stacks:
    return (
        _side(config, "encoder", 4, 6, 384, "sinusoidal", "max_source_positions", 1500)._replace(
            spacing="tensor2tensor"
        ),
        _side(config, "decoder", 4, 6, 384, "learned", "max_target_positions", 448),
    )


def _marian(config: Reader) -> Stacks:
    encoder, decoder = (
        _side(config, side, 12, 16, 1024, "sinusoidal", "max_position_embeddings", 1024)
        for side in ("encoder", "decoder")
    )
    return encoder._replace(spacing="paper"), decoder._replace(spacing="paper")


def _side(
    config: Reader,
    side: str,
    layers: int,
    heads: int,
    width: int,
    kind: Kind,
    positions_key: str,
    positions: int,
) -> PositionStack:
    n_heads = config.integer(f"{side}_attention_heads", default=heads)
    return _stack(
        config.integer(f"{side}_layers", default=layers),
        n_heads,
        _head_dim(config, n_heads, "d_model", "hidden_size", default=width),
        kind,
        bidirectional=side == "encoder",
        max_positions=config.integer(positions_key, default=positions),
        layout="half-split" if kind == "sinusoidal" else None,
    )


STACKS: dict[str, Callable[[Reader], Stacks]] = {
    "bert": _bert,
    "bloom": _bloom,
    "gpt2": _gpt2,
    "gptj": _gptj,
    "marian": _marian,
    "mpt": _mpt,
    "opt": _opt,
    "roberta": _roberta,
    "t5": _t5,
    "vit": _vit,
    "whisper": _whisper,
}
