"""Which function selects which class of expressions."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered import LetIn, Lookup, QueryRoutine, Rows, Without
from . import builtins, folds, lists, operators, places, regions
from .selector import Expressions

EXPRESSIONS: Expressions = {
    core.Binary: operators.binary,
    core.CallBuiltin: builtins.call,
    core.Concat: lists.concat,
    core.Const: places.const,
    core.Distinct: lists.by_key,
    core.Extreme: lists.by_key,
    core.Field: places.field,
    core.Filter: lists.lookup,
    core.Fold: folds.fold,
    core.IfExpr: operators.either,
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
    core.Region: regions.region,
    core.Sorted: lists.by_key,
    core.TableRead: places.table_read,
    core.TextTemplate: places.text,
    core.Unary: operators.unary,
    LetIn: operators.let_in,
    QueryRoutine: operators.query,
    Lookup: places.lookup,
    Rows: places.rows,
    Without: lists.without,
}
