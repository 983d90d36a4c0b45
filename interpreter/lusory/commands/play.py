"""``lusory play``: a game in the terminal, new or continued."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..console import streams
from ..console.app import SIGNALLED, Ended, Session
from ..console.human import Desk
from ..console.terminal import terminal
from ..native_code import use_of
from ..play import typed
from .common import tell_of
from .continuing import ending_by_signals
from .keeping import Seating
from .setting_up import once_more, set_up


def run(args: argparse.Namespace) -> int:
    try:
        with ending_by_signals():
            table = set_up(args, terminal())
            with typed_before(table):
                return play_games(table, args.plain, args.pace)
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


def play_games(table: Seating, plain: bool, pace: float) -> int:
    """Play games at one table until the person wants no other, and return the exit code of the last.

    ``pace`` is how many seconds each step of a bot is shown.
    """
    while True:
        session = _session(table, plain, pace)
        code = session.run()
        tell_of(use_of(table.match.core), table.engine)
        if not session.once_more:
            return code
        table = once_more(table, same=session.once_more == "again")


def _session(table: Seating, plain: bool, pace: float) -> Session:
    """A game at the better of two tables: full screen where a person and their terminal can have it, else lines."""
    people, secretive = len(table.people), table.is_secretive
    desk = Desk(table.terminal, table.names, table.rules, table, people, secretive, table.journal, table.said_of)
    make = Session
    if table.people and not plain and streams.carry_full_screen():
        from ..fullscreen.session import FullSession as make  # only now is it imported
    return make(table.terminal, table.match, desk, table.replay, table.again, pace)
