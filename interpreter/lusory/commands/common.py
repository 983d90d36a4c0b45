"""What several commands do: find a ruleset, make a game of it, put players on its seats, show how far they are."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.diagnostics import did_you_mean
from lusory_dsl.files import fingerprint
from lusory_dsl.resources import bundled_packs, bundled_rulesets

from .errors import UsageError

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..game import Game

HUMAN = "human"
BOT = "random"  # who takes a seat that nobody was named for


def find_ruleset(name: str) -> Path:
    """The folder or file that a person means: a path, or the name of a bundled game."""
    path = Path(name)
    if path.exists():
        return path
    bundled = bundled_rulesets()
    if name in bundled:
        return bundled[name]
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, [*bundled, *beside])
    raise UsageError(
        f"there is no ruleset `{name}`: no such folder or file, nor a bundled game",
        hint or "`lusory list` shows the bundled games",
    )


def find_packs(names: Sequence[str]) -> list[Path]:
    """The folders or files that a person lays over a ruleset: paths, or names of bundled packs."""
    return [_find_pack(name) for name in names]


def _find_pack(name: str) -> Path:
    path = Path(name)
    if path.exists():
        return path
    bundled = bundled_packs()
    if name in bundled:
        return bundled[name]
    hint = did_you_mean(path.name, bundled) or (f"there are: {', '.join(bundled)}" if bundled else None)
    raise UsageError(f"--with {name}: no such folder or file, nor a bundled pack", hint)


def load(name: str, packs: Sequence[str] = ()) -> Program:
    """The checked program of a ruleset with packs laid over it: from the cache, where the same files were checked.

    Raises RulesetError where it has errors; says on standard error when there are warnings."""
    from ..cache import default_cache

    path, laid_over = find_ruleset(name), find_packs(packs)
    cache = default_cache()
    before = fingerprint(path, laid_over) if cache else None
    kept = cache.program(before) if cache and before else None
    if kept is None:
        kept = _checked(path, laid_over)
        if cache and before and fingerprint(path, laid_over) == before:  # nobody wrote to the files in between
            cache.keep_program(before, *kept)
    program, warnings = kept
    if warnings:
        number = "a warning" if warnings == 1 else f"{warnings} warnings"
        command = shlex.join(["lusory", "check", name, *(word for pack in packs for word in ("--with", pack))])
        print(f"lusory: {number} about the rules: `{command}` shows them", file=sys.stderr)
    return program


def _checked(path: Path, packs: Sequence[Path]) -> tuple[Program, int]:
    """The program of a ruleset, and how many warnings there are."""
    from lusory_dsl.diagnostics import Diagnostics, RulesetError
    from lusory_dsl.program import check

    from ..laws import check_laws

    diagnostics = Diagnostics()
    program = check(path, diagnostics, packs)
    if program is not None:
        check_laws(program, diagnostics)
    if program is None or diagnostics.has_errors:
        raise RulesetError(diagnostics.sorted())
    return program, len(diagnostics)


def make_game(program: Program, players: int | None, options: Sequence[str], engine: str | None) -> Game:
    """A game of ``program`` with options as typed: ``name=value``."""
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
        return Game(program, players, given, engine or DEFAULT_ENGINE, default_cache())
    except ValueError as problem:
        raise UsageError(str(problem)) from None


def seat_kinds(typed: str | None, players: int | None, least: int, known: Sequence[str], first: str) -> list[str]:
    """Who sits on each seat. Seats that are not named are taken by bots; ``first`` sits on the first one when none is.

    The number of seats is ``players``, or as many as are named, at least ``least``."""
    kinds = [kind.strip() for kind in typed.split(",")] if typed else [first]
    for kind in kinds:
        if kind not in known:
            hint = did_you_mean(kind, known) or f"there are: {', '.join(known)}"
            raise UsageError(f"--seats: nobody is called `{kind}`", hint)
    if players is not None and len(kinds) > players:
        raise UsageError(f"--seats names {len(kinds)} seats, --players {players}")
    return kinds + [BOT] * ((players or least) - len(kinds))


def processors() -> int:
    """How many this process may use, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on a person's terminal while something counts to ``total``; elsewhere nothing, at no cost."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from ..console.summary import Progress
    from ..console.terminal import error_terminal

    with Progress(error_terminal(), title, total) as bar:
        yield bar.update
