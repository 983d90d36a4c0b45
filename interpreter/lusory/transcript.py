"""A recorded game: who played what, from which seed. Enough to play it again exactly, on any platform.

Made by whoever runs a game; kept as JSON (``schema/transcript.schema.json``) or told as a playthrough, a text
(:mod:`lusory.playthrough`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.types import BoolType, IntType

from .choices import Reason
from .events import Event
from .game import DEFAULT_ENGINE, Game
from .runtime import Value
from .state import State

FORMAT = 1


@dataclass(frozen=True)
class Made:
    """A decision that was made: by which seat, and the id of the option taken."""

    seat: int
    option: str


@dataclass
class Transcript:
    """``program``, ``version`` and ``digest`` name the ruleset; ``options`` are values as authors write them."""

    program: str
    version: str
    digest: str
    players: int
    options: dict[str, Any]
    seed: int
    decisions: list[Made] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as ``schema/transcript.schema.json`` describes it."""
        return {
            "format": FORMAT,
            "program": self.program,
            "version": self.version,
            "digest": self.digest,
            "players": self.players,
            "options": dict(self.options),
            "seed": self.seed,
            "decisions": [[f"P{made.seat + 1}", made.option] for made in self.decisions],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """Raises TranscriptError, in words fit for people, for anything that is not a transcript."""
        try:
            if data["format"] != FORMAT:
                raise TranscriptError(
                    f"this is a transcript of format {data['format']}; this lusory reads format {FORMAT}"
                )
            decisions = [Made(_seat(seat), str(option)) for seat, option in data["decisions"]]
            program, version, digest = (str(data[key]) for key in ("program", "version", "digest"))
            players, options, seed = int(data["players"]), dict(data["options"]), int(data["seed"])
            return cls(program, version, digest, players, options, seed, decisions)
        except KeyError as missing:
            raise TranscriptError(f"this is no transcript: `{missing.args[0]}` is missing") from None
        except (TypeError, ValueError) as error:
            raise TranscriptError(f"this is no transcript: {error}") from None


class TranscriptError(Exception):
    """A transcript cannot be read, or does not fit the ruleset: ``number`` is the first decision (from 1) to fail."""

    def __init__(self, message: str, number: int | None = None, reasons: tuple[Reason, ...] = ()) -> None:
        self.message = message
        self.number = number
        self.reasons = reasons
        super().__init__(message, number, reasons)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"  {reason}" for reason in self.reasons)])


def _seat(word: Any) -> int:
    if not (isinstance(word, str) and word[:1] == "P" and word[1:].isdecimal() and int(word[1:]) > 0):
        raise ValueError(f"{word!r} is not a seat such as P1")
    return int(word[1:]) - 1


def written_option(option: core.Option, value: Value) -> Any:
    """The value of a game option as authors write it."""
    return value if isinstance(option.type, BoolType | IntType) else option.values[value]


def begin(game: Game, seed: int) -> Transcript:
    """A transcript of a game that starts now."""
    program = game.program
    options = {option.name: written_option(option, game.option_values[option.name]) for option in program.options}
    return Transcript(program.id, program.version, program.digest, game.players, options, seed)


def record(game: Game, transcript: Transcript, state: State, index: int) -> None:
    """Add the decision of ``state`` that is answered with the option ``index``."""
    decision = game.decision(state)
    if decision is None:
        raise ValueError("the game is over: there is nothing to record")
    transcript.decisions.append(Made(decision.seat, game.option_ids(state, decision)[index]))


def game_of(program: core.Program, transcript: Transcript, engine: str = DEFAULT_ENGINE) -> Game:
    """The game that a transcript was made of. A changed ruleset is welcome as long as the decisions still fit."""
    if program.id != transcript.program:
        raise TranscriptError(f"the transcript is of `{transcript.program}`, the ruleset is `{program.id}`")
    try:
        return Game(program, transcript.players, transcript.options, engine)
    except ValueError as error:
        raise TranscriptError(f"the transcript does not fit the ruleset any more: {error}") from None


def replay(game: Game, transcript: Transcript, log: list[Event] | None = None) -> State:
    """Play a transcript again, to where it ends. Raises TranscriptError at the first decision that no longer fits."""
    state = game.start(transcript.seed, log)
    for number, made in enumerate(transcript.decisions, 1):
        state = game.apply(state, fitting(game, state, number, made, len(transcript.decisions)), log)
    return state


def fitting(game: Game, state: State, number: int, made: Made, total: int) -> int:
    """The number of the option that a recorded decision means. Raises TranscriptError where it no longer fits."""
    what = f"decision {number} of {total}, P{made.seat + 1} `{made.option}`, no longer fits"
    decision = game.decision(state)
    if decision is None:
        raise TranscriptError(f"{what}: the game is over by then", number)
    if decision.seat != made.seat:
        raise TranscriptError(f"{what}: it is P{decision.seat + 1} who decides", number)
    ids = game.option_ids(state, decision)
    if made.option not in ids:
        prompt = game.prompt(state, decision)
        raise TranscriptError(f"{what}: {prompt}", number, tuple(game.why_not(state, made.option, sees_all=True)))
    return ids.index(made.option)


def difference(one: Transcript, other: Transcript) -> str | None:
    """Where two transcripts part, in a sentence; None: they are of the same play."""
    for name in ("program", "players", "options", "seed"):
        a, b = getattr(one, name), getattr(other, name)
        if a != b:
            return f"{name}: {a} and {b}"
    for number, (a, b) in enumerate(zip(one.decisions, other.decisions, strict=False), 1):
        if a != b:
            return f"decision {number}: P{a.seat + 1} `{a.option}` and P{b.seat + 1} `{b.option}`"
    if len(one.decisions) != len(other.decisions):
        return f"one has {len(one.decisions)} decisions, the other {len(other.decisions)}"
    return None
