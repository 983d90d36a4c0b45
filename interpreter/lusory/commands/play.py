"""``lusory play``: a game in the terminal, new or continued."""

from __future__ import annotations

import argparse
import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path

from lusory_dsl.core import Program

from .. import saves
from ..console.app import Session
from ..console.human import Desk, Human
from ..console.terminal import Terminal, terminal
from ..game import DEFAULT_ENGINE, Game
from ..match import Match
from ..players import BOTS, Player, bot
from ..random_stream import Seed
from ..secure_stream import seed_of
from ..transcript import TranscriptError, game_of, picks_of
from .common import HUMAN, load, make_game, seat_kinds
from .errors import UsageError
from .explain import rules_in_words


def run(args: argparse.Namespace) -> int:
    session = _continued(args) if args.load else _new(args)
    return session.run()


def _new(args: argparse.Namespace) -> Session:
    if args.game is None:
        raise UsageError("play which game?", "`lusory list` shows the bundled ones")
    program = load(args.game, args.packs)
    kinds = seat_kinds(args.seats, args.players, program.min_players, (HUMAN, *BOTS), HUMAN)
    game = make_game(program, len(kinds), args.options, args.engine)
    seed = seed_of(secrets.token_bytes(16)) if args.seed is None else args.seed
    return _session(args.game, args.packs, game, kinds, _names(args.names, len(kinds)), seed, (), None)


def _continued(args: argparse.Namespace) -> Session:
    settled = {"players": "players", "seats": "seats", "seed": "seed", "options": "option", "packs": "with"}
    given = [f"--{typed}" for name, typed in settled.items() if getattr(args, name) not in (None, [])]
    if given:
        raise UsageError(f"{given[0]} is settled by the saved game")
    changed = None
    try:
        save = saves.read(Path(args.load))
        ruleset = args.game or save.ruleset
        program = load(ruleset, save.packs)
        if program.digest != save.transcript.digest:
            changed = "the ruleset has changed since the game was saved"
        game = game_of(program, save.transcript, engine=args.engine or DEFAULT_ENGINE)
        picks = picks_of(game, save.transcript)
    except TranscriptError as problem:
        raise UsageError(f"{args.load} can't be continued: {problem}", changed) from None
    except OSError as problem:
        raise UsageError(f"{args.load}: {problem.strerror or problem}") from None
    for kind in save.kinds:
        if kind not in (HUMAN, *BOTS):
            raise UsageError(f"{args.load} can't be continued: nobody is called `{kind}`")
    names = _names(args.names, len(save.kinds)) if args.names else save.names
    return _session(ruleset, save.packs, game, save.kinds, names, save.transcript.seed, picks, Path(args.load))


def _names(typed: str | None, players: int) -> list[str]:
    """What the players are called: as typed, in order of seats, else P1, P2, …"""
    names = [name.strip() for name in typed.split(",")] if typed else []
    if len(names) > players:
        raise UsageError(f"--names has {len(names)} names for {players} players")
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        raise UsageError("--names: two players have the same name")
    return [name or f"P{seat}" for seat, name in enumerate(names + [""] * (players - len(names)), 1)]


def _session(
    ruleset: str,
    packs: Sequence[str],
    game: Game,
    kinds: Sequence[str],
    names: Sequence[str],
    seed: Seed,
    picks: Sequence[int],
    own_file: Path | None,
) -> Session:
    """``own_file``: where the game is saved when nobody says where; None: a new file, from then on the same."""
    screen: Terminal = terminal()

    def save(file: str | None) -> str:
        nonlocal own_file
        if file is not None:
            path = Path(file).expanduser()
        else:
            path = own_file = own_file or saves.new_path(game.program.id)
        saved = saves.Save(
            saves.transcript_of(match), _lasting(ruleset), tuple(kinds), tuple(names), tuple(map(_lasting, packs))
        )
        try:
            saves.write(saved, path)
        except OSError as problem:
            return f"The game could not be saved: {path}: {problem.strerror or problem}"
        return f"Saved. To go on: lusory play --load {shlex.quote(str(path))}"

    def rules(name: str | None) -> str:
        try:
            return rules_in_words(ruleset, packs, name, screen.width)
        except UsageError as problem:
            return f"{problem}; {problem.hint}" if problem.hint else str(problem)

    desk = Desk(
        terminal=screen,
        names=names,
        rules=rules,
        save=save,
        people=kinds.count(HUMAN),
        secretive=_hides_something(game.program),
    )
    players: list[Player] = [
        Human(seat, desk) if kind == HUMAN else bot(kind, seed, seat) for seat, kind in enumerate(kinds)
    ]
    match = Match(game, players, seed, picks)
    return Session(screen, match, desk, _replay_command(ruleset, packs, game, kinds, seed))


def _lasting(ruleset: str) -> str:
    """What will still mean the same ruleset from another working directory."""
    path = Path(ruleset)
    return str(path.resolve()) if path.exists() else ruleset


def _hides_something(program: Program) -> bool:
    pools = program.pools.values()
    rules = [
        *(v.visible for v in program.variables.values()),
        *(p.visible for p in pools),
        *(p.moves for p in pools),
        *(z.visible for z in program.zones.values()),
    ]
    return any(rule.constant != "all" for rule in rules)


def _replay_command(ruleset: str, packs: Sequence[str], game: Game, kinds: Sequence[str], seed: Seed) -> str:
    """The command line that gives the same game again, with the same chance."""
    words = ["lusory", "play", ruleset, *(word for pack in packs for word in ("--with", pack))]
    words += ["--seats", ",".join(kinds), "--seed", str(seed)]
    for option in game.program.options:
        value = game.option_values[option.name]
        if value != option.default:
            written = option.values[value] if option.values else str(value).lower()
            words += ["--option", f"{option.name}={written}"]
    return shlex.join(words)
