"""The rule on claims: which numbers of a text must be worked values.

A *claim* is a decimal, or an integer with a unary sign. The callers blank out what is
worked, what runs, and what no reader sees; whatever is left and matches here is red.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator

# A number that follows one of these names is part of the name (Python 3.13, CC BY 4.0).
NAMES = (
    "Python",
    "numpy",
    "NumPy",
    "matplotlib",
    "mkdocs",
    "Pyodide",
    "PyTorch",
    "torch",
    "transformers",
    "pedocs",
    "CC BY",
    "arXiv",
    "arXiv:",
    "Llama",
    "GPT",
    "Qwen",
    "Gemma",
    "Phi",
    "DeepSeek",
    "Mistral",
    "ModernBERT",
    "StableLM",
    "Whisper",
    "OLMo",
    "GLM",
    "T5",
)
_NAMED = re.compile(
    rf"""
    (?: (?<![\w]) (?: {"|".join(re.escape(name) for name in NAMES)} )
        [\s\u00a0-]{{0,2}}
      | § \s?
      | (?<!\w) (?:Section|Figure|Table|Equation|Exercise)s? [\s\u00a0]
    ) \Z
    """,
    re.VERBOSE,
)
_DECIMAL = re.compile(
    r"""
    (?<! \d ) (?<! \d\. ) (?: [-−+](?=\.?\d) )?
    (?: (?: \d{1,3}(?:,\d{3})+ | \d+ ) \.\d+ | (?<![\w.,])0[,·٫․．]\d+ | (?<![\w.])\.\d+(?!\w) | \d+\.?[eE][-−+]?\d+ )
    (?: [eE][-−+]?\d+ )? \s?%?
    (?! \d | \.\d )
    """,
    re.VERBOSE,
)
_URL = re.compile(r"https?://[^\s<>)\]]+")
_SIGNED = re.compile(
    r"(?:(?<=^)|(?<=[\s(\[{|,;:=≈<>≤≥→\"'“‘]))[-−+‑‒⁻－]\d+(?:,\d{3})*(?![^\W\d]|\d|-|\.\d|,\d{3})",
    re.M,
)
_SCRIPT = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[A-Za-z]+|[^\s\\{])")
_RELATION = (
    r"[=<>≤≥≈≠∈,&({\[]|\\[\[({]|\\\\|\\(?:leq?|geq?|lt|gt|neq?|approx|equiv|sim|simeq|in|to|mapsto"
    r"|colon|propto|mid|left\s*(?:[(\[.|]|\\[{|])|bigl?\s*[(\[]|begin\{\w+\}(?:\{\w*\})?)"
)
_SIGNED_IN_MATH = re.compile(rf"(?:\A|{_RELATION})[\s~]*([-−+][\s~]*\d+)(?!\d|\.\d)")


def claims(text: str) -> Iterator[tuple[int, str]]:
    """The claims of a piece of running text: where each begins, and how it reads."""
    text = _URL.sub(lambda m: "\0" * len(m[0]), text)
    found = [(m.start(), m[0].strip()) for m in _DECIMAL.finditer(text)]
    taken = {offset for offset, _ in found}
    found += [(m.start(), m[0]) for m in _SIGNED.finditer(text) if m.start() not in taken]
    for offset, claim in sorted(found):
        signed = claim[0] in "-−+‑‒⁻－" and not text[max(0, offset - 1) : offset].isalnum()
        if signed or not _NAMED.search(text[max(0, offset - 24) : offset]):
            yield offset, claim


def claims_in_math(latex: str) -> Iterator[tuple[int, str]]:
    """The claims of a formula, with their place: decimals, and integers with a unary sign.

    `formula_faults` looks again at the MathML, where no way of writing hides one, but where
    no place is known.

    A signed integer counts after a relation, an opening bracket or a comma, and not in a
    sub- or superscript.
    """
    taken = set()
    for m in _DECIMAL.finditer(latex):
        taken |= set(range(m.start(), m.end()))
        yield m.start(), m[0].strip()
    level = _SCRIPT.sub(lambda m: "\0" * len(m[0]), latex)
    for m in _SIGNED_IN_MATH.finditer(level):
        if m.start(1) not in taken and m.end() - 1 not in taken:
            yield m.start(1), re.sub(r"[\s~]", "", m[1])


def _printed_literals(node: ast.expr) -> Iterator[tuple[int, str]]:
    """Decimals and signed integers in a piece of a print call that no name has a part in."""
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    for part in parts:
        inside = list(ast.walk(part))
        if any(isinstance(n, ast.Name) and n.id not in dir(builtins) for n in inside):
            continue
        for number in inside:
            signed = isinstance(number, ast.UnaryOp) and isinstance(number.operand, ast.Constant)
            decimal = isinstance(number, ast.Constant) and isinstance(number.value, float)
            if signed or decimal:
                yield getattr(number, "lineno", 1) - 1, ast.unparse(number)


def claims_in_code(code: str, *, comments: bool) -> Iterator[tuple[int, str]]:
    """The claims that code states in strings, and in comments if they are shown.

    Yields the line (from 0) and the claim. Such a number would be printed or shown without
    being computed. Keys of a mapping and arguments of `source` are names, and a format is
    none.
    """
    if not re.search(r"""['"#]|\bprint\b""", code):
        return  # nothing that could state a number
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return  # running the code reports it, in the right place
    names: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            names |= {id(key) for key in node.keys}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "source":
            names |= {id(argument) for argument in node.args}
        elif isinstance(node, ast.Subscript):
            names.add(id(node.slice))
        elif isinstance(node, ast.FormattedValue) and node.format_spec:
            names |= {id(part) for part in ast.walk(node.format_spec)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print":
            for printed in node.args:
                if not isinstance(printed, ast.JoinedStr):
                    yield from _printed_literals(printed)
        if isinstance(node, ast.JoinedStr):
            yield from _printed_literals(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in names:
            for offset, claim in claims(node.value):
                yield node.lineno - 1 + node.value.count("\n", 0, offset), claim
    if comments:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                for _, claim in claims(token.string):
                    yield token.start[0] - 1, claim
