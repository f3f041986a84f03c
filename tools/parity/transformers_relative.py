# mypy: disable-error-code="import-not-found"
"""Biases and relative scores in transformers: T5, MPNet, ALiBi, DeBERTa, XLNet, Shaw."""

from types import SimpleNamespace
from typing import Any

import torch
from transformers import DebertaV2Config, T5Config
from transformers.models.bloom.modeling_bloom import (
    _get_alibi_slopes,
    build_alibi_tensor as bloom_alibi,
)
from transformers.models.deberta_v2.modeling_deberta_v2 import (
    DisentangledSelfAttention,
    make_log_bucket_position,
)
from transformers.models.falcon.modeling_falcon import (
    build_alibi_tensor as falcon_alibi,
)
from transformers.models.mpnet.modeling_mpnet import (
    MPNetEncoder,
)
from transformers.models.mpt.modeling_mpt import (
    build_mpt_alibi_tensor,
)
from transformers.models.speecht5.modeling_speecht5 import (
    SpeechT5RelativePositionalEncoding,
)
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import (
    _apply_relative_key_position_encoding,
)
from transformers.models.xlnet.modeling_xlnet import (
    XLNetRelativeAttention,
)

from tools.parity.inputs import eighths
from tools.parity.store import record

HEADS = [*range(1, 17), 20, 32, 40]


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _t5() | _alibi() | _deberta() | _xlnet() | _shaw()


def _tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def _t5() -> dict[str, Any]:
    bucket = T5Attention._relative_position_bucket

    def buckets(farthest: int, settings: dict[str, Any]) -> dict[str, Any]:
        offsets = torch.arange(-farthest, farthest + 1)
        return record(
            "models.t5 T5Attention._relative_position_bucket(-farthest … farthest, **settings)",
            {"farthest": farthest, "settings": settings},
            bucket(offsets, **settings),
        )

    table = eighths(8, 2, seed=3)

    def attention(is_decoder: bool) -> Any:
        config = T5Config(
            d_model=8,
            d_kv=4,
            num_heads=2,
            relative_attention_num_buckets=8,
            relative_attention_max_distance=20,
            is_decoder=is_decoder,
        )
        module = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
        module.relative_attention_bias.weight.data = _tensor(table)
        return module

    offsets = torch.arange(-140, 141)
    return {
        "T5 buckets, both directions": buckets(
            140, {"num_buckets": 32, "max_distance": 128, "bidirectional": True}
        ),
        "T5 buckets, causal": buckets(
            140, {"num_buckets": 32, "max_distance": 128, "bidirectional": False}
        ),
        "T5 buckets, few, both directions": buckets(
            25, {"num_buckets": 8, "max_distance": 20, "bidirectional": True}
        ),
        "T5 buckets, few, causal": buckets(
            25, {"num_buckets": 8, "max_distance": 20, "bidirectional": False}
        ),
        "T5 buckets, boundary of 8 and 64": buckets(
            70, {"num_buckets": 8, "max_distance": 64, "bidirectional": False}
        ),
        "MPNet buckets": record(
            "models.mpnet MPNetEncoder.relative_position_bucket(-farthest … farthest)",
            {"farthest": 140, "settings": {"num_buckets": 32, "max_distance": 128}},
            MPNetEncoder.relative_position_bucket(offsets),
        ),
        "T5 bias of an encoder": record(
            "models.t5 T5Attention(encoder).compute_bias(n_query, n_key)",
            {"table": table, "max_distance": 20, "n_query": 6, "n_key": 6},
            attention(False).compute_bias(6, 6)[0].detach(),
        ),
        "T5 bias of a decoder with a cache": record(
            "models.t5 T5Attention(decoder).compute_bias(n_query, n_key, past_seen_tokens=4)",
            {"table": table, "max_distance": 20, "n_query": 2, "n_key": 6},
            attention(True).compute_bias(2, 6, past_seen_tokens=4)[0].detach(),
        ),
    }


def _alibi() -> dict[str, Any]:
    everything = torch.ones(1, 5, dtype=torch.long)
    left, right = torch.tensor([[0, 0, 1, 1, 1]]), torch.tensor([[1, 1, 1, 0, 0]])
    return {
        "BLOOM slopes": record(
            "models.bloom _get_alibi_slopes(n_heads)",
            {"n_heads": HEADS},
            {n: _get_alibi_slopes(n, torch.device("cpu")) for n in HEADS},
        ),
        "MPT slopes": record(
            "models.mpt build_mpt_alibi_tensor(n_heads, 2)[:, 0, 0], times -1",
            {"n_heads": HEADS},
            {n: -build_mpt_alibi_tensor(n, 2)[:, 0, 0] for n in HEADS},
        ),
        "BLOOM bias": record(
            "models.bloom build_alibi_tensor(ones(1, n_key), n_heads)",
            {"n_heads": 6, "n_key": 5},
            bloom_alibi(everything, 6, torch.float32),
        ),
        "BLOOM bias with padding": record(
            "models.bloom build_alibi_tensor(attention_mask, n_heads)",
            {"n_heads": 6, "left": left[0], "right": right[0]},
            {
                "left": bloom_alibi(left, 6, torch.float32),
                "right": bloom_alibi(right, 6, torch.float32),
            },
        ),
        "MPT bias": record(
            "models.mpt build_mpt_alibi_tensor(n_heads, n_key)",
            {"n_heads": 6, "n_key": 5},
            build_mpt_alibi_tensor(6, 5),
        ),
        "Falcon bias, slopes in bfloat16": record(
            "models.falcon build_alibi_tensor(ones(1, n_key), n_heads, float32)",
            {"n_heads": 16, "n_key": 5},
            falcon_alibi(everything, 16, torch.float32),
        ),
    }


def _deberta() -> dict[str, Any]:
    size, heads, length = 8, 2, 6
    q, k = eighths(heads, length, 4, seed=4), eighths(heads, length, 4, seed=5)
    q_table, k_table = eighths(heads, 8, 4, seed=6), eighths(heads, 8, 4, seed=7)
    settings = {"num_buckets": 4, "max_distance": 9}

    def scores(terms: list[str]) -> Any:
        config = DebertaV2Config(
            hidden_size=size,
            num_attention_heads=heads,
            relative_attention=True,
            pos_att_type=terms,
            position_buckets=4,
            max_relative_positions=9,
            share_att_key=False,
            hidden_dropout_prob=0.0,
        )
        module = DisentangledSelfAttention(config).eval()
        # One unit vector a row, so that each projection's weight is the table that meets q or k.
        for name, table in (("pos_key_proj", k_table), ("pos_query_proj", q_table)):
            if hasattr(module, name):
                projection = torch.nn.Linear(size, size, bias=False)
                projection.weight.data = _tensor(table).permute(0, 2, 1).reshape(size, 8)
                setattr(module, name, projection)
        factor = 1 + len(terms)
        content = torch.bmm(_tensor(q), _tensor(k).transpose(1, 2)) / (4 * factor) ** 0.5
        bias = module.disentangled_attention_bias(
            _tensor(q), _tensor(k), None, torch.eye(8, size), factor
        )
        return (content + bias).detach()

    arguments = {"q": q, "k": k, "q_table": q_table, "k_table": k_table, **settings}
    function = "models.deberta_v2 DisentangledSelfAttention: scores before the mask"
    return {
        "DeBERTa-v2 buckets": record(
            "models.deberta_v2 make_log_bucket_position(query - key from -farthest to farthest, "
            "num_buckets, max_distance)",
            {"farthest": 70, "num_buckets": 16, "max_distance": 64},
            make_log_bucket_position(torch.arange(-70, 71), 16, 64).long(),
        ),
        "DeBERTa-v2 scores, three terms": record(function, arguments, scores(["c2p", "p2c"])),
        "DeBERTa-v2 scores, content to position": record(
            function,
            {name: value for name, value in arguments.items() if name != "q_table"},
            scores(["c2p"]),
        ),
        "DeBERTa-v2 scores, position to content": record(
            function,
            {name: value for name, value in arguments.items() if name != "k_table"},
            scores(["p2c"]),
        ),
    }


def _xlnet() -> dict[str, Any]:
    heads, d_head, length = 2, 4, 3
    rows = torch.arange(1.0, 22.0).reshape(1, 1, 3, 7)
    q, k = eighths(heads, length, d_head, seed=8), eighths(heads, length, d_head, seed=9)
    r = eighths(heads, 2 * length, d_head, seed=10)  # distances length … −length + 1
    content, position = eighths(heads, d_head, seed=11), eighths(heads, d_head, seed=12)
    module = SimpleNamespace(
        r_w_bias=_tensor(content),
        r_r_bias=_tensor(position),
        scale=d_head**-0.5,
        dropout=lambda weights: weights,
        rel_shift_bnij=XLNetRelativeAttention.rel_shift_bnij,
    )

    def tokens_first(values: Any) -> Any:
        return _tensor(values).permute(1, 0, 2)[:, None]

    _, weights = XLNetRelativeAttention.rel_attn_core(
        module,
        tokens_first(q),
        tokens_first(k),
        tokens_first(k),
        tokens_first(r),
        output_attentions=True,
    )
    return {
        "XLNet shift": record(
            "models.xlnet XLNetRelativeAttention.rel_shift_bnij(scores, n_key)",
            {"scores": rows[0, 0], "n_key": 3},
            XLNetRelativeAttention.rel_shift_bnij(rows, 3)[0, 0],
        ),
        "XLNet attention weights": record(
            "models.xlnet XLNetRelativeAttention.rel_attn_core, its weights",
            {
                "q": q,
                "k": k,
                "r": r,
                "content_bias": content,
                "position_bias": position,
            },
            weights[:, :, 0].permute(2, 0, 1),
        ),
    }


def _shaw() -> dict[str, Any]:
    speech = SpeechT5RelativePositionalEncoding(1, max_length=2)
    speech.pe_k.weight.data = torch.arange(4.0)[:, None]
    q, table = eighths(2, 5, 4, seed=13), eighths(5, 4, seed=14)
    module = SimpleNamespace(
        left_max_position_embeddings=2,
        right_max_position_embeddings=2,
        distance_embedding=torch.nn.Embedding(5, 4, _weight=_tensor(table)),
        scaling=0.5,
    )
    keys = torch.zeros(1, 2, 5, 4)
    _, bias = _apply_relative_key_position_encoding(module, _tensor(q)[None], keys)
    return {
        "SpeechT5 indices": record(
            "models.speecht5 SpeechT5RelativePositionalEncoding(1, max_length) of a table that "
            "holds its row numbers",
            {"length": 5, "max_length": 2},
            speech(torch.zeros(1, 5, 1)).long()[..., 0],
        ),
        "Wav2Vec2-BERT bias": record(
            "models.wav2vec2_bert _apply_relative_key_position_encoding, left = right = 2",
            {"q": q, "key_table": table},
            bias[0].detach(),
        ),
    }
