"""The engines agree: random rulesets, played at random on both, say and do the same at every step, also where the rules
go wrong. With ``settings(max_examples=…)`` raised and ``derandomize`` off it looks further."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, assume, given, settings, strategies as st
from random_rulesets import Maker

from lusory.choices import RulesetFault
from lusory.compiler import changes, routines
from lusory.game import Game
from lusory.state import State
from lusory_dsl import parser, printer
from lusory_dsl.core import Program
from lusory_dsl.diagnostics import Diagnostics
from lusory_dsl.program import check_text
from lusory_dsl.source import Embedded, Source

MOST_DECISIONS = 40  # of one game that is compared
share = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def choices(draw: st.DrawFn) -> list[tuple[int, int]]:
    """The choices by which a ruleset is made, with what they are chosen from; the first says how faulty it is."""
    taken: list[tuple[int, int]] = [(draw(st.sampled_from([0, 6])), 0)]

    def pick(n: int) -> int:
        taken.append((draw(st.integers(0, n - 1)), n))
        return taken[-1][0]

    Maker(pick, taken[0][0]).ruleset()
    return taken


def ruleset(taken: list[tuple[int, int]], rewrite: Any = str) -> str:
    (faulty, _), *rest = taken
    answers = iter(rest)
    return Maker(lambda n: next(answers)[0], faulty, rewrite).ruleset()


def checked(text: str) -> Program | None:
    return check_text(text, Diagnostics(), "made.yaml")


@share
@given(choices(), st.integers(0, 2**16))
def test_engines_agree(taken: list[tuple[int, int]], seed: int) -> None:
    agree(ruleset(taken), seed)


@share
@given(choices(), st.integers(0, 2**16))
def test_engines_agree_where_everything_is_shared(taken: list[tuple[int, int]], seed: int) -> None:
    """Each effect, query and rule of a card is a routine of its own, however small, and cards are sought in zones,
    however few there are."""
    few = patch.multiple(changes, MOST_TERMS=1, COPIES_PER_LIST=0, MOST_IN_A_ROW=1)
    with patch.multiple(routines, SHARE_SIZE=0, SHARE_USES=1), few:
        agree(ruleset(taken), seed)


def agree(text: str, seed: int) -> None:
    program = checked(text)
    assume(program is not None)
    assert program is not None
    players = 2 + seed % 2
    for logged in (True, False):
        pairs = zip(*(played(program, e, seed, players, logged) for e in ("evaluator", "compiled")), strict=True)
        for oracle, compiled in pairs:
            assert compiled == oracle
    oracle, compiled = (whole_game(program, engine, seed, players) for engine in ("evaluator", "compiled"))
    assert compiled == oracle


@share
@given(choices(), st.integers(0, 2**16))
def test_printed_blocks_play_the_same_game(taken: list[tuple[int, int]], seed: int) -> None:
    program, again = checked(ruleset(taken)), checked(ruleset(taken, reprinted))
    assume(program is not None)
    assert program is not None
    assert again is not None
    for one, other in zip(*(played(p, "compiled", seed, 2, True) for p in (program, again)), strict=True):
        assert (other[:2] if other[0] == "fault" else other) == (one[:2] if one[0] == "fault" else one)


def test_most_made_rulesets_are_right() -> None:
    """Or the laws above say little."""
    right = 0
    for seed in range(30):
        random = Random(seed)
        right += checked(Maker(random.randrange, 6 * (seed % 2)).ruleset()) is not None
    assert right >= 27


def reprinted(text: str) -> str:
    nodes = parser.parse_block(Embedded(Source("block", text), text, tuple(range(len(text) + 1))), Diagnostics())
    assert nodes is not None
    return printer.print_block(nodes)


def played(program: Program, engine: str, seed: int, players: int, logged: bool) -> Iterator[tuple[Any, ...]]:
    """What can be seen of a game of random choices; the state goes through JSON where nothing is logged."""
    game = Game(program, players, engine=engine)
    random = Random(seed)
    log: list[Any] | None = [] if logged else None
    try:
        state = game.start(seed, log)
        for _ in range(MOST_DECISIONS):
            if log is None:
                state = State.from_json(json.loads(json.dumps(state.to_json())))
            decision = game.decision(state)
            yield "table", list(log or ()), state.cells[: game.layout.size], state.zones
            if decision is None:
                yield "end", game.outcome(state)
                return
            yield "asked", decision.site, decision.seat, [tuple(option) for option in decision.options]
            words = game.option_ids(state, decision), game.option_labels(state, decision)
            yield "words", game.prompt(state, decision), *words
            if log is not None:
                yield "seen", *(game.view(state, seat).to_json() for seat in (*range(players), None))
                log.clear()
            before = state.copy()
            after = game.apply(state, int(random.random() * len(decision.options)), log)
            assert state == before, "a state is a value"
            state = after
    except RulesetFault as fault:
        yield "fault", fault.message, str(fault.span), fault.trail, fault.position


def whole_game(program: Program, engine: str, seed: int, players: int) -> tuple[Any, ...]:
    """The end of a game that is played without a stop. Places that no rule reads are not kept in such a game, so the
    position of a fault is not compared."""
    random = Random(seed)
    numbers = iter([random.random() for _ in range(MOST_DECISIONS)])

    def number() -> float:
        try:
            return next(numbers)
        except StopIteration:
            raise KeyboardInterrupt from None

    try:
        return tuple(Game(program, players, engine=engine).playout(number, seed))
    except RulesetFault as fault:
        return fault.message, str(fault.span), fault.trail
    except KeyboardInterrupt:
        return ("long",)
