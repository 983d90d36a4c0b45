"""``lusory check --watch``: checks whenever something is saved, until interrupted. The only door to watchfiles."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import NoReturn

from watchfiles import watch as changes

from lusory_dsl.core import Program
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.disk import CARDS, CASES, FileRefused
from lusory_dsl.text.files import fingerprint, path_fingerprint, read_files
from lusory_dsl.text.memory import remembering

from ..author.cases import case_files
from ..console.terminal import Terminal, terminal
from .checking import case_mistakes, show
from .common import checked

QUIET = 40  # milliseconds without a change that end a burst of them
BURST = 400  # milliseconds after which a burst is answered all the same
LOOK = 300  # milliseconds after which files are looked at though nothing was told: not every disk tells


def watch(paths: Sequence[Path], packs: Sequence[Path]) -> NoReturn:
    """Never ends by itself; KeyboardInterrupt passes through.

    What is read is compared by content: a file that is saved as it was is not checked again."""
    screen = terminal()
    seen: list[str | None] = []
    folders: list[Path] = []
    told: Iterator[object] = iter(())

    def outdated() -> bool:
        return _content(paths, packs) != seen

    gc.disable()  # a round makes more garbage than it is worth stopping for; it is collected between rounds
    with remembering() as memory:
        while True:
            while outdated():
                seen = _content(paths, packs)
                _round(screen, paths, packs, outdated)
                memory.next_round()
                gc.collect()
            if folders != (folders := _folders(paths, packs)):
                told = _changes(folders)
            next(told)


def _changes(folders: Sequence[Path]) -> Iterator[object]:
    """Comes whenever something may have changed; from the first time on, nothing is missed."""
    return changes(
        *folders,
        watch_filter=None,
        recursive=False,
        step=QUIET,
        debounce=BURST,
        rust_timeout=LOOK,
        yield_on_timeout=True,
    )


def _folders(paths: Sequence[Path], packs: Sequence[Path]) -> list[Path]:
    """The folders in which a change may matter. Never a file: editors put a new one in its place."""
    found: dict[Path, None] = {}
    for path in (*paths, *packs):
        folder = path if path.is_dir() else path.parent
        inner = (path / CARDS, path / CASES) if path.is_dir() else ()
        found |= dict.fromkeys(f for f in (folder, *inner) if f.is_dir())
    return list(found) or [Path()]


def _content(paths: Sequence[Path], packs: Sequence[Path]) -> list[str | None]:
    """Changes with the content of any file that a check reads."""
    folders = [place for place in (*paths, *packs) if place.is_dir()]
    return [fingerprint(read_files(path, packs)) for path in paths] + [_of_cases(folder) for folder in folders]


def _of_cases(folder: Path) -> str | None:
    try:
        return path_fingerprint(case_files(folder))
    except FileRefused:
        return None


def _round(screen: Terminal, paths: Sequence[Path], packs: Sequence[Path], outdated: Callable[[], bool]) -> None:
    """Check everything once and show it: the rules as soon as they are checked, then their cases too.

    What is outdated by then is left to the next round."""
    start = perf_counter()
    found = Diagnostics()
    programs: list[tuple[Program, Path]] = []
    for path in paths:
        of_this = Diagnostics()
        program = checked(read_files(path, packs), of_this)
        found.extend(of_this.sorted())
        if program is not None:
            programs.append((program, path))
    if programs:
        screen.console.clear()
        screen.diagnostics(found.sorted())
        screen.print(f"{_told_at(start)} The rules are checked, the cases are being read …")
        if outdated():
            return
    for program, path in programs:
        found.extend(case_mistakes(program, path, packs))
    screen.console.clear()
    show(screen, found.sorted(), len(paths))
    screen.print(f"{_told_at(start)} Watching for changes, Ctrl-C ends.", "")


def _told_at(start: float) -> str:
    return f"{datetime.now():%H:%M:%S}, after {perf_counter() - start:.2f} s."
