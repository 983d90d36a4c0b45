"""Which method is for which class of nodes: a table with a method for every class, or no table at all.

Used by all that go through programs by methods: the readers, the evaluator, the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def methods(owner: Any, prefix: str, nodes: Iterable[type], lower: bool = False) -> dict[type, Callable[..., Any]]:
    """The methods of a class, or of an object, for classes of nodes: ``eval_Const`` for ``Const``, or with ``lower``
    ``_const``. Raises TypeError where any is missing."""
    names = {node: prefix + (node.__name__.lower() if lower else node.__name__) for node in nodes}
    missing = [name for name in names.values() if not hasattr(owner, name)]
    if missing:
        raise TypeError(f"{owner} lacks {', '.join(missing)}")
    return {node: getattr(owner, name) for node, name in names.items()}
