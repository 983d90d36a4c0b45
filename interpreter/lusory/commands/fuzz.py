"""``lusory fuzz``: games that nobody would play, to find what is wrong with rules, and what nobody ever comes to."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import monotonic

from lusory_dsl.core import Program
from lusory_dsl.text.disk import folder_hindrance, write_whole
from lusory_dsl.text.printable import json_text

from ..author.fuzz.campaign import Campaign
from ..author.fuzz.case_file import recorded
from ..author.fuzz.variants import Variants
from ..author.fuzz.wrong import Script
from ..console import streams
from ..play import saves
from ..play.transcript import TranscriptError
from ..processes import ProcessGone
from .common import load, make_game, progress
from .errors import INTERRUPTED, UsageError
from .recorded import with_file

SECONDS = 60
"""How long it looks where nobody says."""


def run(args: argparse.Namespace) -> int:
    """0: nothing was found; 1: something was; 130: interrupted, with what was found told and written."""
    from ..cache import default_cache

    program = load(args.game, args.packs)
    game = make_game(program, args.players, args.options, None, args.budgets)
    given = {name.strip(): value.strip() for name, _, value in (one.partition("=") for one in args.options)}
    folder = Path(args.output or f"found-{program.id}")
    if hindered := folder_hindrance(folder):
        raise UsageError(f"--output: {hindered}", "cases are written into a folder, which is made where there is none")
    variants = Variants(program, args.players, given)
    seconds = args.seconds if args.seconds or args.games else SECONDS
    work = Campaign(
        program,
        variants,
        args.games,
        seconds,
        args.seed,
        args.jobs,
        game.setting.limits,
        default_cache(),
        [_start(program, variants, Path(name)) for name in args.starts],
    )
    stopped: BaseException | None = None
    start = monotonic()
    with progress("games" if args.games else "seconds", args.games or seconds) as show:
        try:
            work.run(lambda played: show(played if args.games else int(monotonic() - start)))
        except (KeyboardInterrupt, ProcessGone) as problem:  # what was found is told all the same
            stopped = problem
    if args.format == "json":
        streams.put_text(json_text(work.to_json()))
    else:
        from ..console.fuzzing import campaign
        from ..console.terminal import terminal

        terminal().print(*campaign(work, folder))
    for found in work.found:
        if found.file is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / found.file.name, found.file.text)
    if isinstance(stopped, ProcessGone):
        raise stopped
    if stopped is not None:
        return INTERRUPTED
    return 1 if work.found else 0


def _start(program: Program, variants: Variants, path: Path) -> Script:
    """A recorded game to go on from. Raises UsageError for a file that is none of this game."""
    try:
        return recorded(program, variants, saves.read(path).transcript)
    except TranscriptError as problem:
        raise with_file(path, problem) from None
    except OSError as problem:
        hint = "saved games, which `lusory games` lists, and recorded ones"
        raise UsageError(f"--from: {path} can't be read: {problem.strerror}", hint) from None
