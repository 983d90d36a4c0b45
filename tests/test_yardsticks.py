"""The yardsticks of the benchmarks play by the rules of our rulesets. Otherwise comparing them would mean nothing.

Random games on our engine are replayed, decision by decision, on the clean hand-written class. Legal moves, their
order, the table and the result must agree. Our engine makes a single legal move automatically, so the test makes such
moves for the yardstick. Bitboard games have no clean class, so only their moves and results are compared.
``test_yardstick_styles.py`` compares the other optimised yardsticks with the clean ones.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest
from benchmarks.games import SUBJECTS, Subject

from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import Decision
from lusory.state.state import State


@dataclass
class Table:
    """State of our game, with access to places by name."""

    game: Game
    state: State

    def get_cell(self, place: str, *indices: int) -> Any:
        return self.state.cells[self.game.layout.places[place].at(indices)]

    def get_cards(self, zone: str, *indices: int) -> list[int]:
        return self.state.zones[self.game.layout.zones[zone].at(indices)]

    def get_rank(self, card: int) -> int:
        """Return the rank of a playing card, from 0."""
        rank: Any = self.game.program.entities[card].fields["rank"]
        return int(rank) - 1

    @property
    def seats(self) -> range:
        return range(self.game.players)


class Pairing:
    """Translates between one of our games and its yardstick."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def begin(self, table: Table) -> Any:
        """Create the game of the yardstick with the same cards as ours."""
        return self.module.new_game(random.Random(0), table.game.players)

    def is_ours_alone(self, table: Table, decision: Decision) -> bool:
        """Return whether the yardstick skips this decision, because the answers make no difference."""
        return False

    def get_seat(self, twin: Any) -> int:
        return int(twin.current_player)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        """Return the move of the yardstick for an option of ours."""
        raise NotImplementedError

    def read_ours(self, table: Table, twin: Any) -> Any:
        """Return our position in a form that can be compared."""
        raise NotImplementedError

    def read_theirs(self, twin: Any) -> Any:
        """Return the position of the yardstick in the same form as :meth:`read_ours`."""
        raise NotImplementedError

    def normalise(self, position: Any) -> Any:
        """Return a position without what the rules leave open."""
        return position

    def list_results(self, table: Table, twin: Any) -> tuple[Any, Any]:
        """Return our result and that of the yardstick."""
        outcome = table.game.outcome(table.state)
        assert outcome is not None
        return [float(payoff) for payoff in outcome.payoffs], twin.returns()


class TicTacToe(Pairing):
    def get_seat(self, twin: Any) -> int:
        return [self.module.Mark.X, self.module.Mark.O].index(twin.to_move)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return values[0]

    def read_ours(self, table: Table, twin: Any) -> Any:
        return [table.get_cell("mark", square) for square in range(9)], table.get_cell("winner")

    def read_theirs(self, twin: Any) -> Any:
        seat = {None: None, self.module.Mark.X: 0, self.module.Mark.O: 1}
        return [seat[mark] for mark in twin.board], seat[twin.winner]


class ConnectFour(Pairing):
    def get_seat(self, twin: Any) -> int:
        return [self.module.Disc.RED, self.module.Disc.YELLOW].index(twin.to_move)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return values[0] % 7

    def read_ours(self, table: Table, twin: Any) -> Any:
        columns = [[table.get_cell("disc", 7 * row + column) for row in range(6)] for column in range(7)]
        return [[disc for disc in column if disc is not None] for column in columns], table.get_cell("winner")

    def read_theirs(self, twin: Any) -> Any:
        seat = {None: None, self.module.Disc.RED: 0, self.module.Disc.YELLOW: 1}
        return [[seat[disc] for disc in column] for column in twin.columns], seat[twin.winner]


class KuhnPoker(Pairing):
    def begin(self, table: Table) -> Any:
        return self.module.KuhnPoker([table.get_rank(table.get_cards("hand", seat)[0]) for seat in table.seats])

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return (self.module.Action.PASS, self.module.Action.BET)[alternative]

    def read_ours(self, table: Table, twin: Any) -> Any:
        hands = [table.get_rank(table.get_cards("hand", seat)[0]) for seat in table.seats]
        return hands, [table.get_cell("stake", seat) for seat in table.seats], table.get_cell("opened")

    def read_theirs(self, twin: Any) -> Any:
        return twin.cards, [twin.contribution(0), twin.contribution(1)], bool(twin.history)


class Leduc(Pairing):
    def begin(self, table: Table) -> Any:
        ranks = list(self.module.Rank)

        def create_card(entity: int) -> Any:
            return self.module.Card(ranks[table.get_rank(entity)], "")

        seats = [self.module.Seat(create_card(table.get_cards("hand", seat)[0])) for seat in table.seats]
        return self.module.Leduc(seats, [create_card(entity) for entity in reversed(table.get_cards("deck"))])

    def get_seat(self, twin: Any) -> int:
        return int(twin.to_act)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return (self.module.Action.FOLD, self.module.Action.CALL, self.module.Action.RAISE)[alternative]

    def read_ours(self, table: Table, twin: Any) -> Any:
        return (
            [table.get_rank(table.get_cards("hand", seat)[0]) for seat in table.seats],
            [table.get_rank(card) for card in table.get_cards("board")],
            [table.get_cell("stake", seat) for seat in table.seats],
            [table.get_cell("folded", seat) for seat in table.seats],
            # these numbers have no meaning after the end
            None if twin.is_over() else [table.get_cell("round"), table.get_cell("raises"), table.get_cell("calls")],
        )

    def read_theirs(self, twin: Any) -> Any:
        return (
            [seat.hole.rank.value for seat in twin.seats],
            [] if twin.public is None else [twin.public.rank.value],
            [seat.chips_in for seat in twin.seats],
            [seat.folded for seat in twin.seats],
            None if twin.is_over() else [twin.round, twin.raises, twin.calls],
        )


class EmpireEngine(Pairing):
    """Translates two differences that the rules leave open.

    With two players, the yardstick doesn't ask which of the two attacks of the opponent is blocked. It also exports for
    all players before anybody salvages, while we go player by player (both happen "at the same time"). If a salvage
    makes everybody return counters, their number may differ, but it is the same for all players. Nothing later depends
    on it.
    """

    def is_ours_alone(self, table: Table, decision: Decision) -> bool:
        first = table.game.setting.sites[decision.site].alternatives[0].vars[0].name  # type: ignore[union-attr]
        return first == "attacker" and len({option.values[0] for option in decision.options}) == 1

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        module = self.module
        resources, sides = list(module.Resource), list(module.Side)
        if twin.phase is module.Phase.PLAN and twin.round == 1:
            side = sides[values[0]]
            return module.PlaceEngine(side, module.ENGINE[side].index(self.convert_action(table, values[1])))
        if twin.phase is module.Phase.PLAN:
            gear, place, fuel = values
            return module.PlaceGear(gear + 1, sides[place], None if fuel is None else resources[fuel])
        if twin.phase is module.Phase.BLOCK:
            return module.BlockAttacker(values[0])
        return (module.Steal if twin.phase is module.Phase.STEAL else module.Salvage)(resources[values[0]])

    def convert_action(self, table: Table, value: int) -> Any:
        return self.module.Action(table.game.program.enums["Action"].values[value].name)

    def read_ours(self, table: Table, twin: Any) -> Any:
        module = self.module
        sides = range(2)
        ready = [[table.get_cell("ready", seat, kind) for kind in range(2)] for seat in table.seats]
        score = [[table.get_cell("score", seat, kind) for kind in range(3)] for seat in table.seats]
        hit = [table.get_cell("hit", seat) for seat in table.seats]
        attacks = [
            (seat, (seat + (1, -1)[side]) % table.game.players)
            for seat in twin.turn_order()
            for side in sides
            if table.get_cell("attacks", seat, side)
        ]
        engines = [[self.read_engine(table, seat, side) for side in sides] for seat in table.seats]
        if twin.phase is module.Phase.REAP:
            order = twin.turn_order()
            for seat in order[order.index(twin.current_player) + 1 :]:
                if not hit[seat] and module.Action.EXPORT in engines[seat]:
                    score[seat][1] += ready[seat][1]
                    ready[seat][1] = 0
        gears = None
        if twin.phase is module.Phase.PLAN and twin.round > 1:
            gears = [[self.read_gear(table, seat, side) for side in sides] for seat in table.seats]
        return {
            "round": None if twin.is_over() else (table.get_cell("round"), table.get_cell("start_player")),
            "stock": [table.get_cell("stock", kind) for kind in range(3)],
            "ready": ready,
            "score": score,
            "engines": engines,
            "gears": gears,
            "hit": hit,
            "attacks": attacks,
        }

    def read_engine(self, table: Table, seat: int, side: int) -> Any:
        value = table.get_cell("engine", seat, side)
        return None if value is None else self.convert_action(table, value)

    def read_gear(self, table: Table, seat: int, side: int) -> Any:
        gear = table.get_cell("gear", seat, side)
        return None if gear is None else (gear + 1, [table.get_cell("boost", seat, side, kind) for kind in range(2)])

    def read_theirs(self, twin: Any) -> Any:
        module = self.module
        resources, sides = list(module.Resource), list(module.Side)
        at_work = twin.phase not in (module.Phase.PLAN, module.Phase.OVER)
        hit = [player.hit and at_work for player in twin.players]
        attacks = list(twin.attacks)
        if twin.phase is module.Phase.STEAL:  # our engine removes the attack from the list before the decision
            hit[attacks.pop(0)[1]] = True
        gears = None
        if twin.phase is module.Phase.PLAN and twin.round > 1:
            gears = [[self.read_their_gear(player.gears.get(side)) for side in sides] for player in twin.players]
        return {
            "round": None if twin.is_over() else (twin.round, twin.start_player),
            "stock": [twin.stock[kind] for kind in resources],
            "ready": [[player.ready[kind] for kind in resources[:2]] for player in twin.players],
            "score": [[player.score[kind] for kind in resources] for player in twin.players],
            "engines": [
                [module.ENGINE[side][player.engines[side]] if side in player.engines else None for side in sides]
                for player in twin.players
            ],
            "gears": gears,
            "hit": hit,
            "attacks": attacks,
        }

    def read_their_gear(self, slot: Any) -> Any:
        if slot is None:
            return None
        return slot.gear, [int(slot.payment is kind) for kind in list(self.module.Resource)[:2]]

    def normalise(self, position: Any) -> Any:
        """Return the position after all players return as many counters of each kind as all of them have."""
        scores = position["score"]
        common = [min(kinds) for kinds in zip(*scores, strict=True)]
        return {
            **position,
            "score": [[count - lowest for count, lowest in zip(score, common, strict=True)] for score in scores],
            "stock": [count + len(scores) * lowest for count, lowest in zip(position["stock"], common, strict=True)],
        }

    def list_results(self, table: Table, twin: Any) -> tuple[Any, Any]:
        outcome = table.game.outcome(table.state)
        assert outcome is not None
        ready = [sum(player.ready.values()) for player in twin.players]
        return (
            (self.list_leads([points for points, _ in outcome.ranks]), [tie for _, tie in outcome.ranks]),
            (outcome.winners, list(outcome.payoffs)),
        ), ((self.list_leads(twin.points()), ready), (tuple(twin.winners()), twin.returns()))

    def list_leads(self, points: list[int]) -> list[int]:
        """Return the lead of each player over the last. Returned counters cost everybody the same."""
        return [count - min(points) for count in points]


class Bitboards(Pairing):
    """Translates bitboard games, which have no table to compare."""

    def get_seat(self, twin: Any) -> int:
        return int(twin.turn)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return reduce(lambda number, square: 64 * number + square, values, 0)

    def read_ours(self, table: Table, twin: Any) -> Any:
        return None

    def read_theirs(self, twin: Any) -> Any:
        return None


PAIRINGS = {
    "tic-tac-toe": TicTacToe,
    "connect-four": ConnectFour,
    "kuhn-poker": KuhnPoker,
    "leduc-poker": Leduc,
    "empire-engine": EmpireEngine,
}
GAMES = {"compiled": 40, "evaluator": 6}
BITBOARD_SUBJECTS = [subject for subject in SUBJECTS if subject.styles == ("optimised",)]
COMPARED_SUBJECTS = [subject for subject in SUBJECTS if subject.yardstick and "idiomatic" in subject.styles]


@pytest.mark.parametrize("engine", GAMES)
@pytest.mark.parametrize("subject", COMPARED_SUBJECTS, ids=lambda subject: subject.title)
def test_clean_yardsticks_play_by_our_rules(subject: Subject, engine: str) -> None:
    game = subject.create_game(engine)
    pairing = PAIRINGS[subject.name](subject.import_yardstick("idiomatic"))
    alike = sum(compare_game(game, pairing, seed) for seed in range(GAMES[engine]))
    assert alike >= 0.9 * GAMES[engine]


@pytest.mark.parametrize("subject", BITBOARD_SUBJECTS, ids=lambda subject: subject.name)
def test_bitboard_games_have_the_rules_of_the_ruleset(subject: Subject) -> None:
    game, pairing = subject.create_game(), Bitboards(subject.import_yardstick("optimised"))
    assert all(compare_game(game, pairing, seed) for seed in range(12))


def test_different_rules_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = next(candidate for candidate in BITBOARD_SUBJECTS if candidate.name == "lines-of-action")
    pairing = Bitboards(subject.import_yardstick("optimised"))
    monkeypatch.setattr(pairing.module, "EAST", 0xFFFFFFFFFFFFFFFF)
    with pytest.raises(AssertionError):
        all(compare_game(subject.create_game(), pairing, seed) for seed in range(12))


def compare_game(game: Game, pairing: Pairing, seed: int) -> bool:
    """Play a random game on both, and check that they agree except for what the rules leave open.

    Return whether they agreed in every detail.
    """
    rng = random.Random(seed)
    table = Table(game, game.start(seed))
    twin = pairing.begin(table)
    is_equal = True
    while True:
        decision = game.decision(table.state)
        make_forced_moves(twin)
        if decision is not None and pairing.is_ours_alone(table, decision):
            table.state = game.apply(table.state, rng.randrange(len(decision.options)))
            continue
        ours, theirs = pairing.read_ours(table, twin), pairing.read_theirs(twin)
        assert pairing.normalise(ours) == pairing.normalise(theirs)
        is_equal = is_equal and ours == theirs
        if decision is None:
            break
        assert decision.seat == pairing.get_seat(twin)
        moves = [pairing.move(table, twin, option.values, option.alternative) for option in decision.options]
        assert moves == list(twin.legal_moves())
        pick = rng.randrange(len(moves))
        table.state = game.apply(table.state, pick)
        twin.apply(moves[pick])
    assert twin.is_over()
    result, their_result = pairing.list_results(table, twin)
    assert result == their_result
    return is_equal


def make_forced_moves(twin: Any) -> None:
    while not twin.is_over() and len(legal := twin.legal_moves()) == 1:
        twin.apply(legal[0])
