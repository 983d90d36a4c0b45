"""Define the fuzz targets: functions that pass untrusted bytes to a part of lusory.

A target may refuse an input with its documented exceptions or diagnostics. Any other exception is a failure, and so is
an output that breaks a safety rule.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path

import unparser
from rich.console import Console

from lusory.explain.declarations_in_english import explain
from lusory.explain.rulebook import build_rulebook, explain_ruleset
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person, ScriptedPlayer
from lusory.play.playthrough_writer_and_parser import parse_playthrough
from lusory.play.recorded_game_data_and_replay import TranscriptError, read_data, replay_transcript
from lusory.play.saves_and_journals import Save
from lusory.state.decisions_outcomes_and_faults import IllegalChoice
from lusory.stats.comparisons_and_thresholds import list_default_figures
from lusory.stats.game_results_and_record_files import RecordError, read_record
from lusory.testing.cases.suite_runner import run_cases
from lusory.testing.recording_comparison import find_differences
from lusory.ui.line.line_session import FileResult, LineSession
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl import core
from lusory_dsl.formatter import format_source
from lusory_dsl.pipeline import check, check_text, load_program
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.ruleset.model import Ruleset
from lusory_dsl.ruleset.schema_validation import validate
from lusory_dsl.source.diagnostics import MAX_FINDINGS, MAX_TEXT, Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import parser
from lusory_dsl.syntax.ast import strip_spans
from lusory_dsl.yaml.reader import decode_source, make_source, read_text

BIDS = Path(__file__).resolve().parents[1] / "fixtures" / "bids.yaml"
NAME = "fuzz.yaml"

SHEETS = """\
game: {id: sheets, name: Sheets, version: "1", language: 2, players: 2}
enums: {Faction: [swarm, republic]}
components:
  Card:
    fields: {faction: "Faction?", cost: Int, tags: "List[Faction]", fast: Bool, text: Text}
    defaults: {faction: none, cost: 0, tags: [], fast: false, text: ""}
    queries: {boost: {value: "0"}}
    actions: {hit: {label: Hit}}
keywords: {rush: {kind: Card}, armour: {kind: Card, type: Int}}
zones: {deck: {holds: Card, start: all Card}}
phases: [{id: go, do: "each player: take action hit of deck"}]
scoring: {rank: ["sum(c.boost + c.cost + c.armour for c in deck)"]}
"""
"""A ruleset whose cards come from a sheet."""


@dataclass(frozen=True)
class Target:
    """A fuzz target.

    ``run`` takes an input, which ``about`` describes in one line. ``max_length`` is the maximum input length in bytes.
    """

    run: Callable[[bytes], None]
    about: str
    max_length: int = 4000


def _check_diagnostics(diagnostics: Diagnostics) -> None:
    """Assert that each diagnostic points into its file, and that their number and length are within the limits."""
    for diagnostic in diagnostics.list_sorted():
        for span in (diagnostic.span, *(place for place, _ in diagnostic.notes)):
            assert 0 <= span.start <= span.end <= len(span.source.text) + 1, (diagnostic, span.start, span.end)
            assert span.line >= 1 <= span.column
        assert len(diagnostic.message) <= MAX_TEXT + 30
    assert len(diagnostics) <= 2 * MAX_FINDINGS


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def read_bytes_as_yaml(data: bytes) -> None:
    """Read bytes as YAML and validate them against the schemas."""
    diagnostics = Diagnostics()
    source = decode_source(NAME, data, diagnostics)
    root = None if source is None else read_text(source, diagnostics)
    for schema in ("ruleset", "cases") if root is not None else ():
        validate(root, schema, diagnostics)
    _check_diagnostics(diagnostics)


def parse_effects(data: bytes) -> None:
    """Parse effect text, print it and parse it again. Both the syntax and the printed text must stay the same."""
    text = make_source(NAME, _decode(data)).text
    source = EmbeddedText(Source(NAME, text), text, tuple(range(len(text) + 1)))
    for parse, print_node in _PARSERS.items():
        diagnostics = Diagnostics()
        node = parse(source, diagnostics)
        _check_diagnostics(diagnostics)
        assert (node is None) == diagnostics.has_errors
        if node is not None:
            text_again = print_node(node)
            source_again = EmbeddedText(Source(NAME, text_again), text_again, tuple(range(len(text_again) + 1)))
            node_again = parse(source_again, Diagnostics())
            assert node_again is not None, text_again
            assert strip_spans(node_again) == strip_spans(node), text_again
            assert print_node(node_again) == text_again


_PARSERS: Mapping[Callable[[EmbeddedText, Diagnostics], object], Callable[..., str]] = {
    parser.parse_block: unparser.print_block,
    parser.parse_expression: unparser.print_expression,
    parser.parse_rule: unparser.print_rule,
}


def check_rulesets(data: bytes) -> None:
    """Check a whole ruleset. If it has no errors, also generate its descriptions."""
    diagnostics = Diagnostics()
    source = decode_source(NAME, data, diagnostics)
    program = None if source is None else check_text(source.text, diagnostics, NAME)
    _check_diagnostics(diagnostics)
    assert program is not None or diagnostics.has_errors
    if program is not None and source is not None:
        ruleset = load_text(source.text, Diagnostics(), NAME)
        assert ruleset is not None
        explain_ruleset(ruleset)
        build_rulebook(ruleset)


def check_sheets(data: bytes) -> None:
    """Check a sheet of cards in a small ruleset."""
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "cards" / "sheet.csv"
        sheet.parent.mkdir()
        (Path(folder) / "ruleset.yaml").write_text(SHEETS, encoding="utf-8")
        sheet.write_bytes(data)
        diagnostics = Diagnostics()
        program = check(Path(folder), diagnostics)
        _check_diagnostics(diagnostics)
        assert program is not None or diagnostics.has_errors


def check_packs(data: bytes) -> None:
    """Check a pack for a small ruleset."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_bytes(data)
        diagnostics = Diagnostics()
        program = check(BIDS, diagnostics, [Path(folder)])
        _check_diagnostics(diagnostics)
        assert program is not None or diagnostics.has_errors


def play_cases(data: bytes) -> None:
    """Check and play a file of cases."""
    diagnostics = Diagnostics()
    source = decode_source(NAME, data, diagnostics)
    if source is not None:
        for result in run_cases(_load_bids(), [source]):
            diagnostics.extend(failure.diagnostic for failure in result.failures)
    _check_diagnostics(diagnostics)


def format_files(data: bytes) -> None:
    """Format a file. Formatting the result again must not change it."""
    diagnostics = Diagnostics()
    source = decode_source(NAME, data, diagnostics)
    text = None if source is None else format_source(source, diagnostics)
    _check_diagnostics(diagnostics)
    assert text is not None or diagnostics.has_errors
    if text is not None:
        assert format_source(Source(NAME, text), Diagnostics()) == text


def read_saves(data: bytes) -> None:
    """Read a saved game, and replay it if it fits the ruleset."""
    with suppress(TranscriptError):
        save = Save.from_data(read_data(_decode(data), "fuzz.json"))
        assert len(save.kinds) == len(save.names) == save.transcript.players
        # The ruleset may lack that number of players or an option.
        with suppress(ValueError):
            game = Game(_load_bids(), save.transcript.players, save.transcript.options, "evaluator")
            replay_transcript(game, save.transcript)


def verify_playthroughs(data: bytes) -> None:
    """Read a playthrough (the text of a recorded game) and verify it against the rules."""
    with suppress(TranscriptError):
        playthrough = parse_playthrough(_decode(data))
        with suppress(ValueError):
            transcript = playthrough.transcript
            game = Game(_load_bids(), transcript.players, transcript.options, "evaluator")
            find_differences(game, transcript, playthrough)


def read_records(data: bytes) -> None:
    """Read the record of a simulation in JSON Lines, and compute its figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.jsonl"
        file.write_bytes(data)
        with suppress(RecordError):
            record = read_record(file)
            for figure in list_default_figures(record.result["players"]):
                figure.calculate_means(record.games)


def answer_prompts(data: bytes) -> None:
    """Type lines at the prompt of a game, and try each line as the id of an option."""
    lines = _decode(data).splitlines()[:12]
    output = StringIO()
    console = Console(file=output, width=80, height=24, markup=False, highlight=False)
    unread_lines = iter(lines)

    def read(prompt: str) -> str:
        line = next(unread_lines, None)
        if line is None:
            raise EOFError
        return line

    screen = Terminal(console, read, False)
    game = _create_game()
    match = Match(game, [Person(0, "Ann"), ScriptedPlayer([0] * 9)], seed=1)
    LineSession(screen, match, ("Ann", "Bob"), _explain, _NoStorage(), True).run()
    assert not set(output.getvalue()) & {"\x1b", "\x00", "\x9b"}
    state = game.start(1)
    for line in lines:
        with suppress(IllegalChoice):
            game.apply(state, line)


class _NoStorage:
    """Fake storage for saved games that saves nothing."""

    def save(self, file: str | None) -> FileResult:
        return FileResult(True, f"saved {file}")

    def record_result(self, match: Match) -> bool:
        """Return False: no saved game is updated."""
        return False


def _explain(name: str | None) -> str:
    with suppress(KeyError):
        return explain_ruleset(_load_bids_ruleset()) if name is None else explain(_load_bids_ruleset(), name)
    return "there is none"


@cache
def _load_bids() -> core.Program:
    return load_program(BIDS)


@cache
def _load_bids_ruleset() -> Ruleset:
    ruleset = load_text(BIDS.read_text(encoding="utf-8"), Diagnostics())
    assert ruleset is not None
    return ruleset


@cache
def _create_game() -> Game:
    return Game(_load_bids(), 2, engine="evaluator")


TARGETS: Mapping[str, Target] = {
    name: Target(run, (run.__doc__ or "").strip(), max_length)
    for name, run, max_length in (
        ("yaml", read_bytes_as_yaml, 4000),
        ("effects", parse_effects, 1500),
        ("rulesets", check_rulesets, 4000),
        ("packs", check_packs, 2500),
        ("sheets", check_sheets, 2500),
        ("cases", play_cases, 2500),
        ("formats", format_files, 2500),
        ("saves", read_saves, 4000),
        ("playthroughs", verify_playthroughs, 2500),
        ("records", read_records, 2500),
        ("prompts", answer_prompts, 800),
    )
}
