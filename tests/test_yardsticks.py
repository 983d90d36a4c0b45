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

    def cell(self, place: str, *indices: int) -> Any:
        return self.state.cells[self.game.layout.places[place].at(indices)]

    def cards(self, zone: str, *indices: int) -> list[int]:
        return self.state.zones[self.game.layout.zones[zone].at(indices)]

    def rank(self, card: int) -> int:
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

    def seat(self, twin: Any) -> int:
        return int(twin.current_player)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        """Return the move of the yardstick for an option of ours."""
        raise NotImplementedError

    def ours(self, table: Table, twin: Any) -> Any:
        """Return our position in a form that can be compared."""
        raise NotImplementedError

    def theirs(self, twin: Any) -> Any:
        """Return the position of the yardstick in the same form as :meth:`ours`."""
        raise NotImplementedError

    def settled(self, position: Any) -> Any:
        """Return a position without what the rules leave open."""
        return position

    def result(self, table: Table, twin: Any) -> tuple[Any, Any]:
        """Return our result and that of the yardstick."""
        outcome = table.game.outcome(table.state)
        assert outcome is not None
        return [float(payoff) for payoff in outcome.payoffs], twin.returns()


class TicTacToe(Pairing):
    def seat(self, twin: Any) -> int:
        return [self.module.Mark.X, self.module.Mark.O].index(twin.to_move)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return values[0]

    def ours(self, table: Table, twin: Any) -> Any:
        return [table.cell("mark", square) for square in range(9)], table.cell("winner")

    def theirs(self, twin: Any) -> Any:
        seat = {None: None, self.module.Mark.X: 0, self.module.Mark.O: 1}
        return [seat[mark] for mark in twin.board], seat[twin.winner]


class ConnectFour(Pairing):
    def seat(self, twin: Any) -> int:
        return [self.module.Disc.RED, self.module.Disc.YELLOW].index(twin.to_move)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return values[0] % 7

    def ours(self, table: Table, twin: Any) -> Any:
        columns = [[table.cell("disc", 7 * row + column) for row in range(6)] for column in range(7)]
        return [[disc for disc in column if disc is not None] for column in columns], table.cell("winner")

    def theirs(self, twin: Any) -> Any:
        seat = {None: None, self.module.Disc.RED: 0, self.module.Disc.YELLOW: 1}
        return [[seat[disc] for disc in column] for column in twin.columns], seat[twin.winner]


class KuhnPoker(Pairing):
    def begin(self, table: Table) -> Any:
        return self.module.KuhnPoker([table.rank(table.cards("hand", seat)[0]) for seat in table.seats])

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return (self.module.Action.PASS, self.module.Action.BET)[alternative]

    def ours(self, table: Table, twin: Any) -> Any:
        hands = [table.rank(table.cards("hand", seat)[0]) for seat in table.seats]
        return hands, [table.cell("stake", seat) for seat in table.seats], table.cell("opened")

    def theirs(self, twin: Any) -> Any:
        return twin.cards, [twin.contribution(0), twin.contribution(1)], bool(twin.history)


class Leduc(Pairing):
    def begin(self, table: Table) -> Any:
        ranks = list(self.module.Rank)

        def card(entity: int) -> Any:
            return self.module.Card(ranks[table.rank(entity)], "")

        seats = [self.module.Seat(card(table.cards("hand", seat)[0])) for seat in table.seats]
        return self.module.Leduc(seats, [card(entity) for entity in reversed(table.cards("deck"))])

    def seat(self, twin: Any) -> int:
        return int(twin.to_act)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return (self.module.Action.FOLD, self.module.Action.CALL, self.module.Action.RAISE)[alternative]

    def ours(self, table: Table, twin: Any) -> Any:
        return (
            [table.rank(table.cards("hand", seat)[0]) for seat in table.seats],
            [table.rank(card) for card in table.cards("board")],
            [table.cell("stake", seat) for seat in table.seats],
            [table.cell("folded", seat) for seat in table.seats],
            # these numbers have no meaning after the end
            None if twin.is_over() else [table.cell("round"), table.cell("raises"), table.cell("calls")],
        )

    def theirs(self, twin: Any) -> Any:
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
        m = self.module
        resources, sides = list(m.Resource), list(m.Side)
        if twin.phase is m.Phase.PLAN and twin.round == 1:
            side = sides[values[0]]
            return m.PlaceEngine(side, m.ENGINE[side].index(self.action(table, values[1])))
        if twin.phase is m.Phase.PLAN:
            gear, at, fuel = values
            return m.PlaceGear(gear + 1, sides[at], None if fuel is None else resources[fuel])
        if twin.phase is m.Phase.BLOCK:
            return m.BlockAttacker(values[0])
        return (m.Steal if twin.phase is m.Phase.STEAL else m.Salvage)(resources[values[0]])

    def action(self, table: Table, value: int) -> Any:
        return self.module.Action(table.game.program.enums["Action"].values[value].name)

    def ours(self, table: Table, twin: Any) -> Any:
        m = self.module
        sides = range(2)
        ready = [[table.cell("ready", seat, kind) for kind in range(2)] for seat in table.seats]
        score = [[table.cell("score", seat, kind) for kind in range(3)] for seat in table.seats]
        hit = [table.cell("hit", seat) for seat in table.seats]
        attacks = [
            (seat, (seat + (1, -1)[side]) % table.game.players)
            for seat in twin.turn_order()
            for side in sides
            if table.cell("attacks", seat, side)
        ]
        engines = [[table.cell("engine", seat, side) for side in sides] for seat in table.seats]
        engines = [[None if e is None else self.action(table, e) for e in both] for both in engines]
        if twin.phase is m.Phase.REAP:
            order = twin.turn_order()
            for seat in order[order.index(twin.current_player) + 1 :]:
                if not hit[seat] and m.Action.EXPORT in engines[seat]:
                    score[seat][1] += ready[seat][1]
                    ready[seat][1] = 0
        gears = None
        if twin.phase is m.Phase.PLAN and twin.round > 1:
            gears = [[self.gear(table, seat, side) for side in sides] for seat in table.seats]
        return {
            "round": None if twin.is_over() else (table.cell("round"), table.cell("start_player")),
            "stock": [table.cell("stock", kind) for kind in range(3)],
            "ready": ready,
            "score": score,
            "engines": engines,
            "gears": gears,
            "hit": hit,
            "attacks": attacks,
        }

    def gear(self, table: Table, seat: int, side: int) -> Any:
        gear = table.cell("gear", seat, side)
        return None if gear is None else (gear + 1, [table.cell("boost", seat, side, kind) for kind in range(2)])

    def theirs(self, twin: Any) -> Any:
        m = self.module
        resources, sides = list(m.Resource), list(m.Side)
        at_work = twin.phase not in (m.Phase.PLAN, m.Phase.OVER)
        hit = [player.hit and at_work for player in twin.players]
        attacks = list(twin.attacks)
        if twin.phase is m.Phase.STEAL:  # our engine removes the attack from the list before the decision
            hit[attacks.pop(0)[1]] = True
        gears = None
        if twin.phase is m.Phase.PLAN and twin.round > 1:
            gears = [[self.their_gear(player.gears.get(side)) for side in sides] for player in twin.players]
        return {
            "round": None if twin.is_over() else (twin.round, twin.start_player),
            "stock": [twin.stock[kind] for kind in resources],
            "ready": [[player.ready[kind] for kind in resources[:2]] for player in twin.players],
            "score": [[player.score[kind] for kind in resources] for player in twin.players],
            "engines": [
                [m.ENGINE[side][player.engines[side]] if side in player.engines else None for side in sides]
                for player in twin.players
            ],
            "gears": gears,
            "hit": hit,
            "attacks": attacks,
        }

    def their_gear(self, placed: Any) -> Any:
        if placed is None:
            return None
        return placed.gear, [int(placed.payment is kind) for kind in list(self.module.Resource)[:2]]

    def settled(self, position: Any) -> Any:
        """Return the position after all players return as many counters of each kind as all of them have."""
        scores = position["score"]
        common = [min(kinds) for kinds in zip(*scores, strict=True)]
        return {
            **position,
            "score": [[n - c for n, c in zip(score, common, strict=True)] for score in scores],
            "stock": [n + len(scores) * c for n, c in zip(position["stock"], common, strict=True)],
        }

    def result(self, table: Table, twin: Any) -> tuple[Any, Any]:
        outcome = table.game.outcome(table.state)
        assert outcome is not None
        ready = [sum(player.ready.values()) for player in twin.players]
        return (
            (self.ahead([points for points, _ in outcome.ranks]), [tie for _, tie in outcome.ranks]),
            (outcome.winners, list(outcome.payoffs)),
        ), ((self.ahead(twin.points()), ready), (tuple(twin.winners()), twin.returns()))

    def ahead(self, points: list[int]) -> list[int]:
        """Return the lead of each player over the last. Returned counters cost everybody the same."""
        return [n - min(points) for n in points]


class Bitboards(Pairing):
    """Translates bitboard games, which have no table to compare."""

    def seat(self, twin: Any) -> int:
        return int(twin.turn)

    def move(self, table: Table, twin: Any, values: tuple[Any, ...], alternative: int) -> Any:
        return reduce(lambda number, square: 64 * number + square, values, 0)

    def ours(self, table: Table, twin: Any) -> Any:
        return None

    def theirs(self, twin: Any) -> Any:
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
    subject = next(s for s in BITBOARD_SUBJECTS if s.name == "lines-of-action")
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
    alike = True
    while True:
        decision = game.decision(table.state)
        make_forced_moves(twin)
        if decision is not None and pairing.is_ours_alone(table, decision):
            table.state = game.apply(table.state, rng.randrange(len(decision.options)))
            continue
        ours, theirs = pairing.ours(table, twin), pairing.theirs(twin)
        assert pairing.settled(ours) == pairing.settled(theirs)
        alike = alike and ours == theirs
        if decision is None:
            break
        assert decision.seat == pairing.seat(twin)
        moves = [pairing.move(table, twin, option.values, option.alternative) for option in decision.options]
        assert moves == list(twin.legal_moves())
        pick = rng.randrange(len(moves))
        table.state = game.apply(table.state, pick)
        twin.apply(moves[pick])
    assert twin.is_over()
    result, their_result = pairing.result(table, twin)
    assert result == their_result
    return alike


def make_forced_moves(twin: Any) -> None:
    while not twin.is_over() and len(legal := twin.legal_moves()) == 1:
        twin.apply(legal[0])
