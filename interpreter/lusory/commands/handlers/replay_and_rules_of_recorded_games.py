"""Run ``lusory replay``: show recorded games, or verify them against the current rules.

Other commands use this module to find the rules of a recorded game, and to continue saved games.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from lusory.commands.handlers.explain import explain_rules, load_ruleset
from lusory_dsl.core import Program
from lusory_dsl.source.diagnostics import RulesetError
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import list_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import (
    PLAYTHROUGHS,
    FileRefused,
    find_bundled_packs,
    find_bundled_rulesets,
    list_files,
    list_sibling_names,
    read_text,
)
from lusory_dsl.source.source import format_json, make_one_line
from lusory_dsl.source.spelling_suggestions import suggest_name

from ...explain.event_sentences import list_story_lines, tell_deeds
from ...explain.styled_text_wrapping_and_values import Line, Run
from ...game import DEFAULT_ENGINE, Game
from ...play import saves_and_journals as saves, stored_results_settings_and_dataclass_json as stored
from ...play.match import Match
from ...play.player_interface_scripted_and_random_players import ScriptedPlayer
from ...play.playthrough_writer_and_parser import FIRST_LINE, RecordedPlay, format_playthrough, parse_playthrough
from ...play.recorded_game_data_and_replay import (
    SAVED_GAME_HINT,
    Transcript,
    TranscriptError,
    create_recorded_game,
    find_picks,
    read_data,
)
from ...play.saves_and_journals import Save
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...support.user_folders_private_files_and_locks import is_in_own_folder
from ...testing.recording_comparison import RecordDifference, find_differences
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.line_session import SIGNALLED, ProgramEnded
from ...ui.line.screen_rendering import render_lines
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ...ui.model.game_result_and_score_history import make_ending
from ..errors import UsageError
from ..game_loading_seats_and_output import load_cached_program, show_progress

Rules = tuple[str, tuple[str, ...]]
"""The ruleset to load, and the packs to lay over it."""


_SETTLED = {"players": "players", "seats": "seats", "seed": "seed", "options": "option", "packs": "with"}
"""Arguments that a recorded game determines: name -> name of the option."""


def reject_settled_options(args: argparse.Namespace, allowed_option: str = "") -> None:
    """Raise UsageError if ``args`` give an option that the recorded game determines.

    These are ``--players``, ``--seats``, ``--seed``, ``--option`` and ``--with``; the message names the first of them.
    ``allowed_option`` is the name of an argument that is allowed all the same.
    """
    contradictions = [
        f"--{option}"
        for name, option in _SETTLED.items()
        if name != allowed_option and getattr(args, name) not in (None, [])
    ]
    if contradictions:
        raise UsageError(f"{contradictions[0]} can't be changed: the saved game determines it")


def require_file(path: Path) -> None:
    """Raise UsageError if the file does not exist."""
    if not path.exists():
        raise UsageError(
            f"there is no file `{path}`", suggest_name(path.name, list_sibling_names(path)) or SAVED_GAME_HINT
        )


def find_recorded_file(args: argparse.Namespace) -> Path | None:
    """Return the file of a recorded game, or None if ``args`` name a game among bots.

    ``args.game`` is the file if it is an existing ``.json`` file. Otherwise the game is one among bots, and a second
    name, in ``args.ruleset``, raises UsageError. ``args`` stay the same.

    If ``args.at`` is a Path, it is the file instead, and ``args.game`` names its rules. Raises UsageError if
    ``args.ruleset`` is not None. ``args.ruleset`` then gets the value of ``args.game``, and ``args.at`` becomes None
    for the end of the game. Finally raises UsageError if the path does not exist; a folder is not refused.
    """
    if not isinstance(args.at, Path):
        path = Path(args.game)
        if path.suffix == ".json" and path.is_file():
            return path
        if args.ruleset is not None:
            raise UsageError(
                f"`{args.ruleset}`: only a saved game can be followed by a second game",
                f"for example lusory {args.command} game.json my-game",
            )
        return None
    if args.ruleset is not None:
        raise UsageError(
            f"--at {args.at}: a saved game has no second game", f"lusory {args.command} {args.game} --at {args.at}"
        )
    path, args.ruleset, args.at = args.at, args.game, None
    require_file(path)
    return path


def find_rules(save: Save, file: Path, ruleset_name: str | None = None, trusts_paths: bool = False) -> Rules:
    """Return the rules of a recorded game, to load: the pair of the ruleset and a tuple of its packs in order, as
    texts.

    The ruleset is ``ruleset_name`` as it is, or else the one that the file names. Names of bundled rulesets and packs
    in the file become the paths of their folders. Anything else in the file must be an absolute path. It is allowed if
    it is the folder of a bundled one, or on the user's list of trusted paths. Any absolute path is allowed if
    ``is_in_own_folder(file)``. Otherwise, ``trusts_paths`` adds the paths that are not allowed to the list. Without it,
    a person at the terminal is asked one question about all of them, and ``yes`` adds them. Raises UsageError for
    relative paths, even with ``trusts_paths``, and for paths that are still not allowed, without reading them.
    """
    names_and_folders = [] if ruleset_name is not None else [(save.ruleset, find_bundled_rulesets())]
    names_and_folders += [(pack, find_bundled_packs()) for pack in save.packs]
    paths = [str(folders.get(name, name)) for name, folders in names_and_folders]
    for path in paths:
        if not os.path.isabs(path):
            raise UsageError(
                f"{file} uses the rules in `{path}`, which is neither a bundled game nor an absolute path",
                "name the game: `lusory play GAME --load FILE` or `lusory replay FILE --game GAME`",
            )
    bundled_folders = {*find_bundled_rulesets().values(), *find_bundled_packs().values()}
    known_paths = set(map(os.path.normpath, bundled_folders))
    untrusted_paths = [
        path for path in paths if os.path.normpath(path) not in known_paths and not stored.is_path_allowed(path)
    ]
    if untrusted_paths and not is_in_own_folder(file):
        _ask_permission(untrusted_paths, file, trusts_paths)
    ruleset = ruleset_name if ruleset_name is not None else paths.pop(0)
    return ruleset, tuple(paths)


def add_file_name(file: Path, problem: TranscriptError) -> UsageError:
    """Return an error about a file, with the file's name at the start of its message, unless it is there already.

    The hint and the details of the problem are kept.
    """
    words = problem.message
    return UsageError(words if words.startswith(f"{file}:") else f"{file}: {words}", problem.hint, problem.details)


def _ask_permission(paths: Sequence[str], file: Path, is_allowed: bool) -> None:
    """Ask for permission to use paths that a file names. Raises UsageError if it is denied."""
    path_list = " and ".join(f"`{path}`" for path in paths)
    screen = create_terminal()
    if not is_allowed and screen.is_interactive:
        screen.print_raw(make_one_line(f"{file} uses rules in {path_list}."))
        screen.print_raw("You haven't allowed saved games to use them yet.")
        with suppress(EOFError):
            is_allowed = screen.read("Type yes to allow it from now on, or anything else to quit: ").strip() == "yes"
        if not is_allowed:
            raise UsageError(f"{file}: you did not allow its rules")
    if not is_allowed:
        raise UsageError(
            f"{file} uses rules in {path_list}, which you haven't allowed yet", "add --trust to allow them"
        )
    stored.allow_paths(paths)


def make_permanent_name(name: str, is_pack: bool = False) -> str:
    """Return a name for a ruleset or pack that is valid in every folder: a bundled name or an absolute path.

    A name that is no existing path comes back unchanged. The folder of a bundled ruleset, or with ``is_pack`` of
    a bundled pack, becomes its name, any other path its absolute path with links resolved. ``""`` counts as the current
    folder. Raises UsageError if a path exists and, resolved, has a character that a saved game can't store,
    such as a line break (``UNPRINTABLE``).
    """
    folders = find_bundled_packs() if is_pack else find_bundled_rulesets()
    path = Path(name)
    if not path.exists():
        return name
    real = path.resolve()
    if not str(real).isprintable():
        # Imported late: a new game reads no recorded one.
        from lusory_dsl.yaml.json_reader import UNPRINTABLE

        if (bad_character := UNPRINTABLE.search(str(real))) is not None:
            message = f"`{real}` can't be played: saved games can't store its path (U+{ord(bad_character[0]):04X})"
            raise UsageError(message, "rename the folder")
    return next((bundled_name for bundled_name, folder in folders.items() if folder.resolve() == real), str(real))


def shorten_name(name: str) -> str:
    """Return the shortest name for rules: that of a bundled game, or the name as typed."""
    full_name = make_permanent_name(name)
    return full_name if full_name in find_bundled_rulesets() else name


# ---------------------------------------------------------------- continuing a game


def resume_game(
    save: Save, description: str, rules: Rules, engine: str | None, allows_changes: bool, continue_command: str
) -> tuple[Game, list[int]]:
    """Return a new Game for a save, and the option indices of its decisions, which lead to the saved position.

    ``description`` names the save in messages. Raises UsageError if the ruleset or a pack is not found, if the id of
    the ruleset, the players, the options or a decision no longer fit, or if unchanged rules lead to another position.
    Without ``allows_changes``, also raises it if the rules have changed but all decisions fit. Only then do its
    ``details`` name the command to go on, ``continue_command`` with ``--changed-rules``. Raises RulesetError if the
    rules have errors, and RulesetFault if they fail in play. Without ``engine``, the default engine plays.
    """
    program = load_cached_program(*rules)
    is_unchanged = program.digest == save.transcript.digest
    verify = f"lusory replay --verify {shlex.quote(description)}" if Path(description).exists() else None
    try:
        game = create_recorded_game(program, save.transcript, engine=engine or DEFAULT_ENGINE)
        picks = find_picks(game, save.transcript)
    except TranscriptError as problem:
        hint = f"`{verify}` compares the whole game" if verify else None
        reason = "" if is_unchanged else f", because {_describe_changes(program, save)}"
        raise UsageError(
            f"{description} can't be continued{reason}: {problem.message}", hint, problem.details
        ) from None
    if not is_unchanged and not allows_changes:
        details = [
            f"every decision is still possible: `{continue_command} --changed-rules` continues with the present rules"
        ]
        hint = f"`{verify}` compares the whole game" if verify else None
        raise UsageError(f"{description} was not continued, because {_describe_changes(program, save)}", hint, details)
    return game, picks


def check_changed_rules(save: Save, rules: Rules) -> tuple[str, bool]:
    """Return a sentence about changed rules, and whether the game can be continued by them.

    The result is ``("", True)`` for the rules of the save, and for rules that can't be loaded, which
    :func:`resume_game` reports. Examples for changed rules: “The rules have changed since it was saved. Every decision
    is still possible.”, with True, and “The rules have changed since it was saved, and it can't be continued: REASON.”,
    with False. The reason may be a fault of the changed rules. “The rules have changed from version 1.0 to 1.1 since it
    was saved” names a changed version.
    """
    try:
        program = load_cached_program(*rules)
    except (UsageError, RulesetError):
        return "", True
    if program.digest == save.transcript.digest:
        return "", True
    changes = f"T{_describe_changes(program, save)[1:]}"
    try:
        find_picks(create_recorded_game(program, save.transcript, engine=DEFAULT_ENGINE), save.transcript)
    except (TranscriptError, RulesetFault) as problem:
        return f"{changes}, and it can't be continued: {problem.message}.", False
    return f"{changes}. Every decision is still possible.", True


def _describe_changes(program: Program, save: Save) -> str:
    old_version = save.transcript.version
    versions = f" from version {old_version} to {program.version}" if old_version != program.version else ""
    return f"the rules have changed{versions} since it was saved"


def _step_through(game: Game, transcript: Transcript, names: Sequence[str], ruleset: str, packs: Sequence[str]) -> None:
    """Show a game on the full screen until the user leaves.

    Raises TranscriptError if it no longer fits the rules, ProgramEnded or KeyboardInterrupt.
    """

    @cache
    def explain_name(name: str) -> str | None:
        try:
            return explain_rules(load_ruleset(ruleset, packs), name, None, is_at_table=True)
        except UsageError:
            return None

    # The import is slow, so it happens only on demand.
    from ...ui.textual.replay_local_and_remote_sessions import RecordedGame, run_replay

    ending = run_replay(RecordedGame(_replay_match(game, transcript), _complete_names(game, names), explain_name))
    if ending.is_interrupted:
        raise KeyboardInterrupt


def tell_story(game: Game, transcript: Transcript, names: Sequence[str]) -> tuple[Line, ...]:
    """Return the whole story of a game, hidden information included, and its result. Each line is a tuple of Runs.

    The result comes after an empty line, ``()``. It is the verdict, the author's text about this ending, and lines of
    scores, such as ``Gold: Ann 3, P2 1``. Equal lines of scores are shown once. For an unfinished game the result is
    ``The game is not finished.`` ``names`` has at most one name for each player. Players beyond its end are called
    P1, P2, …, by seat. Raises TranscriptError if a decision doesn't fit the game or, with the same rules, a position
    its recorded digest.
    """
    match, player_names = _replay_match(game, transcript), _complete_names(game, names)
    lines = list_story_lines(tell_deeds(match, None, player_names, tells_hidden=True))
    if match.outcome is None:
        return (*lines, (), (Run("The game is not finished."),))
    end = make_ending(game.program, match.outcome, player_names)
    score_lines = []
    for column in (*end.steps, *end.table):
        values = ", ".join(f"{name} {value}" for name, value in zip(player_names, column.values, strict=True))
        score_lines.append((Run(f"{column.title}: {values}"),))
    return (*lines, (), end.verdict, *end.text, *dict.fromkeys(score_lines))


def _replay_match(game: Game, transcript: Transcript) -> Match:
    return Match(game, [ScriptedPlayer(())] * game.players, transcript.seed, find_picks(game, transcript))


def _complete_names(game: Game, names: Sequence[str]) -> list[str]:
    return [*names, *(f"P{seat + 1}" for seat in range(len(names), game.players))]


@dataclass(frozen=True)
class RecordedFile:
    """Hold a recorded game that was read from a file.

    Attributes:
        playthrough: The story in a playthrough file, or None.
        names: The names of the players, as far as they are known.
    """

    transcript: Transcript
    ruleset: str
    packs: tuple[str, ...]
    playthrough: RecordedPlay | None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayResult:
    """Hold the result for one file.

    Attributes:
        problem: Why the game could not be played at all, or None.
        has_same_rules: Whether the rules are exactly the same. None if the file does not identify them.
    """

    file: str
    decisions: int = 0
    differences: tuple[RecordDifference, ...] = ()
    problem: str | None = None
    has_same_rules: bool | None = None

    @property
    def is_same(self) -> bool:
        """True if nothing differs, and the game could be replayed."""
        return not self.differences and self.problem is None


def run(args: argparse.Namespace) -> int:
    """Show recorded games, or verify them with ``--verify``.

    Returns 1 if a game no longer fits, can't be read, or differs, otherwise 0. SIGTERM and SIGHUP on the full screen
    give SIGNALLED (128) plus the number of the signal; Ctrl-C raises KeyboardInterrupt. Without ``--verify``, the games
    after one that can't be shown are not shown. Raises UsageError for ``--format json`` without ``--verify``, and for
    a missing file or a folder without recorded games, before any game is shown. Raises it, too, if the rules of a game
    are missing or not trusted, and RulesetError if they have errors. Without ``--verify``, raises RulesetFault if the
    rules fail in play.
    """
    if args.format != "text" and not args.verify:
        raise UsageError("--format needs --verify", "without --verify, `lusory replay` shows the game as text")
    files = [file for name in args.files for file in _list_files(name)]
    try:
        return _verify(args, files) if args.verify else _show_games(args, files)
    except ProgramEnded as end:
        return SIGNALLED + end.signal


def _list_files(name: str) -> list[Path]:
    """Return the recorded games of an argument: a file, or those in a folder or of a ruleset.

    Raises UsageError if there are none.
    """
    path = Path(name) if Path(name).exists() else find_bundled_rulesets().get(name, Path(name))
    if path.is_dir():
        folder = path / PLAYTHROUGHS if (path / PLAYTHROUGHS).is_dir() else path
        files = list_files(folder, ".txt", ".json")
        if not files:
            hint = f"put them into the folder `{PLAYTHROUGHS}/` of the game"
            raise UsageError(f"{name}: no recorded games found", hint)
        return files
    if not path.exists():
        hint = suggest_name(path.name, list_sibling_names(path)) or SAVED_GAME_HINT
        raise UsageError(f"there is no file or folder `{name}`", hint)
    return [path]


# ---------------------------------------------------------------- one game


def read_record(args: argparse.Namespace, file: Path) -> RecordedFile:
    """Read a saved game, a journal, or a playthrough, without loading its rules.

    For a playthrough, ``names`` is (); for the others, ``playthrough`` is None. ``args.game`` and ``args.packs``, as
    they are typed, replace the ruleset and the packs that the file names. Bundled names in the file become the paths of
    their folders. Without ``args.game``, a file in the folder ``playthroughs`` of a ruleset uses that ruleset. Raises
    TranscriptError if the file is something else, unreadable, or an empty journal. Raises UsageError if it names rules
    that are neither bundled nor an absolute path, or a path that the user does not trust. ``args.trust`` adds the path
    to the trusted ones, except for a playthrough. Without it, a person at a terminal is asked. Files in lusory's own
    folder may name any absolute path.
    """
    try:
        text = read_text(file)
    except FileRefused as refusal:
        raise TranscriptError(f"can't be read: {refusal.reason}", hint=SAVED_GAME_HINT) from None
    ruleset_beside = args.game or _find_ruleset_of(file)
    if text.startswith(FIRST_LINE):
        playthrough = parse_playthrough(text)
        own_save = Save(playthrough.transcript, playthrough.transcript.program, (), ())
        ruleset, _ = find_rules(own_save, file, ruleset_beside)
        return RecordedFile(playthrough.transcript, ruleset, tuple(args.packs), playthrough)
    if file.suffix == saves.ENDING:
        unfinished_game = saves.read_journal(file)
        if unfinished_game is None:
            raise TranscriptError("this journal is empty")
        save = unfinished_game.save
    else:
        save = Save.from_data(read_data(text, str(file)))
    if args.packs:
        save = replace(save, packs=())
    ruleset, packs = find_rules(save, file, ruleset_beside, args.trust)
    return RecordedFile(save.transcript, ruleset, tuple(args.packs) or packs, None, save.names)


def _find_ruleset_of(file: Path) -> str | None:
    """Return the ruleset in whose playthrough folder a file is, or None."""
    folder = file.absolute().parent
    if folder.name != PLAYTHROUGHS or not list_ruleset_files(folder.parent):
        return None
    return str(file.parent.parent if file.parent.name == PLAYTHROUGHS else folder.parent)


Load = Callable[[str, tuple[str, ...]], Program]
"""Function that returns the program of a ruleset with packs, like :func:`load_cached_program`."""


def _create_game(args: argparse.Namespace, record: RecordedFile, load: Load) -> Game:
    """Return the game of a record.

    Raises TranscriptError if the ruleset has another id, or no longer allows the record's players or options. Also
    raises RulesetError or UsageError if the ruleset can't be loaded.
    """
    program = load(record.ruleset, record.packs)
    return create_recorded_game(program, record.transcript, args.engine or DEFAULT_ENGINE)


def open_saved_game(args: argparse.Namespace, path: Path, engine: str = DEFAULT_ENGINE) -> tuple[Save, Game, list[int]]:
    """Return a saved game, its game at the start, and its decisions as option indices.

    ``args.ruleset`` replaces the ruleset that the file names. Raises UsageError for options that the saved game
    determines, and if it can't be read or no longer fits its rules.
    """
    reject_settled_options(args)
    try:
        save = saves.read_save(path)
        program = load_cached_program(*find_rules(save, path, args.ruleset, args.trust))
        game = create_recorded_game(program, save.transcript, engine)
        return save, game, find_picks(game, save.transcript)
    except TranscriptError as problem:
        raise add_file_name(path, problem) from None


def _show_games(args: argparse.Namespace, files: Sequence[Path]) -> int:
    """Show each game: on the full screen, as a story, or as a playthrough. Returns 1 at the first that can't be shown.

    The full screen shows a single game, and the story is for a terminal.
    """
    load, screen = cache(load_cached_program), create_terminal()
    for file in files:
        try:
            record = read_record(args, file)
            game = _create_game(args, record, load)
            if len(files) == 1 and not args.plain and plain_output.can_show_full_screen():
                _step_through(game, record.transcript, record.names, record.ruleset, record.packs)
                return 0
            if screen.is_interactive:
                story_lines = tell_story(game, record.transcript, record.names)
                screen.print(render_lines(story_lines))
                continue
            command = shlex.join(["lusory", "replay", str(file)])
            text = format_playthrough(game, record.transcript, command)
        except TranscriptError as problem:
            error = add_file_name(file, problem)
            plain_output.report_error(str(error), error.hint, error.details)
            return 1
        screen.print_raw(text.rstrip("\n"))
    return 0


# ---------------------------------------------------------------- many games


def _verify(args: argparse.Namespace, files: Sequence[Path]) -> int:
    """Replay each game, and print what differs. Returns 1 if any game differs or can't be played, otherwise 0."""
    load = cache(load_cached_program)
    verdicts = []
    with show_progress("games", len(files)) as show:
        for number, file in enumerate(files, 1):
            verdicts.append(_verify_file(args, file, load))
            show(number)
    if args.format == "json":
        plain_output.write_lines(format_json(_to_json(verdicts)))
    else:
        from ...ui.line.test_trace_and_installation_tables import render_differences

        screen = create_terminal()
        for verdict in verdicts:
            if not verdict.is_same:
                screen.print_raw(render_differences(verdict.file, verdict.problem, verdict.differences))
                screen.print("")
        changed_count = sum(not verdict.is_same for verdict in verdicts)
        same_count = len(verdicts) - changed_count
        screen.print(f"{same_count} the same, {changed_count} different" if changed_count else f"{same_count} the same")
    return 0 if all(verdict.is_same for verdict in verdicts) else 1


def _verify_file(args: argparse.Namespace, file: Path, load: Load) -> ReplayResult:
    try:
        record = read_record(args, file)
        game = _create_game(args, record, load)
    except TranscriptError as problem:
        return ReplayResult(str(file), problem=problem.message)
    digest = record.transcript.digest
    return ReplayResult(
        str(file),
        len(record.transcript.decisions),
        tuple(find_differences(game, record.transcript, record.playthrough)),
        has_same_rules=digest == game.program.digest if digest else None,
    )


def _to_json(verdicts: Sequence[ReplayResult]) -> dict[str, Any]:
    from ...reports.check_coverage_and_mutation_json import span_to_json

    same_count = sum(verdict.is_same for verdict in verdicts)
    return {
        "version": 1,
        "same": same_count,
        "changed": len(verdicts) - same_count,
        "games": [
            {
                "file": verdict.file,
                "same": verdict.is_same,
                "decisions": verdict.decisions,
                "rules_unchanged": verdict.has_same_rules,
                "problem": verdict.problem,
                "differences": [
                    {
                        "kind": difference.kind,
                        "message": difference.message,
                        "decision": difference.number,
                        "seat": None if difference.seat is None else f"P{difference.seat + 1}",
                        "phase": difference.phase,
                        **span_to_json(difference.span),
                        "recorded": list(difference.recorded),
                        "now": list(difference.current),
                        "reasons": [{"message": why.message, **span_to_json(why.span)} for why in difference.reasons],
                    }
                    for difference in verdict.differences
                ],
            }
            for verdict in verdicts
        ],
    }
