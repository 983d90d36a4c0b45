"""Run ``lusory join``: take a seat at a match that another process hosts."""

from __future__ import annotations

import argparse
import asyncio
import os

from lusory_dsl.source.source import make_one_line

from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.line_session import FAILED, INTERRUPTED, PLAYED, SIGNALLED, ProgramEnded
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ...ui.session.messages import TOKEN_VARIABLE, TOUCH_VARIABLE, Address, RemoteLink, parse_address
from ..errors import UsageError, describe_network_error


def run(args: argparse.Namespace) -> int:
    """Connect to a host and play on the full screen until the match ends or the user leaves. Returns the exit code.

    It is PLAYED (0), also if the connection is lost, or INTERRUPTED (130) after Ctrl-C. It is FAILED (1) if the host
    refuses or sends a screen that can't be drawn; in a browser, a refusal gives PLAYED. After a signal that ended the
    program, it is SIGNALLED (128) plus the number of the signal.

    Asks for the token if ``args.address`` has none. In a browser, the environment variable ``TOKEN_VARIABLE`` is
    removed, and comes before the token of the address. Raises UsageError for an address of another form than
    ``HOST[:PORT][/TOKEN]``, and if nobody hosts a game there. Outside a browser, it also does so if the terminal
    can't show a full screen, such as one with fewer than 60 columns or 20 rows.
    """
    screen = create_terminal()
    address = parse_address(args.address)
    if address is None:
        raise UsageError(f"`{args.address}` is not an address", "write HOST:PORT/TOKEN, as the host shows it")
    in_browser = plain_output.is_in_browser()
    if not in_browser and not plain_output.can_show_full_screen():
        hint = "or play at one keyboard, line by line: `lusory play GAME --seats human,human`"
        raise UsageError("`lusory join` needs a full screen: a terminal of at least 60 columns and 20 rows", hint)
    if in_browser:
        address = address._replace(token=os.environ.pop(TOKEN_VARIABLE, address.token))
    if not address.token:
        address = address._replace(token=screen.read("Token (the host shows it): ").strip())
    from ...ui.textual.replay_local_and_remote_sessions import run_guest

    has_touch = in_browser and bool(os.environ.get(TOUCH_VARIABLE))
    try:
        session = asyncio.run(_check_connection(address)) or run_guest(RemoteLink(address), has_touch)
        if session.failure is not None:
            raise session.failure
    # An invalid host name raises UnicodeError.
    except (OSError, UnicodeError) as problem:
        reason = describe_network_error(problem)
        raise UsageError(f"nobody hosts a game at {address.host} port {address.port}: {reason}") from None
    except ProgramEnded as end:
        return SIGNALLED + end.signal
    # A host can send a valid message whose screen can't be drawn.
    except Exception as problem:
        plain_output.report_error(f"the host sent a screen that can't be displayed ({type(problem).__name__})")
        return FAILED
    if session.how == "refused" and not in_browser:
        plain_output.report_error(session.words)
        return FAILED
    if session.words and not in_browser:
        screen.print_raw(make_one_line(session.words))
    return INTERRUPTED if session.is_interrupted else PLAYED


async def _check_connection(address: Address) -> None:
    """Check that the host listens, before the full screen starts. Raises OSError."""
    _, writer = await asyncio.wait_for(asyncio.open_connection(address.host, address.port), 10)
    writer.close()
