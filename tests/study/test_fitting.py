"""Weights of what a ruleset tells its bots, fitted to games: what counts is found, with any number of processes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from programs import checked, harvest

from lusory.game import Game
from lusory.search.advice import advised, guidance_of
from lusory.search.analysis import FLAT, analyse
from lusory.study.advising import Advising
from lusory.study.fitting import Fitting, NoTerms, declared, terms_of, valued
from lusory.study.tournament import Tournament

VALUE = "grain + fields + luck"
BOTS = f"bots: {{value: {VALUE}, horizon: 0}}\n"


def game_of(seats: int = 2, bots: str = BOTS) -> Game:
    return Game(checked(harvest(10, seats, idle="luck") + bots))


@cache
def fitting(seats: int = 2, kind: str = "random", games: int = 30, rounds: int = 1, jobs: int = 1) -> Fitting:
    game = game_of(seats)
    work = Fitting(game, terms_of(game.program, VALUE).terms, kind, games, rounds, 1, jobs)
    work.run()
    return work


def test_what_counts_is_found() -> None:
    """Grain counts, fields feed, idling is nothing."""
    grain, fields, luck = fitting().fits[-1].factors
    assert grain > 2 * abs(luck)
    assert fields > luck


def test_a_game_for_one_is_valued_in_the_unit_of_its_rank() -> None:
    fit = fitting(seats=1).fits[-1]
    grain, fields, luck = fit.factors
    assert fit.divisor == 10
    assert min(grain, fields) > luck
    assert fit.weights.loss < fit.loss_unknown
    assert fit.value.endswith(" div 10")


def test_players_stand_at_a_hundred_on_average() -> None:
    work = fitting()
    fit = work.fits[-1]
    standings = [seat for one in work.seen for position in one.positions for seat in position]
    values = [sum(f * x for f, x in zip(fit.factors, seat, strict=True)) + fit.constant for seat in standings]
    assert sum(values) / len(values) == pytest.approx(100, abs=1)


def test_the_value_is_of_the_language_and_says_what_was_fitted() -> None:
    work = fitting()
    fit = work.fits[-1]
    assert dict(terms_of(work.game.program, fit.value).terms) == {
        text: factor for (text, _), factor in zip(work.terms, fit.factors, strict=True) if factor
    }
    assert guidance_of(advised(work.game, work.advice)).horizon == 0


def test_later_rounds_are_played_by_what_was_found() -> None:
    """The first round is the same; what follows in the second is played with other weights."""
    once, twice = fitting(kind="greedy", games=6), fitting(kind="greedy", games=12, rounds=2)
    assert once.seen == twice.seen[:6]
    assert twice.fits[0].value == once.fits[0].value
    plain = fitting(kind="greedy", games=12)
    assert plain.seen[:6] == twice.seen[:6] != plain.seen[6:]
    assert plain.seen[6:] != twice.seen[6:]


def test_processes_change_nothing() -> None:
    assert fitting(games=6).fits == fitting(games=6, jobs=2).fits


def test_an_interrupted_fit_has_the_games_so_far() -> None:
    game = game_of()
    work = Fitting(game, terms_of(game.program, VALUE).terms, "random", 12, 3, 1)

    def stop(done: int) -> None:
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run(stop)
    assert [fit.games for fit in work.fits] == [4, 6]


def test_who_is_advised_otherwise_decides_otherwise_in_the_same_game() -> None:
    """Two values in one tournament: who sees the worth of a field beats who does not."""
    game = game_of()
    wise, blind = valued(game.program, "grain + 5 * fields"), valued(game.program, "grain")
    work = Tournament(game, ("greedy", "greedy"), 16, 1, full=True, advices={0: wise, 1: blind})
    work.run()
    assert sum(work.scores((0, 1))) > 0.9 * len(work.scores((0, 1)))
    state, values = game.start(1), list[float]()
    for advice in (wise, blind):
        told = advised(game, advice)
        line = list(analyse(told, 0, [state], FLAT, 12, 1, True, guidance_of(told)))[-1]
        values.append({one.option: one.value for one in line}[0])
    assert values[0] > values[1]


def test_what_is_advised_is_kept_apart() -> None:
    """Code is kept by the digest of a program: other advice, other digest; no cell of the table moves."""
    game = game_of()
    one, other = (advised(game, valued(game.program, text)) for text in ("grain", "2 * grain"))
    assert len({game.program.digest, one.program.digest, other.program.digest}) == 3
    assert one.layout.size == game.layout.size


def test_without_a_value_there_is_what_the_ruleset_declares() -> None:
    program = game_of(bots="").program
    assert declared(program) == ["grain", "fields", "luck"]
    assert terms_of(program, None).terms == (("grain", 1), ("fields", 0), ("luck", 0))
    assert terms_of(program, None, ["grain * fields"]).terms[-1] == ("grain * fields", 0)


@pytest.mark.parametrize(("text", "why"), [("nobody", "nobody"), ("past = 3", "Int"), ("1 +", "1 +")])
def test_what_is_no_number_of_a_player(text: str, why: str) -> None:
    with pytest.raises(NoTerms, match=why.replace("+", r"\+")):
        terms_of(game_of().program, VALUE, [text])


def test_nothing_differs() -> None:
    game = game_of()
    with pytest.raises(NoTerms, match="no term differs"):
        Fitting(game, [("past", 1)], "random", 2, 1).run()


def test_the_sides_of_a_contest() -> None:
    game = game_of()
    found = Advising(game, "greedy", terms_of(game.program, VALUE))
    assert found.points() is None
    found.meet(4, 0, 1, None).run()
    assert found.sides[1] == "saying nothing"
    data = found.to_json()
    assert data["contest"]["games"] == 4
    assert data["fit"] is None
    assert replace(found, contest=None).to_json()["contest"] is None
