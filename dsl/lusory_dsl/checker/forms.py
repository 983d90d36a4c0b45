"""The forms: what is made of each class of node. The one list that checking goes by; read it from top to bottom.

A form is a function that takes the routine and the node, and an expression's form also the type that is
expected. Forms reach each other through the routine (``r.operand(node)``, ``r.block(body)``), so that their files need
not import each other.
"""

from __future__ import annotations

from ..effect import nodes
from . import (
    bindings,
    blocks,
    calls,
    chance,
    changes,
    choices,
    effects,
    endings,
    identifiers,
    indices,
    lists,
    literals,
    loops,
    members,
    offers,
    opening,
    operators,
    reach,
    split,
    templates,
    temporary,
    traits,
    zones,
)
from .routine import Forms

FORMS = Forms(
    expressions={
        nodes.IntLit: literals.number,
        nodes.BoolLit: literals.truth,
        nodes.NoneLit: literals.nothing,
        nodes.TextLit: templates.text,
        nodes.ListLit: literals.list_literal,
        nodes.Name: identifiers.identifier,
        nodes.Member: members.member,
        nodes.Index: indices.index,
        nodes.Call: calls.call,
        nodes.Unary: operators.unary,
        nodes.Binary: operators.binary,
        nodes.IsEmpty: operators.is_empty,
        nodes.LiesIn: zones.lies_in,
        nodes.HasAction: traits.has,
        nodes.IfExpr: operators.conditional,
        nodes.Where: lists.where,
        nodes.WithKey: lists.with_key,
        nodes.Comprehension: lists.comprehension,
        nodes.Reach: reach.reach,
    },
    statements={
        nodes.Let: bindings.let,
        nodes.By: bindings.by,
        nodes.SetTo: changes.set_to,
        nodes.Begin: changes.begin,
        nodes.EndDuration: temporary.end_duration,
        nodes.MoveCount: zones.move_count,
        nodes.MoveCards: zones.move_cards,
        nodes.Shuffle: zones.shuffle,
        nodes.If: blocks.branch,
        nodes.Privately: blocks.privately,
        nodes.ForEach: loops.for_each,
        nodes.EachPlayer: loops.each_player,
        nodes.Repeat: loops.repeat,
        nodes.Stop: loops.stop,
        nodes.Choose: choices.choose,
        nodes.ChooseSome: choices.choose_some,
        nodes.ChooseOption: choices.choose_option,
        nodes.May: choices.may,
        nodes.Split: split.split,
        nodes.Random: chance.random,
        nodes.TakeAction: offers.take_action,
        nodes.UseAction: offers.use_action,
        nodes.Open: opening.open_window,
        nodes.Cancel: opening.cancel,
        nodes.Do: effects.do,
        nodes.Announce: templates.announce,
        nodes.EndGame: endings.end_game,
    },
)
