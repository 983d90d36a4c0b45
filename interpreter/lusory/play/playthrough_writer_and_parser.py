"""Write a recorded game as readable text (a playthrough), and read such text back.

Each decision is a block: the table as the deciding seat sees it, the options, the option taken and the events that
followed. In a long game only every few blocks show the table and all options. The command ``replay`` and tests write
playthroughs. :mod:`lusory.testing.recording_comparison` compares them with the same game under changed rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lusory_dsl.source.source import count_noun

from ..game import Game, format_option_value
from ..state.decisions_outcomes_and_faults import Outcome
from ..state.events_redaction_and_text import Event, describe
from ..state.random_streams import parse_seed
from ..state.state import State
from .recorded_game_data_and_replay import MadeDecision, Transcript, TranscriptError, find_option

DECISIONS_PER_WHOLE_BLOCK = 100  # With fewer decisions than this, every block shows the table and all options.
FIRST_LINE = "# A playthrough."
NOT_FINISHED = "not finished"

_HEAD = re.compile(
    r".* (?P<version>\S+) \((?P<id>[^()]+)\), (?P<players>\d{1,2}) players?, "
    r"seed (?P<seed>-?\d{1,39}|secure:[0-9a-f]{32})"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_DECISION = re.compile(r"== \d+\. P([1-9]\d?): ")
_EVENT = "   * "
_TAKEN = " > "

Lines = tuple[str, ...]


# ---------------------------------------------------------------- writing


def format_playthrough(game: Game, transcript: Transcript, command: str) -> str:
    """Return a transcript as the text of a playthrough. ``command`` is the command that recreates it.

    Blank lines separate its parts. The first has ``# A playthrough. Made by: COMMAND``, ``Toss 1.2 (toss), 2 players,
    seed 1`` and ``options: goal=2, coin=silver`` with all options of the transcript, if it has any. Then follow the
    events of the setup, a block for each decision with its events, and the final table, as a spectator sees it, with
    the result. A block begins with the prompt and the label of the phase, if it has one: ``== 1. P1: Call it (Turn)``.
    It marks the option taken with ``>``. With up to 99 decisions, each block has the table and all options. In a longer
    game, only every ``1 + total // 100``-th does: of 250, these are 3, 6, 9 and so on. Raises TranscriptError if a
    decision doesn't fit.
    """
    program, players = game.program, count_noun(game.players, "player")
    lines = [
        f"{FIRST_LINE} Made by: {command}",
        f"{program.name} {program.version} ({program.id}), {players}, seed {transcript.seed}",
    ]
    if transcript.options:
        lines.append(
            "options: "
            + ", ".join(f"{name}={format_option_value(value)}" for name, value in transcript.options.items())
        )
    log: list[Event] = []
    state = game.start(transcript.seed, log)
    lines += ["", *format_events(game, log)]
    total = len(transcript.decisions)
    interval = 1 + total // DECISIONS_PER_WHOLE_BLOCK
    for number, decision in enumerate(transcript.decisions, 1):
        option = find_option(game, state, number, decision, total)
        lines += ["", *format_decision(game, state, number, option, number % interval == 0)]
        log = []
        state = game.apply(state, option, log)
        lines += format_events(game, log)
    lines += ["", *format_table(game, state), *format_result(game.outcome(state))]
    return "\n".join(lines) + "\n"


def format_decision(game: Game, state: State, number: int, option: int, is_whole: bool) -> list[str]:
    """Return the lines about a decision, such as ``== 3. P1: Mark a square (Move)`` and `` > a1``, the option taken.

    The first line has the prompt, and the label of the phase in brackets if there is one. ``number`` counts from 1, and
    ``option`` is the index of the option. If ``is_whole``, the lines of ``view.table()`` of the deciding seat follow,
    also empty ones. Then all options follow in order, with the taken one in its place and the ids padded to one width.
    The table and the other options are indented by three blanks. An option is its id, and, if its label differs, two
    blanks and the label. Texts with line breaks are split into several lines, all without trailing blanks.
    """
    decision = game.decision(state)
    assert decision is not None, "a fitting decision is one"
    view = game.view(state, decision.seat)
    phase = f" ({view.phase_label})" if view.phase_label else ""
    lines = [f"== {number}. P{decision.seat + 1}: {game.prompt(state, decision)}{phase}"]
    ids, labels = game.option_ids(state, decision), game.option_labels(state, decision)
    if is_whole:
        lines += [f"   {line}" for line in view.table()]
    width = max(map(len, ids)) if is_whole else 0
    for i, (id, label) in enumerate(zip(ids, labels, strict=True)):
        if is_whole or i == option:
            lines.append(f"{_TAKEN if i == option else '   '}{id.ljust(width)}  {label if label != id else ''}")
    return _split_lines(lines)


def format_events(game: Game, log: Sequence[Event]) -> list[str]:
    """Return a line for each event, including hidden events: ``   * P1 draws Axe``.

    Events without a text are left out. A text with line breaks becomes one line.
    """
    descriptions = (describe(event, game) for event in log)
    return [f"{_EVENT}{' '.join(line.splitlines())}".rstrip() for line in descriptions if line is not None]


def format_table(game: Game, state: State) -> list[str]:
    """Return the lines of the table as a spectator sees it."""
    return _split_lines(game.view(state, None).table())


def format_result(outcome: Outcome | None) -> list[str]:
    """Return the lines about the end of a game, or the only line ``not finished`` for None.

    The first is ``over: REASON``, or ``over`` if the reason is None. The next is ``by: CHART`` if a chart ranked the
    players. A line for each column of ``outcome.table`` follows, such as ``gold: P1 3, P2 5``. The places always
    follow, such as ``places: P1 2, P2 1``, and then the winners: ``won by: P2``, ``won by: P1, P2``, or ``won by:``
    without any. The reason ``a\\nb`` gives two lines, ``over: a`` and ``b``, and the reason "" gives ``over:``. No line
    ends with a blank.
    """
    if outcome is None:
        return [NOT_FINISHED]
    lines = [f"over: {outcome.reason}"] if outcome.reason is not None else ["over"]
    if outcome.chart is not None:
        lines.append(f"by: {outcome.chart}")
    for title, values in outcome.table:
        lines.append(f"{title}: " + ", ".join(f"P{seat + 1} {value}" for seat, value in enumerate(values)))
    places = ", ".join(f"P{seat + 1} {place}" for seat, place in enumerate(outcome.places))
    return _split_lines(
        [*lines, f"places: {places}", "won by: " + ", ".join(f"P{seat + 1}" for seat in outcome.winners)]
    )


def _split_lines(texts: Sequence[str]) -> list[str]:
    """Split texts into single lines without trailing spaces."""
    return [line.rstrip() for text in texts for line in text.splitlines() or [""]]


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class Block:
    """Text of one decision: the lines of :func:`format_decision` and of :func:`format_events`."""

    decision_lines: Lines
    event_lines: Lines

    @property
    def is_whole(self) -> bool:
        """True if the block shows the table and all options."""
        return len(self.decision_lines) > 2


@dataclass(frozen=True)
class RecordedPlay:
    """Playthrough that was read from text.

    ``setup`` holds the events before the first decision. ``end`` holds the final table and the lines of
    :func:`format_result`.
    """

    transcript: Transcript
    setup: Lines
    blocks: tuple[Block, ...]
    end: Lines

    @property
    def result(self) -> Lines:
        """The end from its first line ``not finished`` or ``over…`` on, or an empty tuple without one."""
        for number, line in enumerate(self.end):
            if line == NOT_FINISHED or re.match(r"over\b", line):
                return self.end[number:]
        return ()

    @property
    def table(self) -> Lines:
        """The part of the end before the result."""
        return self.end[: len(self.end) - len(self.result)]


def parse_playthrough(text: str) -> RecordedPlay:
    """Parse a playthrough: its ``transcript``, ``setup`` (events), ``blocks`` (one for each decision) and ``end``.

    Each block has ``decision_lines`` and ``event_lines``, and ``end`` has all lines after the last block, or after the
    setup if there is none. All are unchanged: those of events still begin with ``   * ``. Lines between these parts are
    dropped, and so are empty ones at the start of ``end``. In the transcript, the digest is ``""``, and option values
    are texts (``"true"``). Raises TranscriptError if the first two lines name no game, a block lacks the option taken,
    or there are control characters.
    """
    control = _CONTROL.search(text)
    if control is not None:
        line = text.count("\n", 0, control.start()) + 1
        raise TranscriptError(f"this is not a playthrough: line {line} has a control character")
    lines = text.splitlines()
    head = _HEAD.fullmatch(lines[1]) if len(lines) > 1 else None
    if head is None or not lines[0].startswith(FIRST_LINE):
        raise TranscriptError("this is not a playthrough: its first lines do not name a game")
    options: dict[str, Any] = {}
    body = tuple(lines[2:])
    if body and body[0].startswith("options: "):
        pairs = body[0].removeprefix("options: ").split(", ")
        options, body = dict(pair.split("=", 1) for pair in pairs if "=" in pair), body[1:]
    starts = [number for number, line in enumerate(body) if _DECISION.match(line)]
    setup, end = _parse_events(drop_leading_empty(body))
    blocks: list[Block] = []
    decisions: list[MadeDecision] = []
    for number, (start, stop) in enumerate(pairwise([*starts, len(body)]), 1):
        block, decision, end = _parse_block(body[start:stop], number)
        blocks.append(block)
        decisions.append(decision)
    transcript = Transcript(
        head["id"], head["version"], "", int(head["players"]), options, parse_seed(head["seed"]), decisions
    )
    return RecordedPlay(transcript, setup, tuple(blocks), drop_leading_empty(end))


def _parse_block(lines: Lines, number: int) -> tuple[Block, MadeDecision, Lines]:
    """Return the first block of ``lines``, the decision that it records, and the lines after it.

    The first blank line or event after the option taken ends the block, so that later options are part of it. Raises
    TranscriptError, with the ``number`` of the decision, if the block does not show the option taken.
    """
    heading = _DECISION.match(lines[0])
    option_line = next((index for index, line in enumerate(lines) if line.startswith(_TAKEN)), None)
    if heading is None or option_line is None:
        message = f"decision {number}: the playthrough does not say which option was taken"
        raise TranscriptError(message, number)
    option = re.split(r" {2,}", lines[option_line].removeprefix(_TAKEN), maxsplit=1)[0]
    stop = option_line + 1
    while stop < len(lines) and lines[stop] and not lines[stop].startswith(_EVENT):
        stop += 1
    event_lines, remaining_lines = _parse_events(lines[stop:])
    return Block(lines[:stop], event_lines), MadeDecision(int(heading[1]) - 1, option), remaining_lines


def _parse_events(lines: Lines) -> tuple[Lines, Lines]:
    """Return the events at the start of ``lines``, and the lines after them."""
    stop = next((number for number, line in enumerate(lines) if not line.startswith(_EVENT)), len(lines))
    return lines[:stop], lines[stop:]


def drop_leading_empty(lines: Sequence[str]) -> Lines:
    """Return the lines without the empty ones at their start. Lines of spaces, and empty ones further on, stay."""
    return tuple(lines[next((number for number, line in enumerate(lines) if line), len(lines)) :])
