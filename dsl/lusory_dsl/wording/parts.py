"""What expressions are made of, as the prose of the rules asks for it: owner, name and arguments; words of builtins."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..effect import nodes
from ..language.rows import Builtin
from ..ruleset import model
from .words import Named


def builtin_said(row: Builtin, args: list[str]) -> str:
    """A builtin in the words of its row; an argument that is missing shows as a dash."""
    named: Mapping[str, str] = {p.name: args[i] if i < len(args) else "–" for i, p in enumerate(row.params)}
    return re.sub(r"^the (\w+) of you$", r"your \1", row.text.format_map(named))


def of_player(decl: Named) -> bool:
    """Whether a thing exists once for each player."""
    if isinstance(decl, model.QueryDecl | model.SpanDecl):
        return decl.per_player
    return bool(decl.per) and decl.per[0].text == "Player"


def taken_apart(e: nodes.Expr) -> tuple[nodes.Expr | None, str, tuple[nodes.Expr, ...]]:
    """The owner, name and further arguments or indices of a place, query or call."""
    match e:
        case nodes.Name(name=name):
            return None, name, ()
        case nodes.Member(subject=subject, name=name):
            return subject, name, ()
        case nodes.Index(subject=subject, indices=indices):
            owner, name, before = taken_apart(subject)
            return owner, name, (*before, *indices)
        case nodes.Call(callee=callee, args=args):
            owner, name, before = taken_apart(callee)
            return owner, name, (*before, *(a.value for a in args))
    return None, "this", (e,)


def head_of(e: nodes.Expr) -> str | None:
    """The declared name that an expression begins with, behind its owner."""
    return taken_apart(e)[1] if isinstance(e, nodes.Name | nodes.Member | nodes.Index) else None
