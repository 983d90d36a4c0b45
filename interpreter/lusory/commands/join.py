"""Run ``lusory join``: take a seat at a match that another process hosts."""

from __future__ import annotations

import argparse
import asyncio
import os

from lusory_dsl.source.source import make_one_line

from ..ui.line import streams
from ..ui.line.app import FAILED, INTERRUPTED, PLAYED, SIGNALLED, Ended
from ..ui.line.terminal import terminal
from ..ui.session.protocol import TOKEN, TOUCH, Address, Guest, address_of
from .errors import UsageError


def run(args: argparse.Namespace) -> int:
    screen = terminal()
    address = address_of(args.address)
    if address is None:
        raise UsageError(f"`{args.address}` is not an address", "write HOST:PORT/TOKEN, as the host shows it")
    in_browser = streams.in_browser()
    if not in_browser and not streams.carry_full_screen():
        hint = "or play at one keyboard, line by line: `lusory play GAME --seats human,human`"
        raise UsageError("`lusory join` needs a full screen: a terminal of at least 60 columns and 20 rows", hint)
    if in_browser:
        address = address._replace(token=os.environ.pop(TOKEN, address.token))
    if not address.token:
        typed = screen.read("Token (the host shows it): ").strip()
        address = address._replace(token=typed)
    from ..ui.textual.replay import joined

    has_touch = in_browser and bool(os.environ.get(TOUCH))
    try:
        went = asyncio.run(_check_connection(address)) or joined(Guest(address), has_touch)
        if went.failure is not None:
            raise went.failure
    # An invalid host name raises UnicodeError.
    except (OSError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or str(problem) or "no answer"
        raise UsageError(f"nobody hosts a game at {address.host} port {address.port}: {why}") from None
    except Ended as end:
        return SIGNALLED + end.signal
    # A host can send a valid message whose screen can't be drawn.
    except Exception as problem:
        streams.complain(f"the host sent a screen that can't be displayed ({type(problem).__name__})")
        return FAILED
    if went.how == "refused" and not in_browser:
        streams.complain(went.words)
        return FAILED
    if went.words and not in_browser:
        screen.pipe(make_one_line(went.words))
    return INTERRUPTED if went.interrupted else PLAYED


async def _check_connection(address: Address) -> None:
    """Check that the host listens, before the full screen starts. Raises OSError."""
    _, writer = await asyncio.wait_for(asyncio.open_connection(address.host, address.port), 10)
    writer.close()
