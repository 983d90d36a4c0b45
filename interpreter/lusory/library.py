"""The library of a setting, whole games or stepwise play: kept by what it was made of, or printed and compiled."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypedDict, Unpack

from .cache import Cache
from .compile.c.kinds import NotNative
from .compile.c.results import Reader, Row
from .compile.c.states import StateForm, form_of, plain_form
from .compile.module import key_of
from .compiler import FLAGS, Began, NoNative, compiled, compiler
from .table.setting import Setting
from .workshop import Workshop


class NotBuilt(NoNative):
    """There may be, but it is not built."""


class How(TypedDict, total=False):
    """How a library is had. ``flags``: what else the compiler is told; ``build``: it is built where it is not kept (if
    not said, it is); ``began``: hears of each compiler at work."""

    flags: Sequence[str]
    build: bool
    began: Began | None


class Printed(Protocol):
    """C, what reads its results, how it writes a state out (None: it doesn't), and in how many parts it can be
    compiled."""

    @property
    def text(self) -> str: ...

    @property
    def reader(self) -> Reader: ...

    @property
    def form(self) -> StateForm | None: ...

    @property
    def parts(self) -> int: ...


@dataclass(frozen=True)
class Library:
    """``path``: of the file, which stays at least as long as this; ``reader``: of its results; ``form``: of a state."""

    path: Path
    reader: Reader
    form: StateForm | None
    workshop: Workshop | None = None


def library(
    setting: Setting, kind: str, printed: Callable[[], Printed], cache: Cache | None, **how: Unpack[How]
) -> Library:
    """That of this kind, which is kept in ``cache``. Raises NoNative, NotBuilt."""
    flags = tuple(how.get("flags", ()))
    key = f"{key_of(setting, 'playout')} {kind} {platform.machine()} {compiler()} {FLAGS} {flags}"
    kept = None if cache is None else cache.code(f"{key} reader")
    path = None if cache is None or kept is None else cache.library(key)
    if path is not None and kept is not None:
        row, texts, made, width, form = kept
        reader = Reader(setting, Row(*row), texts, made, width)
        return Library(path, reader, None if form is None else form_of(form))
    if not how.get("build", True):
        raise NotBuilt("it is not built")
    try:
        text = printed()
    except NotNative as refused:
        raise NoNative(str(refused)) from None
    content = compiled(text.text, flags, how.get("began"), text.parts)
    if cache is not None:
        one, form = text.reader, None if text.form is None else plain_form(text.form)
        row = one.row.seats, one.row.ranks, one.row.payoffs, one.row.shown, one.row.kinds
        cache.keep_code(f"{key} reader", (row, one.texts, one.made, one.width, form))
        cache.keep_library(key, content)
    workshop = Workshop()
    path = workshop.path / "game.so"
    path.write_bytes(content)
    return Library(path, text.reader, text.form, workshop)
