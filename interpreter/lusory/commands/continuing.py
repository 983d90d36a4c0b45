"""Going on with games that were left in the middle, and leaving one when the system says so. For ``lusory play``."""

from __future__ import annotations

import argparse
import shlex
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType

from ..console import streams
from ..console.app import Ended
from ..console.terminal import Terminal
from ..play.journal import Unfinished, discard, is_any_being_played, unfinished
from ..play.saves import Save
from .common import HUMAN
from .errors import UsageError
from .recorded import lasting

SHOWN = 9
"""So many unfinished games are listed."""
QUIT = b"\0"  # to the thread that watches; no signal has this number


def asked_for(args: argparse.Namespace) -> Unfinished:
    """The unfinished game that ``--continue`` means: the latest, of a game that is named."""
    found = _found(args.game, args.packs or None)
    if not found:
        which = f" of {args.game}" if args.game else ""
        if is_any_being_played():
            message = f"there is no unfinished game{which} that isn't open elsewhere"
            raise UsageError(message, "leave the game in the other terminal first")
        raise UsageError(f"there is no unfinished game{which}", "`lusory play GAME` begins one")
    for other in found[1:]:
        streams.remark(f"lusory: also unfinished: {described(other)}")
    return found[0]


def offered(screen: Terminal, game: str | None, packs: Sequence[str]) -> Unfinished | None:
    """The unfinished game that a person wants to go on with, if there are any and somebody is there to be asked; None:
    a new one. Of a game that is named, its own; else all. Raises UsageError when the person leaves."""
    found = _found(game, packs)
    while found:
        if not screen.interactive:
            command = shlex.join(["lusory", "play", *([game] if game else []), "--continue"])
            streams.remark(f"lusory: unfinished: {described(found[0])}; to go on: {command}")
            return None
        answer = _answer(screen, found, game is not None)
        if answer == "n" and game is not None:
            return None
        kind, _, which = answer.partition(" ")
        if kind == "d" and (number := _number(which or "1", found)):
            if _confirms(screen, found[number - 1]):
                with suppress(OSError):
                    discard(found.pop(number - 1))
        elif answer == "":
            return found[0]
        elif number := _number(answer, found):
            return found[number - 1]
        elif answer == "q":
            raise UsageError("nothing was begun")
    return None


def _number(typed: str, found: Sequence[Unfinished]) -> int:
    """The number of one of the games that are listed; 0 for anything else."""
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 3 else 0
    return number if number <= min(len(found), SHOWN) else 0


def _confirms(screen: Terminal, one: Unfinished) -> bool:
    """Whether a person means to throw a game away."""
    try:
        return screen.read(f"Throw away {described(one)}? y for yes: ").strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False


def _answer(screen: Terminal, found: Sequence[Unfinished], may_begin: bool) -> str:
    """What a person answers to the games found, in small letters."""
    screen.pipe("")
    if len(found) == 1:
        screen.pipe(f"Unfinished: {described(found[0])}")
        choices = "Enter goes on, d throws it away, "
    else:
        screen.pipe("Unfinished games:")
        for number, one in enumerate(found[:SHOWN], 1):
            screen.pipe(f"  {number}  {described(one)}")
        if len(found) > SHOWN:
            screen.pipe(f"     and {len(found) - SHOWN} older ones")
        choices = "A number goes on with that game, Enter with 1, d 2 throws 2 away, "
    try:
        return screen.read(choices + ("n begins a new game, q leaves. " if may_begin else "q leaves. ")).strip().lower()
    except (EOFError, KeyboardInterrupt):
        return "q"


def left_in_the_middle() -> list[str]:
    """The unfinished games in words, the latest first."""
    return [described(one) for one in _found(None, None)]


def _found(game: str | None, packs: Sequence[str] | None) -> list[Unfinished]:
    """The unfinished games, of one game where it is named, the latest first. ``packs`` None: with whichever packs."""
    problems: list[str] = []
    found = unfinished(problems)
    for problem in problems:
        streams.complain(f"a journal of an unfinished game: {problem}")
    if game is None:
        return found
    ruleset = lasting(game)
    wanted = None if packs is None else tuple(lasting(pack, is_pack=True) for pack in packs)
    return [one for one in found if one.save.ruleset == ruleset and wanted in (None, one.save.packs)]


def described(one: Unfinished) -> str:
    """``GAME, 3 decisions, Ann, P2 (random), 5 minutes ago``."""
    return in_words(one.save, one.when)


def in_words(save: Save, when: float) -> str:
    """A game that can be gone on with, as :func:`described`. ``when``: in seconds since 1970."""
    made = len(save.transcript.decisions)
    seats = [n if kind == HUMAN else f"{n} ({kind})" for n, kind in zip(save.names, save.kinds, strict=True)]
    number = "1 decision" if made == 1 else f"{made} decisions"
    return f"{save.transcript.program}, {number}, {', '.join(seats)}, {_ago(time.time() - when)}"


def _ago(seconds: float) -> str:
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            number = int(seconds // length)
            return f"{number} {name}{'' if number == 1 else 's'} ago"
    return "just now"


# ---------------------------------------------------------------- signals


@contextmanager
def ending_by_signals() -> Iterator[None]:
    """Within this, the signals by which a system ends programs raise :class:`Ended`, once."""
    names = [name for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]

    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ended.set()
        for name in names:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        name = signal.Signals(number).name
        if name == "SIGHUP":
            streams.terminal_is_gone()
        raise Ended(number, name, hung_up=name == "SIGHUP")

    before = {}
    with suppress(ValueError):  # only the main thread is told of signals
        before = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        with _noticed(ended) if before else nullcontext():
            yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


@contextmanager
def _noticed(ended: threading.Event) -> Iterator[None]:
    """Wakes the main thread until it has noticed a signal: one that comes just before it begins to wait for a key would
    else wait with it. Where the system can't wake a thread, nothing is done."""
    if not hasattr(signal, "pthread_kill"):
        yield
        return
    main = threading.main_thread().ident
    assert main is not None
    told, tell = socket.socketpair()
    tell.setblocking(False)
    nudge = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    before = signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)

    def wake() -> None:
        while (number := told.recv(1)) != QUIT:
            if number[0] in (signal.SIGTERM, signal.SIGHUP):
                while not ended.wait(0.1):
                    signal.pthread_kill(main, signal.SIGUSR1)

    watch = threading.Thread(target=wake, daemon=True)
    watch.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        ended.set()
        tell.send(QUIT)
        watch.join()
        signal.signal(signal.SIGUSR1, nudge)
        told.close()
        tell.close()
