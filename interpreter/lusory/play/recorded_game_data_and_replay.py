"""Record games and replay them: ruleset, players, options, seed and decisions determine a game on any platform.

A transcript is stored as JSON (``schema/transcript.schema.json``), or written as text by
:mod:`lusory.play.playthrough_writer_and_parser`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lusory_dsl import core
from lusory_dsl.source.source import Span, count_noun

from ..game import DEFAULT_ENGINE, Game
from ..state.decisions_outcomes_and_faults import Reason
from ..state.events_redaction_and_text import Event
from ..state.random_streams import SECURE_PREFIX, Seed, make_secure_seed
from ..state.state import State

if TYPE_CHECKING:  # The functions that read a file import it, because a new game needs no reader.
    from lusory_dsl.yaml.reader import YamlMapping

FORMAT = 1
QUICK, SECURE = "quick", "secure"
"""Names of the two random generators in a transcript."""

SEEDS = range(-(2**127), 2**128)
"""Range of valid seeds."""

EXACT = 2**53
"""Largest whole number that every JSON reader reads exactly."""

TRANSCRIPT = "transcript"
"""Name of the schema of recorded games."""

POSITION_INTERVAL = 10
"""Interval, in decisions, of the position digests that a transcript keeps. The last position always has one."""

SAVED_GAME_HINT = "use a saved game: type `save` during a game to write one; `lusory games` lists yours"
"""Hint for a user who gave a file that is not a recorded game."""


@dataclass(frozen=True)
class MadeDecision:
    """Decision that was made: the seat, and the id of the option taken."""

    seat: int
    option: str

    def to_json(self) -> list[str]:
        """Return seat and option id in the form of a transcript, such as ``["P1", "draw"]`` for seat 0."""
        return [f"P{self.seat + 1}", self.option]


@dataclass
class Transcript:
    """Recorded game.

    ``program``, ``version`` and ``digest`` identify the ruleset. ``options`` holds values as authors write them.
    ``positions`` maps a number of decisions to the digest of the position after them. ``simulations`` maps the number
    of a decision, from 1, to the simulations that a budget in seconds allowed. With that number a replay of the search
    gives the same decision.
    """

    program: str
    version: str
    digest: str
    players: int
    options: dict[str, Any]
    seed: Seed
    decisions: list[MadeDecision] = field(default_factory=list)
    positions: dict[int, str] = field(default_factory=dict)
    simulations: dict[int, int] = field(default_factory=dict)

    @property
    def chance(self) -> str:
        """The name of the generator that the seed is for: ``secure`` for a text, ``quick`` for a number."""
        return SECURE if isinstance(self.seed, str) else QUICK

    def to_json(self) -> dict[str, Any]:
        """Return plain data as ``schema/transcript.schema.json`` describes it.

        The keys are ``format``, ``program``, ``version``, ``digest``, ``players``, ``options``, ``seed``,
        ``decisions``, and, if there are any, ``chance`` (``secure``), ``positions`` and ``simulations``, both as
        sorted pairs.
        """
        return {
            "format": FORMAT,
            "program": self.program,
            "version": self.version,
            "digest": self.digest,
            "players": self.players,
            "options": dict(self.options),
            "seed": _format_seed(self.seed),
            **({} if self.chance == QUICK else {"chance": self.chance}),
            "decisions": [decision.to_json() for decision in self.decisions],
            **({"positions": _list_pairs(self.positions)} if self.positions else {}),
            **({"simulations": _list_pairs(self.simulations)} if self.simulations else {}),
        }

    def is_of_same_game(self, other: Transcript) -> bool:
        """Return whether both record the same game, perhaps up to different decisions.

        They do if the game's id, players, options and seed are equal. The version and digest of the rules don't count.
        """
        identity = self.program, self.players, self.options, self.seed
        return identity == (other.program, other.players, other.options, other.seed)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """Build a transcript from JSON data. Raises TranscriptError, with a message for the user, for invalid data."""
        return cls.from_data(read_data(json.dumps(data), "transcript"))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Transcript:
        """Build a transcript from data that :func:`read_data` has validated."""
        return cls(
            data["program"],
            data["version"],
            data["digest"],
            data["players"],
            dict(data["options"]),
            make_secure_seed(_parse_seed(data["seed"]).to_bytes(16, "big"))
            if data.get("chance") == SECURE
            else _parse_seed(data["seed"]),
            [MadeDecision(int(seat[1:]) - 1, option) for seat, option in data["decisions"]],
            dict(data.get("positions", [])),
            dict(data.get("simulations", [])),
        )


def _list_pairs(values_by_number: Mapping[int, Any]) -> list[list[Any]]:
    return [list(pair) for pair in sorted(values_by_number.items())]


@dataclass(eq=False)
class TranscriptError(Exception):
    """Error: a transcript cannot be read, or does not fit the ruleset.

    ``number`` is the first decision (from 1) that fails and ``reasons`` say why. ``hint`` suggests a remedy.
    """

    message: str
    number: int | None = None
    reasons: tuple[Reason, ...] = ()
    hint: str | None = None

    @property
    def details(self) -> list[str]:
        """The text that ``str`` adds to :attr:`message`: a line for each reason, with its place if it has one."""
        return list(map(str, self.reasons))

    def __str__(self) -> str:
        return "\n  ".join([self.message, *self.details])


def read_data(text: str, name: str) -> dict[str, Any]:
    """Parse and validate the text of a recorded game, and return its data. ``name`` is the file's name in messages.

    The data is the JSON object of the file, with the keys of its schema, such as ``program``, ``players`` and
    ``decisions``. Raises TranscriptError with the location of the first fault and a message for the user: the text
    ``[]`` gives ``g.json:1:1: this is not a recorded game: it is not a JSON object``. For empty text, the end
    of the message is ``expected a value, found the end``.
    """
    from lusory_dsl.ruleset.schema_validation import find_first_faults
    from lusory_dsl.yaml.json_reader import JsonFault, read_json
    from lusory_dsl.yaml.reader import YamlMapping, YamlScalar, make_source, to_plain_data

    try:
        root = read_json(make_source(name, text))
    except JsonFault as fault:
        message = f"{fault.span}: this is not a recorded game: {fault.message}"
        raise TranscriptError(message, hint=SAVED_GAME_HINT) from None
    if not isinstance(root, YamlMapping):
        raise TranscriptError(
            f"{root.span}: this is not a recorded game: it is not a JSON object", hint=SAVED_GAME_HINT
        )
    version_node = root.get("format")
    if isinstance(version_node, YamlScalar) and type(version_node.value) is int and version_node.value != FORMAT:
        message = f"this is a {TRANSCRIPT} of format {version_node.value}; this lusory reads format {FORMAT}"
        raise TranscriptError(f"{version_node.span}: {message}")
    faults = [(fault.span, fault.message) for fault in find_first_faults(root, TRANSCRIPT)]
    if not faults:
        faults = _find_contradictions(root)
    if faults:
        span, message = faults[0]
        raise TranscriptError(f"{span}: {message}", hint=SAVED_GAME_HINT if root.get("format") is None else None)
    data: dict[str, Any] = to_plain_data(root)
    return data


def _find_contradictions(root: YamlMapping) -> list[tuple[Span, str]]:
    """Return the faults that a schema cannot express, each at the key that it is about.

    A seed can have too many bits, or be secure and negative. Seats, and the seats that decide, must fit the number of
    players. No position or number of simulations may come after the last decision.
    """
    from lusory_dsl.yaml.reader import to_plain_data

    data = to_plain_data(root)
    faults = []
    if "seed" in data and _parse_seed(data["seed"]) not in SEEDS:
        faults.append(("seed", "the seed has more than 128 bits"))
    elif data.get("chance") == SECURE and _parse_seed(data.get("seed", 0)) < 0:
        faults.append(("seed", "a secure seed can't be negative"))
    players = data.get("players", 0)
    if "seats" in data and len(data["seats"]) != players:
        faults.append(("seats", f"{count_noun(len(data['seats']), 'seat')} for {count_noun(players, 'player')}"))
    extra_seat = next((seat for seat, _ in data.get("decisions", ()) if int(seat[1:]) > players), None)
    if extra_seat is not None:
        faults.append(("decisions", f"{extra_seat} decides in a game for {players}"))
    for key, noun in (("positions", "a position"), ("simulations", "a number of simulations")):
        if any(number > len(data.get("decisions", ())) for number, _ in data.get(key, ())):
            faults.append((key, f"{noun} comes after the last decision"))
    places = {key.text: key.span for key, _ in root.entries}
    return [(places[key], message) for key, message in faults]


def _format_seed(seed: Seed) -> int | str:
    """Return a seed as it is written in a transcript. :func:`_parse_seed` reads it back."""
    if isinstance(seed, str):
        return f"0x{seed.removeprefix(SECURE_PREFIX)}"
    return seed if abs(seed) <= EXACT else str(seed)


def _parse_seed(text: int | str) -> int:
    return int(text, 0) if isinstance(text, str) and text.startswith("0x") else int(text)


def start_transcript(game: Game, seed: Seed) -> Transcript:
    """Return the transcript of a game at its start, without decisions.

    It has the id, version and digest of the rules, the number of players and the seed. All options are name -> value,
    also at their defaults. A value is a bool, a number, or the name of an enum's value.
    """
    program = game.program
    return Transcript(program.id, program.version, program.digest, game.players, game.written_options, seed)


def add_decision(game: Game, transcript: Transcript, state: State, index: int) -> None:
    """Append a MadeDecision to ``transcript.decisions``. Raises ValueError if the game is over.

    Its ``seat`` is the one that decides in ``state``, and its ``option`` the id of the option at ``index``. As in a
    list, index -1 is the last option, and an index out of range raises IndexError.
    """
    decision = game.decision(state)
    if decision is None:
        raise ValueError("the game is over: there is nothing to record")
    transcript.decisions.append(MadeDecision(decision.seat, game.option_ids(state, decision)[index]))


def create_recorded_game(program: core.Program, transcript: Transcript, engine: str = DEFAULT_ENGINE) -> Game:
    """Return the game of a transcript at its start. The ruleset may have changed since.

    Raises TranscriptError if it is a game of another ruleset, or if its players or options no longer fit. Decisions are
    not checked.
    """
    if program.id != transcript.program:
        raise TranscriptError(
            f"the transcript is of the game `{transcript.program}`, but these are the rules of `{program.id}`"
        )
    try:
        return Game(program, transcript.players, transcript.options, engine)
    except ValueError as error:
        raise TranscriptError(f"the transcript no longer fits the rules: {error}") from None


def replay_transcript(
    game: Game, transcript: Transcript, log: list[Event] | None = None, picks: list[int] | None = None
) -> State:
    """Play the decisions of a transcript from its seed, and return the state after the last one.

    ``game`` must have the players and options of the transcript, which is not checked. :func:`create_recorded_game`
    returns such a game. Appends the events to ``log``, and the indexes of the options taken to ``picks``. Raises
    TranscriptError at the first decision that no longer fits. If the rules are unchanged (equal digests), it also
    raises it at the first position with a different digest than the recorded one. The position after the setup counts,
    too. Positions without a recorded digest are not compared. Raises RulesetFault if the rules fail.
    """
    total = len(transcript.decisions)
    is_same = transcript.digest == game.program.digest
    state = game.start(transcript.seed, log)
    for number, decision in enumerate(transcript.decisions, 1):
        if is_same:
            compare_position(game, transcript, state, number - 1)
        option = find_option(game, state, number, decision, total)
        if picks is not None:
            picks.append(option)
        state = game.apply(state, option, log)
    if is_same:
        compare_position(game, transcript, state, total)
    return state


def find_picks(game: Game, transcript: Transcript) -> list[int]:
    """Return the decisions of a transcript as option indexes, one for each, in order.

    ``game`` must have the players and options of the transcript. Raises TranscriptError at the first decision that no
    longer fits. If ``transcript.digest`` is that of the program, it also raises at the first position whose digest
    differs from the recorded one, if there is one. Raises RulesetFault if the rules fail.
    """
    picks: list[int] = []
    replay_transcript(game, transcript, picks=picks)
    return picks


def compare_position(game: Game, transcript: Transcript, state: State, decision_count: int) -> None:
    """Raise TranscriptError if the position after ``decision_count`` decisions differs from a recorded digest.

    Without a digest for that position, nothing is checked.
    """
    digest = transcript.positions.get(decision_count)
    if digest is not None and digest != digest_position(game, transcript, state):
        decision = transcript.decisions[decision_count - 1] if decision_count else None
        moment = (
            f"after decision {decision_count}, P{decision.seat + 1} `{decision.option}`"
            if decision
            else "before the first decision"
        )
        message = "the position differs from the recorded one: the seed, options or decisions were changed"
        raise TranscriptError(f"{moment}, {message}", decision_count or None)


def find_option(game: Game, state: State, number: int, record: MadeDecision, total: int) -> int:
    """Return the index of the option of a recorded decision.

    Raises TranscriptError if the game is over, another seat must decide, or the option is not among the present ones.
    In the last case, the error has ``reasons``. It always has ``number``, the number of the decision from 1, and a
    ``message``: ``decision 4 of 9, P1 `a1`, no longer fits: P2 must decide``. Here ``total`` is 9. The last part is the
    prompt of the decision if the option is missing, or ``the game is already over``.
    """
    message = f"decision {number} of {total}, P{record.seat + 1} `{record.option}`, no longer fits"
    decision = game.decision(state)
    if decision is None:
        raise TranscriptError(f"{message}: the game is already over", number)
    ids = game.option_ids(state, decision)
    if decision.seat != record.seat:
        raise TranscriptError(f"{message}: P{decision.seat + 1} must decide", number)
    if record.option not in ids:
        prompt = game.prompt(state, decision)
        reasons = tuple(game.explain_impossible(state, record.option, sees_all=True))
        raise TranscriptError(f"{message}: {prompt}", number, reasons)
    return ids.index(record.option)


def digest_position(game: Game, transcript: Transcript, state: State) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 over seed, algorithm of chance, options and position.

    The position is the content of all places, zones, repeat counters and streams, and whether and why the game is
    over. Local values of the running rules don't count, such as the picks so far in an unfinished choice of several
    items. The hash uses names, so that it is the same on every engine.
    """
    layout, cells = game.layout, state.cells
    places = {name: cells[place.offset : place.offset + place.size] for name, place in layout.places.items()}
    zones = {name: state.zones[zone.offset : zone.offset + zone.size] for name, zone in layout.zones.items()}
    counters = [
        {name: cells[cell] for name, cell in cells_by_name.items()}
        for cells_by_name in (layout.repeats, layout.streams)
    ]
    end = [cells[layout.over], cells[layout.reason]]
    content = [transcript.seed, transcript.chance, transcript.options, places, zones, counters, end]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
