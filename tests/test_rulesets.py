"""Every bundled ruleset checks clean, is documented, passes its own cases on every engine, and its games end."""

from __future__ import annotations

import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import programs
import pytest
from programs import create_bundled_game, is_large, load_bundled
from test_conformance import list_failures, pass_states_through_json

from lusory.game import Game
from lusory.play.playthrough_writer_and_parser import format_playthrough
from lusory.play.recorded_game_data_and_replay import add_decision, start_transcript
from lusory.state.state import State
from lusory.testing.cases import single_case_runner
from lusory.testing.cases.case_model import Case, CaseResult
from lusory.testing.cases.suite_runner import list_case_files, load_cases, play_cases
from lusory_dsl import core
from lusory_dsl.pipeline import check, load_program
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_files
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_packs, find_bundled_rulesets
from lusory_dsl.types.types import TEXT

RULESETS = find_bundled_rulesets()
PACKS = find_bundled_packs()
ENGINES = ("evaluator", "compiled")

every_ruleset = pytest.mark.parametrize("name", RULESETS)


@pytest.fixture(autouse=True)
def share_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the generated code of cases from the cache of the session, like that of other tests."""
    if programs.cache is not None:
        monkeypatch.setattr(single_case_runner, "_create_code_store", lambda program: programs.cache)


@cache
def load_all_cases(name: str) -> list[Case]:
    """Return all cases of a ruleset. Checks that they can be read without errors."""
    cases = load_cases(load_bundled(name), list_case_files(RULESETS[name]))
    assert [case.id for case in cases if isinstance(case, CaseResult)] == []
    return [case for case in cases if isinstance(case, Case)]


# ---------------------------------------------------------------- contents


@every_ruleset
def test_checks_clean(name: str) -> None:
    diagnostics = Diagnostics()
    check(RULESETS[name], diagnostics)
    assert not [f"{report.span}: {report.code.id} {report.message}" for report in diagnostics.list_sorted()]


@every_ruleset
def test_is_complete(name: str) -> None:
    folder = RULESETS[name]
    assert (folder / "README.md").is_file()
    assert list_case_files(folder)
    assert list((folder / "playthroughs").glob("*.txt"))
    assert load_bundled(name).id == folder.name
    layout = load_bundled(name).layout
    assert layout.panels or layout.boards or layout.player


@every_ruleset
def test_every_action_has_a_text(name: str) -> None:
    ruleset = load_files(read_ruleset_files(RULESETS[name]), Diagnostics())
    assert ruleset is not None
    assert [action.name.text for action in ruleset.actions if not action.text] == []


@pytest.mark.parametrize("engine", ENGINES)
@every_ruleset
def test_passes_its_cases(name: str, engine: str) -> None:
    """Plays all cases on the compiled engine. On the slow evaluator it plays every second one, or every 15th of a large
    ruleset.

    `lusory test NAME --engine evaluator` plays them all.
    """
    every = (15 if is_large(name) else 2) if engine == "evaluator" else 1
    results = list(play_cases(load_bundled(name), load_all_cases(name)[::every], engine))
    assert results
    assert list_failures(results) == []


@every_ruleset
def test_cases_pass_through_json(name: str) -> None:
    """Plays some cases of each ruleset, because all positions consist of the same kinds of values."""
    cases = load_all_cases(name)
    with pass_states_through_json():
        results = list(play_cases(load_bundled(name), cases[:: len(cases) // 20 + 1], "compiled"))
    assert list_failures(results) == []


def read_clause_page(name: str) -> str:
    """Return the page that lists the clauses of a ruleset: ``readings.md``, or the README if there is none."""
    folder = RULESETS[name]
    page = folder / "readings.md"
    return (page if page.is_file() else folder / "README.md").read_text(encoding="utf-8")


@every_ruleset
def test_a_readme_has_at_most_800_words(name: str) -> None:
    assert len((RULESETS[name] / "README.md").read_text(encoding="utf-8").split()) <= 800


@every_ruleset
def test_each_clause_of_the_readme_has_a_case(name: str) -> None:
    """A case names each clause, or the page says why it has none. Cases name only clauses that exist."""
    text = read_clause_page(name)
    with_cases, _, without = text.partition("Without a case:")
    clauses, exceptions = list_clauses(with_cases), list_clauses(without)
    case_clauses = {clause.text for case in load_all_cases(name) for clause in case.clauses}

    assert clauses
    assert not clauses & exceptions
    assert case_clauses == clauses


def list_clause_tables(text: str) -> list[list[list[str]]]:
    """Return the cells of the tables whose first column lists clauses, without heads."""
    tables = [part for part in text.split("\n\n") if re.match(r"\| clauses? \|", part)]
    return [[[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]] for table in tables]


def list_clauses(text: str) -> set[str]:
    """Return the clauses in the first column of tables: ``drop``, ``EE-69, EE-70``, ``EE-01 – EE-10``."""
    clauses: set[str] = set()
    for table in list_clause_tables(text):
        for row in table:
            for entry in row[0].split(","):
                first, _, last = (word.strip() for word in entry.partition("–"))
                clauses |= set(expand_range(first, last)) if last else {first}
    return clauses


def expand_range(first: str, last: str) -> list[str]:
    prefix, low = first.rsplit("-", 1)
    return [f"{prefix}-{number:0{len(low)}}" for number in range(int(low), int(last.rsplit("-", 1)[1]) + 1)]


@every_ruleset
def test_the_readme_names_files_and_cases_that_exist(name: str) -> None:
    text = read_clause_page(name).partition("Without a case:")[0]
    existing = {file.name for file in list_case_files(RULESETS[name])} | {case.id for case in load_all_cases(name)}
    names = {word for table in list_clause_tables(text) for row in table for word in re.findall(r"`([^`]+)`", row[-1])}
    assert names
    assert names <= existing


@every_ruleset
def test_each_card_has_a_case_of_its_own(name: str) -> None:
    """If a ruleset has files ``cards-….yaml``, they contain a case for each card, with the id of the card."""
    files = [file for file in list_case_files(RULESETS[name]) if file.name.startswith("cards-")]
    case_ids = {case.id for case in load_cases(load_bundled(name), files)}
    cards = {entity.card for entity in load_bundled(name).entities}
    assert not files or cards <= case_ids, sorted(cards - case_ids)


# ---------------------------------------------------------------- playing


@every_ruleset
def test_random_games_keep_the_invariants_and_end(name: str) -> None:
    """Plays one game of a large ruleset, and checks only some positions. test_engines.py compares the evaluator."""
    program = load_bundled(name)
    chance = random.Random(name)
    every = 7 if is_large(name) else 1
    for players in range(program.max_players if is_large(name) else program.min_players, program.max_players + 1):
        game = create_bundled_game(name, players)
        for seed in range(1 if is_large(name) else 2):
            state, count = game.start(seed), 0
            while (decision := game.decision(state)) is not None:
                assert count % every or not game.broken_invariants(state)
                state, count = game.apply(state, chance.randrange(len(decision.options))), count + 1
            assert not game.broken_invariants(state)
            outcome = game.outcome(state)
            assert outcome is not None
            assert outcome.winners or program.scoring.is_selective  # a game may end without winners
            assert not find_outdated_entries(game, state)


def find_outdated_entries(game: Game, state: State) -> list[str]:
    """Return the titles of outdated entries of the table after the end: whose move it is, or a round too many."""
    view = game.view(state, None)
    entries = [(item.title, view.text(item.text)) for item in game.program.layout.status if view.holds(item.condition)]
    numbered_entries = ((title, re.fullmatch(r"(\d+) of (\d+)", text)) for title, text in entries)
    late_titles = [title for title, match in numbered_entries if match is not None and int(match[1]) > int(match[2])]
    return [title for title, _ in entries if title == "To move"] + late_titles


def count_positions(game: Game, state: State, depth: int) -> int:
    """Count the positions after ``depth`` choices."""
    decision = game.decision(state)
    if depth == 0 or decision is None:
        return depth == 0
    return sum(count_positions(game, game.apply(state, option.index), depth - 1) for option in decision.options)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("tic-tac-toe", [1, 9, 72, 504]),
        ("connect-four", [1, 7, 49, 343]),
        ("kuhn-poker", [1, 2, 4, 2]),
        ("leduc-poker", [1, 2, 5, 9]),
    ],
)
def test_number_of_positions(name: str, counts: list[int], engine: str) -> None:
    """The counts come from the literature or were derived by hand. A single option is no choice. test_perft.py counts
    the moves of more board games."""
    game = create_bundled_game(name, engine=engine)
    assert [count_positions(game, game.start(0), depth) for depth in range(len(counts))] == counts


def test_hollow_piles_and_hands_of_engines_of_war() -> None:
    """In random games of Engines of War a hollow pile never shrinks, and hands are refilled to six cards."""
    game = create_bundled_game("engines-of-war")
    hollow = [game.layout.places["hollow"].at((seat, 0)) for seat in range(2)]
    hands = [game.layout.zones["hand"].at((seat,)) for seat in range(2)]
    for seed in range(5):
        chance, state = random.Random(seed), game.start(seed)
        round, before = 0, [0, 0]
        while (decision := game.decision(state)) is not None:
            now = [state.cells[cell] for cell in hollow]
            assert all(new >= old for new, old in zip(now, before, strict=True))
            if round != (round := state.cells[game.layout.places["round"].at(())]):
                assert all(len(state.zones[hand]) >= 6 for hand in hands)
            before = now
            state = game.apply(state, chance.randrange(len(decision.options)))


# ---------------------------------------------------------------- packs


every_pack = pytest.mark.parametrize("pack", PACKS)


@every_pack
def test_packs_pass_their_cases_and_their_games_end(pack: str) -> None:
    """Plays the game that a pack is made for together with the pack.

    The evaluator plays every sixth case of a large ruleset.
    """
    made_for = re.search(r"^  for: (\S+)$", (PACKS[pack] / "pack.yaml").read_text(encoding="utf-8"), re.MULTILINE)
    assert made_for is not None
    program = load_program(RULESETS[made_for[1]], [PACKS[pack]])
    assert program.digest != load_bundled(program.id).digest

    cases = load_cases(program, PACKS[pack])
    sample = cases[:: 6 if is_large(program.id) else 1]
    results = list(play_cases(program, cases, "compiled"))
    with pass_states_through_json():
        results += play_cases(program, sample, "evaluator")
    assert results
    assert list_failures(results) == []

    chance = random.Random(pack)
    for players in range(program.max_players if is_large(program.id) else program.min_players, program.max_players + 1):
        game = Game(program, players, store=programs.cache)
        log: list[Any] = []  # with a log, the game reuses the code of the cases
        state = game.start(players, log)
        count, every = 0, 7 if is_large(program.id) else 1
        while (decision := game.decision(state)) is not None:
            assert count % every or not game.broken_invariants(state)
            state, count = game.apply(state, chance.randrange(len(decision.options)), log), count + 1
        assert game.outcome(state) is not None


def test_only_upkeep_reduces_profit() -> None:
    """The random players prefer to build, so that profit rises. Only upkeep reduces it."""
    game = create_bundled_game("nano-empire", 1, options={"market": "advanced"})
    weights_of_actions = {"build": 4, "managers_build": 4, "produce": 6, "transfer": 2, "hire": 2, "sell": 1}
    decreases = 0
    for seed in range(25):
        chance, state, phase, profit = random.Random(seed), game.start(seed), "", 0
        while (decision := game.decision(state)) is not None:
            assert not game.broken_invariants(state)
            weights = [weights_of_actions.get(id.split()[0], 0.5) for id in game.option_ids(state, decision)]
            log: list[tuple[Any, ...]] = []
            state = game.apply(state, chance.choices(range(len(weights)), weights)[0], log)
            for event in log:
                if event[0] == "phase":
                    phase = event[1]
                elif event[0] == "set" and event[1] == "profit":
                    assert event[3] >= profit or phase == "upkeep"
                    decreases += event[3] < profit
                    profit = event[3]
        assert not game.broken_invariants(state)
    assert decreases


# ---------------------------------------------------------------- golden playthroughs

GOLDEN = [(name, path.stem) for name, folder in RULESETS.items() for path in sorted(folder.glob("playthroughs/*.txt"))]
"""Ruleset and file name of every recorded game, whose header contains the setup."""


def get_golden_path(name: str, label: str) -> Path:
    return RULESETS[name] / "playthroughs" / f"{label}.txt"


def parse_golden_setting(text: str) -> tuple[int, int, dict[str, str]]:
    """Return the players, seed and options of a recorded game."""
    players = re.search(r"(\d+) players?, seed (\d+)$", text, re.MULTILINE)
    assert players is not None
    options = re.search(r"^options: (.*)$", text, re.MULTILINE)
    pairs = [pair.partition("=") for pair in options[1].split(", ")] if options is not None else []
    return int(players[1]), int(players[2]), {option: value for option, _, value in pairs}


def record_golden_text(name: str, engine: str, players: int, seed: int, options: dict[str, str]) -> str:
    """Return the text of a random game. Its seed also determines the choices."""
    game = create_bundled_game(name, players, engine, options)
    transcript, chance, state = start_transcript(game, seed), random.Random(seed), game.start(seed)
    while (decision := game.decision(state)) is not None:
        choice = chance.randrange(len(decision.options))
        add_decision(game, transcript, state, choice)
        state = game.apply(state, choice)
    return format_playthrough(game, transcript, "python tests/test_rulesets.py")


FIRST_GOLDEN = [(name, min(label for game, label in GOLDEN if game == name)) for name in RULESETS if not is_large(name)]
"""One recorded game of each ruleset that isn't large."""
GOLDEN_RUNS = [(*game, "compiled") for game in GOLDEN] + [(*game, "evaluator") for game in FIRST_GOLDEN]


@pytest.mark.parametrize(("name", "label", "engine"), GOLDEN_RUNS)
def test_golden_playthrough(name: str, label: str, engine: str) -> None:
    """The text of a recorded game is exactly the same. codegen/test_engines.py compares the engines."""
    expected = get_golden_path(name, label).read_text(encoding="utf-8")
    players, seed, options = parse_golden_setting(expected)
    assert record_golden_text(name, engine, players, seed, options) == expected


@every_ruleset
def test_no_rule_compares_texts(name: str) -> None:
    """Native code can't compare composed texts, so it would leave every game to Python."""
    program = load_bundled(name)
    bodies = [phase.body for phase in core.walk_phases((program.setup, *program.phases))]
    bodies += [body for effect in program.effects.values() for body in core.get_bodies(effect)]
    parts = [part for body in bodies for stmt in core.walk_statements(body) for part in core.get_children(stmt)]
    roots = [query.value for query in program.queries.values()] + [
        part for part in parts if isinstance(part, core.Expr)
    ]
    comparisons = [
        part for root in roots for part in core.walk(root) if isinstance(part, core.Binary) and part.op in ("=", "!=")
    ]
    assert [str(part.span) for part in comparisons if part.left.type == TEXT] == []


def update_golden(arguments: list[str]) -> None:
    """Record a new game, ``NAME LABEL PLAYERS SEED [option=value …]``, or without arguments all games again."""
    if arguments:
        name, label, players, seed, *options = arguments
        setting = int(players), int(seed), dict(option.split("=", 1) for option in options)
        get_golden_path(name, label).parent.mkdir(exist_ok=True)
        get_golden_path(name, label).write_text(record_golden_text(name, "evaluator", *setting), encoding="utf-8")
        return
    for name, label in GOLDEN:
        setting = parse_golden_setting(get_golden_path(name, label).read_text(encoding="utf-8"))
        get_golden_path(name, label).write_text(record_golden_text(name, "evaluator", *setting), encoding="utf-8")


if __name__ == "__main__":
    update_golden(sys.argv[1:])
