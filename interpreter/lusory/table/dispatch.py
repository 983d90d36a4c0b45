"""Which method is for which class of nodes: a table with a method for every class, or no table at all.

Used by the readers, of which the evaluator is one: those are classes, each the one below with more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def methods(owner: Any, prefix: str, nodes: Iterable[type]) -> dict[type, Callable[..., Any]]:
    """The methods of a class for classes of nodes: ``eval_Const`` for ``Const``. Raises TypeError where any is
    missing."""
    names = {node: prefix + node.__name__ for node in nodes}
    missing = [name for name in names.values() if not hasattr(owner, name)]
    if missing:
        raise TypeError(f"{owner} lacks {', '.join(missing)}")
    return {node: getattr(owner, name) for node, name in names.items()}
