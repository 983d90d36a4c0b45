"""Run ``lusory tune``: measure the effect of numbers in the rules, and find values that are closest to goals."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import suppress

from lusory_dsl.core import Program
from lusory_dsl.ruleset.numbers_by_path import NoNumber, Number, find_numbers, replace_numbers
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files
from lusory_dsl.source.source import count_noun, format_json
from lusory_dsl.source.spelling_suggestions import suggest_name

from ...game import format_option_value, parse_option_value
from ...native import NativeUsage
from ...stats.checkpoints import CheckpointWriter, digest_identity
from ...stats.comparisons_and_thresholds import Goal, InvalidGoal, list_default_figures, parse_goal
from ...stats.game_results_and_record_files import Series, group_by_seed
from ...stats.parallel_simulation import Simulation
from ...stats.ruleset_tuning import (
    MAX_POINTS,
    Axis,
    RulesRefused,
    SamplerMissing,
    Tuning,
    Value,
    Values,
    require_sampler,
)
from ...support.cache import find_default_cache
from ...ui.line import plain_output_and_terminal_checks as plain_output
from .. import game_loading_seats_and_output as common
from ..errors import UsageError

MAX_VALUES = 200
"""Maximum number of values of one parameter."""

_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?::([0-9]{1,9}))?", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def run(args: argparse.Namespace) -> int:
    """Play games with each combination of the values of ``--vary``, and print the results as text or JSON.

    If more than two names vary, which needs a goal, Optuna picks at most ``--trials`` combinations. The unchanged rules
    are played first. With goals, they and the best combination are played again at the end, with other seeds, unless
    every combination lacks the figure of a goal. Returns 0, or 1 if no combination gives playable rules. After Ctrl-C,
    returns 130; the results so far are printed, and saved for ``--resume``. If a worker process dies, the same happens,
    but WorkerDied is raised. Raises UsageError if the arguments are invalid, and RulesetError if the unchanged rules
    have errors. Games that fail or don't end are left out; if none ends, the figures are unknown.
    """
    program = common.load_cached_program(args.game, args.packs)
    kinds = common.assign_seats(args.seats, args.players, program.min_players)
    rules = _VariedRules(args, program, kinds)
    axes = tuple(rules.axes)
    goals = tuple(_parse_goals(args.goals, len(kinds)))
    figures = list(dict.fromkeys(goal.figure for goal in goals)) or list_default_figures(len(kinds))
    rules.observes_turns = any(figure.needs_observation for figure in figures)
    identity: list[object] = [program.digest, [list(axis) for axis in axes], [goal.text for goal in goals], kinds]
    identity += [[figure.text for figure in figures], rules.games, args.seed, args.swap, args.trials, args.options]
    checkpoints = CheckpointWriter(None, digest_identity([*identity, [pack.name for pack in program.packs]]))
    tuning = Tuning(axes, goals, tuple(figures), rules.play, rules.games, args.seed, args.trials, checkpoints)
    _require_size(tuning)
    if args.resume:
        count = tuning.load_points()
        note = f"continuing after {count_noun(count, 'point')}" if count else "no saved progress found; starting anew"
        plain_output.write_error_line(f"lusory: {note}")
    with common.show_progress("points", tuning.size + 1) as show, common.Interruption() as stop:
        tuning.run(show)
    common.report_native(rules.use, args.engine)
    if stop.problem is None:
        with suppress(OSError):
            checkpoints.delete()
    elif tuning.points:
        plain_output.write_error_line(
            f"lusory: {len(tuning.points)} of {tuning.size} points are saved; to continue, add --resume to the command"
        )
    if args.format == "json":
        program_data = {"id": program.id, "version": program.version, "digest": program.digest}
        data = {"game": program_data, "players": len(kinds), "kinds": kinds, "options": rules.game.written_options}
        plain_output.write_lines(format_json({**data, **tuning.to_json()}))
    else:
        from ...ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_tuning
        from ...ui.line.terminal_output_and_line_editing import create_terminal

        create_terminal().print(*render_tuning(tuning, program.name, kinds))
    return stop.choose_code(0 if any(point.figures for point in tuning.points) else 1)


def _require_size(tuning: Tuning) -> None:
    """Raise UsageError if the study is too large. Without a grid, also raise it without a goal or without Optuna."""
    if tuning.is_grid:
        if tuning.size > MAX_POINTS:
            raise UsageError(
                f"--vary: {tuning.size:,} points are more than the maximum of {MAX_POINTS:,}",
                "use larger steps, such as --vary NAME=1..9:2",
            )
        return
    if tuning.trials > MAX_POINTS:
        raise UsageError(f"--trials: {tuning.trials:,} points are more than the maximum of {MAX_POINTS:,}")
    if not tuning.goals:
        raise UsageError("to vary more than two numbers, you need a --goal", "for example --goal 'length<=40'")
    try:
        require_sampler()
    except SamplerMissing as problem:
        raise UsageError(str(problem)) from None


def _parse_goals(texts: Sequence[str], player_count: int) -> list[Goal]:
    try:
        return [parse_goal(text, player_count) for text in texts]
    except InvalidGoal as problem:
        raise UsageError(f"--goal: {problem}", problem.hint) from None


class _VariedRules:
    """Play a game with changed numbers in its rules."""

    def __init__(self, args: argparse.Namespace, program: Program, kinds: Sequence[str]) -> None:
        self.args, self.program, self.kinds = args, program, kinds
        self.observes_turns = False
        self.use = NativeUsage()
        self.game = common.create_game(program, len(kinds), args.options, args.engine)
        self.files = tuple(
            file
            for path in (common.find_ruleset(args.game), *common.find_packs(args.packs))
            for file in read_ruleset_files(path)
        )
        # each axis with its number in the ruleset, or with None if it is an option
        self._parameters = [self._read(text) for text in args.vary]
        self.axes = [axis for axis, _ in self._parameters]
        names = [axis.name for axis in self.axes]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"--vary: you named `{name}` twice")
        self.games = Simulation(self.game, kinds, args.games, swaps_seats=args.swap).games

    def play(self, values: Values, uses_other_seeds: bool) -> Series:
        """Play games with other values. Return each seed -> the list of the summaries of its games, one per seating.

        ``values`` has one value for each of ``axes``, in order. If all are the current ones, the unchanged rules are
        played. Without ``args.swap``, or if all ``kinds`` are equal, there is one seating. Otherwise ``args.games`` is
        rounded up to complete the last seed: 3 games in two seatings give two seeds with two summaries each. Games that
        fail or don't end have no summary; a seed without any summary is left out. The seeds are derived from that of
        the command, to which ``uses_other_seeds`` adds 1. Raises RulesRefused if the rules can't be played. The use of
        native code is added to ``use``.
        """
        args = self.args
        game = self.game
        if list(values) != [axis.current for axis in self.axes]:
            options, new_numbers = list(args.options), dict[Number, int]()
            for (axis, number), value in zip(self._parameters, values, strict=True):
                if number is None:
                    options.append(f"{axis.name}={value}")
                elif value != number.value:
                    new_numbers[number] = int(value)
            try:
                game = common.create_game(self._create_program(new_numbers), len(self.kinds), options, args.engine)
            except UsageError as problem:
                raise RulesRefused(str(problem)) from None
        seed = args.seed + 1 if uses_other_seeds else args.seed
        settings = {
            "swaps_seats": args.swap,
            "keeps_rows": True,
            "observes_turns": self.observes_turns,
            "native": common.parse_native_mode(args.engine),
        }
        simulation = Simulation(game, self.kinds, args.games, seed, False, args.jobs, find_default_cache(), **settings)
        try:
            return group_by_seed(simulation.run().rows or ())
        finally:
            self.use.add(simulation.use)

    def _create_program(self, new_numbers: dict[Number, int]) -> Program:
        """Return the program with other numbers. Raises RulesRefused if the rules then have errors."""
        if not new_numbers:
            return self.program
        report = Diagnostics()
        program = common.check_rules(replace_numbers(self.files, new_numbers), report)
        if program is None:
            raise RulesRefused(report.list_sorted()[0].message)
        return program

    # ------------------------------------------------------------ parsing

    def _read(self, text: str) -> tuple[Axis, Number | None]:
        """Parse a parameter: ``gold=0..3``, ``cards.imp.fields.cost=1,2,4``. Raises UsageError."""
        name, equals, value_text = (part.strip() for part in text.partition("="))
        if not equals or not value_text or not name:
            raise UsageError(f"--vary {text}: write NAME=VALUES", "for example --vary NAME=1..5")
        values = _parse_values(text, value_text)
        option = next((item for item in self.program.options if item.name == name), None)
        if option is not None:
            try:
                inputs = [parse_option_value(option, value) for value in values]
            except ValueError as problem:
                raise UsageError(f"--vary {text}: {problem}") from None
            current = self.game.written_options[name]
            if isinstance(current, bool):
                # `yes` is the same value as `true`.
                values, current = tuple(dict.fromkeys(map(format_option_value, inputs))), format_option_value(current)
            return Axis(name, values, current), None
        if "." not in name:
            hint = suggest_name(name, [item.name for item in self.program.options])
            raise UsageError(
                f"--vary {text}: there is no option `{name}`",
                hint or "to vary a number in the rules, write the path to it, for example `tables.price.values.left`",
            )
        if not all(isinstance(value, int) for value in values):
            raise UsageError(f"--vary {text}: `{name}` needs whole numbers", f"for example --vary {name}=1..5")
        try:
            (number,) = find_numbers(self.files, [name])
        except NoNumber as problem:
            raise UsageError(f"--vary: {problem}", problem.hint) from None
        return Axis(name, values, number.value), number


def _parse_values(parameter: str, text: str) -> tuple[Value, ...]:
    """Parse values: ``1..5``, ``0..20:5`` (steps of 5), ``1,2,4``, ``basic,advanced``. Numbers become integers.

    Raises UsageError for an empty range, more than MAX_VALUES values, and an empty or repeated value.
    """
    range_match = _RANGE.fullmatch(text)
    if range_match is None:
        items = [part.strip() for part in text.split(",")]
        values: Sequence[Value] = [int(part) if _NUMBER.fullmatch(part) else part for part in items]
    else:
        values = range(int(range_match[1]), int(range_match[2]) + 1, max(int(range_match[3] or 1), 1))
        if not values:
            raise UsageError(f"--vary {parameter}: the range `{text}` is empty")
    if len(values) > MAX_VALUES:
        raise UsageError(
            f"--vary {parameter}: at most {MAX_VALUES} values are allowed", "use steps, such as --vary NAME=0..1000:100"
        )
    if len(set(values)) < len(values) or "" in values:
        raise UsageError(f"--vary {parameter}: a value is empty or appears twice", "for example --vary NAME=1,2,4")
    return tuple(values)
