"""Run ``lusory host``: hold a match that each player joins from a screen of their own, with a secret token."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shlex
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lusory_dsl.source.source import make_one_line

from ..native import get_usage
from ..play.match import DecisionNotSaved
from ..play.players import Player
from ..play.registry import BOT, create_bot
from ..state.decision import RulesetFault
from ..ui.line import streams
from ..ui.line.app import FAILED, INTERRUPTED, PLAYED, SIGNALLED, Ended
from ..ui.line.terminal import Terminal, terminal
from ..ui.session.protocol import HOME, Address
from ..ui.session.server import Server, told_of_signals
from ..ui.session.session import Sitting
from .command_helpers import report_native
from .errors import UsageError
from .play import Seating, raise_on_signals, set_up

if TYPE_CHECKING:
    from ..ui.session.browser import Pages


def run(args: argparse.Namespace) -> int:
    screen = terminal()
    try:
        with raise_on_signals():
            table = set_up(args, screen)
            if not table.people:
                raise UsageError(
                    "nobody can join, because bots take all seats", "for example --seats human,human,random"
                )
            return _run_match(args, table, screen)
    except Ended as end:
        return SIGNALLED + end.signal


def _run_match(args: argparse.Namespace, table: Seating, screen: Terminal) -> int:
    """Run the match until it is over, and save it if it is not. Returns the exit code."""
    code, kept = PLAYED, "The game is saved."
    try:
        code = asyncio.run(_run_until_signal(_serve(args, table, screen)))
    except RulesetFault as fault:
        screen.fault(fault)
        code = FAILED
    except DecisionNotSaved as problem:
        streams.complain(f"the game stops, because it can't be saved: {problem}")
        code, kept = FAILED, "The game is saved except for its last decision."
    except OSError as problem:
        raise UsageError(f"port {args.port} can't be opened at {args.address}: {problem.strerror}") from None
    report_native(get_usage(table.match.core), table.engine)
    is_over = table.match.decision is None
    if table.journal is not None:
        table.journal.close(keep=not is_over)
    if is_over:
        table.ended(table.match)
    if table.match.turns and not is_over:
        screen.pipe(make_one_line(f"{kept} To continue: {_continue_command(args)}"))
    return code


async def _run_until_signal(work: Coroutine[Any, Any, None]) -> int:
    """Run a task until it is done or a signal ends the program. Returns the exit code."""
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    code = PLAYED

    def end(why: Ended | None) -> None:
        nonlocal code
        code = INTERRUPTED if why is None else SIGNALLED + why.signal
        loop.call_soon_threadsafe(task.cancel)

    with told_of_signals(end), suppress(asyncio.CancelledError):
        await task
    return code


async def _serve(args: argparse.Namespace, table: Seating, screen: Terminal) -> None:
    match, journal = table.match, table.journal
    tokens: dict[int | None, str] = {seat: secrets.token_urlsafe(12) for seat in table.people}
    tokens[None] = secrets.token_urlsafe(12)
    bots: dict[int, Player] = {seat: create_bot(BOT, match.seed, seat, match.core) for seat in table.people}
    sitting = Sitting(match, table.names, table.rules, table.said_of)
    server = Server(
        sitting,
        tokens,
        bots,
        args.patience,
        lambda words: screen.pipe(make_one_line(words)),
        (lambda: None) if journal is None else journal.sync,
        args.pace,
    )

    pages: Pages | None = None

    def opened(port: int) -> None:
        if pages is not None:
            pages.match = Address(args.address, port, "")
        screen.pipe(
            make_one_line(f"{match.game.program.name} waits for its players. Each joins from a terminal of their own:")
        )
        for seat, token in tokens.items():
            who = "spectators" if seat is None else table.names[seat]
            screen.pipe(make_one_line(f"  {who}: lusory join {Address(args.address, port, token)}"))
            if pages is not None:
                screen.pipe(make_one_line(f"  {' ' * len(who)}  or http://{Address(args.address, pages.port, token)}"))
        if args.address != HOME:
            screen.pipe("The connection is not encrypted: others on the network can read it, unless you use a tunnel.")
        screen.pipe("Ctrl-C stops the game and saves it.")
        streams.flush()

    if args.browser is None:
        await server.hold(args.address, args.port, opened)
        return
    pages = _create_pages(tokens, match.game.program.name)
    await pages.listen(args.address, args.browser)
    try:
        await server.hold(args.address, args.port, opened)
    finally:
        await pages.close()


def _create_pages(tokens: Mapping[int | None, str], title: str) -> Pages:
    """Return the server of browser pages. Raises UsageError if its package is not installed."""
    try:
        from ..ui.session.browser import Pages
    except ModuleNotFoundError as problem:
        raise UsageError(f"--browser needs the package `{problem.name}`", "run pip install 'lusory[browser]'") from None
    return Pages(tokens, title)


def _continue_command(args: argparse.Namespace) -> str:
    return shlex.join(["lusory", "host", *([args.game] if args.game else []), "--continue"])
