"""Map each class of syntax node to the function that checks it.

A check takes the routine and the node. For an expression it also takes the expected type. Checks call each other
through the routine (``routine.check_operand(node)``, ``routine.check_block(body)``), so their modules need not import
each other.
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
    operators,
    rule_texts,
    subjects_and_indices,
    windows,
)
from .context import Forms

FORMS = Forms(
    expressions={
        ast.IntLit: operators.check_number,
        ast.BoolLit: operators.check_boolean,
        ast.NoneLit: operators.check_none,
        ast.TextLit: rule_texts.check_text,
        ast.ListLit: operators.check_list_literal,
        ast.Name: calls.check_identifier,
        ast.Member: members.check_member,
        ast.Index: subjects_and_indices.check_index,
        ast.Call: calls.check_call,
        ast.Unary: operators.check_unary,
        ast.Binary: operators.check_binary,
        ast.IsEmpty: operators.check_is_empty,
        ast.LiesIn: moves.check_lies_in,
        ast.HasAction: members.check_has,
        ast.IfExpr: operators.check_conditional,
        ast.LetExpr: assignments.check_let_expr,
        ast.Where: lists.check_where,
        ast.AsLong: lists.check_while,
        ast.WithKey: lists.check_with_key,
        ast.Sorted: lists.check_sorted,
        ast.IsCopy: members.check_is_copy,
        ast.Comprehension: lists.check_comprehension,
        ast.Reach: lists.check_reach,
    },
    statements={
        ast.Let: assignments.check_let,
        ast.By: assignments.check_by,
        ast.SetTo: assignments.check_set,
        ast.AddTo: assignments.check_add,
        ast.RemoveFrom: assignments.check_remove,
        ast.Begin: assignments.check_begin,
        ast.EndDuration: assignments.check_end_duration,
        ast.MoveCount: moves.check_move_count,
        ast.MoveCards: moves.check_move_cards,
        ast.Shuffle: moves.check_shuffle,
        ast.If: rule_texts.check_if,
        ast.Privately: rule_texts.check_privately,
        ast.ForEach: control_flow.check_for_each,
        ast.EachPlayer: control_flow.check_each_player,
        ast.Repeat: control_flow.check_repeat,
        ast.Stop: control_flow.check_stop,
        ast.Choose: choices.check_choose,
        ast.ChooseSome: choices.check_choose_some,
        ast.ChooseOption: choices.check_choose_option,
        ast.May: choices.check_may,
        ast.Split: control_flow.check_split,
        ast.Random: control_flow.check_random,
        ast.TakeAction: actions.check_take_action,
        ast.UseAction: actions.check_use_action,
        ast.Open: windows.check_open,
        ast.Cancel: windows.check_cancel,
        ast.Do: calls.check_do,
        ast.Announce: rule_texts.check_announce,
        ast.EndGame: control_flow.check_end_game,
    },
)
