"""The forms: what is made of each class of node. The one list that lowering goes by; read it from top to bottom.

A form is a function that takes the lowerer, the node, and what stands for the locals. Forms reach each other through
the lowerer (``lowerer.expr(e, env)``, ``lowerer.block(body, env)``), so that their files need not import each other.
What is left of the core is lowered once more where parts become routines or are written out for each item of a loop:
so what only lowering makes has a form, too.
"""

from __future__ import annotations

from lusory_dsl import core

from . import cards, choices, effects, expressions, lowered, queries, reading, statements
from .lowerer import LoweringForms

FORMS = LoweringForms(
    expressions={
        core.Const: expressions.const,
        core.Local: expressions.local,
        core.OptionValue: expressions.option_value,
        core.Players: expressions.players,
        core.ReadCell: reading.read,
        core.ReadZone: reading.read,
        core.PoolKinds: reading.read,
        core.PoolTotal: reading.read,
        core.TableRead: reading.read,
        core.Field: expressions.part_by_part,
        core.LiesIn: expressions.part_by_part,
        core.IndexOfPlace: expressions.part_by_part,
        core.ListLit: expressions.part_by_part,
        core.Range: expressions.part_by_part,
        core.Unary: expressions.part_by_part,
        core.Binary: expressions.binary,
        core.IfExpr: expressions.either,
        core.ByCard: cards.by_card,
        core.Filter: expressions.filter_list,
        core.MapList: expressions.map_list,
        core.Fold: expressions.fold,
        core.Extreme: expressions.extreme,
        core.Distinct: expressions.distinct,
        core.Reach: expressions.reach,
        core.Region: expressions.region,
        core.Sorted: expressions.in_order,
        core.Leading: expressions.leading,
        core.Concat: expressions.concat,
        core.Named: expressions.named,
        core.CallQuery: queries.call,
        core.CallBuiltin: expressions.part_by_part,
        core.TextTemplate: expressions.text,
        lowered.LetIn: expressions.let_in,
        lowered.Lookup: expressions.part_by_part,
        lowered.QueryRoutine: expressions.part_by_part,
        lowered.Rows: expressions.part_by_part,
        lowered.Without: expressions.part_by_part,
    },
    statements={
        core.Let: statements.let,
        core.SetCell: statements.set_cell,
        core.MoveCount: statements.move_count,
        core.MoveCards: statements.move_cards,
        core.Shuffle: statements.shuffle,
        core.If: statements.when,
        core.DoByCard: cards.do_by_card,
        core.ForEach: statements.for_each,
        core.Repeat: statements.repeat,
        core.Stop: statements.stop,
        core.Ask: choices.ask,
        core.AskMany: choices.ask_many,
        core.Random: choices.random,
        core.CallEffect: effects.call,
        core.Announce: statements.announce,
        core.EndGame: statements.end_game,
        lowered.EffectRoutine: effects.call_routine,
        lowered.Spend: statements.spend,
        lowered.Inlined: effects.inlined,
        lowered.AskWithLocals: choices.ask_again,
        lowered.AskManyWithLocals: choices.ask_many_again,
        lowered.AnnounceWithLocals: statements.announce_again,
        lowered.EndGameWithLocals: statements.end_game_again,
    },
)
