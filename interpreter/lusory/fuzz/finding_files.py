"""Write a finding as a failing case, or as a recorded game if a case cannot show it; read recorded games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.source.source import Source, make_one_line

from ..game import Game
from ..play.transcript import MadeDecision, Transcript, create_recorded_game
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.event_log import ChanceDecided
from ..state.setting_and_builtin_functions import name_of
from ..testing.cases.case_model import CaseResult
from ..testing.cases.suite_runner import load_cases, run_case_on_both
from .checks_and_goals import BUDGET, ENDLESS, PROBLEM_KINDS, Problem
from .game_scripts_and_shrinking import Answer, Script, Variant, Variants, create_answer, find_next_option
from .leak_check import ForcedGame, Leak
from .random_play import GameRunner

LINE_WIDTH = 110  # maximum width of a line of decisions


@dataclass(frozen=True)
class FindingFile:
    """File that shows a finding. ``name`` is the proposed file name."""

    name: str
    text: str


@dataclass
class Finding:
    """Problem and the smallest script that leads to it.

    ``game_number`` is the game that found it, and ``original_length`` the number of its decisions.
    """

    problem: Problem
    game_number: int
    original_length: int
    script: Script
    leak: Leak | None = None
    file: FindingFile | None = None


def create_finding_file(runner: GameRunner, finding: Finding, number: int) -> FindingFile:
    """Return the file of a finding, without writing it: ``fuzz-KIND-NUMBER.yaml`` or ``.json``.

    It is a case (``.yaml``) if the case fails; the case for an endless game is not tried. Otherwise, and for budgets,
    it is a recorded game (``.json``).
    """
    kind = finding.problem.kind
    name = f"fuzz-{kind}-{number}"
    if kind != BUDGET:
        text = _format_case(runner, finding, name)
        if kind == ENDLESS or _has_failing_case(
            runner.program,
            text,
            # An endless case takes long to fail, so it is not run.
        ):
            return FindingFile(f"{name}.yaml", text)
    return FindingFile(f"{name}.json", _format_recorded_game(runner, finding.script))


def read_script(program: Program, variants: Variants, transcript: Transcript) -> Script:
    """Return a recorded game as a script, up to the first decision that doesn't fit the rules any more.

    A fault of the rules also ends the script. Raises TranscriptError if it is a game of another ruleset, or has options
    that don't exist.
    """
    game, answers = create_recorded_game(program, transcript), list[Answer]()
    try:
        state = game.start(transcript.seed)
        for made in transcript.decisions:
            decision = game.decision(state)
            ids = [] if decision is None or decision.seat != made.seat else game.option_ids(state, decision)
            if decision is None or made.option not in ids:
                break
            option = decision.options[ids.index(made.option)]
            answers.append(create_answer(decision, option))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return Script(variants.of(transcript.players, transcript.options), transcript.seed, tuple(answers))


def _has_failing_case(program: Program, text: str) -> bool:
    """Return whether all cases of a file can be read and at least one fails."""
    failed = False
    for case in load_cases(program, [Source("found.yaml", text)]):
        if isinstance(case, CaseResult) or case.errors:
            return False
        failed |= bool(run_case_on_both(case, program))
    return failed


def _list_decisions(game: Game, script: Script) -> list[MadeDecision]:
    """Return the decisions of a script with the ids of their options, up to an answer that doesn't fit or a fault."""
    remaining, decisions = list(reversed(script.answers)), list[MadeDecision]()
    try:
        state = game.start(script.seed)
        while (decision := game.decision(state)) is not None:
            option = find_next_option(decision, remaining)
            if option is None:
                break
            decisions.append(MadeDecision(decision.seat, game.option_ids(state, decision)[option.index]))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return decisions


def _format_recorded_game(runner: GameRunner, script: Script) -> str:
    game, program = runner.engines(script.variant).compiled, runner.program
    options: dict[str, Any] = {}
    for option in program.options:
        value = game.option_values[option.name]
        options[option.name] = option.values[value] if option.values else value
    decisions = _list_decisions(game, script)
    transcript = Transcript(program.id, program.version, program.digest, game.players, options, script.seed, decisions)
    return json.dumps(transcript.to_json(), indent=1, ensure_ascii=False) + "\n"


def _format_case(runner: GameRunner, finding: Finding, id: str) -> str:
    """Return a case file that leads to a finding. ``id`` names the case."""
    problem, script = finding.problem, finding.script
    place = "" if problem.span is None else f", {problem.span}"
    lines = [
        f"# Found by lusory fuzz: {make_one_line(f'{PROBLEM_KINDS[problem.kind]}{place}')}",
        "# This case fails until you correct the rules. Then add steps that say what you expect.",
        "cases:",
    ]
    if finding.leak is not None:
        lines += _format_leak_cases(runner.evaluator(finding.leak.variant), finding.leak, id)
    else:
        decisions = _list_decisions(runner.engines(script.variant).compiled, script)
        lines += [
            *_format_head(id, problem.message, script.variant),
            f"    seed: {script.seed}",
            *_format_steps(decisions, script.takes_first or problem.kind == ENDLESS or not decisions),
        ]
    return "\n".join(lines) + "\n"


def _format_leak_cases(game: Game, leak: Leak, id: str) -> list[str]:
    """Return the lines of two failing cases, one for each game.

    Each expects the question of the seat in the other game.
    """
    lines = []
    title = f"P{leak.seat + 1} can't tell this game from the other one, but is asked something else"
    for number, question in enumerate(leak.questions):
        forced = ForcedGame(game, leak.outcomes[number], leak.seed)
        decisions = [
            MadeDecision(decision.seat, game.option_ids(state, decision)[option.index])
            for state, decision, option in forced.replay(leak.answers)
        ]
        expected = leak.questions[1 - number]
        step = (
            f"legal: {{P{leak.seat + 1}: {json.dumps(expected['options'])}}}"
            if expected["options"] != question["options"]
            else f"prompt: {json.dumps(expected['prompt'])}"
        )
        lines += [
            *_format_head(f"{id}{'-twin' * number}", title, leak.variant),
            *_format_chance(forced),
            *_format_steps(decisions, False),
            f"      - {step}",
        ]
    return lines


def _format_head(id: str, title: str, variant: Variant) -> list[str]:
    options = ", ".join(f"{name}: {json.dumps(value)}" for name, value in variant.options)
    return [
        f"  - id: {id}",
        f"    title: {json.dumps(title)}",
        f"    players: {variant.players}",
        *([f"    options: {{{options}}}"] if options else []),
    ]


def _format_chance(forced: ForcedGame) -> list[str]:
    """Return the lines that force the outcomes of chance."""
    entities, setting = forced.game.program.entities, forced.game.setting
    names = iter(event.name for event in forced.log if isinstance(event, ChanceDecided))
    results: dict[str, list[Any]] = {"shuffles": [], "dice": [], "picks": []}
    for outcome in forced.chance.outcomes:
        if not outcome.stream:
            results["shuffles"].append([entities[card].name for card in outcome.value])
            continue
        type = setting.chance_types.get(next(names))
        value = outcome.value if type is None else name_of(setting, outcome.value, type)
        results["dice" if outcome.stream == "dice" else "picks"].append(value)
    return [f"    {key}: {json.dumps(values)}" for key, values in results.items() if values]


def _format_steps(decisions: Sequence[MadeDecision], plays_on: bool) -> list[str]:
    """Return the steps of a case: all decisions in one step, then the rest of the game if it ``plays_on``."""
    lines, line = [], ""
    for decision in decisions:
        entry = f"{{P{decision.seat + 1}: {json.dumps(decision.option)}}}, "
        if line and len(line) + len(entry) > LINE_WIDTH:
            lines.append(line)
            line = ""
        line += entry
    lines += [line] if line else []
    steps = ["    steps:"]
    if lines:
        steps += ["      - do:", "          [", *(f"            {part.rstrip()}" for part in lines), "          ]"]
    return [*steps, "      - play_until: end"] if plays_on else steps
