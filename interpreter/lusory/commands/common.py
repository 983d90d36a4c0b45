"""What several commands do: find a ruleset, make a game of it, put players on its seats, show how far they are."""

from __future__ import annotations

import gc
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lusory_dsl.text.diagnostics import MAX_WORD, did_you_mean
from lusory_dsl.text.disk import names_beside
from lusory_dsl.text.files import RulesetFiles, fingerprint, read_files
from lusory_dsl.text.records import fields
from lusory_dsl.text.resources import bundled_packs, bundled_rulesets

from ..console import streams
from ..table.cost import Limits
from .errors import UsageError

if TYPE_CHECKING:
    from lusory_dsl.core import Program
    from lusory_dsl.text.diagnostics import Diagnostics

    from ..game import Game
    from ..native_code import Use

HUMAN = "human"
NATIVE = "native"
RANDOM, BOT = "random", "bot"


def demand_own_file(path: Path) -> None:
    """Raises UsageError where there is nothing that could be written: no file or folder, or a link to a file."""
    if not path.exists():
        hint = did_you_mean(path.name, names_beside(path)) or "give a folder, a .yaml file, or `-` for standard input"
        raise UsageError(f"there is no file or folder `{path}`", hint)
    if path.is_symlink() and not path.is_dir():
        raise UsageError(f"`{path}` is a link, and nothing is written through links", "name the file that it leads to")


def find_ruleset(name: str) -> Path:
    """The folder or file that a person means: a path, or the name of a bundled game."""
    if not name:
        raise UsageError("an empty text names no game", "for this folder write `.`")
    path = Path(name)
    if path.exists():
        return path
    bundled = bundled_rulesets()
    if name in bundled:
        return bundled[name]
    if name in bundled_packs():
        raise UsageError(f"`{name}` is a pack, not a game", f"lay it over its game: lusory check GAME --with {name}")
    hint = _called(name, bundled) or did_you_mean(path.name, [*bundled, *names_beside(path)])
    raise UsageError(
        f"there is no ruleset `{name}`: no such folder or file, nor a bundled game",
        hint or "`lusory list` shows the bundled games",
    )


def _called(name: str, known: Iterable[str]) -> str | None:
    """A hint that names those of some games of whose ids a part begins with a word of a name; None where none does."""
    words = [word for word in re.findall("[a-z]+", name.casefold()[:MAX_WORD]) if len(word) > 2]
    fits = [f"`{game}`" for game in known if any(part.startswith(word) for word in words for part in game.split("-"))]
    if len(fits) > 1:
        return f"there are: {', '.join(fits)}"
    return f"did you mean {fits[0]}?" if fits else None


def find_packs(names: Sequence[str]) -> list[Path]:
    """The folders or files that a person lays over a ruleset: paths, or names of bundled packs."""
    found = [_find_pack(name) for name in names]
    for number, path in enumerate(found):
        if any(path.samefile(other) for other in found[:number]):
            raise UsageError(f"--with {names[number]}: this pack is named twice", "lay it over once")
    return found


def _find_pack(name: str) -> Path:
    path = Path(name)
    if path.exists():
        return path
    bundled = bundled_packs()
    if name in bundled:
        return bundled[name]
    if name in bundled_rulesets():
        raise UsageError(f"--with {name}: this is a game, not a pack", "`lusory list` shows the packs of each game")
    hint = did_you_mean(path.name, bundled) or (f"there are: {', '.join(bundled)}" if bundled else None)
    raise UsageError(f"--with {name}: no such folder or file, nor a bundled pack", hint)


def cases_of_packs(names: Sequence[str]) -> list[Path] | None:
    """The case files that are meant: those of the packs, or, where there are none (None), those of the ruleset."""
    from ..author.cases import case_files

    return [file for pack in find_packs(names) for file in case_files(pack)] if names else None


def no_cases(wanted: str | None, packs: Sequence[str]) -> UsageError:
    """``raise no_cases(…)``: there is nothing to play. ``wanted``: a part of the cases' names."""
    which = f" that match `{wanted}`" if wanted else ""
    of_what = "pack" if packs else "ruleset"
    return UsageError(f"no cases found{which}", f"cases lie in the folder `cases/` of a {of_what}")


def load(name: str, packs: Sequence[str] = ()) -> Program:
    """The checked program of a ruleset with packs laid over it: from the cache, where the same files were checked.
    Where they were not, which takes a while, a person is told.

    Raises RulesetError where it has errors; says on standard error when there are warnings."""
    with _all_kept():
        kept = CachedProgram(find_ruleset(name), find_packs(packs))
        found = kept.program()
        if found is None:
            streams.doing(f"Checking the rules, which are new here: {_size(kept.files)} …")
            found = _checked(kept.files)
            kept.keep(*found)
    program, warnings = found
    if warnings:
        number = "a warning" if warnings == 1 else f"{warnings} warnings"
        command = shlex.join(["lusory", "check", name, *(word for pack in packs for word in ("--with", pack))])
        streams.complain(f"{number} about the rules: `{command}` shows them")
    streams.doing("Preparing the rules: what was not played before becomes code …")
    return program


@contextmanager
def _all_kept() -> Iterator[None]:
    """Within this nothing is collected, and what there is afterwards never is: rules and what they are read with last
    as long as the command. To look through them for garbage, of which they are none, took a twelfth of a start."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collected:
            gc.enable()


def _size(files: Sequence[RulesetFiles]) -> str:
    """How much there is to check: ``3 files``."""
    many = sum(len(one.files) for one in files)
    return "1 file" if many == 1 else f"{many} files"


class CachedProgram:
    """The files of a ruleset, read once, what the cache has of them, and what it is told of them."""

    def __init__(self, path: Path, packs: Sequence[Path]) -> None:
        from ..cache import default_cache

        self.files = read_files(path, packs)
        self.cache = default_cache()
        self.fingerprint = fingerprint(self.files) if self.cache else None

    def program(self) -> tuple[Program, int] | None:
        """The checked program, and how many warnings there were."""
        return self.cache.program(self.fingerprint) if self.cache and self.fingerprint else None

    def keep(self, program: Program, warnings: int) -> None:
        """Keep what these files were checked to be, whatever stands in them by now."""
        if self.cache and self.fingerprint:
            self.cache.keep_program(self.fingerprint, program, warnings)


def checked(files: Sequence[RulesetFiles], diagnostics: Diagnostics) -> Program | None:
    """The program that some files are. What is wrong goes to ``diagnostics``; None when there are errors."""
    from lusory_dsl.pipeline import check_files

    from ..author.laws import check_laws

    program = check_files(files, diagnostics)
    if program is not None:
        check_laws(program, diagnostics)
    return None if diagnostics.has_errors else program


def _checked(files: Sequence[RulesetFiles]) -> tuple[Program, int]:
    """The program of a ruleset, and how many warnings there are."""
    from lusory_dsl.text.diagnostics import Diagnostics, RulesetError

    diagnostics = Diagnostics()
    program = checked(files, diagnostics)
    if program is None:
        raise RulesetError(diagnostics.sorted())
    return program, len(diagnostics)


def make_game(
    program: Program, players: int | None, options: Sequence[str], engine: str | None, limits: Sequence[str] = ()
) -> Game:
    """A game of ``program`` with options and limits as typed: ``name=value``."""
    from ..cache import default_cache
    from ..game import DEFAULT_ENGINE, Game

    given = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise UsageError(
                f"--option {option}: it reads NAME=VALUE", did_you_mean(name, [o.name for o in program.options])
            )
        given[name.strip()] = value.strip()
    try:
        plays = DEFAULT_ENGINE if engine in (None, NATIVE) else engine
        return Game(program, players, given, plays, default_cache(), limits=_limits(limits))
    except ValueError as problem:
        raise UsageError(str(problem), _hint_of_seats(program, players)) from None


def _hint_of_seats(program: Program, players: int | None) -> str | None:
    """What helps where a game is not for so many."""
    low, high = program.min_players, program.max_players
    if players is None or low <= players <= high:
        return None
    seats = f"{low} seats" if low == high else f"{low} to {high} seats"
    return f"ask for {seats}; where nothing is said of them, there {'is' if low == 1 else 'are'} {low}"


def engine_at(kinds: Sequence[str], said: str | None = None) -> str:
    """What plays a game at a table: what was said, else the evaluator, which can begin at once and is quick enough for
    people and bots that draw lots; the compiled engine where somebody may think ahead, who plays thousands of games,
    and where native code was said, which makes searches alone."""
    from ..game import DEFAULT_ENGINE, EVALUATOR

    if said in (None, NATIVE):
        return EVALUATOR if said is None and {HUMAN, RANDOM}.issuperset(kinds) else DEFAULT_ENGINE
    return said


def in_native(said: str | None) -> bool | None:
    """Whether native code is wanted, by the engine that was said: from the first game or search on (True), as soon as
    it pays (None), or not at all."""
    return None if said is None else said == NATIVE


def tell_of(use: Use, said: str | None) -> None:
    """A person hears what native code left undone, and why there is none where it was wanted."""
    if said == NATIVE and use.refused:
        streams.remark(f"lusory: {use.refused}; Python played")
    for words in use.remarks():
        streams.remark(f"lusory: {words}")


def _limits(typed: Sequence[str]) -> Limits:
    """What a game may cost: ``decision=8000000``."""
    names = [field.name for field in fields(Limits)]
    given: dict[str, int] = {}
    for limit in typed:
        name, _, value = limit.partition("=")
        if name not in names:
            hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
            raise UsageError(f"--budget {limit}: it reads NAME=NUMBER", hint)
        number = value.replace(",", "").replace("_", "")
        if not (number.isascii() and number.isdigit() and len(number) <= 18 and int(number)):
            raise UsageError(f"--budget {limit}: `{value}` is not a number from 1 up", f"--budget {name}=8000000")
        given[name] = int(number)
    try:
        return Limits(**given)
    except ValueError as problem:
        raise UsageError(f"--budget: {problem}") from None


def seat_kinds(
    typed: str | None,
    players: int | None,
    least: int,
    first: str = RANDOM,
    rest: str = RANDOM,
    others: Sequence[str] = (),
) -> list[str]:
    """Who sits on each seat: bots, and who is called as in ``others``. Seats that are not named are taken by ``rest``;
    ``first`` sits on the first one when none is.

    The number of seats is ``players``, or as many as are named, at least ``least``."""
    kinds = kinds_in(typed, "--seats", others) if typed else [first]
    if players is not None and len(kinds) > players:
        raise UsageError(f"--seats names {len(kinds)} seats, --players {players}", "--seats alone is enough")
    return kinds + [rest] * ((players or least) - len(kinds))


def kinds_in(typed: str, option: str, others: Sequence[str] = ()) -> list[str]:
    """The kinds of players that were typed for an option, bots and what is in ``others``. Raises UsageError."""
    from ..play.players import PlayerMissing, UnknownKind, demand, look_for

    kinds = [kind.strip() for kind in typed.split(",")]
    if "" in kinds:
        hint = f"{option} {','.join((*others, 'strong', 'random')[:2])}"
        raise UsageError(f"{option}: a comma stands between two players, and one is missing", hint)
    try:
        for kind in kinds:
            demand(kind, others)
            look_for(kind)
    except (UnknownKind, PlayerMissing) as problem:
        raise UsageError(f"{option}: {problem}", problem.hint) from None
    return kinds


class Bar(Protocol):
    """Is told how many of something are done."""

    def __call__(self, done: int, note: str = "") -> None:
        """Show it, with a note beside."""

    def paused(self) -> AbstractContextManager[None]:
        """Within this, other things can be printed."""


class _NoBar:
    def __call__(self, done: int, note: str = "") -> None:
        """Nobody looks."""

    def paused(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def progress(title: str, total: int, patience: float = 0.0) -> Iterator[Bar]:
    """A bar on a person's terminal while something counts to ``total``; elsewhere nothing, at no cost. What takes no
    longer than ``patience``, in seconds, has none."""
    if not streams.somebody_watches():
        yield _NoBar()
        return
    from ..console.summary import Progress
    from ..console.terminal import error_terminal

    with Progress(error_terminal(), title, total, patience) as bar:
        yield bar
