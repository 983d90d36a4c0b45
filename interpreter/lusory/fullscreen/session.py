"""A match at a full screen, from the first to the result: the session of the console, played elsewhere."""

from __future__ import annotations

from ..console import drawing
from ..console.app import Session
from ..console.human import Leave
from ..hosting.guest import Guest
from ..hosting.keyboard import Keyboard
from ..hosting.recorded import Recorded
from ..hosting.sitting import Sitting
from ..screen.making import screen_of
from .replay import ReplayApp
from .table import TableApp, Went


class FullSession(Session):
    """Ends as a session of lines does: with words about what is kept, in the scrollback."""

    def _welcome(self) -> None:
        """The table speaks for itself."""

    def _play(self) -> None:
        desk = self.desk
        link = Keyboard(
            Sitting(self.match, desk.names, desk.rules, desk.said_of),
            desk.files,
            desk.secretive,
            desk.journal,
            self.pace,
        )
        interactive, self.terminal.interactive = self.terminal.interactive, False  # keys go to the full screen
        try:
            went = shown(TableApp(link))
        finally:
            link.leave()
            self.terminal.interactive = interactive
        self.desk.journal = link.journal
        if went.failure is not None:
            raise went.failure
        if went.how == "plain":
            self.desk.forget_table()
            super()._play()
            return
        if went.how == "left" or self.match.outcome is None:
            raise Leave(keep=went.keep and bool(self.match.turns), interrupted=went.interrupted)
        if went.how in ("rematch", "again"):
            self.once_more = went.how

    def _finish(self) -> None:
        if not self.once_more:
            screen = screen_of(self.match, None, self.desk.names)
            assert screen.ending is not None, "the game is over"
            self.terminal.print("", drawing.ending(screen.ending, screen), "")
            self.terminal.pipe(f"Seed {self.match.seed}. To play it again: {self.replay}")


def joined(guest: Guest, has_touch: bool = False) -> Went:
    """A seat at a match that somebody else holds, from the first screen to the last."""
    return shown(TableApp(guest, has_touch))


def stepped_through(recorded: Recorded) -> Went:
    """A recorded game, until somebody has seen enough."""
    return shown(ReplayApp(recorded))


def shown(app: TableApp) -> Went:
    """Show a table until it is left."""
    interrupted = Went("left", keep=True, interrupted=True)
    return app.to_end(interrupted, Went("left", keep=True)) or Went("left", keep=True)
