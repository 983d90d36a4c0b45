"""``lusory bots``: what a ruleset tells its bots, what that is worth, with ``--fit`` better weights for it, and with
``--levels`` how much `fair` should think."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.formatter.advice import has_section, value_in, with_level, with_value
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.disk import home_of, write_whole
from lusory_dsl.text.files import SHEET, ruleset_files
from lusory_dsl.text.printable import json_text, one_line
from lusory_dsl.text.source import Source
from lusory_dsl.yaml.reader import decode_source, read_bytes

from ..console import streams
from .common import demand_own_file, find_ruleset, in_native, kinds_in, load, make_game, progress, tell_of
from .errors import INTERRUPTED, UsageError

if TYPE_CHECKING:
    from ..game import Game
    from ..study.advising import Advising
    from ..study.levelling import Levelling


def run(args: argparse.Namespace) -> int:
    """0: it was told; 130: interrupted, with what was found by then told."""
    from ..study.advising import Advising
    from ..study.fitting import NoTerms, terms_of

    if args.write:
        if not (args.fit or args.levels):
            hint = "lusory bots GAME --fit --write, or --levels --write"
            raise UsageError("--write: without --fit or --levels there is nothing to write", hint)
        demand_own_file(Path(args.game))
    program = load(args.game, args.packs)
    _demand_kind(args.by)
    game = make_game(program, args.players, args.options, args.engine)
    source = _file(find_ruleset(args.game))
    if args.levels:
        return _levels(game, source, args)
    try:
        found = Advising(game, args.by, terms_of(program, value_in(source), args.terms))
        interrupted = _worked(found, args)
    except NoTerms as why:
        raise UsageError(f"{program.name}: {why}", "--term TEXT adds a number of a player") from None
    tell_of(found.use, args.engine)
    if args.format == "json":
        streams.put_text(json_text({**found.to_json(), "whole": not interrupted}))
    else:
        from ..console.advice import advice
        from ..console.terminal import terminal

        terminal().print(*advice(found))
    if args.write and found.value is not None and not interrupted:
        _write(source, found)
    return INTERRUPTED if interrupted else 0


def _levels(game: Game, source: Source, args: argparse.Namespace) -> int:
    """How much `fair` should think: found, told, and put into the file where that is wanted."""
    from ..cache import default_cache
    from ..study.levelling import Levelling

    if args.contest is not None or args.terms:
        raise UsageError("--levels goes by what the ruleset says: it takes no --contest and no --term")
    work = Levelling(game, args.games, args.seed, args.jobs, default_cache(), in_native(args.engine))
    interrupted = False
    with progress("games", work.total) as show:
        try:
            work.run(show)
        except KeyboardInterrupt:
            interrupted = True
    tell_of(work.use, args.engine)
    if args.format == "json":
        streams.put_text(json_text({**work.to_json(), "whole": not interrupted}))
    else:
        from ..console.levels import levels
        from ..console.terminal import terminal

        terminal().print(*levels(work))
    if args.write and not interrupted:
        _write_level(source, work)
    return INTERRUPTED if interrupted else 0


def _demand_kind(kind: str) -> None:
    """Raises UsageError for who does not think in a number of simulations."""
    from ..play.players import RANDOM, is_trusted
    from ..play.players.kinds import SEARCHES
    from ..play.players.searching import PLANS

    is_own = not is_trusted(kind)
    if not is_own:
        kinds_in(kind, "--by")
    if is_own or (
        kind != RANDOM and kind not in PLANS and (kind.partition(":")[0] not in SEARCHES or kind.endswith("s"))
    ):
        raise UsageError(
            f"--by {kind}: one kind of bot plays on all seats, by a number of simulations", "--by mcts:200"
        )


def _worked(found: Advising, args: argparse.Namespace) -> bool:
    """Fit and compare, as far as that is wanted. Whether it was interrupted."""
    from ..cache import default_cache
    from ..study.fitting import Fitting

    store, native = default_cache(), in_native(args.engine)
    try:
        if args.fit:
            terms, many = found.terms.terms, (args.games, args.rounds, args.seed, args.jobs)
            found.fitting = Fitting(found.game, terms, found.kind, *many, store, native)
            with progress("games", args.games) as show:
                found.fitting.run(show)
        games = (0 if not args.fit else args.games) if args.contest is None else args.contest
        if games:
            contest = found.meet(games, args.seed, args.jobs, store, native)
            with progress("games of the contest", contest.total) as show:
                contest.run(show)
    except KeyboardInterrupt:
        return True
    return False


def _file(path: Path) -> Source:
    """The file of a ruleset that tells something to bots, or else that in which the game begins."""
    found = Diagnostics()
    files = [file for file in ruleset_files(path) if file.suffix != SHEET]
    read = [decode_source(str(file), read_bytes(file, str(file), found) or b"", found) for file in files]
    sources = [source for source in read if source is not None]
    mains = [source for source in sources if "\ngame:" in f"\n{source.text}"]
    return next((source for source in sources if has_section(source)), (mains or sources)[0])


def _write(source: Source, found: Advising) -> None:
    """Put the fitted value into its file, unless it did worse than what stands there."""
    points = found.points()
    name = one_line(source.name)
    if points is not None and points[0] < 1 / 2:
        streams.remark(f"lusory: {name} stays as it is: the fitted weights did worse in the contest")
        return
    assert found.value is not None
    _put(source, with_value(source, found.value), "put the value in by hand")


def _write_level(source: Source, work: Levelling) -> None:
    """Put the number for `fair` into its file, unless it is as it was, or no number is of any use."""
    from ..study.levelling import FAIR

    best = work.best
    if best is None or best.fair == work.before or not work.has_room:
        streams.remark(f"lusory: {one_line(source.name)} stays as it is: no other number is better")
        return
    _put(source, with_level(source, FAIR, best.fair), "put the number in by hand")


def _put(source: Source, text: str | None, hint: str) -> None:
    """Write a file anew."""
    name = one_line(source.name)
    if text is None:
        raise UsageError(f"{name} can't be changed", hint)
    write_whole(Path(source.name), text.encode("utf-8"), inside=home_of(Path(source.name)))
    streams.remark(f"lusory: wrote {name}; `lusory check` tells whether all is well")
