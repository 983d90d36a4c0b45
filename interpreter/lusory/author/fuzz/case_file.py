"""A finding as a file that fails when it is tested: a case, or, where a case can't say it, a recorded game."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.text.printable import one_line
from lusory_dsl.text.source import Source

from ...play.transcript import Made, Transcript, game_of
from ...table.choices import RulesetFault
from ..cases import CaseResult, load_cases
from ..cases.engines import play_on_both
from .case_lines import setting, steps
from .leaks import Twin
from .trial import Trial
from .variants import Variants
from .ways import Answer, answer_of
from .wrong import BUDGET, ENDLESS, WRONG, Script, Wrong, scripted


@dataclass(frozen=True)
class Written:
    """``name``: of the file, as it is proposed; ``fails``: whether it is a case, which fails."""

    name: str
    text: str
    fails: bool


@dataclass
class Found:
    """A finding: the game that came to it, what of it is left, and the file that shows it."""

    wrong: Wrong
    number: int
    before: int  # decisions of that game
    script: Script
    twin: Twin | None = None
    file: Written | None = None


def written(trial: Trial, found: Found, number: int) -> Written:
    """The file of a finding; ``number`` tells it from others."""
    name = f"fuzz-{found.wrong.kind}-{number}"
    if found.wrong.kind != BUDGET:
        text = _case(trial, found, name)
        if found.wrong.kind == ENDLESS or _fails(trial, text):  # what never ends takes long to fail
            return Written(f"{name}.yaml", text, True)
    return Written(f"{name}.json", _recorded(trial, found.script), False)


def _fails(trial: Trial, text: str) -> bool:
    """Whether every case of a file can be read, and one of them fails."""
    results = []
    for case in load_cases(trial.program, [Source("found.yaml", text)]):
        if isinstance(case, CaseResult) or case.errors:
            return False
        results.append(play_on_both(case, trial.program))
    return any(results)


def made(trial: Trial, script: Script) -> list[Made]:
    """The decisions of a script, as they are typed."""
    game, left, found = trial.table(script.variant).game, list(reversed(script.answers)), list[Made]()
    try:
        state = game.start(script.seed)
        while (decision := game.decision(state)) is not None:
            option = scripted(state, decision, left)
            if option is None:
                break
            found.append(Made(decision.seat, game.option_ids(state, decision)[option.index]))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return found


def recorded(program: Program, variants: Variants, transcript: Transcript) -> Script:
    """A recorded game as one to go on from, as far as its decisions fit. Raises TranscriptError for one of another game
    or of options that there are none of any more."""
    game, answers = game_of(program, transcript), list[Answer]()
    try:
        state = game.start(transcript.seed)
        for one in transcript.decisions:
            decision = game.decision(state)
            ids = [] if decision is None or decision.seat != one.seat else game.option_ids(state, decision)
            if decision is None or one.option not in ids:
                break
            option = decision.options[ids.index(one.option)]
            answers.append(answer_of(decision, option))
            state = game.apply(state, option.index)
    except RulesetFault:
        pass
    return Script(variants.of(transcript.players, transcript.options), transcript.seed, tuple(answers))


def _case(trial: Trial, found: Found, id: str) -> str:
    place = "" if found.wrong.span is None else f", {found.wrong.span}"
    about = [
        f"# Found by lusory fuzz: {one_line(f'{WRONG[found.wrong.kind]}{place}')}",
        "# It fails until the rules are mended. Then say in steps behind these what you mean to be so.",
    ]
    if found.twin is not None:
        return "\n".join((*about, found.twin.cases(trial.oracle(found.twin.variant), id)))
    script = found.script
    lines = [
        *about,
        "cases:",
        f"  - id: {id}",
        f"    title: {json.dumps(found.wrong.message)}",
        *setting(script.variant),
        f"    seed: {script.seed}",
        *steps(made(trial, script), script.onwards or found.wrong.kind == ENDLESS),
    ]
    return "\n".join(lines) + "\n"


def _recorded(trial: Trial, script: Script) -> str:
    game, program = trial.table(script.variant).game, trial.program
    options: dict[str, Any] = {}
    for option in program.options:
        value = game.option_values[option.name]
        options[option.name] = option.values[value] if option.values else value
    transcript = Transcript(
        program.id, program.version, program.digest, game.players, options, script.seed, made(trial, script)
    )
    return json.dumps(transcript.to_json(), indent=1, ensure_ascii=False) + "\n"
