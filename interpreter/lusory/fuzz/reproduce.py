"""Write a finding as a failing case, or as a recorded game if a case cannot show it; read recorded games."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.source.source import Source, make_one_line

from ..game import Game
from ..play.transcript import MadeDecision, Transcript, create_recorded_game
from ..state.decision import RulesetFault
from ..state.event_log import ChanceDecided
from ..state.setting import name_of
from ..testing.cases.model import CaseResult
from ..testing.cases.run import load_cases, play_on_both
from .checks import BUDGET, ENDLESS, PROBLEM_KINDS, Problem
from .leak_check import ForcedGame, Leak
from .random_play import GameRunner
from .script import Answer, Script, Variant, Variants, answer_of, next_option

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


def finding_file(runner: GameRunner, finding: Finding, number: int) -> FindingFile:
    """Return the file of a finding. ``number`` makes its name unique."""
    kind = finding.problem.kind
    name = f"fuzz-{kind}-{number}"
    if kind != BUDGET:
        text = _case_text(runner, finding, name)
        if kind == ENDLESS or _has_failing_case(
            runner.program,
            text,
            # An endless case takes long to fail, so it is not run.
        ):
            return FindingFile(f"{name}.yaml", text)
    return FindingFile(f"{name}.json", _recorded_game(runner, finding.script))


def read_script(program: Program, variants: Variants, transcript: Transcript) -> Script:
    """Return a recorded game as a script, up to the first decision that doesn't fit the rules any more.

    Raises TranscriptError if it is a game of another ruleset, or has options that don't exist.
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
            answers.append(answer_of(decision, option))
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
        failed |= bool(play_on_both(case, program))
    return failed


def _made_decisions(game: Game, script: Script) -> list[MadeDecision]:
    """Return the decisions of a script with the ids of their options."""
    left, made = list(reversed(script.answers)), list[MadeDecision]()
    try:
        state = game.start(script.seed)
        while (decision := game.decision(state)) is not None:
            option = next_option(decision, left)
            if option is None:
                break
            made.append(MadeDecision(decision.seat, game.option_ids(state, decision)[option.index]))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return made


def _recorded_game(runner: GameRunner, script: Script) -> str:
    game, program = runner.engines(script.variant).compiled, runner.program
    options: dict[str, Any] = {}
    for option in program.options:
        value = game.option_values[option.name]
        options[option.name] = option.values[value] if option.values else value
    made = _made_decisions(game, script)
    transcript = Transcript(program.id, program.version, program.digest, game.players, options, script.seed, made)
    return json.dumps(transcript.to_json(), indent=1, ensure_ascii=False) + "\n"


def _case_text(runner: GameRunner, finding: Finding, id: str) -> str:
    problem, script = finding.problem, finding.script
    place = "" if problem.span is None else f", {problem.span}"
    lines = [
        f"# Found by lusory fuzz: {make_one_line(f'{PROBLEM_KINDS[problem.kind]}{place}')}",
        "# This case fails until you correct the rules. Then add steps that say what you expect.",
        "cases:",
    ]
    if finding.leak is not None:
        lines += _leak_cases(runner.evaluator(finding.leak.variant), finding.leak, id)
    else:
        made = _made_decisions(runner.engines(script.variant).compiled, script)
        lines += [
            *_head_lines(id, problem.message, script.variant),
            f"    seed: {script.seed}",
            *_step_lines(made, script.takes_first or problem.kind == ENDLESS or not made),
        ]
    return "\n".join(lines) + "\n"


def _leak_cases(game: Game, leak: Leak, id: str) -> list[str]:
    """Return two failing cases, one for each game. Each expects the question that the seat gets in the other game."""
    lines = []
    title = f"P{leak.seat + 1} can't tell this game from the other one, but is asked something else"
    for number, question in enumerate(leak.questions):
        forced = ForcedGame(game, leak.outcomes[number], leak.seed)
        made = [
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
            *_head_lines(f"{id}{'-twin' * number}", title, leak.variant),
            *_chance_lines(forced),
            *_step_lines(made, False),
            f"      - {step}",
        ]
    return lines


def _head_lines(id: str, title: str, variant: Variant) -> list[str]:
    options = ", ".join(f"{name}: {json.dumps(value)}" for name, value in variant.options)
    return [
        f"  - id: {id}",
        f"    title: {json.dumps(title)}",
        f"    players: {variant.players}",
        *([f"    options: {{{options}}}"] if options else []),
    ]


def _chance_lines(forced: ForcedGame) -> list[str]:
    """Return the lines that force the outcomes of chance."""
    entities, setting = forced.game.program.entities, forced.game.setting
    names = iter(event.name for event in forced.log if isinstance(event, ChanceDecided))
    found: dict[str, list[Any]] = {"shuffles": [], "dice": [], "picks": []}
    for outcome in forced.chance.outcomes:
        if not outcome.stream:
            found["shuffles"].append([entities[card].name for card in outcome.value])
            continue
        type = setting.chance_types.get(next(names))
        value = outcome.value if type is None else name_of(setting, outcome.value, type)
        found["dice" if outcome.stream == "dice" else "picks"].append(value)
    return [f"    {key}: {json.dumps(values)}" for key, values in found.items() if values]


def _step_lines(made: Sequence[MadeDecision], plays_on: bool) -> list[str]:
    """Return the steps of a case: all decisions in one step, then the rest of the game if it ``plays_on``."""
    lines, line = [], ""
    for one in made:
        entry = f"{{P{one.seat + 1}: {json.dumps(one.option)}}}, "
        if line and len(line) + len(entry) > LINE_WIDTH:
            lines.append(line)
            line = ""
        line += entry
    lines += [line] if line else []
    steps = ["    steps:"]
    if lines:
        steps += ["      - do:", "          [", *(f"            {part.rstrip()}" for part in lines), "          ]"]
    return [*steps, "      - play_until: end"] if plays_on else steps


Reproduce = Callable[[Script, Problem], tuple[Script, Problem] | None]
"""Function that replays a script.

It returns the part that leads to the same problem, and the problem there, or None.
"""

MOST_DECISIONS = 30_000  # decisions of all replays together
MOST_REPLAYS = 600
REPLAY_COST = 20  # cost of each replay, in decisions
SMALL_SEEDS = 4
MOST_FOR_PAIRS = 40  # maximum length of a script from which pairs of decisions are left out
LONG_SCRIPT = 100  # minimum length of a script whose answers may be replaced by first options


class Shrinker:
    """Shrinker of one script. ``script`` and ``problem`` are the smallest so far."""

    def __init__(self, reproduce: Reproduce, variants: Variants, script: Script, problem: Problem) -> None:
        self.reproduce, self.variants = reproduce, variants
        self.script, self.problem = script, problem
        self.decisions_left, self.replays_left = MOST_DECISIONS, MOST_REPLAYS

    def run(self) -> None:
        """Shrink until nothing gets smaller or the limits are reached."""
        if not self._try(self.script):
            return
        self._take_first_options()
        size = None
        while size != (size := _size(self.script)) and self._has_work_left:
            for variant in self._simpler_variants(self.script.variant):
                self._try(replace(self.script, variant=variant))
            self._remove_pieces()
            self._lower_seed()
            self._remove_pairs()

    @property
    def _has_work_left(self) -> bool:
        return self.decisions_left > 0 and self.replays_left > 0

    def _try(self, script: Script) -> bool:
        """Replay a script, and keep it if it leads to the problem and is not larger."""
        if not self._has_work_left:
            return False
        self.replays_left -= 1
        self.decisions_left -= len(script.answers) + REPLAY_COST
        found = self.reproduce(script, self.problem)
        if found is None or (script is not self.script and _size(found[0]) > _size(self.script)):
            return False
        self.script, self.problem = found
        return True

    def _take_first_options(self) -> None:
        """Replace the end of a long game, or all of it, by first options."""
        answers = self.script.answers
        if self.problem.kind == ENDLESS or len(answers) < LONG_SCRIPT:
            return
        for length in (0, 1, 2, 4, 8, 16, 32):
            if self._try(replace(self.script, answers=answers[:length], takes_first=True)):
                return

    def _remove_pieces(self) -> None:
        """Leave out pieces of consecutive decisions, large ones first."""
        length = 1 << max(len(self.script.answers).bit_length() - 1, 0)
        while length and self._has_work_left:
            start = 0
            while start < len(self.script.answers) and self._has_work_left:
                answers = self.script.answers
                if not self._try(replace(self.script, answers=answers[:start] + answers[start + length :])):
                    start += length
            length //= 2

    def _remove_pairs(self) -> None:
        """Leave out two decisions at once, such as a move and the move back."""
        at = 0
        while at < len(self.script.answers) <= MOST_FOR_PAIRS and self._has_work_left:
            at += not any(self._try(self._without(at, other)) for other in range(at + 1, len(self.script.answers)))

    def _without(self, at: int, other: int) -> Script:
        answers = self.script.answers
        return replace(self.script, answers=answers[:at] + answers[at + 1 : other] + answers[other + 1 :])

    def _simpler_variants(self, variant: Variant) -> Iterator[Variant]:
        """Yield variants with the default options, with one option less, and with fewer players."""
        if variant.options:
            yield self.variants.of(variant.players, {})
        for name, _ in variant.options:
            rest = {other: value for other, value in self.script.variant.options if other != name}
            yield self.variants.of(self.script.variant.players, rest)
        for players in self.variants.players:
            if players < variant.players:
                yield self.variants.of(players, self.script.variant.given)

    def _lower_seed(self) -> None:
        for seed in range(SMALL_SEEDS):
            if not isinstance(self.script.seed, int) or seed < self.script.seed:
                self._try(replace(self.script, seed=seed))


def _size(script: Script) -> tuple[int, int, int, int]:
    seed = script.seed if isinstance(script.seed, int) else 1 << 128  # a secure seed counts as the largest
    return len(script.answers), len(script.variant.options), script.variant.players, seed
