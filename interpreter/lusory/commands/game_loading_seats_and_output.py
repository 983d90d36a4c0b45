"""Find and load games and packs, assign seats, choose engines, and show progress and results, for all commands.

Arguments that several commands have are in :mod:`lusory.commands.argument_values_and_shared_arguments`.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lusory_dsl.source.dataclass_with_lazy_methods import fields
from lusory_dsl.source.diagnostics import Diagnostics, RulesetError
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import (
    RulesetFiles,
    compute_fingerprint,
    read_ruleset_files,
)
from lusory_dsl.source.safe_files_and_bundled_data import (
    find_bundled_packs,
    find_bundled_rulesets,
    list_sibling_names,
    write_atomically,
)
from lusory_dsl.source.source import count_noun, count_range
from lusory_dsl.source.spelling_suggestions import MAX_WORD_LENGTH, suggest_name

from ..ui.line import plain_output_and_terminal_checks as plain_output
from .errors import INTERRUPTED, UsageError

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..game import Game
    from ..native import NativeUsage
    from ..reports.check_suites_findings_and_locations import Suite
    from ..state.static_work_charges_and_list_bounds import Limits
    from ..ui.line.terminal_output_and_line_editing import Terminal


# ---------------------------------------------------------------- commands that play many games


HUMAN = "human"
NATIVE = "native"
RANDOM, BOT = "random", "bot"


def find_ruleset(name: str) -> Path:
    """Return the folder or file of a ruleset: an existing path as typed, or else the bundled game with that name.

    An existing path is returned even if it holds no ruleset. Raises UsageError for an empty name, an unknown name and
    the name of a bundled pack.
    """
    if not name:
        raise UsageError("the name of the game is empty", "write `.` for this folder")
    path = Path(name)
    if os.path.exists(path):  # unlike `Path.exists`, also for a name that is too long
        return path
    bundled_games = find_bundled_rulesets()
    if name in bundled_games:
        return bundled_games[name]
    if name in find_bundled_packs():
        raise UsageError(f"`{name}` is a pack, not a game", f"add it to its game: lusory check GAME --with {name}")
    hint = _suggest_games(name, bundled_games) or suggest_name(path.name, [*bundled_games, *list_sibling_names(path)])
    raise UsageError(
        f"there is no game `{name}`: no folder, file or bundled game has this name",
        hint or "`lusory list` lists the bundled games",
    )


def _suggest_games(name: str, game_ids: Iterable[str]) -> str | None:
    """Return a hint with the games whose ids have a part that starts with a word of ``name``, or None.

    Only words of three or more letters count.
    """
    words = [word for word in re.findall("[a-z]+", name.casefold()[:MAX_WORD_LENGTH]) if len(word) > 2]
    suggestions = [
        f"`{game}`" for game in game_ids if any(part.startswith(word) for word in words for part in game.split("-"))
    ]
    if len(suggestions) > 1:
        return f"choose from: {', '.join(suggestions)}"
    return f"did you mean {suggestions[0]}?" if suggestions else None


def find_packs(names: Sequence[str]) -> list[Path]:
    """Return the folders or files of packs, in the order of their names: existing paths, or else bundled packs.

    An existing path is returned even if it holds no pack. Raises UsageError for an empty name, an unknown name, the
    name of a bundled game, and two names of the same file or folder.
    """
    paths = [_find_pack(name) for name in names]
    for number, path in enumerate(paths):
        if any(path.samefile(other_path) for other_path in paths[:number]):
            raise UsageError(f"--with {names[number]}: you named this pack twice", "write it once")
    return paths


def _find_pack(name: str) -> Path:
    if not name:
        raise UsageError("--with: the name of the pack is empty", "write `.` for this folder")
    path = Path(name)
    if os.path.exists(path):  # unlike `Path.exists`, also for a name that is too long
        return path
    pack_paths = find_bundled_packs()
    if name in pack_paths:
        return pack_paths[name]
    if name in find_bundled_rulesets():
        raise UsageError(f"--with {name}: this is a game, not a pack", "`lusory list` lists the packs of each game")
    hint = suggest_name(path.name, pack_paths) or (f"choose from: {', '.join(pack_paths)}" if pack_paths else None)
    raise UsageError(f"--with {name}: no folder, file or bundled pack has this name", hint)


def load_cached_program(name: str, packs: Sequence[str] = ()) -> Program:
    """Return the checked program of a ruleset with packs, from the cache if possible. A newly checked one is cached.

    Shows the status ``Checking the rules (first run or changed): 3 files …`` before a check. Before it returns, also
    with a cached program, it shows ``Compiling the rules (first run only) …``. Warnings, cached ones too, are only
    counted, on standard error:
    ``lusory: the rules have 2 warnings: `lusory check duel --with storm` shows them`` for the pack ``storm``. One
    warning is ``have a warning: … shows it``. Raises RulesetError if the rules have errors, and UsageError if the
    ruleset or a pack is not found, or a pack is named twice.
    """
    with _freeze_objects():
        entry = CachedProgram(find_ruleset(name), find_packs(packs))
        cached_program = entry.get_program()
        if cached_program is None:
            files = count_noun(sum(len(ruleset.files) for ruleset in entry.files), "file")
            plain_output.show_status(f"Checking the rules (first run or changed): {files} …")
            diagnostics = Diagnostics()
            new_program = check_rules(entry.files, diagnostics)
            if new_program is None:
                raise RulesetError(diagnostics.list_sorted())
            cached_program = new_program, len(diagnostics)
            entry.keep(*cached_program)
    program, warnings = cached_program
    if warnings:
        number, pronoun = ("a warning", "it") if warnings == 1 else (f"{warnings} warnings", "them")
        command = shlex.join(["lusory", "check", name, *(word for pack in packs for word in ("--with", pack))])
        plain_output.report_error(f"the rules have {number}: `{command}` shows {pronoun}")
    plain_output.show_status("Compiling the rules (first run only) …")
    return program


@contextmanager
def _freeze_objects() -> Iterator[None]:
    """Pause garbage collection, and exclude all objects created in this context from later collections.

    Rules and the modules that read them last as long as the command. Scanning them took a twelfth of the start-up time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()


class CachedProgram:
    """Hold the files of a ruleset, read once, and their entry in the cache."""

    def __init__(self, path: Path, packs: Sequence[Path]) -> None:
        from ..support.cache import find_default_cache

        self.files = read_ruleset_files(path, packs)
        self.cache = find_default_cache()
        self.fingerprint = compute_fingerprint(self.files) if self.cache else None

    def get_program(self) -> tuple[Program, int] | None:
        """Return the cached program and its number of warnings, or None without a cache or without an entry."""
        return self.cache.load_program(self.fingerprint) if self.cache and self.fingerprint else None

    def keep(self, program: Program, warning_count: int) -> None:
        """Put the program of these files into the cache. Does nothing without a cache."""
        if self.cache and self.fingerprint:
            self.cache.store_program(self.fingerprint, program, warning_count)


def check_rules(files: Sequence[RulesetFiles], diagnostics: Diagnostics) -> Program | None:
    """Check files and their invariants about constant data, and return the program, or None if either has errors.

    The findings are added to ``diagnostics``. It should be empty, because errors that are already in it count, too.
    """
    from lusory_dsl.pipeline import check_files

    from ..testing.constant_data_invariants import check_laws

    program = check_files(files, diagnostics)
    if program is not None:
        check_laws(program, diagnostics)
    return None if diagnostics.has_errors else program


def create_game(
    program: Program, players: int | None, options: Sequence[str], engine: str | None, limits: Sequence[str] = ()
) -> Game:
    """Return a game with ``option_values`` and ``setting.limits`` as typed: ``size=9``, ``decision=8000000``.

    Without ``players`` it has the fewest that are allowed. Spaces around the name or value of an option don't count; in
    a limit they are refused, but commas and underscores in its number don't count. Of several values for one option or
    limit, the last counts. The engines are ``evaluator`` and ``compiled``. None and ``native`` stand for the default,
    which is ``compiled``. Raises UsageError for an option or limit without ``=``, and for a number of players, engine,
    option or limit that the game refuses.
    """
    from ..game import DEFAULT_ENGINE, Game
    from ..support.cache import find_default_cache

    values = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            hint = suggest_name(name, [known_option.name for known_option in program.options])
            raise UsageError(f"--option {option}: write NAME=VALUE", hint)
        values[name.strip()] = value.strip()
    try:
        engine_name = DEFAULT_ENGINE if engine in (None, NATIVE) else engine
        return Game(program, players, values, engine_name, find_default_cache(), limits=_parse_limits(limits))
    except ValueError as problem:
        low, high = program.min_players, program.max_players
        is_count_allowed = players is None or low <= players <= high
        hint = None if is_count_allowed else f"choose {count_range(low, high, 'player')} (default: {low})"
        raise UsageError(str(problem), hint) from None


def choose_engine(kinds: Sequence[str], engine: str | None = None) -> str:
    """Return the engine for a game at a table: the requested one, or a suitable default.

    Without a request, that is ``evaluator`` if ``kinds`` has nothing but ``human`` and ``random``. Otherwise it is the
    DEFAULT_ENGINE (``compiled``), because searching bots play thousands of games. A request for ``native`` always gives
    the DEFAULT_ENGINE, because native code only runs searches. Any other request is returned as it is.
    """
    from ..game import DEFAULT_ENGINE, EVALUATOR

    if engine in (None, NATIVE):
        return EVALUATOR if engine is None and {HUMAN, RANDOM}.issuperset(kinds) else DEFAULT_ENGINE
    return engine


def parse_native_mode(engine: str | None) -> bool | None:
    """Return whether to use native code, by the engine that was requested.

    ``native`` gives True (always), None gives None (as soon as it pays), and any other engine False (never).
    """
    return None if engine is None else engine == NATIVE


def report_native(use: NativeUsage, engine: str | None) -> None:
    """Print on standard error what native code could not do, a line ``lusory: REMARK`` for each remark of ``use``.

    If the user requested native code and it was refused, the line ``lusory: REASON; Python played`` comes first.
    """
    if engine == NATIVE and use.refused:
        plain_output.write_error_line(f"lusory: {use.refused}; Python played")
    for remark in use.iterate_remarks():
        plain_output.write_error_line(f"lusory: {remark}")


def _parse_limits(texts: Sequence[str]) -> Limits:
    """Parse limits of a game: ``decision=8000000``. Raises UsageError."""
    from ..state.static_work_charges_and_list_bounds import Limits

    names = [field.name for field in fields(Limits)]
    limits: dict[str, int] = {}
    for limit in texts:
        name, _, value = limit.partition("=")
        if name not in names:
            hint = suggest_name(name, names) or f"choose from: {', '.join(names)}"
            raise UsageError(f"--budget {limit}: write NAME=N", hint)
        number = value.replace(",", "").replace("_", "")
        if not (number.isascii() and number.isdigit() and len(number) <= 18 and int(number)):
            raise UsageError(
                f"--budget {limit}: `{value}` is not a whole number of 1 or more",
                f"for example --budget {name}=8000000",
            )
        limits[name] = int(number)
    try:
        return Limits(**limits)
    except ValueError as problem:
        raise UsageError(f"--budget: {problem}") from None


def assign_seats(
    seat_list: str | None,
    players: int | None,
    least: int,
    first_kind: str = RANDOM,
    default_kind: str = RANDOM,
    other_kinds: Sequence[str] = (),
) -> list[str]:
    """Return the kind of player of each seat. Besides bots, the names in ``other_kinds`` are allowed.

    ``seat_list`` names the kinds of the first seats, with commas between them; if it is None or empty, ``first_kind``
    takes the first seat. ``default_kind`` takes all others. There are ``players`` seats. If that is None, there are as
    many as are named, but at least ``least``. With None and ``least`` 2, ``"strong"`` gives ``["strong", "random"]``.
    Raises UsageError if more than ``players`` are named, and for a name that is empty, unknown or not available here.
    """
    kinds = parse_kinds(seat_list, "--seats", other_kinds) if seat_list else [first_kind]
    if players is not None and len(kinds) > players:
        raise UsageError(f"--seats names {len(kinds)} players, but --players is {players}", "leave out --players")
    return kinds + [default_kind] * ((players or least) - len(kinds))


def parse_kinds(kind_list: str, option: str, other_kinds: Sequence[str] = ()) -> list[str]:
    """Parse a list of kinds of players with commas between them, in order. Spaces around a kind don't count.

    A kind can repeat. Allowed are bots (some also with a budget: ``mcts:500``), ``replay:FILE``,
    ``python:module.Class`` and the names in ``other_kinds``. Raises UsageError for an empty or invalid kind such
    as ``random:5``, and for a file or class that can't be loaded. ``option`` is named in the messages.
    """
    from ..play.bot_kinds_python_players_and_recordings import UnknownKind, require_available, require_kind
    from ..play.player_interface_scripted_and_random_players import PlayerMissing

    kinds = [kind.strip() for kind in kind_list.split(",")]
    if "" in kinds:
        hint = f"for example {option} {','.join((*other_kinds, 'strong', 'random')[:2])}"
        raise UsageError(f"{option}: a player is missing before or after a comma", hint)
    try:
        for kind in kinds:
            require_kind(kind, other_kinds)
            require_available(kind)
    except (UnknownKind, PlayerMissing) as problem:
        raise UsageError(f"{option}: {problem}", problem.hint) from None
    return kinds


class Progress(Protocol):
    """Show progress."""

    def __call__(self, count: int, note: str = "") -> None:
        """Show the number of finished items, and a note."""

    def pause(self) -> AbstractContextManager[None]:
        """Hide the bar while other things are printed."""


class _HiddenBar:
    def __call__(self, count: int, note: str = "") -> None:
        """Do nothing."""

    def pause(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def show_progress(title: str, total: int, patience: float = 0.0) -> Iterator[Progress]:
    """Show a progress bar on standard error, and yield a :class:`Progress` that is called with the number done.

    ``total`` is the number at the end. The bar appears at once, or with ``patience`` at the first call after so many
    seconds. A call less than 0.1 seconds after the last one that was shown changes nothing. The bar is removed when the
    context ends. If standard error is no terminal, nothing is shown.
    """
    if not plain_output.is_error_terminal():
        yield _HiddenBar()
        return
    from ..ui.line.statistics_tables_and_game_lists import ProgressBar
    from ..ui.line.terminal_output_and_line_editing import create_error_terminal

    with ProgressBar(create_error_terminal(), title, total, patience) as bar:
        yield bar


class Interruption:
    """End what runs in this context at Ctrl-C or at the death of a worker, so that a command can print what it has.

    ``problem`` is the exception that ended it, or None.
    """

    problem: BaseException | None = None

    def __enter__(self) -> Interruption:
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        from ..support.process_pool import WorkerDied

        is_caught = isinstance(problem, KeyboardInterrupt | WorkerDied)
        if is_caught:
            self.problem = problem
        return is_caught

    def choose_code(self, code: int) -> int:
        """Return the exit code of the command: ``code``, or INTERRUPTED (130) if ``problem`` is a KeyboardInterrupt.

        Raises ``problem`` if it is a WorkerDied.
        """
        if self.problem is None:
            return code
        if isinstance(self.problem, KeyboardInterrupt):
            return INTERRUPTED
        raise self.problem


TEXT = "text"
REPORT_WRITERS = {
    "json": ("check_coverage_and_mutation_json", "format_report"),
    "github": ("sarif_junit_and_github_annotations", "format_annotations"),
    "sarif": ("sarif_junit_and_github_annotations", "format_sarif"),
    "junit": ("sarif_junit_and_github_annotations", "format_junit"),
}
"""Machine-readable formats, and the module and the function of :mod:`lusory.reports` that writes each."""


class Output:
    """Hold the output that ``--format`` and ``--output`` request.

    ``screen`` prints text for people, or is None. A machine-readable format can go to a file while the screen shows
    text.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self.form: str = args.format
        self.file: str | None = args.output
        self._text = StringIO()
        self.screen: Terminal | None = None
        if self.form == TEXT or self.file is not None:
            from ..ui.line.terminal_output_and_line_editing import create_terminal  # late: it loads rich

            self.screen = create_terminal(self._text if self.form == TEXT and self.file is not None else None)

    def finish(self, suites: Sequence[Suite]) -> None:
        """Write the results to ``file``, or to standard output if it is None. Raises OSError if that fails.

        If ``form`` is a key of ``REPORT_WRITERS``, such as ``json``, they are a report of ``suites``. In the form
        ``text`` they are the lines that ``screen`` has collected for the file. Without a file, ``screen`` has already
        printed them, and nothing is written. An existing file is replaced as a whole.
        """
        text = self._text.getvalue()
        if self.form != TEXT:
            module, function = REPORT_WRITERS[self.form]
            text = getattr(import_module(f"lusory.reports.{module}"), function)(suites)
        if self.file is None:
            plain_output.write_lines(text)
        else:
            write_atomically(Path(self.file), text)
