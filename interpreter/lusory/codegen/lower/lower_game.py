"""Lower a core program to a :class:`LoweredGame` for one setting: inline calls and fold constants.

:data:`FORMS` maps each class of node to the function that lowers it. A :class:`Lowerer` holds the state of one build,
and :func:`lower_game` lowers the whole program.

Example: with three players, the lowered form of ``count(players) + 1`` is the constant 4.
"""

from __future__ import annotations

from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.types.types import PLAYER

from . import calls_rules_and_modifiers, expressions, lowered_nodes_and_common_subexpressions, statements
from .lowered_nodes_and_common_subexpressions import LoweredGame
from .lowerer_constant_folding_and_inlining import Lowerer, LoweringForms

FORMS = LoweringForms(
    expressions={
        core.Const: expressions.lower_constant,
        core.Local: expressions.lower_local,
        core.OptionValue: expressions.lower_option,
        core.Players: expressions.lower_players,
        core.ReadCell: expressions.lower_read,
        core.ReadZone: expressions.lower_read,
        core.PoolKinds: expressions.lower_read,
        core.PoolTotal: expressions.lower_read,
        core.TableRead: expressions.lower_read,
        core.Field: expressions.lower_children,
        core.LiesIn: expressions.lower_children,
        core.IndexOfPlace: expressions.lower_children,
        core.ListLit: expressions.lower_children,
        core.Range: expressions.lower_children,
        core.Unary: expressions.lower_children,
        core.Binary: expressions.lower_binary,
        core.IfExpr: expressions.lower_conditional,
        core.ByCard: statements.lower_case_expression,
        core.Filter: expressions.lower_loop,
        core.MapList: expressions.lower_loop,
        core.Fold: expressions.lower_fold,
        core.Extreme: expressions.lower_loop,
        core.Distinct: expressions.lower_loop,
        core.Reach: expressions.lower_loop,
        core.Region: expressions.lower_children,
        core.Sorted: expressions.lower_loop,
        core.Leading: expressions.lower_loop,
        core.Concat: expressions.lower_loop,
        core.Named: expressions.lower_named,
        core.CallQuery: calls_rules_and_modifiers.lower_query_call,
        core.CallBuiltin: expressions.lower_children,
        core.TextTemplate: Lowerer.lower_text,
        lowered_nodes_and_common_subexpressions.LetIn: expressions.lower_let,
        lowered_nodes_and_common_subexpressions.Lookup: expressions.lower_children,
        lowered_nodes_and_common_subexpressions.QueryRoutine: expressions.lower_children,
        lowered_nodes_and_common_subexpressions.Rows: expressions.lower_children,
        lowered_nodes_and_common_subexpressions.Without: expressions.lower_children,
    },
    statements={
        core.Let: statements.lower_let,
        core.SetCell: statements.lower_statement_parts,
        core.MoveCount: statements.lower_statement_parts,
        core.MoveCards: statements.lower_statement_parts,
        core.Shuffle: statements.lower_statement_parts,
        core.If: statements.lower_if,
        core.DoByCard: statements.lower_case_statement,
        core.ForEach: statements.lower_loop,
        core.Repeat: statements.lower_statement_parts,
        core.Stop: statements.keep_statement,
        core.Ask: statements.lower_choice,
        core.AskMany: statements.lower_multiple_choice,
        core.Random: statements.lower_draw,
        core.CallEffect: calls_rules_and_modifiers.lower_effect_call,
        core.Announce: statements.lower_text_statement,
        core.EndGame: statements.lower_text_statement,
        lowered_nodes_and_common_subexpressions.EffectRoutine: statements.lower_statement_parts,
        lowered_nodes_and_common_subexpressions.Spend: statements.keep_statement,
        lowered_nodes_and_common_subexpressions.Inlined: calls_rules_and_modifiers.lower_inlined_effect,
        lowered_nodes_and_common_subexpressions.AskWithLocals: statements.lower_choice,
        lowered_nodes_and_common_subexpressions.AskManyWithLocals: statements.lower_multiple_choice,
        lowered_nodes_and_common_subexpressions.AnnounceWithLocals: statements.lower_text_statement,
        lowered_nodes_and_common_subexpressions.EndGameWithLocals: statements.lower_text_statement,
    },
)


def lower_game(lowerer: Lowerer, has_heuristic: bool) -> LoweredGame:
    """Lower a game: its phases, its scoring and the routines that both use, each after those that it calls.

    ``rank`` has a tuple for each seat; ``payoff``, each shown score and ``standing`` have a value for each seat.
    ``payoff`` is None if the ruleset declares none, and so is ``standing``, its heuristic, also without
    ``has_heuristic``. The scoring may cost more work than a decision may take. Then each seat's rank is empty, the
    payoff None, and no scores are shown, because the game ends with a fault before. A query that is not in
    ``lowerer.shared_routines`` becomes part of each caller: ``gold_of(me) > 2`` with ``gold_of(p): gold[p] + 1``
    becomes ``gold[me] + 1 > 2``. A query is shared if it is large and called more than once, or nested too deeply.
    """
    scoring = lowerer.program.scoring
    if lowerer.charges.scoring_work > lowerer.limits.decision:
        # The scoring alone costs more work than a decision may take, so the game ends with a fault before it is
        # computed.
        scoring = replace(scoring, rank=(), payoff=None, columns=())
    columns = [_lower_for_each_seat(lowerer, expr) for expr in scoring.rank]
    rank = tuple(tuple(column[seat] for column in columns) for seat in range(lowerer.players))
    payoff = None if scoring.payoff is None else _lower_for_each_seat(lowerer, scoring.payoff)
    shown_scores = tuple((title, _lower_for_each_seat(lowerer, expr)) for title, expr in scoring.columns)
    heuristic = lowerer.program.advice.value if has_heuristic else None
    standing = None if heuristic is None else _lower_for_each_seat(lowerer, heuristic)
    setup = _lower_phase(lowerer, lowerer.program.setup)
    phases = tuple(_lower_phase(lowerer, phase_declaration) for phase_declaration in lowerer.program.phases)
    return LoweredGame(setup, phases, rank, payoff, shown_scores, tuple(lowerer.routines.values()), standing)


def _lower_for_each_seat(lowerer: Lowerer, expr: Expr) -> tuple[Expr, ...]:
    """Lower an expression of the scoring once for each seat. In ``expr``, local 0 is the seat."""
    return tuple(lowerer.lower(expr, {0: Const(PLAYER, expr.span, seat)}) for seat in range(lowerer.players))


def _lower_phase(lowerer: Lowerer, phase: core.Phase) -> core.Phase:
    env: dict[int, Expr] = {}
    return replace(
        phase,
        condition=lowerer.lower_optional(phase.condition, env),
        repeat=lowerer.lower_optional(phase.repeat, env),
        body=lowerer.lower_block(phase.body, env),
        children=tuple(_lower_phase(lowerer, phase_declaration) for phase_declaration in phase.children),
    )
