"""``lusory play``: a game in the terminal, new or continued."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from ..console import streams
from ..console.app import SIGNALLED, Ended, Session
from ..console.human import Desk
from ..console.terminal import terminal
from ..native_search import use_of
from ..play import typed
from ..play.pondering import pondering
from .common import tell_of
from .continuing import ending_by_signals
from .keeping import Seating
from .setting_up import once_more, set_up


def run(args: argparse.Namespace) -> int:
    try:
        with ending_by_signals():
            table = set_up(args, terminal())
            with typed_before(table):
                return played(table, args.plain, args.ponder, args.pace)
    except Ended as end:
        return SIGNALLED + end.signal


@contextmanager
def typed_before(table: Seating) -> Iterator[None]:
    """Within this the arrow keys bring back what was typed at games before; where several share a keyboard nothing is
    kept, for it may tell what one of them alone knows."""
    screen = table.terminal
    if not screen.interactive or len(table.people) != 1:
        yield
        return
    screen.recall(typed.lines())
    try:
        yield
    finally:
        if screen.commands:
            with suppress(OSError):
                typed.keep(screen.commands)


def played(table: Seating, plain: bool, ponder: bool, pace: float) -> int:
    """One game after the other, as long as the person wants. ``ponder``: bots think while people do; ``pace``: seconds
    for which their steps are shown. The exit code of the last."""
    while True:
        session = _session(table, plain, pace)
        with thinking_ahead(table, ponder):
            code = session.run()
        tell_of(use_of(table.match.core), table.engine)
        if not session.once_more:
            return code
        table = once_more(table, same=session.once_more == "again")


def thinking_ahead(table: Seating, ponder: bool) -> AbstractContextManager[None]:
    """Within this bots think while people do, where people sit at a terminal."""
    if not (ponder and table.people and table.terminal.interactive):
        return nullcontext()
    return pondering(table.match, dict(enumerate(table.kinds)))


def _session(table: Seating, plain: bool, pace: float) -> Session:
    """A game at the better of two tables: full screen where a person and their terminal can have it, else lines."""
    people, secretive = len(table.people), table.is_secretive
    desk = Desk(table.terminal, table.names, table.rules, table, people, secretive, table.journal, table.said_of)
    make = Session
    if table.people and not plain and streams.carry_full_screen():
        from ..fullscreen.session import FullSession as make  # only now is it imported
    return make(table.terminal, table.match, desk, table.replay, table.again, pace)
