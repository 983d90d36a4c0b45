"""Lower a core program to a :class:`LoweredGame` for one setting: inline calls and fold constants.

:data:`FORMS` maps each class of node to the function that lowers it. :func:`lowerer_for` makes the :class:`Lowerer`
that holds the state of one build, and :func:`game` lowers the whole program.

Example: with three players, the lowered form of ``count(players) + 1`` is the constant 4.
"""

from __future__ import annotations

from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.types.types import PLAYER

from ...state.setting import Setting
from . import effect_and_query_calls, expressions, lowered_nodes, statements
from .expression_ranges import Reach
from .lowered_nodes import LoweredGame
from .lowerer import Lowerer, LoweringForms

FORMS = LoweringForms(
    expressions={
        core.Const: expressions.const,
        core.Local: expressions.local,
        core.OptionValue: expressions.option_value,
        core.Players: expressions.players,
        core.ReadCell: expressions.read,
        core.ReadZone: expressions.read,
        core.PoolKinds: expressions.read,
        core.PoolTotal: expressions.read,
        core.TableRead: expressions.read,
        core.Field: expressions.part_by_part,
        core.LiesIn: expressions.part_by_part,
        core.IndexOfPlace: expressions.part_by_part,
        core.ListLit: expressions.part_by_part,
        core.Range: expressions.part_by_part,
        core.Unary: expressions.part_by_part,
        core.Binary: expressions.binary,
        core.IfExpr: expressions.either,
        core.ByCard: statements.by_card,
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
        core.CallQuery: effect_and_query_calls.lower_query_call,
        core.CallBuiltin: expressions.part_by_part,
        core.TextTemplate: expressions.text,
        lowered_nodes.LetIn: expressions.let_in,
        lowered_nodes.Lookup: expressions.part_by_part,
        lowered_nodes.QueryRoutine: expressions.part_by_part,
        lowered_nodes.Rows: expressions.part_by_part,
        lowered_nodes.Without: expressions.part_by_part,
    },
    statements={
        core.Let: statements.let,
        core.SetCell: statements.set_cell,
        core.MoveCount: statements.move_count,
        core.MoveCards: statements.move_cards,
        core.Shuffle: statements.shuffle,
        core.If: statements.when,
        core.DoByCard: statements.do_by_card,
        core.ForEach: statements.for_each,
        core.Repeat: statements.repeat,
        core.Stop: statements.stop,
        core.Ask: statements.ask,
        core.AskMany: statements.ask_many,
        core.Random: statements.random,
        core.CallEffect: effect_and_query_calls.lower_effect_call,
        core.Announce: statements.announce,
        core.EndGame: statements.end_game,
        lowered_nodes.EffectRoutine: effect_and_query_calls.call_routine,
        lowered_nodes.Spend: statements.spend,
        lowered_nodes.Inlined: effect_and_query_calls.inlined,
        lowered_nodes.AskWithLocals: statements.ask_again,
        lowered_nodes.AskManyWithLocals: statements.ask_many_again,
        lowered_nodes.AnnounceWithLocals: statements.announce_again,
        lowered_nodes.EndGameWithLocals: statements.end_game_again,
    },
)


def lowerer_for(setting: Setting, reach: Reach, any_options: bool = False) -> Lowerer:
    """Return a lowerer for one build.

    ``reach`` holds the value ranges of the whole game. With ``any_options``, the build reads the options at run time
    instead of treating them as constants.
    """
    return Lowerer(setting, reach, FORMS, any_options)


def game(lowerer: Lowerer, searched: bool) -> LoweredGame:
    """Lower a game: its phases, its scoring and the routines that both use.

    With ``searched``, the result includes the heuristic of the ruleset (``standing``), if there is one. A query that is
    called once becomes part of its caller: ``gold_of(me) > 2`` with ``gold_of(p): gold[p] + 1`` becomes ``gold[me] + 1
    > 2``.
    """
    scoring = lowerer.program.scoring
    if lowerer.charges.scoring_work > lowerer.limits.decision:
        # The scoring alone costs more work than a decision may take, so the game ends with a fault before it is
        # computed.
        scoring = replace(scoring, rank=(), payoff=None, shown=())
    columns = [_column(lowerer, e) for e in scoring.rank]
    rank = tuple(tuple(column[seat] for column in columns) for seat in range(lowerer.players))
    payoff = None if scoring.payoff is None else _column(lowerer, scoring.payoff)
    shown = tuple((title, _column(lowerer, e)) for title, e in scoring.shown)
    advice = lowerer.program.advice.value if searched else None
    standing = None if advice is None else _column(lowerer, advice)
    setup = _phase(lowerer, lowerer.program.setup)
    phases = tuple(_phase(lowerer, p) for p in lowerer.program.phases)
    routines = tuple(lowerer.routines.values())
    names, kinds = lowerer.names, (scoring.is_selective, scoring.is_zero_sum)
    return LoweredGame(setup, phases, rank, payoff, shown, names, routines, *kinds, standing)


def _column(lowerer: Lowerer, e: Expr) -> tuple[Expr, ...]:
    """Lower an expression of the scoring once for each seat. In ``e``, local 0 is the seat."""
    return tuple(lowerer.expr(e, {0: Const(PLAYER, e.span, seat)}) for seat in range(lowerer.players))


def _phase(lowerer: Lowerer, phase: core.Phase) -> core.Phase:
    env: dict[int, Expr] = {}
    return replace(
        phase,
        condition=lowerer.maybe(phase.condition, env),
        repeat=lowerer.maybe(phase.repeat, env),
        body=lowerer.block(phase.body, env),
        children=tuple(_phase(lowerer, p) for p in phase.children),
    )
