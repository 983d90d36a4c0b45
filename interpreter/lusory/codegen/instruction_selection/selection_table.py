"""Map each class of lowered node to the function that selects it."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered_nodes import AnnounceWithLocals, Inlined, LetIn, Lookup, QueryRoutine, Rows, Spend, Without
from . import expressions, lists, state_reads, statements
from .selector import Expressions, Statements

EXPRESSIONS: Expressions = {
    core.Binary: expressions.binary,
    core.CallBuiltin: expressions.call,
    core.Concat: lists.concat,
    core.Const: state_reads.const,
    core.Distinct: lists.by_key,
    core.Extreme: lists.by_key,
    core.Field: state_reads.field,
    core.Filter: lists.lookup,
    core.Fold: lists.fold,
    core.IfExpr: expressions.either,
    core.IndexOfPlace: state_reads.index_of_place,
    core.Leading: lists.by_key,
    core.LiesIn: state_reads.lies_in,
    core.ListLit: lists.list_literal,
    core.Local: state_reads.local,
    core.MapList: lists.map_list,
    core.OptionValue: state_reads.option_value,
    core.PoolKinds: lists.lookup,
    core.PoolTotal: state_reads.pool_total,
    core.Range: lists.list_range,
    core.Reach: lists.reach,
    core.ReadCell: state_reads.read_cell,
    core.ReadZone: state_reads.read_zone,
    core.Region: lists.region,
    core.Sorted: lists.by_key,
    core.TableRead: state_reads.table_read,
    core.TextTemplate: state_reads.text,
    core.Unary: expressions.unary,
    LetIn: expressions.let_in,
    QueryRoutine: expressions.query,
    Lookup: state_reads.lookup,
    Rows: state_reads.rows,
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
