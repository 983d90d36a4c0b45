"""Run ``lusory trace``: print the statements that one decision executes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from lusory.commands.handlers.replay_and_rules_of_recorded_games import find_recorded_file, open_saved_game
from lusory_dsl.source.source import count_noun, format_json

from ...game import Game
from ...native import make_backend
from ...play.bot_kinds_python_players_and_recordings import create_bot
from ...play.match import Match
from ...state.random_streams import Seed
from ...support.cache import find_default_cache
from ...testing.statement_trace_of_one_decision import Trace, trace_choice, trace_start
from ...ui.line import (
    plain_output_and_terminal_checks as plain_output,
    test_trace_and_installation_tables as test_tables,
)
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ..errors import UsageError
from ..game_loading_seats_and_output import assign_seats, create_game, load_cached_program

# Only the evaluator can trace.
ENGINE = "evaluator"


@dataclass(frozen=True)
class _DecisionTrace:
    """Hold a trace. ``number`` is the index of the decision, and 0 is the setup.

    ``description`` describes the decision.
    """

    game: Game
    number: int
    description: str
    trace: Trace


def run(args: argparse.Namespace) -> int:
    """Print the trace of one decision, as JSON with ``--format json``. Returns 1 if the rules failed in it, else 0.

    ``--at`` is the number of the decision, from 1, or 0 for the setup. Without it, a game among bots gives its first
    decision. A recorded game gives its last one, or its setup if it has no decisions, and so does ``--at game.json``
    with the file of one. Raises UsageError if there is no such decision or file. As text, a fault follows the trace,
    and with ``--step`` each step waits for Enter, and ``q`` ends the trace. JSON has the fault as text, or None, under
    ``fault``, and ignores ``--step``.
    """
    path = find_recorded_file(args)
    if path is None:
        decision_trace = _trace_bots(args)
    else:
        save, game, picks = open_saved_game(args, path, ENGINE)
        number = len(picks) if args.at is None else args.at
        decision_trace = _trace_decision(game, save.transcript.seed, number, iter(picks), len(picks))
    if args.format == "json":
        plain_output.write_lines(format_json(_to_json(decision_trace)))
        return 0 if decision_trace.trace.fault is None else 1
    screen, title = create_terminal(), f"{decision_trace.game.program.name}, {decision_trace.description}"
    test_tables.print_trace(screen, title, decision_trace.trace.steps, _describe_next(decision_trace), args.step)
    if decision_trace.trace.fault is not None:
        screen.print_fault(decision_trace.trace.fault)
        return 1
    return 0


# ---------------------------------------------------------------- selecting the decision


def _trace_bots(args: argparse.Namespace) -> _DecisionTrace:
    """Trace a decision of a game among bots: the one at ``--at``, by default the first."""
    program = load_cached_program(args.game, args.packs)
    kinds = assign_seats(args.seats, args.players, program.min_players)
    game = create_game(program, len(kinds), args.options, ENGINE, args.budgets)
    seed = args.seed or 0
    bot_game = create_game(program, len(kinds), args.options, None, args.budgets)
    backend = make_backend(bot_game, find_default_cache(), None)
    match = Match(bot_game, [create_bot(kind, seed, seat, backend) for seat, kind in enumerate(kinds)], seed)

    def iterate_picks() -> Iterator[int]:
        while match.decision is not None:
            pick, _ = match.ask_player()
            yield pick
            match.take(pick)

    return _trace_decision(game, seed, 1 if args.at is None else args.at, iterate_picks(), None)


def _trace_decision(game: Game, seed: Seed, number: int, picks: Iterator[int], total: int | None) -> _DecisionTrace:
    """Replay the game up to the decision ``number``, and trace it.

    0 is the setup. ``total`` is the number of decisions, if known. Raises UsageError if the game has fewer decisions.
    """
    if total is not None and number > total:
        raise UsageError(f"--at {number}: this game has only {count_noun(total, 'decision')}")
    if number == 0:
        return _DecisionTrace(game, 0, f"seed {seed}, up to the first decision", trace_start(game, seed))
    state = game.start(seed)
    decision_count = pick = 0
    for pick in picks:
        decision_count += 1
        if decision_count == number:
            break
        state = game.apply(state, pick)
    decision = game.decision(state)
    if decision is None or decision_count < number:
        raise UsageError(f"--at {number}: this game is over after {count_noun(decision_count, 'decision')}")
    option = game.option_ids(state, decision)[pick]
    description = f"seed {seed}, decision {number}: P{decision.seat + 1} `{option}`"
    return _DecisionTrace(game, number, description, trace_choice(game, state, pick))


# ---------------------------------------------------------------- next decision


def _describe_next(decision_trace: _DecisionTrace) -> str:
    state = decision_trace.trace.state
    if state is None:
        return "The rules failed here."
    decision = decision_trace.game.decision(state)
    if decision is None:
        return "The game is over."
    return f"P{decision.seat + 1} decides: {decision_trace.game.prompt(state, decision)}"


def _to_json(decision_trace: _DecisionTrace) -> dict[str, object]:
    program = decision_trace.game.program
    return {
        "version": test_tables.JSON_VERSION,
        "program": program.id,
        "decision": decision_trace.number,
        "asked": decision_trace.description,
        "steps": test_tables.to_json(decision_trace.trace.steps),
        "next": _describe_next(decision_trace),
        "fault": None if decision_trace.trace.fault is None else str(decision_trace.trace.fault),
    }
