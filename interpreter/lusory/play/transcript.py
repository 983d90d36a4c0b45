"""A recorded game: who played what, from which seed. Enough to play it again exactly, on any platform.

Made by whoever runs a game; kept as JSON (``schema/transcript.schema.json``) or told as a playthrough, a text
(:mod:`lusory.play.playthrough`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lusory_dsl import core
from lusory_dsl.source.source import Source, Span
from lusory_dsl.types.types import BoolType, IntType

from ..game import DEFAULT_ENGINE, Game
from ..state.decision import Reason
from ..state.event_log import Event
from ..state.random_streams import Seed
from ..state.secure_random import PREFIX, seed_of
from ..state.setting import Value
from ..state.state import State

if TYPE_CHECKING:  # imported where a file is read: a game that begins reads none
    from lusory_dsl.yaml.reader import YamlMapping

FORMAT = 1
QUICK, SECURE = "quick", "secure"
"""The generators that make chance of a seed, by their names in a transcript."""

SEEDS = range(-(2**127), 2**128)
"""What may be a seed."""

EXACT = 2**53
"""Whole numbers beyond this are not read exactly by every program that reads JSON."""

TRANSCRIPT = "transcript"
"""The name of the schema of recorded games."""

EVERY = 10
"""A digest of the position is kept every so many decisions, and after the last."""

BEGINNING = ("program", "players", "options", "seed", "chance")
"""What two plays of the same game have in common."""

SAVED = "a saved game: `save` at the table writes one, and `lusory games` lists those that you have"
"""What files of recorded games are, to whom another was given."""

SHOWN_FAULTS = 5
SHOWN_OPTIONS = 8


@dataclass(frozen=True)
class Made:
    """A decision that was made: by which seat, and the id of the option taken."""

    seat: int
    option: str

    def to_json(self) -> list[str]:
        """Seat and option id, as a transcript has them."""
        return [f"P{self.seat + 1}", self.option]


@dataclass
class Transcript:
    """``program``, ``version`` and ``digest`` name the ruleset; ``options`` are values as authors write them.
    ``positions``: number of decisions made -> digest of the position then, for some. ``simulations``: number of a
    decision, from 1 -> how many were thought of, where a clock had said so: who thinks of as many decides alike."""

    program: str
    version: str
    digest: str
    players: int
    options: dict[str, Any]
    seed: Seed
    decisions: list[Made] = field(default_factory=list)
    positions: dict[int, str] = field(default_factory=dict)
    simulations: dict[int, int] = field(default_factory=dict)

    @property
    def chance(self) -> str:
        """The generator that the seed is for."""
        return SECURE if isinstance(self.seed, str) else QUICK

    def to_json(self) -> dict[str, Any]:
        """Plain data, as ``schema/transcript.schema.json`` describes it."""
        return {
            "format": FORMAT,
            "program": self.program,
            "version": self.version,
            "digest": self.digest,
            "players": self.players,
            "options": dict(self.options),
            "seed": _written(self.seed),
            **({} if self.chance == QUICK else {"chance": self.chance}),
            "decisions": [made.to_json() for made in self.decisions],
            **({"positions": _pairs(self.positions)} if self.positions else {}),
            **({"simulations": _pairs(self.simulations)} if self.simulations else {}),
        }

    def is_of_same_game(self, other: Transcript) -> bool:
        """Whether both began alike: the one is then the other at another time."""
        return all(getattr(self, name) == getattr(other, name) for name in BEGINNING)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """Raises TranscriptError, in words fit for people, for anything that is not a transcript."""
        return cls.of(read_data(json.dumps(data), "transcript"))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Transcript:
        """The transcript in data that :func:`read_data` has found in order."""
        return cls(
            data["program"],
            data["version"],
            data["digest"],
            data["players"],
            dict(data["options"]),
            seed_of(_seed(data["seed"]).to_bytes(16, "big")) if data.get("chance") == SECURE else _seed(data["seed"]),
            [Made(int(seat[1:]) - 1, option) for seat, option in data["decisions"]],
            dict(data.get("positions", [])),
            dict(data.get("simulations", [])),
        )


def _pairs(numbered: Mapping[int, Any]) -> list[list[Any]]:
    return [list(one) for one in sorted(numbered.items())]


class TranscriptError(Exception):
    """A transcript cannot be read, or does not fit the ruleset: ``number`` is the first decision (from 1) to fail,
    ``reasons`` say why, ``possible`` are the ids that could be taken in its place; ``others`` what else is wrong;
    ``hint``: what helps."""

    def __init__(
        self,
        message: str,
        number: int | None = None,
        reasons: tuple[Reason, ...] = (),
        possible: Sequence[str] = (),
        others: Sequence[str] = (),
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.number = number
        self.reasons = reasons
        self.possible = tuple(possible)
        self.others = tuple(others)
        self.hint = hint
        super().__init__(message, number, reasons, possible, others)

    @property
    def details(self) -> list[str]:
        """Further lines about it."""
        lines = [*self.others, *(str(reason) for reason in self.reasons)]
        if self.possible:
            more = len(self.possible) - SHOWN_OPTIONS
            shown = ", ".join(f"`{id}`" for id in self.possible[:SHOWN_OPTIONS])
            lines.append(f"possible there: {shown}" + (f" and {more} more" if more > 0 else ""))
        return lines

    def __str__(self) -> str:
        return "\n  ".join([self.message, *self.details])


def read_data(text: str, name: str) -> dict[str, Any]:
    """The data of a recorded game, in which everything is as its schema says. ``name``: how messages call the file.

    Nothing is built from the text before all of it is known to be in order. Raises TranscriptError, in words fit for
    people, with the place of what is wrong."""
    return _in_order(_parsed(text, name))


def _parsed(text: str, name: str) -> YamlMapping:
    """The JSON object that a text is. Raises TranscriptError, with the place of what is wrong."""
    from lusory_dsl.yaml.json_reader import JsonFault, read_json
    from lusory_dsl.yaml.reader import YamlMapping

    source = Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    try:
        root = read_json(source)
    except JsonFault as fault:
        what = _other(text)
        words = f"{fault.span}: this is no recorded game: {fault.message}" if what is None else f"{name}: {what}"
        raise TranscriptError(words, hint=SAVED) from None
    if not isinstance(root, YamlMapping):
        raise TranscriptError(f"{root.span}: this is no recorded game: it is not a JSON object", hint=SAVED)
    if root.get("format") is None and (what := _other(text)) is not None:
        raise TranscriptError(f"{name}: {what}", hint=SAVED)
    return root


def _other(text: str) -> str | None:
    """What else a text that is no recorded game is, of what lusory writes; None: nothing."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or "game" not in data or "program" in data:
        return None
    what = "a tournament" if "kinds" in data else "what a command found with `--format json`"
    return f"this is {what}, in which no game is recorded decision by decision"


def _in_order(root: YamlMapping) -> dict[str, Any]:
    """The data of a tree in which everything is as the schema says. Raises TranscriptError, with the places of what is
    not."""
    from lusory_dsl.ruleset.schema_validation import first_faults
    from lusory_dsl.yaml.reader import YamlScalar, plain

    written = root.get("format")
    if isinstance(written, YamlScalar) and type(written.value) is int and written.value != FORMAT:
        message = f"this is a {TRANSCRIPT} of format {written.value}; this lusory reads format {FORMAT}"
        raise TranscriptError(f"{written.span}: {message}")
    faults = [(one.span, one.message) for one in first_faults(root, TRANSCRIPT)]
    if not faults:
        faults = _more_faults(root)
    if faults:
        first, *others = [f"{span}: {message}" for span, message in faults[:SHOWN_FAULTS]]
        if len(faults) > SHOWN_FAULTS:
            others.append(f"… and {len(faults) - SHOWN_FAULTS} more")
        raise TranscriptError(first, others=others, hint=SAVED if root.get("format") is None else None)
    data: dict[str, Any] = plain(root)
    return data


def _more_faults(root: YamlMapping) -> list[tuple[Span, str]]:
    """What a schema can't say: seats and numbers that do not go together."""
    from lusory_dsl.yaml.reader import plain

    data = plain(root)
    faults = []
    if "seed" in data and _seed(data["seed"]) not in SEEDS:
        faults.append(("seed", "the seed has more than 128 bits"))
    elif data.get("chance") == SECURE and _seed(data.get("seed", 0)) < 0:
        faults.append(("seed", "a secure seed is not below 0"))
    players = data.get("players", 0)
    if "seats" in data and len(data["seats"]) != players:
        faults.append(("seats", f"{len(data['seats'])} seats for {players} players"))
    beyond = next((seat for seat, _ in data.get("decisions", ()) if int(seat[1:]) > players), None)
    if beyond is not None:
        faults.append(("decisions", f"{beyond} decides in a game of {players}"))
    for key, one in (("positions", "a position"), ("simulations", "a number of simulations")):
        if any(number > len(data.get("decisions", ())) for number, _ in data.get(key, ())):
            faults.append((key, f"{one} lies behind the last decision"))
    places = {key.text: key.span for key, _ in root.entries}
    return [(places[key], message) for key, message in faults]


def _written(seed: Seed) -> int | str:
    """A seed in a transcript; :func:`_seed` reads the number."""
    if isinstance(seed, str):
        return f"0x{seed.removeprefix(PREFIX)}"
    return seed if abs(seed) <= EXACT else str(seed)


def _seed(written: int | str) -> int:
    return int(written, 0) if isinstance(written, str) and written.startswith("0x") else int(written)


def written_option(option: core.Option, value: Value) -> Any:
    """The value of a game option as authors write it."""
    return value if isinstance(option.type, BoolType | IntType) else option.values[value]


def begin(game: Game, seed: Seed) -> Transcript:
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


def replay(game: Game, transcript: Transcript, log: list[Event] | None = None, picks: list[int] | None = None) -> State:
    """Play a transcript again, to where it ends; the numbers of the options taken go to ``picks``.

    Raises TranscriptError at the first decision that no longer fits, and, by rules that are the same to the letter, at
    the first position that is not the one recorded."""
    total = len(transcript.decisions)
    is_same = transcript.digest == game.program.digest
    state = game.start(transcript.seed, log)
    for number, made in enumerate(transcript.decisions, 1):
        if is_same:
            compare_position(game, transcript, state, number - 1)
        option = fitting(game, state, number, made, total)
        if picks is not None:
            picks.append(option)
        state = game.apply(state, option, log)
    if is_same:
        compare_position(game, transcript, state, total)
    return state


def picks_of(game: Game, transcript: Transcript) -> list[int]:
    """The decisions of a transcript as numbers of options. Raises TranscriptError as :func:`replay`."""
    picks: list[int] = []
    replay(game, transcript, picks=picks)
    return picks


def compare_position(game: Game, transcript: Transcript, state: State, made: int) -> None:
    """Raises TranscriptError where the position after so many decisions is not the one recorded, if one is."""
    recorded = transcript.positions.get(made)
    if recorded is not None and recorded != position_digest(game, transcript, state):
        last = transcript.decisions[made - 1] if made else None
        where = f"after decision {made}, P{last.seat + 1} `{last.option}`" if last else "before the first decision"
        what = "the position is not the one recorded: its seed, options or decisions were changed"
        raise TranscriptError(f"{where}, {what}", made or None)


def fitting(game: Game, state: State, number: int, made: Made, total: int) -> int:
    """The number of the option that a recorded decision means. Raises TranscriptError where it no longer fits."""
    what = f"decision {number} of {total}, P{made.seat + 1} `{made.option}`, no longer fits"
    decision = game.decision(state)
    if decision is None:
        raise TranscriptError(f"{what}: the game is over by then", number)
    ids = game.option_ids(state, decision)
    if decision.seat != made.seat:
        raise TranscriptError(f"{what}: it is P{decision.seat + 1} who decides", number, possible=ids)
    if made.option not in ids:
        prompt = game.prompt(state, decision)
        reasons = tuple(game.why_not(state, made.option, sees_all=True))
        raise TranscriptError(f"{what}: {prompt}", number, reasons, ids)
    return ids.index(made.option)


def difference(one: Transcript, other: Transcript) -> str | None:
    """Where two transcripts part, in a sentence; None: they are of the same play."""
    for name in BEGINNING:
        a, b = getattr(one, name), getattr(other, name)
        if a != b:
            return f"{name}: {a} and {b}"
    for number, (a, b) in enumerate(zip(one.decisions, other.decisions, strict=False), 1):
        if a != b:
            return f"decision {number}: P{a.seat + 1} `{a.option}` and P{b.seat + 1} `{b.option}`"
    if len(one.decisions) != len(other.decisions):
        return f"one has {len(one.decisions)} decisions, the other {len(other.decisions)}"
    return None


def position_digest(game: Game, transcript: Transcript, state: State) -> str:
    """Sixteen hexadecimal digits, of SHA-256 over seed, options and the whole position: every place, zone, counter and
    stream by its name, so that it is the same on every engine."""
    layout, cells = game.layout, state.cells
    places = {name: cells[place.offset : place.offset + place.size] for name, place in layout.places.items()}
    zones = {name: state.zones[zone.offset : zone.offset + zone.size] for name, zone in layout.zones.items()}
    counters = [{name: cells[cell] for name, cell in named.items()} for named in (layout.repeats, layout.streams)]
    end = [cells[layout.over], cells[layout.reason]]
    whole = [transcript.seed, transcript.chance, transcript.options, places, zones, counters, end]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]
