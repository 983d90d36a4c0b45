"""A fuzzing campaign: rounds of random games, each planned from the coverage of the rounds before it.

A finding becomes a file: a failing case, or a recorded game if a case cannot show it.

The same ruleset, seed and number of games give the same findings, whatever the number of processes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.source.source import Source, make_one_line

from ..game import Game
from ..play.recorded_game_data_and_replay import MadeDecision, Transcript, create_recorded_game, start_transcript
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.events_redaction_and_text import ChanceDecided
from ..state.setting_value_limits_builtins_and_names import format_name
from ..state.state import CodeStore
from ..state.static_work_charges_and_list_bounds import Limits
from ..support.process_pool import map_in_order
from ..testing.cases.case_model import CaseResult
from ..testing.cases.single_case_runner import BOTH, play_case
from ..testing.cases.suite_runner import load_cases
from ..testing.coverage_items import Item
from .checks_and_goals import BUDGET, ENDINGS, ENDLESS, GOALS, PROBLEM_KINDS, Problem
from .game_scripts_and_shrinking import Answer, Script, Shrinker, Variant, Variants, create_answer, find_next_option
from .leak_check_of_questions import ForcedGame, Leak, shrink_leak
from .random_game_on_all_engines import GameResult, GameRunner, Plan

JSON_VERSION = 1
ROUNDS = (8, 16, 32, 64)  # number of games of each round; the last number repeats
DECISION_LIMIT = 200  # maximum decisions of a game after its script …
LARGE_RULESET = 1_000  # … divided by 1 + goals // LARGE_RULESET
LEAK_INTERVAL = 4  # games between two leak checks
PLAYOUT_INTERVAL = 16  # games between two that look for an end with long playouts
DEFAULT_GAMES = 4  # number of first games that use the default variant
FROM_START = 0.5  # share of games that start from the beginning; the others start where a goal was first reached
MAX_FINDINGS = 20
MAX_COUNTED_ANSWERS = 200_000

Progress = Callable[[int], None]


@dataclass
class Campaign:
    """Fuzzing campaign of one program.

    ``games`` is the maximum number of games, None for no limit. ``starts`` are scripts that are played first. The
    findings and counts are valid whenever :meth:`run` is interrupted.
    """

    program: Program
    variants: Variants
    games: int | None
    seconds: float | None = None
    seed: int = 0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    store: CodeStore | None = None
    starts: Sequence[Script] = ()
    findings: list[Finding] = field(default_factory=list)
    game_count: int = 0
    decisions: int = 0
    unfinished_count: int = 0
    most_work: int = 0
    end_counts: Counter[str] = field(default_factory=Counter)
    goal_counts: Counter[int] = field(default_factory=Counter)  # games that reached each goal
    answer_counts: Counter[Answer] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.shortest: dict[int, tuple[int, Script]] = {}  # goal -> fewest decisions to it, and their game
        self.runner = GameRunner(self.program, self.limits, self.store)
        self._by_key: dict[tuple[str, str, str], Finding | None] = {}

    def run(self, progress: Progress | None = None) -> None:
        """Play until a limit of games, seconds or findings is reached. The counts and ``findings`` grow with each game.

        ``progress`` receives the number of games played so far, after each.
        """
        deadline = None if self.seconds is None else monotonic() + self.seconds
        while not self._is_done(deadline):
            self.runner.answer_counts = dict(self.answer_counts)
            size = ROUNDS[min(self.game_count // ROUNDS[-1], len(ROUNDS) - 1)]
            size = size if self.games is None else min(size, self.games - self.game_count)
            plans = [self._plan(number) for number in range(self.game_count, self.game_count + size)]
            with closing(map_in_order(self.runner.play, plans, self.jobs)) as results:
                for plan, result in zip(plans, results, strict=True):
                    self._add(plan, result)
                    if progress is not None:
                        progress(self.game_count)
                    if self._is_done(deadline):
                        break

    def _is_done(self, deadline: float | None) -> bool:
        if len(self.findings) >= MAX_FINDINGS or (deadline is not None and monotonic() >= deadline):
            return True
        return self.games is not None and self.game_count >= self.games

    # ------------------------------------------------------------ results

    def _add(self, plan: Plan, result: GameResult) -> None:
        """Count a game, and record its findings."""
        script = result.replay_script()
        self.game_count += 1
        self.decisions += len(result.answers)
        self.most_work = max(self.most_work, result.work)
        if result.is_over:
            self.end_counts[result.reason or ""] += 1
        else:
            self.unfinished_count += result.problem is None
        counts = self.answer_counts
        counts.update(answer for answer in result.answers if answer in counts or len(counts) < MAX_COUNTED_ANSWERS)
        self.goal_counts.update(result.goal_steps.keys())
        for goal, step in result.goal_steps.items():
            if goal not in self.shortest or step < self.shortest[goal][0]:
                self.shortest[goal] = step, script
        if result.problem is not None:
            self._add_problem(plan.number, script, result.problem)
        if result.leak is not None:
            self._add_leak(plan.number, result.leak)

    def _add_problem(self, number: int, script: Script, problem: Problem) -> None:
        if problem.key not in self._by_key:
            finding = Finding(problem, number, len(script.answers), script)
            self._by_key[problem.key] = finding
            self.findings.append(finding)
            self._shrink(finding, script, problem)
            return
        known = self._by_key[problem.key]
        if known is not None and len(script.answers) < len(known.script.answers) and not known.script.takes_first:
            self._shrink(known, script, problem)  # shrinking this script may get further

    def _shrink(self, finding: Finding, script: Script, problem: Problem) -> None:
        """Shrink a script; the finding keeps the result if it is smaller than the finding's own."""
        shrinker = Shrinker(self.runner.reproduce, self.variants, script, problem)
        try:
            shrinker.run()
        finally:
            if finding.file is None or len(shrinker.script.answers) < len(finding.script.answers):
                finding.script, finding.problem = shrinker.script, shrinker.problem
            finding.file = _create_finding_file(self.runner, finding, self.findings.index(finding) + 1)

    def _add_leak(self, number: int, leak: Leak) -> None:
        game = self.runner.make_evaluator(leak.variant)
        key = leak.to_problem(game).key
        if key in self._by_key:
            return
        self._by_key[key] = None
        length, leak = len(leak.answers), shrink_leak(game, leak)
        finding = Finding(leak.to_problem(game), number, length, Script(leak.variant, 0, leak.answers), leak)
        self.findings.append(finding)
        finding.file = _create_finding_file(self.runner, finding, len(self.findings))

    # ------------------------------------------------------------ plans

    def _plan(self, number: int) -> Plan:
        rng = Random(f"{self.seed} {number}")
        seed = rng.randrange(1 << 20)
        if number < len(self.starts):
            script = self.starts[number]
        elif not self.shortest or rng.random() < FROM_START:
            variant = self.variants.make_default() if number < DEFAULT_GAMES else self.variants.draw(rng)
            script = Script(variant, seed, ())
        else:
            # the shortest game up to a goal, preferably a goal that few games reached
            goals = rng.choices(list(self.shortest), k=3)
            step, script = self.shortest[min(goals, key=lambda goal: self.goal_counts[goal])]
            script = self._mutate(replace(script, answers=script.answers[:step]), rng, seed)
        limit = len(script.answers) + DECISION_LIMIT // (1 + len(self.runner.goals.items) // LARGE_RULESET)
        return Plan(number, script, limit, number % PLAYOUT_INTERVAL == 0, (number + 1) % LEAK_INTERVAL == 0)

    def _mutate(self, script: Script, rng: Random, seed: int) -> Script:
        """Return a script as it is, or in up to half of all cases with one change.

        It is cut, or lacks one answer, or has another seed or variant.
        """
        answers = script.answers
        index = rng.randrange(len(answers) + 1)
        match rng.randrange(8):
            case 0:
                return replace(script, answers=answers[:index])
            case 1:
                return replace(script, answers=answers[:index] + answers[index + 1 :])
            case 2:
                return replace(script, seed=seed)
            case 3:
                return replace(script, variant=self.variants.draw(rng))
        return script

    # ------------------------------------------------------------ report

    def count_reached_goals(self) -> dict[str, tuple[int, int]]:
        """Return kind of goal -> (number of goals reached, number of all goals), in the order of :data:`GOALS`.

        Kinds without a goal are left out.
        """
        items = self.runner.goals.items
        return {
            kind: (sum(i in self.goal_counts for i, item in enumerate(items) if item.kind == kind), total)
            for kind in GOALS
            if (total := sum(item.kind == kind for item in items))
        }

    def list_unreached_goals(self) -> list[Item]:
        """Return the goals in ``runner.goals.items`` whose index is not in ``goal_counts``, since no game reached them.

        Those with the ``kind`` ENDINGS come first, then the others, each in the order of the items. Another goal is
        left out if its ``parent``, the goal that leads to it, was not reached either.
        """
        items = self.runner.goals.items
        gaps = {id(item): item for number, item in enumerate(items) if number not in self.goal_counts}
        goals = [item for item in gaps.values() if item.kind == ENDINGS or id(item.parent) not in gaps]
        return sorted(goals, key=lambda item: item.kind != ENDINGS)

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON value.

        The keys are ``version``, ``game``, ``seed``, ``games``, ``decisions``, ``not_ended``, ``ends``, ``most_work``,
        ``reached`` (kind of goal -> ``reached`` and ``of``), ``never`` (the other goals) and ``findings``. Each finding
        has ``kind``, ``where``, ``message``, ``place``, ``game``, ``decisions`` (before and after shrinking) and
        ``file`` (``name`` and ``text``, or None).
        """
        program = self.program
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seed": self.seed,
            "games": self.game_count,
            "decisions": self.decisions,
            "not_ended": self.unfinished_count,
            "ends": dict(sorted(self.end_counts.items(), key=lambda end: (-end[1], end[0]))),
            "most_work": self.most_work,
            "reached": {
                kind: {"reached": reached_count, "of": total}
                for kind, (reached_count, total) in self.count_reached_goals().items()
            },
            "never": [
                {"kind": item.kind, "name": item.name, "place": str(item.span), "what": item.gap}
                for item in self.list_unreached_goals()
            ],
            "findings": [
                {
                    "kind": finding.problem.kind,
                    "where": finding.problem.place,
                    "message": finding.problem.message,
                    "place": None if finding.problem.span is None else str(finding.problem.span),
                    "game": finding.game_number,
                    "decisions": [finding.original_length, len(finding.script.answers)],
                    "file": None if finding.file is None else {"name": finding.file.name, "text": finding.file.text},
                }
                for finding in self.findings
            ],
        }


# ---------------------------------------------------------------- files of findings


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


def _create_finding_file(runner: GameRunner, finding: Finding, number: int) -> FindingFile:
    """Return the file of a finding, without writing it: ``fuzz-KIND-NUMBER.yaml`` or ``.json``.

    It is a case (``.yaml``) if the case fails, and always for an endless game, whose case is not tried. Otherwise, and
    for budgets, it is a recorded game (``.json``).
    """
    kind = finding.problem.kind
    name = f"fuzz-{kind}-{number}"
    if kind != BUDGET:
        text = _format_case(runner, finding, name)
        # An endless case takes long to fail, so it is not run.
        if kind == ENDLESS or _has_failing_case(runner.program, text):
            return FindingFile(f"{name}.yaml", text)
    game = runner.get_engines(finding.script.variant).compiled_game
    transcript = start_transcript(game, finding.script.seed)
    transcript.decisions.extend(_list_decisions(game, finding.script))
    return FindingFile(f"{name}.json", json.dumps(transcript.to_json(), indent=1, ensure_ascii=False) + "\n")


def read_script(program: Program, variants: Variants, transcript: Transcript) -> Script:
    """Return a recorded game as a script, whose answers end before the first that doesn't fit the rules any more.

    The answers are tried with the recorded options. The script keeps the recorded seed and number of players. Its
    ``variant.options`` are pairs of name and value in the order of the program, without options that have their
    default, even fixed ones. An option in ``variants.fixed_options`` has the value from there, as the user typed it:
    ``("size", "5")`` in place of a recorded ``("size", 4)``. A fault of the rules also ends the script, after the
    decision that led to it. Raises TranscriptError if it is a game of another ruleset, or if its players or options no
    longer fit.
    """
    game, answers = create_recorded_game(program, transcript), list[Answer]()
    try:
        state = game.start(transcript.seed)
        for record in transcript.decisions:
            decision = game.decision(state)
            ids = [] if decision is None or decision.seat != record.seat else game.option_ids(state, decision)
            if decision is None or record.option not in ids:
                break
            option = decision.options[ids.index(record.option)]
            answers.append(create_answer(decision, option))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return Script(variants.make_variant(transcript.players, transcript.options), transcript.seed, tuple(answers))


def _has_failing_case(program: Program, text: str) -> bool:
    """Return whether all cases of a file can be read and at least one fails."""
    has_failure = False
    for case in load_cases(program, [Source("found.yaml", text)]):
        if isinstance(case, CaseResult) or case.errors:
            return False
        has_failure |= bool(play_case(case, program, BOTH))
    return has_failure


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
        lines += _format_leak_cases(runner.make_evaluator(finding.leak.variant), finding.leak, id)
    else:
        decisions = _list_decisions(runner.get_engines(script.variant).compiled_game, script)
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
        forced_game = ForcedGame(game, leak.outcomes[number], leak.seed)
        decisions = [
            MadeDecision(decision.seat, game.option_ids(state, decision)[option.index])
            for state, decision, option in forced_game.replay(leak.answers)
        ]
        expected = leak.questions[1 - number]
        step = (
            f"legal: {{P{leak.seat + 1}: {json.dumps(expected['options'])}}}"
            if expected["options"] != question["options"]
            else f"prompt: {json.dumps(expected['prompt'])}"
        )
        lines += [
            *_format_head(f"{id}{'-twin' * number}", title, leak.variant),
            *_format_chance(forced_game),
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


def _format_chance(forced_game: ForcedGame) -> list[str]:
    """Return the lines that force the outcomes of chance."""
    entities, setting = forced_game.game.program.entities, forced_game.game.setting
    names = iter(event.name for event in forced_game.log if isinstance(event, ChanceDecided))
    results: dict[str, list[Any]] = {"shuffles": [], "dice": [], "picks": []}
    for outcome in forced_game.chance.outcomes:
        if not outcome.stream:
            results["shuffles"].append([entities[card].name for card in outcome.value])
            continue
        type = setting.chance_types.get(next(names))
        value = outcome.value if type is None else format_name(setting, outcome.value, type)
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
        steps += ["      - do:", "          [", *(f"            {text.rstrip()}" for text in lines), "          ]"]
    return [*steps, "      - play_until: end"] if plays_on else steps
