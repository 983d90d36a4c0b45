"""Functions and modules of the intermediate form, and walks through them."""

from __future__ import annotations

from typing import Any

from lusory_dsl.language.types import Type
from lusory_dsl.text.records import dataclass

from .operations import Branch, Op, Ops
from .sorts import Known
from .values import Value

# ---------------------------------------------------------------- functions, modules


@dataclass(frozen=True, eq=False)
class Function:
    """``role``: ``game`` and ``routine`` (one that asks) until they are split into a ``block`` each; ``question``,
    ``options``, ``resume``, ``frame``, ``phase`` of a choice; ``effect``, ``query``; ``outcome``, ``standing``;
    ``playout``. ``params``: locals that it gets."""

    role: str
    name: str
    params: tuple[int, ...]
    ops: Ops


@dataclass(frozen=True, eq=False)
class Module:
    """Everything of a build. ``tables``: the constants; ``names``: of the locals, by slot; ``shown``: the types whose
    labels are shown; ``asked``: site and phase of each choice; ``backs``: the slot of the way back, by the name of the
    routine that asks; ``known``: what is known of locals and places, from which sorts are derived."""

    kind: str
    functions: tuple[Function, ...]
    tables: tuple[object, ...]
    names: dict[int, str]
    shown: dict[str, Type]
    asked: tuple[tuple[int, str], ...]
    backs: dict[str, int]
    known: Known


# ---------------------------------------------------------------- walks

NODES = (Value, Op, Branch)
HOLDERS = (Value, Op, Branch, tuple)


def walk(node: Any) -> list[Any]:
    """A node, or several, and everything in it: values, operations and branches, in order."""
    found: list[Any] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, NODES):
            found.append(one)
            waiting.extend([held for held in reversed(one.__dict__.values()) if isinstance(held, HOLDERS)])
        elif type(one) is tuple:
            waiting.extend([held for held in reversed(one) if isinstance(held, HOLDERS)])
    return found
