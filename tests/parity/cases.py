"""Every comparison of the library with a real implementation: the one list.

What the implementations gave is recorded in tests/reference/, with the function that was called
and its arguments; `make parity` calls them again. A case computes the same from the arguments
with the library, and writes out each conversion between the two: layout, sign, start, masking,
a scale. The tests run the list; the page docs/library/parity.md prints it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pedocs as p

REFERENCE = Path(__file__).resolve().parents[1] / "reference"

# Distances between float64 here and float32 there, as they were measured; numbers near one.
SINUSOID = ROTATION = 3e-7
LARGE_BASE = 4e-6  # at base 500000 and position 1000 the angle itself is rounded
EXACT = 0.0


@dataclass(frozen=True)
class Case:
    """One recorded call, and how the library computes what it gave."""

    scheme: str
    implementation: str
    record: str
    ours: Callable[[dict[str, Any]], Any]
    tolerance: float
    relative: bool = False  # the difference is counted as a part of the recorded number
    read: Callable[[Any], Any] = lambda values: values  # the part that means something
    because: str = ""  # why the two differ, where they do so on purpose, by as much as tolerance

    @property
    def id(self) -> str:
        """The name of the test."""
        return f"{self.implementation}: {self.record}"


@dataclass(frozen=True)
class Comparison:
    """How many numbers were compared, and how far apart they are at most."""

    values: int
    largest: float


@cache
def implementations() -> dict[str, dict[str, Any]]:
    """What is recorded, by the name of the implementation."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(REFERENCE.glob("*.json")):
        for name, content in json.loads(path.read_text("utf-8")).items():
            if name in found:
                raise ValueError(f"{path.name}: {name} is recorded in two files")
            found[name] = content
    return found


def compare(case: Case, record: dict[str, Any] | None = None) -> Comparison:
    """Compute the case and hold it against what is recorded (or against another record)."""
    if record is None:
        record = implementations()[case.implementation]["records"][case.record]
    theirs = dict(leaves(case.read(in_dtype(record["values"], record["dtype"]))))
    ours = dict(leaves(case.ours(record["arguments"])))
    if theirs.keys() != ours.keys():
        raise ValueError(f"{case.id}: theirs are {sorted(theirs)}, ours {sorted(ours)}")
    values, largest = 0, 0.0
    for name, recorded in theirs.items():
        computed = ours[name]
        if recorded.shape != computed.shape:
            raise ValueError(f"{case.id}: shape {recorded.shape} there, {computed.shape} here")
        if (recorded.dtype.kind == "f") != (computed.dtype.kind == "f"):
            raise ValueError(f"{case.id}: {recorded.dtype} there, {computed.dtype} here")
        values += recorded.size
        apart = np.abs(computed.astype(np.float64) - recorded.astype(np.float64))
        if case.relative:
            apart /= np.maximum(np.abs(recorded.astype(np.float64)), np.finfo(np.float64).tiny)
        if apart.size:  # a number that is none is as far as can be
            largest = max(largest, float(np.nan_to_num(apart, nan=np.inf).max()))
    if not values:
        raise ValueError(f"{case.id}: nothing is compared")
    return Comparison(values, largest)


def in_dtype(values: Any, dtype: str) -> Any:
    """Recorded lists as arrays of the dtype in which they were computed."""
    if isinstance(values, dict):
        return {name: in_dtype(value, dtype) for name, value in values.items()}
    return np.array(values, dtype=dtype)


def leaves(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays in a nest of dictionaries."""
    if isinstance(values, dict):
        for name, value in values.items():
            yield from leaves(value, f"{path}/{name}")
    else:
        yield path, np.asarray(values)


def offsets(a: dict[str, Any]) -> Any:
    """Offsets from the farthest on the left to the farthest on the right."""
    return np.arange(-a["farthest"], a["farthest"] + 1)


# Sinusoids and other encodings of one position


def tables(**settings: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Tables of positions from zero on, one for each width."""
    return lambda a: {
        str(width): p.sinusoidal(np.arange(a["length"]), width, **settings) for width in a["widths"]
    }


TIMING_SIGNAL: dict[str, Any] = {"layout": "half-split", "spacing": "tensor2tensor"}


def tables_with_a_row_for_padding(a: dict[str, Any]) -> Any:
    """Fairseq: the row of the padding is zero, and the tokens start at the row after it."""
    found = tables(**TIMING_SIGNAL)(a)
    for table in found.values():
        table[a["padding_idx"]] = 0
    return found


def tables_of_falling_distances(a: dict[str, Any]) -> Any:
    """Transformer-XL: the first row is the farthest distance."""
    distances = np.arange(a["first"], -1, -1)
    return {
        str(width): p.sinusoidal(distances, width, layout="half-split") for width in a["widths"]
    }


def scaled_tables(a: dict[str, Any]) -> Any:
    """x-transformers: the table starts divided by the root of the width."""
    found = tables(layout="half-split")(a)
    return {width: table / np.sqrt(int(width)) for width, table in found.items()}


def detr(a: dict[str, Any]) -> Any:
    """DETR: counts from one, channels before rows and columns."""
    span, epsilon = a.get("span"), a.get("epsilon", 0.0)
    grid = p.grid_positions(a["height"], a["width"], start=1, span=span, epsilon=epsilon)
    return np.moveaxis(p.sinusoidal_2d(grid.rows, grid.columns, a["d_model"]), -1, 0)


def vit_mae(a: dict[str, Any]) -> Any:
    """ViT-MAE in transformers: rows first, patches in one axis."""
    grid = p.grid_positions(a["height"], a["width"])
    rows, columns = grid.rows.ravel(), grid.columns.ravel()
    return p.sinusoidal_2d(rows, columns, a["d_model"], layout="half-split")


def positional_encodings_2d(a: dict[str, Any]) -> Any:
    grid = p.grid_positions(a["height"], a["width"])
    return p.sinusoidal_2d(grid.rows, grid.columns, a["d_model"])


def opt(a: dict[str, Any]) -> Any:
    """OPT: tokens start at row two, padding gets the row before."""
    real = np.array(a["attention_mask"]) == 1
    return p.learned(a["table"], p.padded_positions(real, start=2, padding=1))


def vit_resolutions(a: dict[str, Any]) -> Any:
    """ViT: the first row is the class token's and is kept."""
    old = tuple(a["old_shape"])
    return {
        name: p.resize_learned_grid(a["table"], old, tuple(new), prefix=1)
        for name, new in a["shapes"].items()
    }


def after_padding(tokens: Any, padding: int) -> Any:
    """Fairseq and RoBERTa: tokens start one after the padding's own position."""
    return p.padded_positions(np.array(tokens) != padding, start=padding + 1, padding=padding)


AR = "harvardnlp/annotated-transformer"
HF, XT, RET, PE = "transformers", "x-transformers", "rotary-embedding-torch", "positional-encodings"

ABSOLUTE = [
    Case("Sinusoidal", AR, "sinusoids", tables(), SINUSOID),
    Case("Sinusoidal", AR, "sinusoids in float64", tables(), 1e-15),
    Case("Sinusoidal", PE, "1-D sinusoids", tables(), SINUSOID),
    Case("Sinusoidal", HF, "Marian sinusoids", tables(layout="half-split"), SINUSOID),
    Case("Sinusoidal", HF, "Speech2Text sinusoids", tables(**TIMING_SIGNAL), SINUSOID),
    Case("Sinusoidal", HF, "Whisper sinusoids", tables(**TIMING_SIGNAL), SINUSOID),
    Case("Sinusoidal", "tensorflow/tensor2tensor", "sinusoids", tables(**TIMING_SIGNAL), SINUSOID),
    Case(
        "Sinusoidal",
        "facebookresearch/fairseq",
        "sinusoids",
        tables_with_a_row_for_padding,
        SINUSOID,
    ),
    Case(
        "Sinusoidal",
        "kimiyoung/transformer-xl",
        "sinusoids of falling distances",
        tables_of_falling_distances,
        SINUSOID,
    ),
    Case("Sinusoidal", XT, "scaled sinusoids", scaled_tables, SINUSOID),
    Case(
        "Sinusoidal",
        HF,
        "ViT-MAE sinusoids, far rows in float64",
        lambda a: p.sinusoidal(a["positions"], a["d_model"], layout="half-split"),
        65536 * 2.0**-52,  # the last bit of the angle
    ),
    Case(
        "Sinusoidal",
        PE,
        "1-D sinusoids asked for in float64 after float32",
        lambda a: p.sinusoidal(a["position"], a["d_model"]),
        1.172e-5,
        because="The module keeps the float32 table of an earlier call of the same shape.",
    ),
    Case("Sinusoidal, two axes", HF, "DETR sines", detr, SINUSOID),
    Case("Sinusoidal, two axes", HF, "DETR sines, normalised", detr, 3e-6),
    Case("Sinusoidal, two axes", HF, "ViT-MAE sinusoids", vit_mae, SINUSOID),
    Case("Sinusoidal, two axes", PE, "2-D sinusoids", positional_encodings_2d, SINUSOID),
    Case("Learned", HF, "OPT positions", opt, EXACT),
    Case("Learned", HF, "ViT positions, another resolution", vit_resolutions, 3e-6),
    Case(
        "Position ids",
        HF,
        "RoBERTa position ids",
        lambda a: after_padding(a["tokens"], a["padding"]),
        EXACT,
    ),
    Case(
        "Position ids",
        "facebookresearch/fairseq",
        "positions",
        lambda a: after_padding(a["tokens"], a["padding_idx"]),
        EXACT,
    ),
    Case(
        "Masks",
        HF,
        "sliding window mask",
        lambda a: p.sliding_window_mask(a["length"], window=a["window"]),
        EXACT,
    ),
    Case("Masks", HF, "packed documents mask", lambda a: p.document_mask(a["documents"]), EXACT),
]


# Biases and relative scores


def t5_encoder(a: dict[str, Any]) -> Any:
    return p.t5_bias(a["table"], a["n_query"], a["n_key"], max_distance=a["max_distance"])


def t5_decoder(a: dict[str, Any]) -> Any:
    """A decoder: keys ahead of the query share one bucket."""
    return p.t5_bias(
        a["table"], a["n_query"], a["n_key"], max_distance=a["max_distance"], bidirectional=False
    )


def slopes(a: dict[str, Any]) -> Any:
    return {str(n): p.alibi_slopes(n) for n in a["n_heads"]}


def alibi(form: Any) -> Callable[[dict[str, Any]], Any]:
    """A bias that does not depend on the query is kept with one row there."""
    return lambda a: p.alibi_bias(a["n_heads"], a.get("n_query", 1), a["n_key"], form=form)


def bloom_with_padding(a: dict[str, Any]) -> Any:
    """BLOOM: the key counts the real tokens before it, and padding counts as the first."""
    by_head = p.alibi_slopes(a["n_heads"])[:, None, None]
    return {
        side: by_head * p.padded_positions(np.array(a[side]) == 1) for side in ("left", "right")
    }


def deberta(a: dict[str, Any]) -> Any:
    """DeBERTa-v2: both position terms are read at the row of query minus key."""
    return p.deberta_scores(
        a["q"],
        a["k"],
        a.get("q_table"),
        a.get("k_table"),
        max_distance=a["max_distance"],
        position_to_content="released",
    )


def deberta_rows(buckets: Any) -> Any:
    """transformers shifts its buckets to rows, and clips, where it reads the table."""
    return np.clip(buckets + 16, 0, 31)


def xlnet_weights(a: dict[str, Any]) -> Any:
    """XLNet: its first row of r is a distance that no pair has."""
    r = np.array(a["r"])[:, 1:]
    scores = p.transformer_xl_scores(a["q"], a["k"], r, a["content_bias"], a["position_bias"])
    return p.softmax(scores)


def causal_part(matrices: Any) -> Any:
    """What stands above the diagonal is left over from another row there, and masked."""
    return {
        name: np.where(p.causal_mask(*matrix.shape), matrix, 0) for name, matrix in matrices.items()
    }


def shaw_rows(a: dict[str, Any]) -> Any:
    rows = p.clipped_offsets
    return {
        name: rows(p.relative_offsets(*sizes), a["max_distance"])
        for name, sizes in a["calls"].items()
    }


def speecht5(a: dict[str, Any]) -> Any:
    """SpeechT5: query minus key, and no row for the farthest key on the left."""
    k = a["max_length"]
    rows = p.clipped_offsets(p.relative_offsets(a["length"]), k)
    return np.minimum(2 * k - rows, 2 * k - 1)


def log_gates(a: dict[str, Any]) -> Any:
    """The logarithm of sigmoid(x Wᵀ + b), heads before tokens."""
    logits = np.array(a["x"]) @ np.array(a["weight"]).T + np.array(a["bias"])
    return -np.log1p(np.exp(-logits)).T


def below_the_diagonal(matrices: Any) -> Any:
    """Keys ahead have a bias or −inf here; there they are left to the mask, recorded as zero."""
    return np.where(p.causal_mask(matrices.shape[-1]), matrices, 0)


RELATIVE = [
    *(
        Case(
            "T5 bias",
            HF,
            f"T5 buckets, {name}",
            lambda a: p.t5_bucket(offsets(a), **a["settings"]),
            EXACT,
        )
        for name in (
            "both directions",
            "causal",
            "few, both directions",
            "few, causal",
            "boundary of 8 and 64",
        )
    ),
    Case("T5 bias", HF, "MPNet buckets", lambda a: p.t5_bucket(offsets(a), **a["settings"]), EXACT),
    *(
        Case(
            "T5 bias",
            XT,
            f"T5 buckets, {name}",
            lambda a: p.t5_bucket(
                offsets(a),
                num_buckets=a["num_buckets"],
                max_distance=a["max_distance"],
                bidirectional=a["bidirectional"],
            ),
            EXACT,
        )
        for name in ("both directions", "causal")
    ),
    Case("T5 bias", HF, "T5 bias of an encoder", t5_encoder, EXACT),
    Case("T5 bias", HF, "T5 bias of a decoder with a cache", t5_decoder, EXACT),
    Case("T5 bias", XT, "T5 bias", lambda a: a["scale"] * t5_encoder(a), EXACT),
    Case("ALiBi", "ofirpress/attention_with_linear_biases", "slopes", slopes, 1e-14, True),
    Case("ALiBi", XT, "ALiBi slopes", slopes, 1e-14, True),
    Case("ALiBi", HF, "BLOOM slopes", slopes, 1e-7),
    Case("ALiBi", HF, "MPT slopes", slopes, 1e-7),
    Case("ALiBi", HF, "BLOOM bias", alibi("key"), 1e-7),
    Case("ALiBi", HF, "BLOOM bias with padding", bloom_with_padding, 1e-7),
    Case("ALiBi", HF, "MPT bias", alibi("last-key"), 1e-7),
    Case(
        "ALiBi",
        HF,
        "Falcon bias, slopes in bfloat16",
        alibi("key"),
        3.680e-3,
        because="The slopes are rounded to bfloat16 before they are multiplied.",
    ),
    Case("ALiBi", "keras-hub", "ALiBi bias", alibi("last-key"), 1e-7),
    Case("ALiBi", "EleutherAI/gpt-neox", "ALiBi bias", alibi("causal"), 1e-7),
    Case("ALiBi", XT, "ALiBi bias", alibi("distance"), 1e-7),
    Case(
        "KERPLE",
        "chijames/KERPLE",
        "logarithmic bias",
        lambda a: below_the_diagonal(p.kerple_bias(a["p"], a["a"], a["length"], kind="log")),
        3e-7,
    ),
    Case(
        "KERPLE",
        "chijames/KERPLE",
        "power bias",
        lambda a: below_the_diagonal(p.kerple_bias(a["a"], a["p"], a["length"], kind="power")),
        3e-7,
    ),
    Case("Shaw", "tensorflow/tensor2tensor", "Shaw indices", shaw_rows, EXACT),
    Case("Shaw", HF, "SpeechT5 indices", speecht5, EXACT),
    Case("Shaw", HF, "Wav2Vec2-BERT bias", lambda a: p.shaw_bias(a["q"], a["key_table"]), EXACT),
    Case(
        "Transformer-XL",
        "kimiyoung/transformer-xl",
        "relative shift",
        lambda a: causal_part(
            {name: p.relative_shift(s, len(s[0])) for name, s in a["scores"].items()}
        ),
        EXACT,
        read=causal_part,
    ),
    Case(
        "Transformer-XL",
        HF,
        "XLNet shift",
        # Seven columns there are the distances 3 … −3; three tokens have 2 … −2.
        lambda a: p.relative_shift(np.array(a["scores"])[:, 1:6], a["n_key"]),
        EXACT,
    ),
    Case("Transformer-XL", HF, "XLNet attention weights", xlnet_weights, 1e-6),
    Case(
        "DeBERTa",
        HF,
        "DeBERTa-v2 buckets",
        # It counts query minus key.
        lambda a: p.deberta_bucket(
            -offsets(a), num_buckets=a["num_buckets"], max_distance=a["max_distance"]
        ),
        EXACT,
        read=deberta_rows,
    ),
    *(
        Case("DeBERTa", HF, f"DeBERTa-v2 scores, {terms}", deberta, 1e-6)
        for terms in ("three terms", "content to position", "position to content")
    ),
    Case(
        "CoPE",
        XT,
        "CoPE",
        # Its logits are already masked; here no key ahead is counted.
        lambda a: p.cope_bias(a["q"], a["logits"], a["table"]),
        1e-6,
    ),
    Case(
        "Forgetting",
        XT,
        "forgetting bias",
        lambda a: below_the_diagonal(p.forgetting_bias(log_gates(a))),
        1e-6,
    ),
]


# Rotations


def turned(layout: Any) -> Callable[[dict[str, Any]], Any]:
    """One vector at several positions, in the pairing of the implementation."""

    def ours(a: dict[str, Any]) -> Any:
        x = np.tile(a["x"], (len(a["positions"]), 1))
        width = a.get("rotary_dim") or int(len(a["x"]) * a.get("partial_rotary_factor", 1.0))
        base = a.get("base", a.get("rope_theta", 10000.0))
        return p.rope(x, a["positions"], base=base, layout=layout, rotary_dim=width)

    return ours


def stretched(scaling: Callable[[float], Any]) -> Callable[[dict[str, Any]], Any]:
    """As `turned`, interleaved, with scaled frequencies."""

    def ours(a: dict[str, Any]) -> Any:
        x = np.tile(a["x"], (len(a["positions"]), 1))
        frequencies = p.rope_frequencies(len(a["x"]), scaling=scaling(a["factor"]))
        return p.rope(x, a["positions"], frequencies=frequencies)

    return ours


def deepseek(a: dict[str, Any]) -> Any:
    """DeepSeek-V3: pairs of neighbours go in, halves come out."""
    result = turned("interleaved")(a)
    return np.concatenate((result[:, 0::2], result[:, 1::2]), axis=1)


def scaled_frequencies(a: dict[str, Any]) -> Any:
    """The settings of transformers under their names here."""
    given = dict(a["rope_parameters"])
    kind, base = given.pop("rope_type"), given.pop("rope_theta")
    trained = given.pop("original_max_position_embeddings", None)
    longest, length = a["max_position_embeddings"], a["length"]
    scaling: Any = None
    if kind == "linear":
        scaling = p.Linear(given["factor"])
    elif kind == "dynamic":
        scaling = p.DynamicNTK(given["factor"], longest, length)
    elif kind == "yarn":
        scaling = p.YaRN(given.pop("factor"), trained, **given)
    elif kind == "llama3":
        low, high = given["low_freq_factor"], given["high_freq_factor"]
        scaling = p.Llama3(given["factor"], low, high, trained)
    elif kind == "longrope":
        short, long = given["short_factor"], given["long_factor"]
        scaling = p.LongRoPE(short, long, trained, length, factor=given["factor"])
    elif kind == "proportional":
        scaling = p.Proportional(given["partial_rotary_factor"])
    return p.rope_frequencies(a["head_dim"], base=base, scaling=scaling)._asdict()


def yarn(a: dict[str, Any]) -> Any:
    scaling = p.YaRN(a["factor"], a["original_length"])
    return p.rope_frequencies(a["head_dim"], scaling=scaling)._asdict()


def frequencies_alone(scaling: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Without an attention factor, which these implementations do not have."""

    def ours(a: dict[str, Any]) -> Any:
        found = p.rope_frequencies(a["head_dim"], base=a.get("base", 10000.0), scaling=scaling(a))
        return {"frequencies": found.frequencies}

    return ours


def xpos_pair(a: dict[str, Any]) -> Any:
    """Centred on the middle of the sequence, as the implementations do it."""
    q, k = np.array(a["q"]), np.array(a["k"])
    settings = {"center": a["center"], "scale_base": a["scale_base"]}
    return {
        "q": p.xpos(q, np.arange(len(q)), role="query", **settings),
        "k": p.xpos(k, np.arange(len(k)), role="key", **settings),
    }


def xpos_repeated(a: dict[str, Any]) -> Any:
    x = [a["x"]] * a["length"]
    return xpos_pair({**a, "q": x, "k": x})


def xpos_last_scores(a: dict[str, Any]) -> Any:
    """Scores of the last query."""
    both = xpos_pair(a)
    return both["q"][-1:] @ both["k"].T


FREQUENCIES = [name for name in implementations()[HF]["records"] if name.startswith("frequencies")]
ROTATIONS: list[tuple[str, str, Any, float]] = [
    (HF, "Llama rotation", "half-split", ROTATION),
    (HF, "Llama rotation, base 500000", "half-split", LARGE_BASE),
    (HF, "GPT-NeoX rotation", "half-split", ROTATION),
    (HF, "Phi rotation", "half-split", ROTATION),
    (HF, "Cohere rotation", "interleaved", ROTATION),
    (HF, "GLM rotation", "interleaved", ROTATION),
    (HF, "GPT-J rotation", "interleaved", ROTATION),
    (HF, "GPT-J rotation of a part", "interleaved", ROTATION),
    (HF, "RoFormer rotation", "interleaved", ROTATION),
    (HF, "Llama 4 rotation", "interleaved", LARGE_BASE),
    ("meta-llama/llama", "rotation", "interleaved", ROTATION),
    ("meta-llama/llama", "rotation, base 500000", "interleaved", LARGE_BASE),
    ("torchtune", "rotation", "interleaved", ROTATION),
    ("torchtune", "rotation, base 500000", "interleaved", LARGE_BASE),
    (RET, "rotation", "interleaved", ROTATION),
    (RET, "rotation, base 500000", "interleaved", LARGE_BASE),
    (RET, "rotation of a part", "interleaved", ROTATION),
    (RET, "rotation from an offset", "interleaved", ROTATION),
    (XT, "rotation", "interleaved", ROTATION),
    (XT, "rotation, base 500000", "interleaved", LARGE_BASE),
    (XT, "rotation of a part", "interleaved", ROTATION),
    ("keras-hub", "rotation", "half-split", ROTATION),
    ("keras-hub", "rotation, base 500000", "half-split", LARGE_BASE),
    ("EleutherAI/gpt-neox", "rotation", "half-split", ROTATION),
]

ROTARY = [
    *(
        Case("RoPE", implementation, record, turned(layout), tolerance)
        for implementation, record, layout, tolerance in ROTATIONS
    ),
    Case("RoPE", HF, "DeepSeek-V3 rotation", deepseek, ROTATION),
    Case(
        "RoPE",
        RET,
        "rotation of bfloat16",
        turned("interleaved"),
        1.0717,
        because="Positions are rounded to the dtype of the vectors, so 257 becomes 256.",
    ),
    Case(
        "RoPE",
        HF,
        "Llama cosines, module cast to bfloat16",
        lambda a: np.cos(np.multiply.outer(a["positions"], p.angular_frequencies(a["head_dim"]))),
        0.5944,
        because="Casting the module rounds its frequencies, and far positions multiply the error.",
    ),
    *(Case("RoPE scaling", HF, record, scaled_frequencies, 1e-6, True) for record in FREQUENCIES),
    *(
        Case("RoPE scaling", "jquesnelle/yarn", record, yarn, 1e-6, True)
        for record in ("frequencies by 4", "frequencies by 16")
    ),
    Case(
        "RoPE scaling",
        "jquesnelle/yarn",
        "frequencies, NTK-aware",
        frequencies_alone(lambda a: p.NTK(a["factor"])),
        1e-6,
        True,
    ),
    Case(
        "RoPE scaling",
        "meta-llama/llama-models",
        "frequencies",
        frequencies_alone(
            lambda a: p.Llama3(
                a["factor"], a["low_freq_factor"], a["high_freq_factor"], a["original_length"]
            )
        ),
        1e-6,
        True,
    ),
    *(
        Case("RoPE scaling", package, record, stretched(scaling), tolerance)
        for package in (XT, RET)
        for record, scaling, tolerance in (
            ("rotation, interpolated", p.Linear, ROTATION),
            ("rotation, base rescaled", p.NTK, LARGE_BASE),
        )
    ),
    Case(
        "RoPE scaling",
        HF,
        "Llama cosines, dynamic, after a longer call",
        lambda a: np.cos(
            a["position"]
            * p.rope_frequencies(
                a["head_dim"],
                scaling=p.DynamicNTK(a["factor"], a["original_length"], a["length"]),
            ).frequencies
        ),
        1.8345,
        because="The module keeps the frequencies of the longest call before.",
    ),
    Case("xPos", "microsoft/torchscale", "xPos", xpos_repeated, 1e-6),
    Case("xPos", XT, "xPos", xpos_pair, 1e-6),
    Case("xPos", RET, "xPos", xpos_pair, 1e-6),
    Case(
        "xPos",
        RET,
        "xPos scores of the last query with cached keys",
        xpos_last_scores,
        0.03098,
        because="Queries and keys are centred on different positions.",
    ),
    *(
        Case(
            "RoPE, which layers",
            HF,
            f"{model} layers that rotate",
            lambda a: p.rope_layers(a["n_layers"], nope_every=a["nope_every"]),
            EXACT,
        )
        for model in ("Llama 4", "SmolLM3")
    ),
    Case(
        "M-RoPE",
        HF,
        "Qwen2-VL rotation",
        lambda a: p.mrope(a["x"], a["positions"], sections=a["mrope_section"]),
        ROTATION,
    ),
    Case(
        "M-RoPE",
        HF,
        "Qwen3-VL rotation",
        lambda a: p.mrope(
            a["x"], a["positions"], sections=a["mrope_section"], arrangement="interleaved"
        ),
        ROTATION,
    ),
    Case(
        "M-RoPE",
        HF,
        "Qwen2-VL position ids",
        # A film takes as many positions as its longer side, however many frames it has.
        lambda a: p.mrope_positions(
            [tuple(part) if isinstance(part, list) else part for part in a["segments"]],
            resume="sides",
        ),
        EXACT,
    ),
]


# Two axes, whole configurations, whole layers


def patches(a: dict[str, Any], **settings: Any) -> Any:
    """Patches of an image, row by row."""
    return p.rope_2d(a["x"], a["rows"], a["columns"], base=a["rope_theta"], **settings)


def axial(a: dict[str, Any]) -> Any:
    """rotary-embedding-torch: rows first, neighbours paired."""
    grid = p.grid_positions(a["height"], a["width"])
    return p.rope_2d(a["x"], grid.rows.ravel(), grid.columns.ravel())


def configured(a: dict[str, Any]) -> Any:
    """What the layers that rotate use; Gemma 3 has two kinds of them."""
    rotating = [layer for layer in decoder(a).layers if layer.kind == "rope"]
    if a["config"]["model_type"] != "gemma3_text":
        return {"all": rotating[0].frequencies._asdict()}
    return {
        "full": next(each for each in rotating if each.window is None).frequencies._asdict(),
        "sliding": next(each for each in rotating if each.window is not None).frequencies._asdict(),
    }


def decoder(a: dict[str, Any]) -> Any:
    return p.from_hf_config(a["config"], length=a.get("length")).decoder


def causal_from_the_first_key(a: dict[str, Any]) -> Any:
    """Torch's own causal mask puts the first query at the first key instead."""
    n_query, n_key = np.shape(a["q"])[-2], np.shape(a["k"])[-2]
    mask = p.relative_offsets(n_query, n_key, query_start=0) <= 0
    return p.attention(a["q"], a["k"], a["v"], mask=mask).output


def layer(a: dict[str, Any], **settings: Any) -> Any:
    """One attention layer."""
    maps = [a[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    return p.multi_head_attention(a["x"], *maps, n_heads=a["n_heads"], **settings)


def llama_layer(a: dict[str, Any], **settings: Any) -> Any:
    """Half-split rotation, and fewer key heads than heads."""

    def rotate(heads: Any, positions: Any) -> Any:
        return p.rope(heads, positions, layout="half-split")

    return layer(a, n_key_heads=a["n_key_heads"], rotate=rotate, **settings)


def llama_after_a_cache(a: dict[str, Any]) -> Any:
    """Three tokens fill the cache, two more read it."""
    first, rest = {**a, "x": a["x"][:3]}, {**a, "x": a["x"][3:]}
    cache = llama_layer(first, mask=p.causal_mask(3)).cache
    return llama_layer(rest, mask=p.causal_mask(2, 5), cache=cache).output


def t5_layer(a: dict[str, Any]) -> Any:
    """T5 does not scale its scores."""
    bias = p.t5_bias(a["table"], len(a["x"]), max_distance=a["max_distance"])
    return layer(a, bias=bias, scale=1.0).output


CONFIGS = [name for name in implementations()[HF]["records"] if name.startswith("config of")]
WINDOWS = [name for name in implementations()[HF]["records"] if name.startswith("windows of")]

WHOLE = [
    Case(
        "RoPE, two axes",
        HF,
        "Pixtral rotation",
        lambda a: patches(a, layout="half-split", ladder="alternating"),
        ROTATION,
    ),
    Case(
        "RoPE, two axes",
        HF,
        "Qwen2-VL vision rotation",
        lambda a: patches(a, layout="half-split"),
        ROTATION,
    ),
    Case("RoPE, two axes", RET, "rotation on two axes", axial, ROTATION),
    *(Case("Configurations", HF, record, configured, 1e-6, True) for record in CONFIGS),
    *(
        Case(
            "Configurations",
            HF,
            record,
            lambda a: [layer.window is not None for layer in decoder(a).layers],
            EXACT,
        )
        for record in WINDOWS
    ),
]

LAYERS = [
    Case(
        "Attention",
        "torch",
        "attention",
        lambda a: p.attention(a["q"], a["k"], a["v"]).output,
        1e-6,
    ),
    Case(
        "Attention",
        "torch",
        "attention with a bias",
        lambda a: p.attention(a["q"], a["k"], a["v"], bias=a["bias"]).output,
        1e-6,
    ),
    Case(
        "Attention",
        "torch",
        "attention with a mask and a scale",
        lambda a: p.attention(a["q"], a["k"], a["v"], mask=a["mask"], scale=a["scale"]).output,
        1e-6,
    ),
    Case(
        "Attention",
        "torch",
        "causal attention of fewer queries",
        causal_from_the_first_key,
        1e-6,
    ),
    Case(
        "Attention",
        HF,
        "Llama attention, grouped keys",
        lambda a: llama_layer(a, mask=p.causal_mask(len(a["x"]))).output,
        1e-6,
    ),
    Case(
        "Attention",
        HF,
        "Llama attention, two tokens after a cache of three",
        llama_after_a_cache,
        1e-6,
    ),
    Case("Attention", HF, "T5 attention of an encoder", t5_layer, 1e-6),
]

CASES = [*ABSOLUTE, *RELATIVE, *ROTARY, *WHOLE, *LAYERS]
