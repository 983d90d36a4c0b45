"""What of the syntax came after the first edition: a row for each class of nodes, read by the parser for every text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import nodes, patterns


class Later(NamedTuple):
    """Which edition a construct came with, and what messages call it.

    ``where``: of a class that is older, which of its nodes are meant; all if there is none."""

    edition: int
    what: str
    where: Callable[[Any], bool] | None = None


LATER: dict[type[nodes.Node], tuple[Later, ...]] = {
    nodes.ChoiceVar: (Later(2, "`unseen`", lambda var: var.unseen),),
    nodes.EachPlayer: (Later(2, "`each player at once`", lambda loop: loop.at_once),),
    nodes.ChooseSome: (Later(2, "a block behind a choice of several", lambda choice: choice.body is not None),),
    patterns.ZoneRule: (Later(2, "a rule that answers to a zone"),),
    patterns.PhaseRule: (Later(2, "a rule that answers to a phase"),),
    patterns.ChangeRule: (Later(2, "a rule that answers to a change"),),
    nodes.Reach: (Later(2, "what is reached: `reach(… for … from …)`, `steps(…)[…]`"),),
    nodes.GainRule: (Later(2, "`gets`"),),
    nodes.TakeAction: (Later(2, "`take action from` a menu", lambda node: node.menu is not None),),
    nodes.LetExpr: (Later(2, "`let …;` in an expression"),),
    nodes.AsLong: (Later(2, "`while` behind a list"),),
    nodes.Sorted: (Later(2, "`sorted by`"),),
    nodes.Item: (Later(2, "`as` behind a list"),),
    nodes.Each: (Later(2, "a second list in one comprehension"),),
    nodes.IsCopy: (Later(2, "`is any`"),),
    nodes.AddTo: (Later(2, "`add`"),),
    nodes.RemoveFrom: (Later(2, "`remove`"),),
}
"""What stands here came later; what doesn't has been there from the first."""


def later(node: nodes.Node) -> Iterator[Later]:
    """The rows that a node falls under."""
    for row in LATER.get(type(node), ()):
        if row.where is None or row.where(node):
            yield row
