"""Test how players are named, what they receive, and that they repeat their decisions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, ROOT, build_program, create_bundled_game, read_data
from reachable import walk_reachable

from lusory.belief.belief_state import Determinization
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import (
    BOTS,
    UnknownKind,
    create_bot,
    get_latest_simulations,
    parse_plan,
    require_available,
    require_kind,
)
from lusory.play.match import Match, Turn
from lusory.play.player_interface_scripted_and_random_players import (
    DecisionTable,
    Player,
    PlayerFailed,
    PlayerMissing,
    TablePlayer,
    repeat_states,
)
from lusory.play.searching_bots import SearchingBot, SearchPlan, choose_option, choose_simulations
from lusory.search.option_evaluation import OptionEvaluation
from lusory.state.state import State
from lusory.stats.parallel_simulation import RANDOM_BLOCK_SIZE, Simulation
from lusory.stats.tournament import Tournament
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

THREE = ROOT / "rulesets" / "classics" / "tic-tac-toe"
FOUR = ROOT / "rulesets" / "classics" / "connect-four"
SEARCHING_BOTS = ("greedy", "easy", "flat:12", "halving:12", "mcts:12")


@cache
def load(path: Path) -> Game:
    return Game(load_program(path), 2)


def create_match(game: Game, kinds: tuple[str, str], seed: int = 3, **options: Any) -> Match:
    return Match(game, [create_bot(kind, seed, seat) for seat, kind in enumerate(kinds)], seed, **options)


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("kind", "plan"),
    [
        ("mcts:500", SearchPlan("mcts", simulations=500)),
        ("halving:0.5s", SearchPlan("halving", seconds=0.5)),
        ("flat", SearchPlan("flat")),
        ("fair:30", SearchPlan("search", simulations=30, margin=0.08)),
    ],
)
def test_budget_is_simulations_or_seconds(kind: str, plan: SearchPlan) -> None:
    assert parse_plan(kind) == plan


@pytest.mark.parametrize("kind", ["mcts:", "mcts:x", "easy:", "easy:5s"])
def test_plan_with_a_bad_budget_is_refused(kind: str) -> None:
    with pytest.raises(UnknownKind):
        parse_plan(kind)


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["unknown players are refused"])
def test_unknown_players_are_refused(kind: str, words: str, hint: str) -> None:
    with pytest.raises(UnknownKind, match=words) as error:
        require_kind(kind)
    assert hint in error.value.hint


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["people are valid only where they can play"])
def test_people_are_valid_only_where_they_can_play(kind: str, words: str, hint: str) -> None:
    require_kind("human", ("human",))
    with pytest.raises(UnknownKind, match=words) as error:
        require_kind(kind, ("human",))
    assert hint in error.value.hint


# ---------------------------------------------------------------- what is handed out


class RecordingBot(TablePlayer):
    """Store everything that the match passes to it."""

    name = "nosy"

    def __init__(self) -> None:
        self.tables: list[DecisionTable] = []

    def choose(self, table: DecisionTable) -> int:
        self.tables.append(table)
        table.analyse("mcts", 8, 1)
        return 0


def list_secrets(match: Match) -> Iterator[object]:
    """Return the objects that only the match may hold."""
    yield from (match, match.log, match.turns)
    for state in (match.state, *(turn.before for turn in match.turns)):
        yield from (state, state.cells, state.zones, *state.zones)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("bids", 40), ("tic-tac-toe", 40), ("love-letter", 6), ("empire-engine", 4), ("engines-of-war", 3)],
)
def test_no_player_reaches_a_position_of_the_match(name: str, limit: int) -> None:
    """Attributes, slots, containers and closures of functions are followed."""
    game = load(BIDS) if name == "bids" else create_bundled_game(name, 2)
    nosy = RecordingBot()
    match = Match(game, [nosy, create_bot("mcts:8", 7, 1)], 7)
    while match.decision is not None and len(match.turns) < limit:
        match.step()
    secret_ids = {id(secret) for secret in list_secrets(match) if not (isinstance(secret, list) and not secret)}
    streams = {turn.before.cells[cell] for turn in match.turns for cell in game.layout.streams.values()}
    assert nosy.tables
    for player in match.players:
        reachable = list(walk_reachable(player, (game.program,)))
        assert not [path for path, value in reachable if id(value) in secret_ids]
        assert not [path for path, value in reachable if isinstance(value, Turn | Match)]
        assert not [path for path, value in reachable if type(value) is int and value in streams]


def test_leaked_position_is_detected() -> None:
    """Check the test above: this table holds the position."""
    nosy = RecordingBot()
    match = Match(load(THREE), [nosy, create_bot("random", 7, 1)], 7)
    match.step()
    nosy.tables[0].__dict__["hint"] = lambda state=match.turns[0].before: state
    secret_ids = {id(secret) for secret in list_secrets(match)}
    assert [path for path, value in walk_reachable(nosy) if id(value) in secret_ids]


# ---------------------------------------------------------------- what can't be told apart


def count_different_choices(path: Path, kind: str, games: int, limit: int = 40) -> tuple[int, int]:
    """Replace positions by others that the deciding seat can't tell apart. Return the number of attempts, and how
    often the choice changed."""
    game = load(path)
    attempts = changes = 0
    for seed in range(games):
        match = create_match(game, ("random", "random"), seed)
        while match.decision is not None and len(match.turns) < limit:
            seat = match.decision.seat
            truth, player = match.state, create_bot(kind, seed, seat)
            player.resume(match.decision_counts[seat])
            choice = player.choose(match.make_table(seat))  # type: ignore[union-attr]
            for world in match.get_belief(seat).sample(3, seed):
                if world.is_exact and world.state.zones + world.state.cells != truth.zones + truth.cells:
                    match.state = world.state
                    player.resume(match.decision_counts[seat])
                    attempts += 1
                    changes += player.choose(match.make_table(seat)) != choice  # type: ignore[union-attr]
            match.state = truth
            match.step()
    return attempts, changes


SECRETIVE = (BIDS, ROOT / "rulesets" / "classics" / "kuhn-poker", ROOT / "rulesets" / "classics" / "leduc-poker")


LETTERS, MARKET = (ROOT / "rulesets" / name for name in ("classics/love-letter", "templates/market-day"))
ALIKE_CASES = [
    *((path, kind, 5, 40) for path in SECRETIVE for kind in ("mcts:40", "halving:40")),
    (SECRETIVE[0], "flat:20", 5, 40),
    (SECRETIVE[0], "easy", 2, 40),
    (SECRETIVE[1], "bot", 3, 40),
    (SECRETIVE[2], "greedy", 5, 40),
    (LETTERS, "greedy", 2, 5),
    (LETTERS, "easy", 2, 3),
    (LETTERS, "flat:20", 2, 3),
    (MARKET, "mcts:40", 2, 3),
]
"""Ruleset, kind of player, number of games, and limit of decisions for each."""


@pytest.mark.parametrize(("path", "kind", "games", "limit"), ALIKE_CASES, ids=lambda it: getattr(it, "stem", str(it)))
def test_equal_knowledge_gives_equal_choices(path: Path, kind: str, games: int, limit: int) -> None:
    attempts, changes = count_different_choices(path, kind, games, limit)
    assert attempts > 10
    assert not changes


def test_bot_that_sees_the_position_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the test above: this bot's worlds are the position itself."""
    make_table = Match.make_table

    def make_cheating_table(match: Match, seat: int) -> DecisionTable:
        table = make_table(match, seat)
        state = match.state
        monkeypatch.setattr(table, "worlds", lambda n, stream: [Determinization(state, True)] * n, raising=False)
        return table

    monkeypatch.setattr(Match, "make_table", make_cheating_table)
    attempts, changes = count_different_choices(SECRETIVE[1], "mcts:40", 8)
    assert changes > attempts // 20


# ---------------------------------------------------------------- alike


@pytest.mark.parametrize("kind", SEARCHING_BOTS)
def test_seed_determines_a_game_continued_anywhere(kind: str) -> None:
    game = load(FOUR)
    whole = create_match(game, (kind, "random"), 9)
    whole.play()
    picks = [turn.index for turn in whole.turns]
    again = create_match(game, (kind, "random"), 9, keeps_record=False)
    assert again.play() == whole.outcome
    half = create_match(game, (kind, "random"), 9, picks=picks[:7])
    half.step()
    if half.can_undo(1):
        half.undo(1)
    half.play()
    assert [turn.index for turn in half.turns] == picks


def test_undone_decisions_are_forgotten() -> None:
    game = load(THREE)
    match = create_match(game, ("random", "mcts:4"))
    match.take(0)
    match.step()
    match.undo(0)
    match.take(4)
    [world] = match.make_table(1).worlds(1, 1)
    assert world.state.cells[: game.layout.location] == match.state.cells[: game.layout.location]


def test_different_seeds_give_different_games() -> None:
    game = load(FOUR)
    first, second = (create_match(game, ("mcts:8", "mcts:8"), seed) for seed in (1, 2))
    first.play()
    second.play()
    assert [turn.index for turn in first.turns] != [turn.index for turn in second.turns]


def test_worker_count_changes_nothing() -> None:
    game = load(THREE)
    kinds = ("mcts:2", "random")
    single = Simulation(game, kinds, RANDOM_BLOCK_SIZE + 5, 2).run()
    double = Simulation(game, kinds, RANDOM_BLOCK_SIZE + 5, 2, jobs=2).run()
    assert (single.wins, single.lengths, single.reasons) == (double.wins, double.lengths, double.reasons)


def test_timed_searches_are_recorded_and_repeat() -> None:
    """Each reading of the clock is a tenth of a second later."""
    ticks = iter(range(10_000))
    timed_bot = SearchingBot(SearchPlan("mcts", seconds=0.05), 77, "timed", clock=lambda: next(ticks) / 10)
    game = load(FOUR)
    match = Match(game, [timed_bot, create_bot("random", 1, 1)], 1)
    match.play()
    save = saves.Save(saves.create_transcript(match), "four", ("mcts:0.05s", "random"), ("Ann", "Bob"))
    transcript = saves.Save.from_json(save.to_json()).transcript
    own_turns = {number: turn for number, turn in enumerate(match.turns, 1) if turn.seat == 0}
    assert transcript.simulations.keys() == own_turns.keys()
    assert len(set(transcript.simulations.values())) > 1
    copy = Match(game, [create_bot("random", 1, 0), create_bot("random", 1, 1)], 1)
    for number, turn in enumerate(match.turns, 1):
        if turn.seat == 0:
            repeating_bot = SearchingBot(SearchPlan("mcts", simulations=transcript.simulations[number]), 77, "other")
            repeating_bot.resume(copy.decision_counts[0])
            assert repeating_bot.choose(copy.make_table(0)) == turn.index
        copy.take(turn.index)


@pytest.mark.parametrize("kind", BOTS)
def test_every_kind_plays_to_the_end(kind: str) -> None:
    assert len(create_match(load(THREE), (kind, "random")).play().winners) in (1, 2)


def test_equal_and_close_options_are_chosen_at_random() -> None:
    lines = [
        OptionEvaluation(7, 0, 1.0, 0.5),
        OptionEvaluation(8, 0, 1.0, 0.2),
        OptionEvaluation(9, 0, 0.95, 0.2),
        OptionEvaluation(1, 0, 0.5, 0.1),
    ]
    assert {choose_option(lines, 0.0, stream) for stream in range(60)} == {7, 8}
    close = [choose_option(lines, 0.1, stream) for stream in range(200)]
    assert set(close) == {7, 8, 9}
    assert close.count(9) < close.count(7)


def test_worlds_are_used_equally_often() -> None:
    worlds = [Determinization(State([n], [], []), True) for n in (1, 2)]
    assert [state.cells[0] for state in repeat_states(worlds, 3)] == [1, 1, 2]
    dozen = [Determinization(State([n], [], []), True) for n in range(12)]
    assert [state.cells[0] for state in repeat_states(dozen, 10)] == [0, 1, 2, 4, 5, 6, 7, 8, 10, 11]


# ---------------------------------------------------------------- levels

THREEFOLD = DATA["threefold"]


@pytest.mark.parametrize(("kind", "streams", "takes"), DATA["levels take options"])
def test_weaker_levels_take_nearly_equal_options_only(kind: str, streams: int, takes: list[int]) -> None:
    match = create_match(Game(build_program(THREEFOLD)), ("random", "random"))
    players = [create_bot(kind, seed, 0) for seed in range(streams)]
    assert {player.choose(match.make_table(0)) for player in players} == set(takes)  # type: ignore[union-attr]


def test_fair_searches_the_geometric_mean_of_easy_and_strong() -> None:
    easy, fair, strong = (choose_simulations(parse_plan(kind), load(FOUR), 7) for kind in ("easy", "fair", "strong"))
    assert easy < fair < strong
    assert fair**2 <= easy * strong < (fair + 1) ** 2


def test_ruleset_sets_the_simulations_of_levels() -> None:
    levels = Game(build_program(f"{THREEFOLD}bots: {{levels: {{fair: 7}}}}\n"))
    default = Game(build_program(THREEFOLD))
    assert [choose_simulations(parse_plan(kind), levels, 3) for kind in ("easy", "fair")] == [5, 7]
    assert choose_simulations(parse_plan("strong"), levels, 3) == choose_simulations(parse_plan("strong"), default, 3)
    slow = Game(build_program(f"{THREEFOLD}bots: {{levels: {{strong: 45}}}}\n"))
    assert [choose_simulations(parse_plan(kind), slow, 3) for kind in ("easy", "fair", "strong", "bot")] == [
        5,
        15,
        45,
        45,
    ]
    for kind, simulations in (("fair", 7), ("fair:9", 9)):
        player = create_bot(kind, 1, 0)
        player.choose(create_match(levels, ("random", "random")).make_table(0))
        assert get_latest_simulations(player) == simulations


@pytest.mark.parametrize(("stronger", "weaker", "games"), [("easy", "random", 16), ("fair", "easy", 4)])
def test_each_level_beats_the_one_below(stronger: str, weaker: str, games: int) -> None:
    tournament = Tournament(load(FOUR), (stronger, weaker), games, seed=1, plays_all=True, native=False)
    tournament.run()
    assert sum(tournament.list_scores((0, 1))) >= 0.7 * games / 2


# ---------------------------------------------------------------- records, code of one's own


def test_replay_player_repeats_a_recorded_game(tmp_path: Path) -> None:
    game = load(THREE)
    match = create_match(game, ("random", "mcts:9"))
    match.play()
    file = tmp_path / "game.json"
    saves.write_save(saves.Save(saves.create_transcript(match), "three", ("random", "mcts:9"), ("A", "B")), file)
    again = create_match(game, (f"replay:{file}", f"replay:{file}"), 99)
    assert again.play() == match.outcome
    mismatch = create_match(game, ("random", f"replay:{file}"), 4)
    with pytest.raises(PlayerFailed, match=r"is not possible here|the recorded game has only"):
        for seed in range(4, 40):
            mismatch = create_match(game, ("random", f"replay:{file}"), seed)
            mismatch.play()


@pytest.mark.parametrize("text", ["", "{}", "[1]"])
def test_replay_player_refuses_a_file_without_a_game(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlayerFailed, match="replay:"):
        create_bot(f"replay:{file}", 1, 0)
    with pytest.raises(PlayerFailed, match="no such file"):
        create_bot(f"replay:{tmp_path / 'y.json'}", 1, 0)


OWN_PLAYERS = DATA["own"]


@pytest.fixture
def own_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_players.py").write_text(OWN_PLAYERS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "python:own_players"


def test_own_player_plays(own_players: str) -> None:
    match = create_match(load(THREE), (f"{own_players}.Last", "random"))
    match.play()
    assert {turn.index for turn in match.turns if turn.seat == 0} <= {8, 6, 4, 2}


@pytest.mark.parametrize(("name", "words"), DATA["own player fails with a reason"])
def test_own_player_fails_with_a_reason(own_players: str, name: str, words: str) -> None:
    with pytest.raises(PlayerFailed, match=words):
        create_match(load(THREE), (f"{own_players}.{name}", "random")).play()


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["missing files and modules of players have hints"])
def test_missing_files_and_modules_of_players_have_hints(
    own_players: str, kind: str, words: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_players.py").write_text("class Last\n", encoding="utf-8")
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for look in (require_available, lambda kind: create_bot(kind, 1, 0)):
        with pytest.raises(PlayerMissing, match=words) as error:
            look(kind)
        assert hint in (error.value.hint or "")


def test_players_implement_the_protocol() -> None:
    players: list[Player] = [create_bot(kind, 1, 0) for kind in (*BOTS, *SEARCHING_BOTS)]
    assert {type(player).__name__ for player in players} == {"UniformPlayer", "SearchingBot"}
