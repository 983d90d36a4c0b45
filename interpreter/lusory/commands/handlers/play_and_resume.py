"""Run ``lusory play``: set up a new, saved or unfinished game, and play it on the full screen or in line mode."""

from __future__ import annotations

import argparse
import secrets
import shlex
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from types import FrameType

from lusory.commands.handlers.explain import explain_rules, load_ruleset
from lusory.commands.handlers.replay_and_rules_of_recorded_games import (
    add_file_name,
    check_changed_rules,
    find_rules,
    make_permanent_name,
    reject_settled_options,
    require_file,
    resume_game,
    shorten_name,
)
from lusory_dsl.ruleset.model import Ruleset
from lusory_dsl.source.source import count_noun, make_one_line

from ...belief.hidden_information_and_event_subjects import has_perfect_information
from ...game import Game, format_option_value
from ...native import get_usage, make_backend
from ...play import saves_and_journals as saves, stored_results_settings_and_dataclass_json as stored
from ...play.bot_kinds_python_players_and_recordings import (
    UnknownKind,
    create_bot,
    is_trusted,
    require_available,
    require_kind,
)
from ...play.match import NO_SIMULATIONS, Match
from ...play.player_interface_scripted_and_random_players import Person, Player, PlayerMissing
from ...play.recorded_game_data_and_replay import SAVED_GAME_HINT, MadeDecision, TranscriptError
from ...state.random_streams import Seed, make_secure_seed
from ...support.cache import find_default_cache
from ...support.user_folders_private_files_and_locks import get_data_folder
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.line_session import SIGNALLED, FileResult, LineSession, ProgramEnded, ignores_hang_up
from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from ...ui.model.game_introduction_page import NO_SET_UPS, SetUps, Start, list_typed_options
from .. import game_loading_seats_and_output as common
from ..errors import UsageError

MAX_GAMES_SHOWN = 9
"""Maximum number of unfinished games listed."""
READ_INTERVAL = 0.5
"""Seconds after which a blocking read is interrupted to handle signals."""


def _select_unfinished(args: argparse.Namespace) -> saves.UnfinishedGame:
    """Return the unfinished game that ``--continue`` selects: the latest, of a named game and packs if given.

    Prints a line on standard error for each other one. Raises UsageError if there is none, apart from games that are
    open in other terminals.
    """
    games = _list_unfinished(args.game, args.packs or None)
    if not games:
        game_words = f" of {args.game}" if args.game else ""
        hint = "`lusory play GAME` starts a new game; `lusory games` lists your saved games"
        hint += "; a game that is open in another terminal goes on there"
        raise UsageError(f"there is no unfinished game{game_words}", hint)
    for older_game in games[1:]:
        plain_output.write_error_line(f"lusory: also unfinished: {describe_unfinished(older_game)}")
    return games[0]


def offer_unfinished(screen: Terminal, game: str | None, packs: Sequence[str]) -> saves.UnfinishedGame | None:
    """Ask the person which unfinished game to continue, and return it, or None for a new game.

    Shows at most ``MAX_GAMES_SHOWN`` (9), the latest first. Without ``game``, offers all, or all with these packs if
    any are given. With it, offers only its unfinished games with exactly these packs in this order, and only then ``n``
    starts a new one. A number continues that game, Enter the first, and ``d 2`` deletes the second (``d`` the first)
    after a ``y``. Any other input, or a number that is not shown, only asks again. Raises UsageError after ``q``, or
    Ctrl-C or Ctrl-D in its place. If the rules of the chosen game have changed, says so and asks for a ``y``, or asks
    again if they can't continue it. Returns None without asking if there are no games, and after the last one was
    deleted. If there are games but ``screen.is_interactive`` is false, returns None, and prints to standard error how
    to continue the latest: ``lusory play --continue``, with ``game`` and ``packs`` if they are given.
    """
    games = _list_unfinished(game, packs if game is not None else packs or None)
    while games:
        if not screen.is_interactive:
            packs_given = [word for pack in packs for word in ("--with", pack)]
            command = shlex.join(["lusory", "play", *([game] if game else []), *packs_given, "--continue"])
            plain_output.write_error_line(
                f"lusory: you have an unfinished game: {describe_unfinished(games[0])}; to continue it: {command}"
            )
            return None
        answer = _ask_which(screen, games, game is not None)
        if answer == "n" and game is not None:
            return None
        kind, _, number_text = answer.partition(" ")
        if kind == "d" and (number := _parse_number(number_text or "1", games)):
            if _confirm(screen, f"Delete {describe_unfinished(games[number - 1])}?"):
                with suppress(OSError):
                    saves.delete_journal(games.pop(number - 1))
        elif answer == "q":
            raise UsageError("no game was started")
        elif number := _parse_number(answer or "1", games):
            sentence, is_possible = _check_rules(games[number - 1])
            if sentence:
                screen.print_raw(sentence)
            if is_possible and (not sentence or _confirm(screen, "Continue with the new rules?")):
                return games[number - 1]
    return None


def _check_rules(game: saves.UnfinishedGame) -> tuple[str, bool]:
    """Return a sentence about rules that have changed since a game was saved, and whether it can be continued."""
    try:
        rules = find_rules(game.save, game.path, trusts_paths=True)
    except UsageError:
        return "", True
    return check_changed_rules(game.save, rules)


def _parse_number(text: str, games: Sequence[saves.UnfinishedGame]) -> int:
    """Return the number of a listed game, from 1, or 0 for other input."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else 0
    return number if number <= min(len(games), MAX_GAMES_SHOWN) else 0


def _confirm(screen: Terminal, question: str) -> bool:
    """Ask a question, and return whether the person types y."""
    try:
        return screen.read(f"{question} Type y to confirm: ").strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False


def _ask_which(screen: Terminal, games: Sequence[saves.UnfinishedGame], may_begin: bool) -> str:
    """List the unfinished games, and return the person's answer in lower case."""
    screen.print_raw("")
    if len(games) == 1:
        screen.print_raw(f"Unfinished: {describe_unfinished(games[0])}")
        choices = "Enter continues it, d deletes it, "
    else:
        screen.print_raw("Unfinished games:")
        for number, game in enumerate(games[:MAX_GAMES_SHOWN], 1):
            screen.print_raw(f"  {number}  {describe_unfinished(game)}")
        if len(games) > MAX_GAMES_SHOWN:
            screen.print_raw(f"     and {len(games) - MAX_GAMES_SHOWN} older ones")
        choices = "A number continues that game, Enter continues 1, d 2 deletes 2, "
    try:
        return screen.read(choices + ("n starts a new game, q quits. " if may_begin else "q quits. ")).strip().lower()
    except (EOFError, KeyboardInterrupt):
        return "q"


def describe_all_unfinished() -> list[str]:
    """Return a line about each unfinished game, the latest first. See :func:`describe_unfinished`."""
    return [describe_unfinished(game) for game in _list_unfinished(None, None)]


def _list_unfinished(game: str | None, packs: Sequence[str] | None) -> list[saves.UnfinishedGame]:
    """Return the unfinished games, the latest first. ``game`` and ``packs`` filter them unless they are None."""
    problems: list[str] = []
    games = saves.find_unfinished_games(problems)
    for problem in problems:
        plain_output.report_error(f"an unfinished game can't be read: {problem}")
    ruleset = None if game is None else make_permanent_name(game)
    pack_names = None if packs is None else tuple(make_permanent_name(pack, is_pack=True) for pack in packs)
    return [
        entry for entry in games if ruleset in (None, entry.save.ruleset) and pack_names in (None, entry.save.packs)
    ]


def describe_unfinished(game: saves.UnfinishedGame) -> str:
    """Return one line about an unfinished game: ``GAME, 3 decisions, Ann, P2 (random), 5 minutes ago``."""
    return describe_save(game.save, game.last_played_time)


def describe_save(save: saves.Save, saved_time: float) -> str:
    """Return one line about a saved game, such as ``duel, 3 decisions, Ann, P2 (random), 5 minutes ago``.

    The parts are the id of its rules, its decisions, its players (bots with their kind) and its age. ``saved_time`` is
    the time when it was saved, in seconds since 1970. Ages are in minutes, from 60 minutes in hours, and from 24 hours
    in days, all rounded down: ``1 hour ago``. An age below a minute, or a time in the future, is ``just now``.
    """
    seats = [
        name if kind == common.HUMAN else f"{name} ({kind})" for name, kind in zip(save.names, save.kinds, strict=True)
    ]
    number = count_noun(len(save.transcript.decisions), "decision")
    return f"{save.transcript.program}, {number}, {', '.join(seats)}, {_format_age(time.time() - saved_time)}"


def _format_age(seconds: float) -> str:
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{count_noun(int(seconds // length), name)} ago"
    return "just now"


# ---------------------------------------------------------------- signals


@contextmanager
def raise_on_signals() -> Iterator[None]:
    """Raise :class:`ProgramEnded` if SIGTERM, SIGHUP or SIGBREAK arrives in this context.

    For SIGTERM, its ``signal`` is 15, its ``name`` ``SIGTERM``, and ``has_hung_up``, which SIGHUP sets, is False. A
    SIGHUP that was ignored before, as by ``nohup``, stays ignored. A second one before the end of the context kills the
    process. SIGHUP also redirects all output to the null device, because the terminal is gone. In the context, SIGALRM
    arrives every ``READ_INTERVAL`` seconds and does nothing but interrupt reads, except on Windows. The earlier
    handlers and timer are restored at the end. Outside the main thread this does nothing.
    """
    names = [name for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name) and not ignores_hang_up(name)]

    def end(number: int, frame: FrameType | None) -> None:
        for name in names:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        name = signal.Signals(number).name
        if name == "SIGHUP":
            plain_output.redirect_all_output()
        raise ProgramEnded(number, name, has_hung_up=name == "SIGHUP")

    old_handlers = {}
    # Only the main thread can handle signals.
    with suppress(ValueError):
        old_handlers = {name: signal.signal(getattr(signal, name), end) for name in names}
    with _interrupt_reads() if old_handlers else nullcontext():
        try:
            yield
        finally:
            for name, handler in old_handlers.items():
                signal.signal(getattr(signal, name), handler)


@contextmanager
def _interrupt_reads() -> Iterator[None]:
    """Interrupt blocking reads every ``READ_INTERVAL`` seconds in this context, so that Python handles pending signals.

    A signal that arrives just before a read would otherwise wait for the next key. Windows has no such timer.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    old_handler = signal.signal(signal.SIGALRM, lambda number, frame: None)
    old_timer = signal.setitimer(signal.ITIMER_REAL, READ_INTERVAL, READ_INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *old_timer)
        signal.signal(signal.SIGALRM, old_handler)


TEXT_MARGIN = 5
"""Columns of a page that its text can't use."""


@dataclass
class GameTable:
    """Hold a game at a terminal: its rules, players and files.

    Attributes:
        own_file: The file for saving without a name. None chooses a new file at the first save.
        saved_decisions: The decisions in that file, as this game last read or wrote them.
        engine: The requested engine, or None.
        journal: The journal, or None if none can be kept.
        replay_command: The command that plays the same game again.
        continue_command: The command that continues the journal.
        is_default: Whether the user left the players and options of the game open.
    """

    terminal: Terminal
    ruleset: str
    packs: Sequence[str]
    kinds: Sequence[str]
    names: Sequence[str]
    own_file: Path | None = None
    engine: str | None = None
    journal: saves.Journal | None = None
    match: Match = field(init=False)
    replay_command: str = ""
    continue_command: str = ""
    is_default: bool = False
    saved_decisions: Sequence[MadeDecision] = ()

    @property
    def people(self) -> list[int]:
        """The seats of human players."""
        return [seat for seat, kind in enumerate(self.kinds) if kind == common.HUMAN]

    @property
    def is_secretive(self) -> bool:
        """True if the game hides anything, so that players must not see each other's screens."""
        return not has_perfect_information(self.match.game)

    @cached_property
    def _ruleset_text(self) -> Ruleset:
        return load_ruleset(self.ruleset, self.packs)

    def explain_name(self, name: str) -> str | None:
        """Return the text of the rules about a name in unbroken lines, or None if it is unknown."""
        try:
            return explain_rules(self._ruleset_text, name, None, is_at_table=True)
        except UsageError:
            return None

    def explain_rules(self, name: str | None) -> str:
        """Return the text of the rules for players, or of the thing called ``name``; None means all rules.

        For an unknown name, returns the message and its hint instead.
        """
        try:
            return explain_rules(self._ruleset_text, name, self.terminal.width - TEXT_MARGIN, is_at_table=True)
        except UsageError as problem:
            return f"{problem}; {problem.hint}" if problem.hint else str(problem)

    def _create_save(self) -> saves.Save:
        """Return the current state of the game as a save, with permanent names of the ruleset and packs.

        Raises UsageError if a path can't be stored.
        """
        packs = tuple(make_permanent_name(pack, is_pack=True) for pack in self.packs)
        transcript = saves.create_transcript(self.match)
        return saves.Save(transcript, make_permanent_name(self.ruleset), tuple(self.kinds), tuple(self.names), packs)

    def save(self, file: str | None) -> FileResult:
        """Save the game to ``file``, or, for None, to :attr:`own_file`.

        Only a successful save with None or into ``own_file`` changes attributes: ``saved_decisions`` becomes those of
        the game. With None, if ``own_file`` is None, or is a save with other decisions than ``saved_decisions``, it
        becomes a new file. Replacing a file needs confirmation at the terminal, unless it is a save with the same game,
        players, options and seed, whatever its decisions are. Without confirmation or a folder for the file, nothing is
        written. The result has ``is_done`` and ``words``: ``Saved. To continue: lusory play --load FILE``,
        ``Nothing was written: …``, or after an error ``The game could not be saved: …``. No OSError is raised, but
        UsageError if the path of the rules can't be stored. After a save, the absolute paths of the rules and packs are
        trusted.
        """
        save = self._create_save()
        try:
            if file is not None:
                path = Path(file).expanduser()
            elif self.own_file is None or saves.has_other_decisions(self.own_file, self.saved_decisions):
                # a new one also if another process has continued the same save and has saved other decisions
                path = saves.create_save_path(save.transcript.program)
            else:
                path = self.own_file
            loss = saves.describe_overwritten(path, save)
            if (refusal := self._find_refusal(path, loss)) is not None:
                return FileResult(False, refusal)
            saves.write_save(save, path)
            if file is None or (self.own_file is not None and path.resolve() == self.own_file.resolve()):
                self.own_file, self.saved_decisions = path, save.transcript.decisions
        except TranscriptError as problem:
            return FileResult(False, f"The game could not be saved: {problem.message}")
        except OSError as problem:
            place = problem.filename or file or get_data_folder()
            return FileResult(False, f"The game could not be saved: {place}: {problem.strerror or problem}")
        except RuntimeError as problem:
            return FileResult(False, f"The game could not be saved: {file}: {problem}")
        with suppress(OSError):
            stored.allow_paths(name for name in (save.ruleset, *save.packs) if Path(name).is_absolute())
        return FileResult(True, f"Saved. To continue: lusory play --load {shlex.quote(str(path))}")

    def record_result(self, match: Match) -> bool:
        """Append the result of ``match`` to ``games.jsonl``, and then save ``self.match`` as ``latest.json``.

        Returns True if both were written. Returns False if ``kinds`` has no ``HUMAN``, or if ``match`` has no outcome.
        Returns False without a message if a file can't be written; the game is not saved if the record can't be.
        """
        outcome, program = match.outcome, match.game.program
        if outcome is None or common.HUMAN not in self.kinds:
            return False
        sides = tuple(self.kinds), tuple(self.names), outcome.places, outcome.winners
        try:
            stored.add_record(stored.GameRecord(program.id, program.name, *sides, len(match.turns), f"{date.today()}"))
            saves.write_save(self._create_save(), saves.find_latest_game_path())
        except (OSError, TranscriptError):
            return False
        return True

    def _find_refusal(self, path: Path, loss: str | None) -> str | None:
        """Return why nothing may be written to a path, or None. Asks the person before something is overwritten."""
        if not path.parent.is_dir():
            return f"Nothing was written: there is no folder {path.parent}."
        if path.is_dir():
            return f"Nothing was written: {path} is a folder."
        if loss is None:
            return None
        if self.terminal.is_interactive:
            with suppress(EOFError, KeyboardInterrupt):
                if self.terminal.read(f"{make_one_line(loss)}. Type yes to replace it: ").strip().lower() == "yes":
                    return None
        return f"Nothing was written: {loss}."


MAX_NAME_LENGTH = 80


def set_up_table(args: argparse.Namespace, screen: Terminal) -> GameTable:
    """Return the table of the requested game: a saved one (``--load``), an unfinished or a new one.

    ``--continue`` (``args.resume``) takes the latest unfinished game: of ``args.game`` and with exactly the packs of
    ``--with``, if these are given. Without ``--continue`` and ``--load``, a person at a terminal may choose to continue
    one, which sets ``args.changed_rules`` to True. With both options, ``--load`` counts. Raises UsageError if there is
    no such game, if it can't be continued, if a new one is not named, or if the person leaves. Also raises it if either
    option comes with ``--players``, ``--seats``, ``--seed`` or ``--option``, which the game determines, or ``--load``
    with ``--with``. If a person plays, the journal of the game begins or goes on, and the settings of a new game are
    stored.
    """
    if args.load:
        reject_settled_options(args)
        return _load_save(args, screen)
    if args.resume:
        reject_settled_options(args, allowed_option="packs")
    unfinished_game = _select_unfinished(args) if args.resume else offer_unfinished(screen, args.game, args.packs)
    if unfinished_game is not None:
        # The person has agreed to changed rules.
        args.changed_rules = args.changed_rules or not args.resume
        rules = find_rules(unfinished_game.save, unfinished_game.path, trusts_paths=True)
        command = shlex.join(["lusory", "play", *([args.game] if args.game else []), "--continue"])
        if unfinished_game.has_lost_decision:
            screen.print_raw("The last decision of this game is lost, because the end of its file is damaged.")
        description = str(unfinished_game.path)
        return _continue_save(args, unfinished_game.save, rules, description, command, None, screen, unfinished_game)
    if args.game is None:
        raise UsageError(
            "the name of the game is missing",
            "`lusory list` lists the bundled games, and `lusory play GAME` starts one",
        )
    return _start_new(args, screen)


def _start_new(args: argparse.Namespace, screen: Terminal) -> GameTable:
    program = common.load_cached_program(args.game, args.packs)
    kinds = common.assign_seats(
        args.seats, args.players, program.min_players, common.HUMAN, common.BOT, (common.HUMAN,)
    )
    game = common.create_game(program, len(kinds), args.options, common.choose_engine(kinds, args.engine), args.budgets)
    seed = make_secure_seed(secrets.token_bytes(16)) if args.seed is None else args.seed
    table = GameTable(screen, args.game, args.packs, kinds, parse_names(args.names, len(kinds)), engine=args.engine)
    table.is_default = not (args.seats or args.players or args.options)
    _create_match(table, game, seed, ())
    if table.people:
        with suppress(OSError):
            # offer these settings again next time
            names = [name if name != f"P{seat}" else "" for seat, name in enumerate(table.names, 1)]
            packs = tuple(make_permanent_name(pack, is_pack=True) for pack in table.packs)
            settings = stored.Settings(
                tuple(kinds), tuple(names) if any(names) else (), tuple(_list_changed_options(game)), packs
            )
            stored.write_settings(make_permanent_name(args.game), settings)
    return table


def _list_changed_options(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the options that differ from their defaults, as typed."""
    for option in game.program.options:
        if game.option_values[option.name] != option.default:
            yield option.name, format_option_value(game.written_options[option.name])


def _load_save(args: argparse.Namespace, screen: Terminal) -> GameTable:
    file = Path(args.load)
    require_file(file)
    try:
        save = saves.read_save(file)
    except TranscriptError as problem:
        raise add_file_name(file, problem) from None
    except OSError as problem:
        raise UsageError(f"{args.load} can't be read: {problem.strerror or problem}", SAVED_GAME_HINT) from None
    continue_command = f"lusory play --load {shlex.quote(args.load)}"
    return _continue_save(
        args, save, find_rules(save, file, args.game, args.trust), args.load, continue_command, file, screen
    )


def _continue_save(
    args: argparse.Namespace,
    save: saves.Save,
    rules: tuple[str, tuple[str, ...]],
    description: str,
    continue_command: str,
    own_file: Path | None,
    screen: Terminal,
    unfinished_game: saves.UnfinishedGame | None = None,
) -> GameTable:
    """Return the table of a saved or unfinished game, after all its decisions.

    ``description`` names the game in messages. Raises UsageError if a player does not exist or is not trusted, or if
    the decisions do not fit the rules.
    """
    for kind in save.kinds:
        try:
            require_kind(kind, (common.HUMAN,))
        except UnknownKind as problem:
            raise UsageError(f"{description} can't be continued: {problem}", problem.hint) from None
        if own_file is not None and not is_trusted(kind) and not args.trust:
            raise UsageError(
                f"{description} can't be continued: it runs code that is not part of lusory, `{kind}`",
                f"if you trust this code: {continue_command} --trust",
            )
        try:
            require_available(kind)
        except PlayerMissing as problem:
            raise UsageError(f"{description} can't be continued: {problem}", problem.hint) from None
    game, picks = resume_game(
        save, description, rules, common.choose_engine(save.kinds, args.engine), args.changed_rules, continue_command
    )
    names = parse_names(args.names, len(save.kinds)) if args.names else save.names
    transcript = save.transcript
    table = GameTable(screen, *rules, save.kinds, names, own_file, args.engine, saved_decisions=transcript.decisions)
    return _create_match(table, game, transcript.seed, picks, unfinished_game, transcript.simulations)


def parse_names(name_list: str | None, player_count: int) -> list[str]:
    """Return the name of each player. Empty and missing names become P1, P2, … by seat.

    Names are typed with commas between them: ``Ann,,Bob`` gives ``["Ann", "P2", "Bob", "P4"]`` for four players. Spaces
    around a name don't count, but case does. Raises UsageError for more names than players, empty ones included, and
    for two equal names (P1, P2, … included). It is also raised for a name that is not printable or has more than
    ``MAX_NAME_LENGTH`` characters.
    """
    names = [name.strip() for name in name_list.split(",")] if name_list else []
    if len(names) > player_count:
        raise UsageError(f"--names has {len(names)} names for {count_noun(player_count, 'player')}")
    if any(len(name) > MAX_NAME_LENGTH or not name.isprintable() for name in names):
        raise UsageError(f"--names: a name can have at most {MAX_NAME_LENGTH} printable characters")
    names = [name or f"P{seat}" for seat, name in enumerate(names + [""] * (player_count - len(names)), 1)]
    if len(set(names)) < len(names):
        raise UsageError("--names: two players have the same name")
    return names


def _create_match(
    table: GameTable,
    game: Game,
    seed: Seed,
    picks: Sequence[int],
    unfinished_game: saves.UnfinishedGame | None = None,
    simulations: Mapping[int, int] = NO_SIMULATIONS,
) -> GameTable:
    """Create the match with its players, and its journal."""
    backend = make_backend(game, find_default_cache(), common.parse_native_mode(table.engine))
    players: list[Player] = [
        Person(seat, table.names[seat]) if kind == common.HUMAN else create_bot(kind, seed, seat, backend)
        for seat, kind in enumerate(table.kinds)
    ]
    match = table.match = Match(game, players, seed, picks, simulations=simulations, backend=backend)
    if table.people:
        match.store = table.journal = _open_journal(table, saves.Journal(game, seed, table.people), unfinished_game)
    ruleset = shorten_name(table.ruleset)
    words = ["lusory", "play", ruleset, *(word for pack in table.packs for word in ("--with", pack))]
    words += ["--seats", ",".join(table.kinds), "--seed", str(seed)]
    words += [word for name, value in _list_changed_options(game) for word in ("--option", f"{name}={value}")]
    table.replay_command = shlex.join(words)
    table.continue_command = shlex.join(["lusory", "play", ruleset, "--continue"])
    return table


def _open_journal(
    table: GameTable, journal: saves.Journal, unfinished_game: saves.UnfinishedGame | None
) -> saves.Journal | None:
    """Begin or reopen a journal, and return it. Returns None, with a message, if its file can't be read or written.

    Raises UsageError if the game is open in another terminal, or if no file of it could be read again.
    """
    try:
        if unfinished_game is None:
            save = table._create_save()
            saves.require_readable(save)
            journal.begin(save)
        elif not journal.reopen(unfinished_game):
            raise UsageError("this game is open in another terminal")
    except TranscriptError as problem:
        raise UsageError(f"this game can't be played, because it can't be saved: {problem.message}") from None
    except OSError as problem:
        reason = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
        table.terminal.print_raw(
            make_one_line(f"This game is not saved while you play ({reason}): a crash would lose it.")
        )
        return None
    return journal


def run(args: argparse.Namespace) -> int:
    """Play the requested games. Returns the exit code of the last, or that of a signal."""
    try:
        with raise_on_signals():
            table = set_up_table(args, create_terminal())
            with keep_input_history(table):
                return play_games(table, args.plain, args.pace)
    except ProgramEnded as end:
        return SIGNALLED + end.signal


@contextmanager
def keep_input_history(table: GameTable) -> Iterator[None]:
    """Load the user's input history into the terminal. At the end, add ``table.terminal.commands`` to the history.

    All games share it. The commands are added after an exception in the ``with`` block, too. Does nothing unless
    ``table.people`` has one seat and ``table.terminal.is_interactive``, because the input may reveal hidden information
    to others. A history that can't be read counts as empty. If it can't be written, the commands are lost without an
    exception.
    """
    screen = table.terminal
    if not screen.is_interactive or len(table.people) != 1:
        yield
        return
    screen.load_history(stored.read_history())
    try:
        yield
    finally:
        if screen.commands:
            with suppress(OSError):
                stored.add_to_history(screen.commands)


def play_games(table: GameTable, is_plain: bool, pace: float) -> int:
    """Play games, from that of ``table`` on, until the person wants no other. Return the exit code of the last.

    ``is_plain`` plays line by line. ``pace`` is how many seconds each step of a bot is shown.
    """
    start: Start | None = None
    while True:
        session = _create_session(table, is_plain, pace, start)
        code = session.run()
        if table.engine == common.NATIVE or not table.people:
            common.report_native(get_usage(table.match.backend), table.engine)
        if not session.next_game:
            return code
        start = session.start
        game, seed, kinds, names = table.match.game, table.match.seed, table.kinds, table.names
        if session.next_game == "set up":
            # A recommended game: without seats of its own, the players stay. Further seats are called P3, P4, ….
            assert start is not None and start.game is not None
            kinds = list(start.game.seats) or kinds
            names = [*names[: len(kinds)], *parse_names(None, len(kinds))[len(names) :]]
            options, engine = list_typed_options(start.game), common.choose_engine(kinds, table.engine)
            game = common.create_game(game.program, len(kinds), options, engine)
        elif session.next_game != "again":
            seed = make_secure_seed(secrets.token_bytes(16))
        table = GameTable(table.terminal, table.ruleset, table.packs, kinds, names, engine=table.engine)
        _create_match(table, game, seed, ())


def _create_session(table: GameTable, is_plain: bool, pace: float, start: Start | None) -> LineSession:
    """Return a session on the full screen if possible, otherwise in line mode.

    ``start`` is what the player chose on the start page of an earlier session.
    """
    session_class, set_ups = LineSession, NO_SET_UPS
    if table.people and not is_plain and plain_output.can_show_full_screen():
        # The import is slow, so it happens only on demand.
        from ...ui.textual.replay_local_and_remote_sessions import FullSession

        session_class, set_ups = FullSession, _list_set_ups(table) if len(table.people) == 1 else NO_SET_UPS
    return session_class(
        table.terminal,
        table.match,
        table.names,
        table.explain_rules,
        table,
        table.is_secretive,
        table.journal,
        table.explain_name,
        table.replay_command,
        table.continue_command,
        pace,
        start,
        set_ups,
    )


def _list_set_ups(table: GameTable) -> SetUps:
    """Return the recommended games of a ruleset, and which of them is at the table."""
    game = table.match.game
    page = game.program.printed_texts.start_page
    games = () if page is None else page.recommended_games
    options = [f"{name}={value}" for name, value in _list_changed_options(game)]
    setups = [(list(entry.seats), sorted(list_typed_options(entry))) for entry in games]
    current_setup = list(table.kinds), sorted(options)
    number = setups.index(current_setup) if current_setup in setups else None
    return SetUps(games, number, table.is_default)
