"""Map each class of lowered node to the function that selects it."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered_nodes_and_common_subexpressions import (
    AnnounceWithLocals,
    Inlined,
    LetIn,
    Lookup,
    QueryRoutine,
    Rows,
    Spend,
)
from . import lists, operators_calls_and_bindings, state_reads, statements
from .selector_state_and_ir_emission import Expressions, Selector, Statements

EXPRESSIONS: Expressions = {
    core.Binary: operators_calls_and_bindings.select_binary,
    core.CallBuiltin: operators_calls_and_bindings.select_call,
    core.Concat: lists.select_concat,
    core.Const: state_reads.select_constant,
    core.Distinct: lists.select_by_key,
    core.Extreme: lists.select_by_key,
    core.Field: state_reads.select_field,
    core.Filter: lists.select_filter,
    core.Fold: lists.select_fold,
    core.IfExpr: operators_calls_and_bindings.select_conditional,
    core.IndexOfPlace: state_reads.select_place_index,
    core.Leading: lists.select_by_key,
    core.LiesIn: state_reads.select_zone_test,
    core.ListLit: lists.select_list_literal,
    core.Local: state_reads.select_local,
    core.MapList: lists.select_map,
    core.OptionValue: state_reads.select_option,
    core.PoolKinds: lists.select_pool_kinds,
    core.PoolTotal: state_reads.select_pool_total,
    core.Range: lists.select_range,
    core.Reach: lists.select_reach,
    core.ReadCell: state_reads.select_cell_read,
    core.ReadZone: state_reads.select_zone_read,
    core.Region: lists.select_region,
    core.Sorted: lists.select_by_key,
    core.TableRead: state_reads.select_table_read,
    core.TextTemplate: state_reads.select_text,
    core.Unary: operators_calls_and_bindings.select_unary,
    LetIn: operators_calls_and_bindings.select_let,
    QueryRoutine: operators_calls_and_bindings.select_query_call,
    Lookup: state_reads.select_lookup,
    Rows: state_reads.select_rows,
}


STRUCTURED: Statements = {
    core.Announce: statements.select_announcement,
    core.ForEach: statements.select_loop,
    core.If: statements.select_if,
    core.Let: statements.select_let,
    core.MoveCards: statements.select_component_move,
    core.MoveCount: statements.select_counter_move,
    core.Random: statements.select_chance,
    core.Repeat: statements.select_repeat,
    core.SetCell: statements.select_assignment,
    core.Shuffle: statements.select_shuffle,
    core.Stop: statements.select_stop,
    AnnounceWithLocals: statements.select_announcement,
    Spend: Selector.count_work,
    Inlined: statements.select_inlined_effect,
}
