"""Run ``lusory host``: hold a match that each player joins from a screen of their own, with a secret token."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shlex
import socket
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lusory.commands.handlers.play_and_resume import GameTable, raise_on_signals, set_up_table
from lusory_dsl.source.source import make_one_line

from ...native import get_usage
from ...play.bot_deciding_for_a_person_and_pacing import BotPace
from ...play.bot_kinds_python_players_and_recordings import BOT, create_bot
from ...play.match import DecisionNotSaved
from ...play.player_interface_scripted_and_random_players import Player
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.line_session import FAILED, INTERRUPTED, PLAYED, SIGNALLED, ProgramEnded
from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from ...ui.session.match_service_answering_seat_requests import MatchService
from ...ui.session.messages import LOCAL_HOST, Address
from ...ui.session.server import MatchServer, catch_signals
from ..errors import UsageError, describe_network_error
from ..game_loading_seats_and_output import NATIVE, report_native

if TYPE_CHECKING:
    from ...ui.session.browser_page_server import PageServer


def run(args: argparse.Namespace) -> int:
    """Host a match until it is over or interrupted. Returns the exit code.

    It is PLAYED, INTERRUPTED after Ctrl-C, or FAILED if the rules fail or a decision can't be saved. After a signal
    that ended the match, it is SIGNALLED plus the number of the signal. Raises UsageError if no seat is a person's, or
    if the port can't be opened.
    """
    screen = create_terminal()
    try:
        with raise_on_signals():
            table = set_up_table(args, screen)
            if not table.people:
                raise UsageError(
                    "nobody can join, because bots take all seats", "for example --seats human,human,random"
                )
            return _run_match(args, table, screen)
    except ProgramEnded as end:
        return SIGNALLED + end.signal


def _run_match(args: argparse.Namespace, table: GameTable, screen: Terminal) -> int:
    """Run the match until it is over, and save it if it is not. Returns the exit code."""
    code, message = PLAYED, "The game is saved."
    try:
        code = asyncio.run(_run_until_signal(_serve(args, table, screen)))
    except RulesetFault as fault:
        screen.print_fault(fault, shows_position=False)
        code = FAILED
    except DecisionNotSaved as problem:
        plain_output.report_error(f"the game stops, because it can't be saved: {problem}")
        code, message = FAILED, "The game is saved except for its last decision."
    except OSError as problem:
        reason = describe_network_error(problem)
        raise UsageError(f"port {args.port} can't be opened at {args.address}: {reason}") from None
    if table.engine == NATIVE:
        report_native(get_usage(table.match.backend), table.engine)
    is_over = table.match.decision is None
    if table.journal is not None:
        table.journal.close(keeps_file=not is_over)
    if is_over:
        table.record_result(table.match)
    if table.match.turns and not is_over:
        command = shlex.join(["lusory", "host", *([args.game] if args.game else []), "--continue"])
        screen.print_raw(make_one_line(f"{message} To continue: {command}"))
    return code


async def _run_until_signal(work: Coroutine[Any, Any, None]) -> int:
    """Run a task until it is done or a signal ends the program. Returns the exit code."""
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    code = PLAYED

    def end(reason: ProgramEnded | None) -> None:
        nonlocal code
        code = INTERRUPTED if reason is None else SIGNALLED + reason.signal
        loop.call_soon_threadsafe(task.cancel)

    with catch_signals(end), suppress(asyncio.CancelledError):
        await task
    return code


def find_own_address(listen_address: str) -> str:
    """Return the address at which others reach a server that listens at ``listen_address``.

    For ``0.0.0.0`` this is the IPv4 address that this computer uses towards other networks, and for ``::`` the IPv6
    address. Without such an address, and for any other ``listen_address``, it is ``listen_address`` itself. Sends
    nothing.
    """
    # Addresses for documentation: to connect a datagram socket only selects the address that it would send from.
    targets = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}
    if listen_address not in targets:
        return listen_address
    family, target = targets[listen_address]
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((target, 9))
        return str(probe.getsockname()[0])
    return listen_address


async def _serve(args: argparse.Namespace, table: GameTable, screen: Terminal) -> None:
    match, journal = table.match, table.journal
    tokens: dict[int | None, str] = {seat: secrets.token_urlsafe(12) for seat in table.people}
    tokens[None] = secrets.token_urlsafe(12)
    bots: dict[int, Player] = {seat: create_bot(BOT, match.seed, seat, match.backend) for seat in table.people}
    service = MatchService(match, table.names, table.explain_rules, table.explain_name)
    server = MatchServer(
        service,
        tokens,
        bots,
        args.patience,
        lambda text: screen.print_raw(make_one_line(text)),
        (lambda: None) if journal is None else journal.sync,
        BotPace(args.pace),
    )

    pages: PageServer | None = None
    address = find_own_address(args.address)

    def announce_address(port: int) -> None:
        if pages is not None:
            pages.match = Address(address, port, "")
        screen.print_raw(
            make_one_line(f"{match.game.program.name} waits for its players. Each joins from a terminal of their own:")
        )
        for seat, token in tokens.items():
            name = "spectators" if seat is None else table.names[seat]
            screen.print_raw(make_one_line(f"  {name}: lusory join {Address(address, port, token)}"))
            if pages is not None:
                screen.print_raw(make_one_line(f"  {' ' * len(name)}  or http://{Address(address, pages.port, token)}"))
        if args.address != LOCAL_HOST:
            screen.print_raw(
                "The connection is not encrypted: others on the network can read it, unless you use a tunnel."
            )
        screen.print_raw("Ctrl-C stops the game and saves it.")
        plain_output.flush()

    if args.browser is None:
        await server.serve_match(args.address, args.port, announce_address)
        return
    try:
        from ...ui.session.browser_page_server import PageServer
    except ModuleNotFoundError as problem:
        raise UsageError(f"--browser needs the package `{problem.name}`", "run pip install 'lusory[browser]'") from None
    pages = PageServer(tokens, match.game.program.name)
    await pages.listen(args.address, args.browser)
    try:
        await server.serve_match(args.address, args.port, announce_address)
    finally:
        await pages.close()
