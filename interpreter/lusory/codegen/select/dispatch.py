"""Map each class of lowered node to the function that selects it."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered_nodes import AnnounceWithLocals, Inlined, LetIn, Lookup, QueryRoutine, Rows, Spend, Without
from . import expressions, lists, places, statements
from .selector import Expressions, Statements

EXPRESSIONS: Expressions = {
    core.Binary: expressions.binary,
    core.CallBuiltin: expressions.call,
    core.Concat: lists.concat,
    core.Const: places.const,
    core.Distinct: lists.by_key,
    core.Extreme: lists.by_key,
    core.Field: places.field,
    core.Filter: lists.lookup,
    core.Fold: lists.fold,
    core.IfExpr: expressions.either,
    core.IndexOfPlace: places.index_of_place,
    core.Leading: lists.by_key,
    core.LiesIn: places.lies_in,
    core.ListLit: lists.list_literal,
    core.Local: places.local,
    core.MapList: lists.map_list,
    core.OptionValue: places.option_value,
    core.PoolKinds: lists.lookup,
    core.PoolTotal: places.pool_total,
    core.Range: lists.list_range,
    core.Reach: lists.reach,
    core.ReadCell: places.read_cell,
    core.ReadZone: places.read_zone,
    core.Region: lists.region,
    core.Sorted: lists.by_key,
    core.TableRead: places.table_read,
    core.TextTemplate: places.text,
    core.Unary: expressions.unary,
    LetIn: expressions.let_in,
    QueryRoutine: expressions.query,
    Lookup: places.lookup,
    Rows: places.rows,
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
