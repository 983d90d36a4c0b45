"""``lusory play``: a game in the terminal, new or continued."""

from __future__ import annotations

import argparse

from ..console.app import SIGNALLED, Ended, Session
from ..console.human import Desk
from ..console.terminal import terminal
from .continuing import ending_by_signals
from .setting_up import set_up


def run(args: argparse.Namespace) -> int:
    try:
        with ending_by_signals():
            return _session(args).run()
    except Ended as end:
        return SIGNALLED + end.signal


def _session(args: argparse.Namespace) -> Session:
    screen = terminal()
    table = set_up(args, screen)
    desk = Desk(screen, table.names, table.rules, table, len(table.people), table.is_secretive, table.journal)
    return Session(screen, table.match, desk, table.replay, table.again)
