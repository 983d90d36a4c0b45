"""Players: by what is typed for them, what they are handed, and that a game goes on alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, ROOT, bundled_game, checked, read_data
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
from lusory.play.decision_information_and_simple_players import (
    DecisionTable,
    Player,
    PlayerFailed,
    PlayerMissing,
    repeat_states,
)
from lusory.play.match import Match, Turn
from lusory.play.searching_bots import SearchingBot, SearchPlan, choose_option, choose_simulations
from lusory.search.option_evaluation import OptionEvaluation
from lusory.state.state import State
from lusory.stats.parallel_simulation import RANDOM_BLOCK_SIZE, Simulation
from lusory.stats.tournament import Tournament
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

THREE = ROOT / "rulesets" / "classics" / "tic-tac-toe"
FOUR = ROOT / "rulesets" / "classics" / "connect-four"
THINKING = ("greedy", "easy", "flat:12", "halving:12", "mcts:12")


@cache
def game_of(path: Path) -> Game:
    return Game(load_program(path), 2)


def match_of(game: Game, kinds: tuple[str, str], seed: int = 3, **given: Any) -> Match:
    return Match(game, [create_bot(kind, seed, seat) for seat, kind in enumerate(kinds)], seed, **given)


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
def test_a_budget_is_simulations_or_seconds(kind: str, plan: SearchPlan) -> None:
    assert parse_plan(kind) == plan


@pytest.mark.parametrize("kind", ["mcts:", "mcts:x", "easy:", "easy:5s"])
def test_a_plan_without_a_valid_budget_is_refused(kind: str) -> None:
    with pytest.raises(UnknownKind):
        parse_plan(kind)


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["who is called otherwise is refused"])
def test_who_is_called_otherwise_is_refused(kind: str, words: str, hint: str) -> None:
    with pytest.raises(UnknownKind, match=words) as refused:
        require_kind(kind)
    assert hint in refused.value.hint


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["where people sit they are named"])
def test_where_people_sit_they_are_named(kind: str, words: str, hint: str) -> None:
    require_kind("human", ("human",))
    with pytest.raises(UnknownKind, match=words) as refused:
        require_kind(kind, ("human",))
    assert hint in refused.value.hint


# ---------------------------------------------------------------- what is handed out


class Nosy:
    """Keeps everything that it is handed."""

    name, looks, spent = "nosy", True, None

    def __init__(self) -> None:
        self.kept: list[DecisionTable] = []

    def resume(self, made: int) -> None:
        """It has no plan."""

    def choose(self, table: DecisionTable) -> int:
        self.kept.append(table)
        list(table.analyse("mcts", 8, 1))
        return 0


def secrets(match: Match) -> Iterator[object]:
    """What stands in a match and nowhere else."""
    yield from (match, match.log, match.turns)
    for state in (match.state, *(turn.before for turn in match.turns)):
        yield from (state, state.cells, state.zones, *state.zones)


@pytest.mark.parametrize(
    ("name", "most"),
    [("bids", 40), ("tic-tac-toe", 40), ("love-letter", 6), ("empire-engine", 4), ("engines-of-war", 3)],
)
def test_no_player_reaches_a_position_of_the_match(name: str, most: int) -> None:
    """By attributes, slots, containers, and what functions remember."""
    game = game_of(BIDS) if name == "bids" else bundled_game(name, 2)
    nosy = Nosy()
    match = Match(game, [nosy, create_bot("mcts:8", 7, 1)], 7)  # type: ignore[list-item]
    while match.decision is not None and len(match.turns) < most:
        match.step()
    held = {id(one) for one in secrets(match) if not (isinstance(one, list) and not one)}
    streams = {turn.before.cells[cell] for turn in match.turns for cell in game.layout.streams.values()}
    assert nosy.kept
    for player in match.players:
        found = list(walk_reachable(player, (game.program,)))
        assert not [way for way, value in found if id(value) in held]
        assert not [way for way, value in found if isinstance(value, Turn | Match)]
        assert not [way for way, value in found if type(value) is int and value in streams]


def test_what_is_handed_out_by_mistake_is_found() -> None:
    """The test of the test: a table that has the position in it."""
    nosy = Nosy()
    match = Match(game_of(THREE), [nosy, create_bot("random", 7, 1)], 7)  # type: ignore[list-item]
    match.step()
    nosy.kept[0].__dict__["hint"] = lambda state=match.turns[0].before: state
    held = {id(one) for one in secrets(match)}
    assert [way for way, value in walk_reachable(nosy) if id(value) in held]


# ---------------------------------------------------------------- what can't be told apart


def choices_apart(path: Path, kind: str, games: int, most: int = 40) -> tuple[int, int]:
    """In so many decisions of some games: how often another position, which the seat that decides can't tell from the
    true one, was put in its place, and how often a player then chose otherwise."""
    game = game_of(path)
    tried = apart = 0
    for seed in range(games):
        match = match_of(game, ("random", "random"), seed)
        while match.decision is not None and len(match.turns) < most:
            seat = match.decision.seat
            truth, player = match.state, create_bot(kind, seed, seat)
            player.resume(match.decision_counts[seat])
            chosen = player.choose(match.make_table(seat))  # type: ignore[union-attr]
            for world in match.get_belief(seat).sample(3, seed):
                if world.is_exact and world.state.zones + world.state.cells != truth.zones + truth.cells:
                    match.state = world.state
                    player.resume(match.decision_counts[seat])
                    tried += 1
                    apart += player.choose(match.make_table(seat)) != chosen  # type: ignore[union-attr]
            match.state = truth
            match.step()
    return tried, apart


HIDING = (BIDS, ROOT / "rulesets" / "classics" / "kuhn-poker", ROOT / "rulesets" / "classics" / "leduc-poker")


LETTERS, MARKET = (ROOT / "rulesets" / name for name in ("classics/love-letter", "templates/market-day"))
ALIKE = [
    *((path, kind, 5, 40) for path in HIDING for kind in ("mcts:40", "halving:40")),
    (HIDING[0], "flat:20", 5, 40),
    (HIDING[0], "easy", 2, 40),
    (HIDING[1], "bot", 3, 40),
    (HIDING[2], "greedy", 5, 40),
    (LETTERS, "greedy", 2, 5),
    (LETTERS, "easy", 2, 3),
    (LETTERS, "flat:20", 2, 3),
    (MARKET, "mcts:40", 2, 3),
]
"""Rulesets, kinds of players, games, and decisions of each."""


@pytest.mark.parametrize(("path", "kind", "games", "most"), ALIKE, ids=lambda it: getattr(it, "stem", str(it)))
def test_positions_that_a_seat_cannot_tell_apart_are_played_alike(path: Path, kind: str, games: int, most: int) -> None:
    tried, apart = choices_apart(path, kind, games, most)
    assert tried > 10
    assert not apart


def test_who_looks_at_the_position_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of the test: worlds that are the position itself."""
    made = Match.make_table

    def cheated(match: Match, seat: int) -> DecisionTable:
        table = made(match, seat)
        state = match.state
        monkeypatch.setattr(table, "worlds", lambda n, stream: [Determinization(state, True)] * n, raising=False)
        return table

    monkeypatch.setattr(Match, "make_table", cheated)
    tried, apart = choices_apart(HIDING[1], "mcts:40", 8)
    assert apart > tried // 20


# ---------------------------------------------------------------- alike


@pytest.mark.parametrize("kind", THINKING)
def test_a_seed_settles_a_game_wherever_it_is_taken_up(kind: str) -> None:
    game = game_of(FOUR)
    whole = match_of(game, (kind, "random"), 9)
    whole.play()
    picks = [turn.index for turn in whole.turns]
    again = match_of(game, (kind, "random"), 9, recorded=False)
    assert again.play() == whole.outcome
    half = match_of(game, (kind, "random"), 9, picks=picks[:7])
    half.step()
    if half.can_undo(1):
        half.undo(1)
    half.play()
    assert [turn.index for turn in half.turns] == picks


def test_what_was_taken_back_is_known_no_more() -> None:
    game = game_of(THREE)
    match = match_of(game, ("random", "mcts:4"))
    match.take(0)
    match.step()
    match.undo(0)
    match.take(4)
    [world] = match.make_table(1).worlds(1, 1)
    assert world.state.cells[: game.layout.location] == match.state.cells[: game.layout.location]


def test_another_seed_is_another_game() -> None:
    game = game_of(FOUR)
    one, other = (match_of(game, ("mcts:8", "mcts:8"), seed) for seed in (1, 2))
    one.play()
    other.play()
    assert [turn.index for turn in one.turns] != [turn.index for turn in other.turns]


def test_the_number_of_workers_changes_nothing() -> None:
    game = game_of(THREE)
    kinds = ("mcts:2", "random")
    one = Simulation(game, kinds, RANDOM_BLOCK_SIZE + 5, 2).run()
    two = Simulation(game, kinds, RANDOM_BLOCK_SIZE + 5, 2, jobs=2).run()
    assert (one.wins, one.lengths, one.reasons) == (two.wins, two.lengths, two.reasons)


def test_what_a_clock_allowed_is_recorded_and_decides_alike() -> None:
    """Each look at the clock is a tenth of a second later than the one before."""
    ticks = iter(range(10_000))
    timed = SearchingBot(SearchPlan("mcts", seconds=0.05), 77, "timed", clock=lambda: next(ticks) / 10)
    game = game_of(FOUR)
    match = Match(game, [timed, create_bot("random", 1, 1)], 1)
    match.play()
    written = saves.Save(saves.create_transcript(match), "four", ("mcts:0.05s", "random"), ("Ann", "Bob"))
    transcript = saves.Save.from_json(written.to_json()).transcript
    own = {number: turn for number, turn in enumerate(match.turns, 1) if turn.seat == 0}
    assert transcript.simulations.keys() == own.keys()
    assert len(set(transcript.simulations.values())) > 1
    again = Match(game, [create_bot("random", 1, 0), create_bot("random", 1, 1)], 1)
    for number, turn in enumerate(match.turns, 1):
        if turn.seat == 0:
            other = SearchingBot(SearchPlan("mcts", simulations=transcript.simulations[number]), 77, "other")
            other.resume(again.decision_counts[0])
            assert other.choose(again.make_table(0)) == turn.index
        again.take(turn.index)


@pytest.mark.parametrize("kind", BOTS)
def test_everybody_plays_a_game_to_its_end(kind: str) -> None:
    assert len(match_of(game_of(THREE), (kind, "random")).play().winners) in (1, 2)


def test_among_equals_and_those_close_chance_decides() -> None:
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
    two = [Determinization(State([n], [], []), True) for n in (1, 2)]
    assert [state.cells[0] for state in repeat_states(two, 3)] == [1, 1, 2]


# ---------------------------------------------------------------- levels

THREEFOLD = DATA["threefold"]
BEST_ONE, NEAR_ONE, LOST_ONE = range(3)


@pytest.mark.parametrize(
    ("kind", "streams", "takes"),
    [
        ("strong", 8, {BEST_ONE}),
        ("bot", 8, {BEST_ONE}),
        ("fair", 60, {BEST_ONE, NEAR_ONE}),
        ("easy", 200, {BEST_ONE, NEAR_ONE}),
    ],
)
def test_weaker_ones_take_what_is_nearly_as_good_and_nobody_throws_a_game(
    kind: str, streams: int, takes: set[int]
) -> None:
    match = match_of(Game(checked(THREEFOLD)), ("random", "random"))
    players = [create_bot(kind, seed, 0) for seed in range(streams)]
    assert {player.choose(match.make_table(0)) for player in players} == takes  # type: ignore[union-attr]


def test_fair_has_a_number_of_simulations_midway_between_easy_and_strong() -> None:
    """As many times as many as ``easy`` as ``strong`` has of its."""
    easy, fair, strong = (choose_simulations(parse_plan(kind), game_of(FOUR), 7) for kind in ("easy", "fair", "strong"))
    assert easy < fair < strong
    assert fair**2 <= easy * strong < (fair + 1) ** 2


def test_a_ruleset_says_how_much_its_levels_think() -> None:
    said = Game(checked(f"{THREEFOLD}bots: {{levels: {{fair: 7}}}}\n"))
    silent = Game(checked(THREEFOLD))
    assert [choose_simulations(parse_plan(kind), said, 3) for kind in ("easy", "fair")] == [5, 7]
    assert choose_simulations(parse_plan("strong"), said, 3) == choose_simulations(parse_plan("strong"), silent, 3)
    slow = Game(checked(f"{THREEFOLD}bots: {{levels: {{strong: 45}}}}\n"))
    assert [choose_simulations(parse_plan(kind), slow, 3) for kind in ("easy", "fair", "strong", "bot")] == [
        5,
        15,
        45,
        45,
    ]
    for kind, made in (("fair", 7), ("fair:9", 9)):
        player = create_bot(kind, 1, 0)
        player.choose(match_of(said, ("random", "random")).make_table(0))
        assert get_latest_simulations(player) == made


@pytest.mark.parametrize(("one", "other", "games"), [("easy", "random", 16), ("fair", "easy", 4)])
def test_each_level_makes_most_points_of_the_one_below(one: str, other: str, games: int) -> None:
    played = Tournament(game_of(FOUR), (one, other), games, seed=1, plays_all=True, native=False)
    played.run()
    assert sum(played.list_scores((0, 1))) >= 0.7 * games / 2


# ---------------------------------------------------------------- records, code of one's own


def test_a_seat_is_played_as_it_was(tmp_path: Path) -> None:
    game = game_of(THREE)
    match = match_of(game, ("random", "mcts:9"))
    match.play()
    file = tmp_path / "game.json"
    saves.write_save(saves.Save(saves.create_transcript(match), "three", ("random", "mcts:9"), ("A", "B")), file)
    again = match_of(game, (f"replay:{file}", f"replay:{file}"), 99)
    assert again.play() == match.outcome
    other = match_of(game, ("random", f"replay:{file}"), 4)
    with pytest.raises(PlayerFailed, match=r"is not possible here|the recorded game has only"):
        for seed in range(4, 40):
            other = match_of(game, ("random", f"replay:{file}"), seed)
            other.play()


@pytest.mark.parametrize("text", ["", "{}", "[1]"])
def test_a_file_without_a_game_plays_no_seat(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlayerFailed, match="replay:"):
        create_bot(f"replay:{file}", 1, 0)
    with pytest.raises(PlayerFailed, match="no such file"):
        create_bot(f"replay:{tmp_path / 'y.json'}", 1, 0)


OWN = DATA["own"]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_players.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "python:own_players"


def test_code_of_ones_own_plays(own: str) -> None:
    match = match_of(game_of(THREE), (f"{own}.Last", "random"))
    match.play()
    assert {turn.index for turn in match.turns if turn.seat == 0} <= {8, 6, 4, 2}


@pytest.mark.parametrize(("name", "words"), DATA["code of ones own fails in words"])
def test_code_of_ones_own_fails_in_words(own: str, name: str, words: str) -> None:
    with pytest.raises(PlayerFailed, match=words):
        match_of(game_of(THREE), (f"{own}.{name}", "random")).play()


@pytest.mark.parametrize(("kind", "words", "hint"), DATA["what a player is to go by is looked for with a hint"])
def test_what_a_player_is_to_go_by_is_looked_for_with_a_hint(
    own: str, kind: str, words: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_players.py").write_text("class Last\n", encoding="utf-8")
    files = {"empty": {}, "found": {"game": "x", "moves": []}, "tournament": {"game": {}, "kinds": [], "points": 0.5}}
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for look in (require_available, lambda kind: create_bot(kind, 1, 0)):
        with pytest.raises(PlayerMissing, match=words) as refused:
            look(kind)
        assert hint in (refused.value.hint or "")


def test_a_player_is_one_of_the_protocol() -> None:
    players: list[Player] = [create_bot(kind, 1, 0) for kind in (*BOTS, *THINKING)]
    assert {type(player).__name__ for player in players} == {"UniformPlayer", "SearchingBot"}
