"""A model's configuration that remembers which of its keys were read."""

import re
from collections.abc import Mapping
from typing import Any

from pedocs import _checks

# A key that one of these words occurs in has to do with positions. One that is neither read nor
# known to be harmless is refused: ignored, it would make the answer wrong without a sign.
TOUCHES_POSITIONS = re.compile(
    "rope|rotary|position|alibi|relative|bucket|sliding|window|theta|nope|pos_emb|n_ctx|"
    "max_seq|seq_length|max_distance|layer_types|attention_chunk|temperature_tuning|"
    "floor_scale|attn_scale|mscale|bidirectional|causal|per_layer",
    re.IGNORECASE,
)
REQUIRED: Any = object()


class Reader:
    """One level of a configuration. A key with a null says nothing, unless null is a choice."""

    def __init__(self, values: Mapping[str, Any], name: str = "config") -> None:
        self.values = values
        self.name = name
        self._read: set[str] = set()

    def called(self, key: str) -> str:
        """How a message names a key."""
        return f'{self.name}["{key}"]'

    def refusal(self, key: str, allowed: str) -> ValueError:
        """The error for what a key holds."""
        return _checks.refusal(self.called(key), self.values[key], allowed)

    def missing(self, key: str) -> ValueError:
        """The error for what has neither a value nor a default."""
        return ValueError(f"{self.name} has no {key!r}; allowed: one that states it")

    def has(self, key: str) -> bool:
        """Whether the configuration says anything under this key."""
        self._read.add(key)
        return self.values.get(key) is not None

    def first(self, *spellings: str) -> str:
        """The spelling that is used; two that disagree are refused."""
        used = [key for key in spellings if self.has(key)]
        for key in used[1:]:
            if self.values[key] != self.values[used[0]]:
                same = f"the value of {used[0]!r}, {self.values[used[0]]!r}"
                raise self.refusal(key, same)
        return used[0] if used else spellings[0]

    def integer(self, *spellings: str, default: Any, minimum: int = 1) -> Any:
        """A whole number, or the default where there is none."""
        key = self.first(*spellings)
        if not self.has(key):
            return default
        return _checks.integer(self.called(key), self.values[key], minimum=minimum)

    def nullable_integer(self, *spellings: str, default: int | None) -> int | None:
        """A whole number or null, where a null is not the same as nothing."""
        key = self.first(*spellings)
        if key in self.values and not self.has(key):
            return None
        return self.integer(key, default=default)  # type: ignore[no-any-return]

    def number(self, *spellings: str, default: Any = REQUIRED) -> Any:
        """A real number, or the default where there is none."""
        key = self.first(*spellings)
        if not self.has(key):
            if default is REQUIRED:
                raise self.missing(key)
            return default
        return _checks.real_number(self.called(key), self.values[key])

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false, or the default where there is none."""
        return _checks.boolean(self.called(key), self.values[key]) if self.has(key) else default

    def word(self, key: str, *, allowed: tuple[str, ...]) -> str | None:
        """One of a few words; None where there is none."""
        if not self.has(key):
            return None
        _checks.choice(self.called(key), self.values[key], allowed)
        return str(self.values[key])

    def entries(self, key: str, length: int, allowed: tuple[Any, ...]) -> list[Any] | None:
        """A list of so many entries, each of them allowed; None where there is none."""
        if not self.has(key):
            return None
        value = self.values[key]
        if (
            not isinstance(value, (list, tuple))
            or len(value) != length
            or not all(_is_one_of(entry, allowed) for entry in value)
        ):
            raise self.refusal(key, f"{length} entries, each {' or '.join(map(repr, allowed))}")
        return list(value)

    def level(self, key: str) -> "Reader | None":
        """What stands under a key, to be read in turn; None where there is nothing."""
        if not self.has(key):
            return None
        if not isinstance(self.values[key], Mapping):
            raise self.refusal(key, "a mapping")
        return Reader(self.values[key], self.called(key))

    def leave(self, harmless: Mapping[str, tuple[Any, ...]]) -> None:
        """Refuse what touches positions and was not read, or holds more than it may."""
        for key, allowed in harmless.items():
            if self.has(key) and allowed and self.values[key] not in allowed:
                raise self.refusal(key, " or ".join(map(repr, allowed)))
        self.finish(TOUCHES_POSITIONS)

    def finish(self, touching: re.Pattern[str]) -> None:
        """Refuse a key that matches and was not read."""
        for key, value in self.values.items():
            if value is not None and key not in self._read and touching.search(str(key)):
                known = ", ".join(sorted(self._read))
                raise ValueError(f"{self.name} has the key {key!r}; known here: {known}")


def _is_one_of(entry: Any, allowed: tuple[Any, ...]) -> bool:
    """Whether an entry is allowed; a true is not a one."""
    return any(type(entry) is type(word) and entry == word for word in allowed)
