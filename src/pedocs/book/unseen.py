"""What code that no reader sees may not change: the meaning of the code that they do see."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Collection, Iterator, Mapping
from typing import Any

PYTHONS = frozenset(dir(builtins))


def changes(
    code: str, namespace: Mapping[str, Any], known: Collection[str] = ()
) -> Iterator[tuple[int, str]]:
    """What code binds that would change what the code after it means, unseen: line and words.

    A name of Python's own, unless the page had bound it before in sight of its readers, and
    what belongs to a module.
    """
    for node in ast.walk(ast.parse(code)):
        if not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            continue
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.Name) and node.id in PYTHONS - {*known, "_"}:
            if node.id in namespace:
                yield line, f"binds {node.id}, which is Python's own"
        elif isinstance(node, ast.Attribute):
            root: ast.expr = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and inspect.ismodule(namespace.get(root.id)):
                yield line, f"sets {ast.unparse(node)}, which is a module's"
