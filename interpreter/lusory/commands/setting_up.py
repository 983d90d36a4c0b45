"""The game that a person asks for on the command line, with everybody in their place: new, saved or unfinished."""

from __future__ import annotations

import argparse
import secrets
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lusory_dsl.text.printable import one_line

from ..cache import default_cache
from ..console.human import Human
from ..console.terminal import Terminal
from ..game import Game
from ..native_code import core_for
from ..play import saves, settings
from ..play.journal import Journal, Unfinished
from ..play.match import NO_SIMULATIONS, Match
from ..play.players import Player, PlayerMissing, UnknownKind, bot, demand, is_trusted, look_for
from ..play.transcript import TranscriptError
from ..table.chance import Seed
from ..table.secure_chance import seed_of
from .common import BOT, HUMAN, engine_at, in_native, load, make_game, seat_kinds
from .continuing import asked_for, offered
from .errors import UsageError
from .keeping import Seating
from .recorded import demand_there, lasting, refuse_settled, resumed, rules_of, short, with_file

LONGEST_NAME = 80


def set_up(args: argparse.Namespace, screen: Terminal) -> Seating:
    """The game that is asked for, with everybody in their place: a saved one, an unfinished one, or a new one."""
    if args.load:
        refuse_settled(args)
        return _loaded(args, screen)
    if args.resume:
        refuse_settled(args, but="packs")
    unfinished = asked_for(args) if args.resume else offered(screen, args.game, args.packs)
    if unfinished is not None:
        return _unfinished(args, unfinished, screen)
    if args.game is None:
        raise UsageError("play which game?", "`lusory list` shows the bundled ones")
    return _new(args, screen)


def _new(args: argparse.Namespace, screen: Terminal) -> Seating:
    program = load(args.game, args.packs)
    kinds = seat_kinds(args.seats, args.players, program.min_players, HUMAN, BOT, (HUMAN,))
    game = make_game(program, len(kinds), args.options, engine_at(kinds, args.engine), args.budgets)
    seed = seed_of(secrets.token_bytes(16)) if args.seed is None else args.seed
    table = Seating(screen, args.game, args.packs, kinds, names_of(args.names, len(kinds)), engine=args.engine)
    seated = _seated(table, game, seed, ())
    if table.people:
        with suppress(OSError):
            settings.keep(lasting(args.game), _settings(table))
    return seated


def _settings(table: Seating) -> settings.Settings:
    """How a game was begun, for the next time."""
    names = [name if name != f"P{seat}" else "" for seat, name in enumerate(table.names, 1)]
    packs = tuple(lasting(pack, is_pack=True) for pack in table.packs)
    options = tuple(_chosen(table.match.game))
    return settings.Settings(tuple(table.kinds), tuple(names) if any(names) else (), options, packs)


def _chosen(game: Game) -> Iterator[tuple[str, str]]:
    """The options that are not as by default, as they are typed."""
    for option in game.program.options:
        value = game.option_values[option.name]
        if value != option.default:
            yield option.name, option.values[value] if option.values else str(value).lower()


def _loaded(args: argparse.Namespace, screen: Terminal) -> Seating:
    file = Path(args.load)
    demand_there(file)
    try:
        save = saves.read(file)
    except TranscriptError as problem:
        raise with_file(file, problem) from None
    except OSError as problem:
        raise UsageError(f"{args.load}: {problem.strerror or problem}") from None
    again = f"lusory play --load {shlex.quote(args.load)}"
    return _continued(args, save, rules_of(save, file, args.game, args.trust), args.load, again, file, screen)


def _unfinished(args: argparse.Namespace, found: Unfinished, screen: Terminal) -> Seating:
    rules = rules_of(found.save, found.path, allow=True)
    again = shlex.join(["lusory", "play", *([args.game] if args.game else []), "--continue"])
    if found.dropped:
        screen.pipe("The last line of its journal was damaged and is left out.")
    return _continued(args, found.save, rules, str(found.path), again, None, screen, found)


def _continued(
    args: argparse.Namespace,
    save: saves.Save,
    rules: tuple[str, tuple[str, ...]],
    what: str,
    again: str,
    own_file: Path | None,
    screen: Terminal,
    found: Unfinished | None = None,
) -> Seating:
    for kind in save.kinds:
        try:
            demand(kind, (HUMAN,))
        except UnknownKind as problem:
            raise UsageError(f"{what} can't be continued: {problem}", problem.hint) from None
        if own_file is not None and not is_trusted(kind) and not args.trust:
            raise UsageError(
                f"{what} can't be continued: it names a player outside of lusory, `{kind}`",
                f"{again} --trust, if you know what that does",
            )
        try:
            look_for(kind)
        except PlayerMissing as problem:
            raise UsageError(f"{what} can't be continued: {problem}", problem.hint) from None
    game, picks = resumed(save, what, rules, engine_at(save.kinds, args.engine), args.changed_rules, again)
    names = names_of(args.names, len(save.kinds)) if args.names else save.names
    table = Seating(screen, *rules, save.kinds, names, own_file, args.engine)
    return _seated(table, game, save.transcript.seed, picks, found, save.transcript.simulations)


def names_of(typed: str | None, players: int) -> list[str]:
    """What the players are called: as typed, in order of seats, else P1, P2, …"""
    names = [name.strip() for name in typed.split(",")] if typed else []
    if len(names) > players:
        raise UsageError(f"--names has {len(names)} names for {players} players")
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        raise UsageError("--names: two players have the same name")
    if any(len(name) > LONGEST_NAME or not name.isprintable() for name in named):
        raise UsageError(f"--names: a name has at most {LONGEST_NAME} characters, which can be printed")
    return [name or f"P{seat}" for seat, name in enumerate(names + [""] * (players - len(names)), 1)]


def _seated(
    table: Seating,
    game: Game,
    seed: Seed,
    picks: Sequence[int],
    found: Unfinished | None = None,
    simulations: Mapping[int, int] = NO_SIMULATIONS,
) -> Seating:
    """Everybody in their place, and a journal of what they decide."""
    core = core_for(game, default_cache(), in_native(table.engine))
    players: list[Player] = [
        Human(seat, table.names[seat]) if kind == HUMAN else bot(kind, seed, seat, core)
        for seat, kind in enumerate(table.kinds)
    ]
    match = table.match = Match(game, players, seed, picks, simulations=simulations, core=core)
    if table.people:
        match.keeper = table.journal = _journal(table, Journal(game, seed, table.people), found)
    ruleset = short(table.ruleset)
    table.replay = _replay_command(ruleset, table.packs, game, table.kinds, seed)
    table.again = shlex.join(["lusory", "play", ruleset, "--continue"])
    return table


def once_more(table: Seating, same: bool) -> Seating:
    """The same people, rules and options again; with ``same`` also the same chance."""
    seed = table.match.seed if same else seed_of(secrets.token_bytes(16))
    seating = Seating(table.terminal, table.ruleset, table.packs, table.kinds, table.names, engine=table.engine)
    return _seated(seating, table.match.game, seed, ())


def _journal(table: Seating, journal: Journal, found: Unfinished | None) -> Journal | None:
    """A journal, or none where there can't be one."""
    try:
        if found is None:
            begun = table.as_save()
            saves.demand_readable(begun)
            journal.begin(begun)
        elif not journal.reopen(found):
            raise UsageError("this game is being played by another lusory")
    except TranscriptError as problem:
        raise UsageError(f"this game can't be played: no saved game could hold it: {problem.message}") from None
    except OSError as problem:
        where = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
        table.terminal.pipe(one_line(f"No journal is kept ({where}): a crash would lose this game."))
        return None
    return journal


def _replay_command(ruleset: str, packs: Sequence[str], game: Game, kinds: Sequence[str], seed: Seed) -> str:
    """The command line that gives the same game again, with the same chance."""
    words = ["lusory", "play", ruleset, *(word for pack in packs for word in ("--with", pack))]
    words += ["--seats", ",".join(kinds), "--seed", str(seed)]
    words += [word for name, value in _chosen(game) for word in ("--option", f"{name}={value}")]
    return shlex.join(words)
