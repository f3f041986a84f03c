# mypy: disable-error-code="import-not-found"
"""Absolute positions in transformers: sinusoids, grids, learned tables, position ids."""

from types import SimpleNamespace
from typing import Any

import torch
from transformers.masking_utils import (
    packed_sequence_mask_function,
    sliding_window_causal_mask_function,
)
from transformers.models.detr.modeling_detr import (
    DetrSinePositionEmbedding,
)
from transformers.models.marian.modeling_marian import (
    MarianSinusoidalPositionalEmbedding,
)
from transformers.models.opt.modeling_opt import (
    OPTLearnedPositionalEmbedding,
)
from transformers.models.roberta.modeling_roberta import (
    RobertaEmbeddings,
)
from transformers.models.speech_to_text.modeling_speech_to_text import (
    Speech2TextSinusoidalPositionalEmbedding,
)
from transformers.models.vit.modeling_vit import (
    ViTEmbeddings,
)
from transformers.models.vit_mae.modeling_vit_mae import (
    build_2d_sinusoidal_position_embedding,
)
from transformers.models.whisper.modeling_whisper import (
    sinusoids,
)

from tools.parity.inputs import eighths
from tools.parity.store import record

LENGTH, WIDTHS = 9, [4, 6, 8, 16]


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _sinusoids() | _grids() | _learned() | _masks()


def _sinusoids() -> dict[str, Any]:
    arguments = {"length": LENGTH, "widths": WIDTHS}

    def marian(width: int) -> Any:
        return MarianSinusoidalPositionalEmbedding(LENGTH, width).create_weight()

    return {
        "Marian sinusoids": record(
            "models.marian MarianSinusoidalPositionalEmbedding(length, width).create_weight()",
            arguments,
            {width: marian(width) for width in WIDTHS},
        ),
        "Speech2Text sinusoids": record(
            "models.speech_to_text Speech2TextSinusoidalPositionalEmbedding.get_embedding"
            "(length, width, padding_idx=None)",
            arguments,
            {
                width: Speech2TextSinusoidalPositionalEmbedding.get_embedding(LENGTH, width, None)
                for width in WIDTHS
            },
        ),
        "Whisper sinusoids": record(
            "models.whisper sinusoids(length, width)",
            arguments,
            {width: sinusoids(LENGTH, width) for width in WIDTHS},
        ),
    }


def _grids() -> dict[str, Any]:
    def detr(normalize: bool) -> Any:
        module = DetrSinePositionEmbedding(4, normalize=normalize)
        return module(torch.Size([1, 8, 2, 3]), "cpu", torch.float32)[0]

    far = build_2d_sinusoidal_position_embedding(65537, 1, embed_dim=32, dtype=torch.float64)
    positions = [100, 1000, 4095, 65536]
    return {
        "DETR sines": record(
            "models.detr DetrSinePositionEmbedding(d_model / 2, normalize=False)",
            {"height": 2, "width": 3, "d_model": 8},
            detr(False),
        ),
        "DETR sines, normalised": record(
            "models.detr DetrSinePositionEmbedding(d_model / 2, normalize=True)",
            {"height": 2, "width": 3, "d_model": 8, "span": 2 * torch.pi, "epsilon": 1e-6},
            detr(True),
        ),
        "ViT-MAE sinusoids": record(
            "models.vit_mae build_2d_sinusoidal_position_embedding(height, width, d_model)",
            {"height": 2, "width": 3, "d_model": 8},
            build_2d_sinusoidal_position_embedding(2, 3, embed_dim=8),
        ),
        "ViT-MAE sinusoids, far rows in float64": record(
            "models.vit_mae build_2d_sinusoidal_position_embedding(65537, 1, 32, "
            "dtype=torch.float64)[positions, :16]",
            {"positions": positions, "d_model": 16},
            far[positions, :16],
        ),
    }


def _learned() -> dict[str, Any]:
    tokens = [[1, 1, 5, 6, 7], [5, 6, 7, 1, 1], [4, 5, 6, 7, 8]]
    ids = torch.tensor(tokens)
    real = (ids != 1).long()
    table = eighths(7, 2, seed=1)  # five positions and the two rows that OPT keeps before them
    opt = OPTLearnedPositionalEmbedding(5, 2)
    opt.weight.data = torch.tensor(table, dtype=torch.float32)
    patches = eighths(10, 2, seed=2)  # a class row and a grid of 3 × 3

    def resized(height: int, width: int) -> Any:
        module = SimpleNamespace(
            position_embeddings=torch.tensor(patches, dtype=torch.float32)[None], patch_size=16
        )
        tokens = torch.zeros(1, 1 + height * width, 2)
        return ViTEmbeddings.interpolate_pos_encoding(module, tokens, 16 * height, 16 * width)[0]

    shapes = {"larger": [5, 4], "smaller": [2, 2], "wider": [3, 7]}
    return {
        "RoBERTa position ids": record(
            "models.roberta RobertaEmbeddings.create_position_ids_from_input_ids(tokens, padding)",
            {"tokens": tokens, "padding": 1},
            RobertaEmbeddings.create_position_ids_from_input_ids(ids, 1),
        ),
        "OPT positions": record(
            "models.opt OPTLearnedPositionalEmbedding(5, 2)(attention_mask)",
            {"attention_mask": real, "table": table},
            opt(real).detach(),
        ),
        "ViT positions, another resolution": record(
            "models.vit ViTEmbeddings.interpolate_pos_encoding",
            {"table": patches, "old_shape": [3, 3], "shapes": shapes},
            {name: resized(*shape) for name, shape in shapes.items()},
        ),
    }


def _masks() -> dict[str, Any]:
    def table(function: Any) -> list[list[bool]]:
        return [
            [bool(function(0, 0, torch.tensor(i), torch.tensor(j))) for j in range(6)]
            for i in range(6)
        ]

    documents = [0, 0, 0, 1, 1, 2]
    return {
        "sliding window mask": record(
            "masking_utils.sliding_window_causal_mask_function(window)",
            {"length": 6, "window": 3},
            table(sliding_window_causal_mask_function(3)),
        ),
        "packed documents mask": record(
            "masking_utils.packed_sequence_mask_function(documents)",
            {"documents": documents},
            table(packed_sequence_mask_function(torch.tensor([documents]))),
        ),
    }
