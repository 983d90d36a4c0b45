"""Lower a core program to a :class:`LoweredGame` for one setting: inline calls and fold constants.

:data:`FORMS` maps each class of node to the function that lowers it. A :class:`Lowerer` holds the state of one build,
and :func:`lower_game` lowers the whole program.

Example: with three players, the lowered form of ``count(players) + 1`` is the constant 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.types.types import PLAYER

from . import calls_rules_and_modifiers, expressions, lowered_nodes_and_common_subexpressions as nodes, statements
from .lowered_nodes_and_common_subexpressions import LoweredGame
from .lowerer_with_constant_folding_and_inlining import Lowerer, LoweringForms

FORMS = LoweringForms(
    expressions={
        **dict.fromkeys(get_args(expressions.Read), expressions.lower_read),
        **dict.fromkeys(get_args(expressions.Loop), expressions.lower_loop),
        **dict.fromkeys((core.Field, core.LiesIn, core.IndexOfPlace, core.ListLit), expressions.lower_children),
        **dict.fromkeys((core.Range, core.Unary, core.Region, core.CallBuiltin), expressions.lower_children),
        **dict.fromkeys((nodes.Lookup, nodes.QueryRoutine, nodes.Rows), expressions.lower_children),
        core.Const: expressions.lower_constant,
        core.Local: expressions.lower_local,
        core.OptionValue: expressions.lower_option,
        core.Players: expressions.lower_players,
        core.Binary: expressions.lower_binary,
        core.IfExpr: expressions.lower_conditional,
        core.ByCard: statements.lower_case_expression,
        core.Fold: expressions.lower_fold,
        core.Named: expressions.lower_named,
        core.CallQuery: calls_rules_and_modifiers.lower_query_call,
        core.TextTemplate: Lowerer.lower_text,
        nodes.LetIn: expressions.lower_let,
    },
    statements={
        **dict.fromkeys((core.SetCell, core.MoveCount, core.MoveCards), statements.lower_statement_parts),
        **dict.fromkeys((core.Shuffle, core.Repeat, nodes.EffectRoutine), statements.lower_statement_parts),
        **dict.fromkeys((core.Announce, nodes.AnnounceWithLocals), statements.lower_text_statement),
        **dict.fromkeys((core.EndGame, nodes.EndGameWithLocals), statements.lower_text_statement),
        **dict.fromkeys((core.Ask, nodes.AskWithLocals), statements.lower_choice),
        **dict.fromkeys((core.AskMany, nodes.AskManyWithLocals), statements.lower_multiple_choice),
        **dict.fromkeys((core.Stop, nodes.Spend), statements.keep_statement),
        core.Let: statements.lower_let,
        core.If: statements.lower_if,
        core.DoByCard: statements.lower_case_statement,
        core.ForEach: statements.lower_loop,
        core.Random: statements.lower_draw,
        core.CallEffect: calls_rules_and_modifiers.lower_effect_call,
        nodes.Inlined: calls_rules_and_modifiers.lower_inlined_effect,
    },
)


def lower_game(lowerer: Lowerer, has_heuristic: bool) -> LoweredGame:
    """Lower a game: its setup, phases and scoring, and the routines that they call, each after those that it calls.

    ``rank`` has a tuple of expressions for each seat. ``payoff`` and ``standing``, the heuristic, have one expression
    for each seat. They are None if the ruleset has none, ``standing`` also without ``has_heuristic``. ``shown_scores``
    has pairs of a title and a tuple with one expression for each seat. If ``lowerer.charges.scoring_work`` exceeds
    ``lowerer.limits.decision``, the game ends with a fault before it is scored. Each seat's rank is then empty, the
    payoff None, and ``shown_scores`` is (). An effect or query whose key, such as ``("query", "gold_of")``, is in
    ``lowerer.shared_routines`` becomes a routine. Any other becomes part of each caller, but long chains of modifiers
    become routines all the same. Example: ``gold_of(me) > 2`` becomes ``me.gold + 1 > 2`` if the value of
    ``gold_of(p)`` is ``p.gold + 1``.
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
