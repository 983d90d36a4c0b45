"""Map each class of syntax node to the function that checks it.

A check takes the routine and the node. For an expression it also takes the expected type. Checks call each other
through the routine (``r.operand(node)``, ``r.block(body)``), so their modules need not import each other.
"""

from __future__ import annotations

from ..syntax import ast
from . import (
    actions,
    assignments,
    calls,
    choices,
    control_flow,
    lists,
    members,
    moves,
    names,
    operators,
    texts,
    windows,
)
from .context import Forms

FORMS = Forms(
    expressions={
        ast.IntLit: operators.number,
        ast.BoolLit: operators.truth,
        ast.NoneLit: operators.nothing,
        ast.TextLit: texts.text,
        ast.ListLit: operators.list_literal,
        ast.Name: calls.identifier,
        ast.Member: members.member,
        ast.Index: names.index,
        ast.Call: calls.call,
        ast.Unary: operators.unary,
        ast.Binary: operators.binary,
        ast.IsEmpty: operators.is_empty,
        ast.LiesIn: moves.lies_in,
        ast.HasAction: members.has,
        ast.IfExpr: operators.conditional,
        ast.LetExpr: assignments.let_expr,
        ast.Where: lists.where,
        ast.AsLong: lists.as_long,
        ast.WithKey: lists.with_key,
        ast.Sorted: lists.in_order,
        ast.IsCopy: members.is_copy,
        ast.Comprehension: lists.comprehension,
        ast.Reach: lists.reach,
    },
    statements={
        ast.Let: assignments.let,
        ast.By: assignments.by,
        ast.SetTo: assignments.set_to,
        ast.AddTo: assignments.add_to,
        ast.RemoveFrom: assignments.remove_from,
        ast.Begin: assignments.begin,
        ast.EndDuration: assignments.end_duration,
        ast.MoveCount: moves.move_count,
        ast.MoveCards: moves.move_cards,
        ast.Shuffle: moves.shuffle,
        ast.If: texts.branch,
        ast.Privately: texts.privately,
        ast.ForEach: control_flow.for_each,
        ast.EachPlayer: control_flow.each_player,
        ast.Repeat: control_flow.repeat,
        ast.Stop: control_flow.stop,
        ast.Choose: choices.choose,
        ast.ChooseSome: choices.choose_some,
        ast.ChooseOption: choices.choose_option,
        ast.May: choices.may,
        ast.Split: control_flow.split,
        ast.Random: control_flow.random,
        ast.TakeAction: actions.take_action,
        ast.UseAction: actions.use_action,
        ast.Open: windows.open_window,
        ast.Cancel: windows.cancel,
        ast.Do: calls.do,
        ast.Announce: texts.announce,
        ast.EndGame: control_flow.end_game,
    },
)
