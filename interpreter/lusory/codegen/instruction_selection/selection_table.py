"""Map each class of lowered node to the function that selects it."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered_nodes import AnnounceWithLocals, Inlined, LetIn, Lookup, QueryRoutine, Rows, Spend, Without
from . import expressions, lists, state_access, statements
from .selector import Expressions, Statements

EXPRESSIONS: Expressions = {
    core.Binary: expressions.binary,
    core.CallBuiltin: expressions.call,
    core.Concat: lists.concat,
    core.Const: state_access.const,
    core.Distinct: lists.by_key,
    core.Extreme: lists.by_key,
    core.Field: state_access.field,
    core.Filter: lists.lookup,
    core.Fold: lists.fold,
    core.IfExpr: expressions.either,
    core.IndexOfPlace: state_access.index_of_place,
    core.Leading: lists.by_key,
    core.LiesIn: state_access.lies_in,
    core.ListLit: lists.list_literal,
    core.Local: state_access.local,
    core.MapList: lists.map_list,
    core.OptionValue: state_access.option_value,
    core.PoolKinds: lists.lookup,
    core.PoolTotal: state_access.pool_total,
    core.Range: lists.list_range,
    core.Reach: lists.reach,
    core.ReadCell: state_access.read_cell,
    core.ReadZone: state_access.read_zone,
    core.Region: lists.region,
    core.Sorted: lists.by_key,
    core.TableRead: state_access.table_read,
    core.TextTemplate: state_access.text,
    core.Unary: expressions.unary,
    LetIn: expressions.let_in,
    QueryRoutine: expressions.query,
    Lookup: state_access.lookup,
    Rows: state_access.rows,
    Without: lists.without,
}


STRUCTURED: Statements = {
    core.Announce: statements.announce,
    core.ForEach: statements.for_each,
    core.If: statements.when,
    core.Let: statements.let,
    core.MoveCards: statements.move_cards,
    core.MoveCount: statements.move_count,
    core.Repeat: statements.repeat,
    core.SetCell: statements.set_cell,
    core.Shuffle: statements.shuffle,
    core.Stop: statements.stop,
    AnnounceWithLocals: statements.announce_each,
    Spend: statements.spend,
    Inlined: statements.inlined,
}
