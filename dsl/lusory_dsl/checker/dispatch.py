"""Map each class of syntax node to the function that checks it.

A check takes the routine and the node. For an expression it also takes the expected type. Checks call each other
through the routine (``routine.check_operand(node)``, ``routine.check_block(body)``), so their modules need not import
each other.
"""

from __future__ import annotations

from ..syntax import ast
from . import (
    actions_and_offers,
    bare_names_and_calls,
    card_and_counter_movement,
    choices_and_simultaneous_choices,
    code_fields_templates_and_check_cache,
    indexing_and_member_subjects,
    let_set_and_temporary_changes,
    list_expressions_and_connected_regions,
    literals_and_operators,
    loops_chance_and_game_end,
    member_access_and_card_tests,
    reaction_windows,
)
from .context import Forms

FORMS = Forms(
    expressions={
        ast.IntLit: literals_and_operators.check_literal,
        ast.BoolLit: literals_and_operators.check_literal,
        ast.NoneLit: literals_and_operators.check_none,
        ast.TextLit: code_fields_templates_and_check_cache.check_text,
        ast.ListLit: literals_and_operators.check_list_literal,
        ast.Name: bare_names_and_calls.check_identifier,
        ast.Member: member_access_and_card_tests.check_member,
        ast.Index: indexing_and_member_subjects.check_index,
        ast.Call: bare_names_and_calls.check_call,
        ast.Unary: literals_and_operators.check_unary,
        ast.Binary: literals_and_operators.check_binary,
        ast.IsEmpty: literals_and_operators.check_is_empty,
        ast.LiesIn: card_and_counter_movement.check_lies_in,
        ast.HasAction: member_access_and_card_tests.check_has,
        ast.IfExpr: literals_and_operators.check_conditional,
        ast.LetExpr: let_set_and_temporary_changes.check_let_expr,
        ast.Where: list_expressions_and_connected_regions.check_selection,
        ast.AsLong: list_expressions_and_connected_regions.check_selection,
        ast.WithKey: list_expressions_and_connected_regions.check_with_key,
        ast.Sorted: list_expressions_and_connected_regions.check_sorted,
        ast.IsCopy: member_access_and_card_tests.check_is_copy,
        ast.Comprehension: list_expressions_and_connected_regions.check_comprehension,
        ast.Reach: list_expressions_and_connected_regions.check_reach,
    },
    statements={
        ast.Let: let_set_and_temporary_changes.check_let,
        ast.By: let_set_and_temporary_changes.check_by,
        ast.SetTo: let_set_and_temporary_changes.check_set,
        ast.AddTo: let_set_and_temporary_changes.check_add,
        ast.RemoveFrom: let_set_and_temporary_changes.check_remove,
        ast.Begin: let_set_and_temporary_changes.check_begin,
        ast.EndDuration: let_set_and_temporary_changes.check_end_duration,
        ast.MoveCount: card_and_counter_movement.check_move_count,
        ast.MoveCards: card_and_counter_movement.check_move_cards,
        ast.Shuffle: card_and_counter_movement.check_shuffle,
        ast.If: code_fields_templates_and_check_cache.check_if,
        ast.Privately: code_fields_templates_and_check_cache.check_privately,
        ast.ForEach: loops_chance_and_game_end.check_for_each,
        ast.EachPlayer: loops_chance_and_game_end.check_each_player,
        ast.Repeat: loops_chance_and_game_end.check_repeat,
        ast.Stop: loops_chance_and_game_end.check_stop,
        ast.Choose: choices_and_simultaneous_choices.check_choose,
        ast.ChooseSome: choices_and_simultaneous_choices.check_choose_some,
        ast.ChooseOption: choices_and_simultaneous_choices.check_choose_option,
        ast.May: choices_and_simultaneous_choices.check_may,
        ast.Split: loops_chance_and_game_end.check_split,
        ast.Random: loops_chance_and_game_end.check_random,
        ast.TakeAction: actions_and_offers.check_take_action,
        ast.UseAction: actions_and_offers.check_use_action,
        ast.Open: reaction_windows.check_open,
        ast.Cancel: reaction_windows.check_cancel,
        ast.Do: bare_names_and_calls.check_do,
        ast.Announce: code_fields_templates_and_check_cache.check_announce,
        ast.EndGame: loops_chance_and_game_end.check_end_game,
    },
)
