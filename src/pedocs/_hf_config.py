"""Read off how a model encodes positions from its configuration file."""

from collections.abc import Mapping
from typing import Any

from pedocs import _checks
from pedocs._hf_families import COMPOSITE, DECODES, HARMLESS, ROTARY
from pedocs._hf_reader import Reader
from pedocs._hf_rotary import rotary_decoder
from pedocs._hf_scheme import PositionScheme
from pedocs._hf_stacks import STACKS


def from_hf_config(config: Mapping[str, Any], *, length: int | None = None) -> PositionScheme:
    """How a model of the transformers library encodes positions, from its config.json.

    ```text
    config.json  →  encoder and decoder  →  layers  →  kind, frequencies, window
    ```

    What a file leaves out is filled in with the default of the configuration
    class. Rotary settings are read in both forms, `rope_theta` with
    `rope_scaling`, and `rope_parameters`, also where it holds one set for each
    kind of layer. Nothing that touches positions is passed over: a key that is
    neither read nor known to be harmless is refused, and so are two values
    that contradict each other.

    The types are bert, bloom, cohere2, deepseek_v2, deepseek_v3, gemma, gemma2,
    gemma3, gemma3_text, glm, gpt2, gpt_neox, gptj, llama, llama4, llama4_text,
    marian, mistral, mpt, opt, phi, phi3, qwen2, qwen2_vl, qwen2_vl_text,
    qwen3, roberta, smollm3, stablelm, t5, vit and whisper. Of a model that
    reads text and images, the text part is described.

    Args:
        config: The file as a dictionary, as the module json reads it.
        length: Length of the running sequence in tokens, for the scalings that
            depend on it ("dynamic" and "longrope"); None is the trained
            length, up to which "dynamic" does nothing and "longrope" uses its
            short factors. Other models do not depend on it.

    Returns:
        A `PositionScheme`. Each layer has arrays of its own.

    Raises:
        ValueError: The type is not one of those above; a value is not what its
            key allows; a key that is needed has neither a value nor a default;
            a key touches positions and is not known; two values contradict
            each other.

    Examples:
        >>> from pedocs import from_hf_config
        >>> config = {
        ...     "model_type": "llama",
        ...     "hidden_size": 4096,
        ...     "num_attention_heads": 32,
        ...     "num_hidden_layers": 32,
        ...     "max_position_embeddings": 131072,
        ...     "rope_theta": 500000.0,
        ...     "rope_scaling": {
        ...         "rope_type": "llama3",
        ...         "factor": 8.0,
        ...         "low_freq_factor": 1.0,
        ...         "high_freq_factor": 4.0,
        ...         "original_max_position_embeddings": 8192,
        ...     },
        ... }
        >>> stack = from_hf_config(config).decoder
        >>> stack.head_dim, stack.layers[0].layout
        (128, 'half-split')
        >>> stack.layers[0].frequencies.frequencies[:3].round(6)
        array([1.      , 0.814617, 0.663601])

    Source:
        The configuration and modelling files of
        [transformers](https://github.com/huggingface/transformers/tree/v5.24.0/src/transformers/models);
        the schemes are cited where they are defined, rotation in
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.2.2.
    """
    if not isinstance(config, Mapping):
        raise _checks.refusal("config", config, "a mapping, the contents of a config.json")
    if length is not None:
        length = _checks.integer("length", length, minimum=0)
    reader = Reader(config)
    known = tuple(sorted({*ROTARY, *COMPOSITE, *HARMLESS}))
    model_type = reader.values.get("model_type")
    if not isinstance(model_type, str) or model_type not in known:
        raise _checks.refusal(reader.called("model_type"), model_type, ", ".join(known))
    if model_type in COMPOSITE:
        reader, model_type = _text_part(reader, model_type)
    if model_type in ROTARY:
        family = ROTARY[model_type]
        scheme = PositionScheme(model_type, None, rotary_decoder(reader, family, length))
        reader.leave(DECODES | family.harmless)
    else:
        scheme = PositionScheme(model_type, *STACKS[model_type](reader))
        reader.leave(HARMLESS[model_type])
    return scheme


def _text_part(whole: Reader, model_type: str) -> tuple[Reader, str]:
    """The part of a composite model that reads text."""
    text_type = COMPOSITE[model_type]
    text = whole.level("text_config")
    whole.has("vision_config")
    if text is None:
        if model_type != "qwen2_vl":  # its older files have no such level
            raise whole.missing("text_config")
        return whole, text_type
    whole.leave({})
    text.word("model_type", allowed=(text_type, model_type))
    return text, text_type
