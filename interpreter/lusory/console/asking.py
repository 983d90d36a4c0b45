"""What a seat asks in words, answered in lines: for those who draw lines themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console, RenderableType
from rich.style import Style

from lusory_dsl.text.printable import one_line

from ..game import Game
from ..screen.text import Line, Run
from ..screen.words import said
from ..seat.view import View
from ..table.state import State
from .human import matching_options, option_keys
from .look import look


def lines_of(part: RenderableType, width: int) -> tuple[Line, ...]:
    """What is printed, as lines of at most so many columns."""
    console = Console(width=width, markup=False, highlight=False, emoji=False, color_system="standard")
    found = console.render_lines(part, console.options, pad=False)
    return tuple(tuple(_run(segment.text, segment.style) for segment in line if segment.text) for line in found)


def _run(text: str, style: Style | None) -> Run:
    if style is None:
        return Run(one_line(text))
    return Run(one_line(text), style.color.name if style.color else "", bool(style.bold), bool(style.dim))


def looked_at(
    words: str, view: View, names: Sequence[str], rules: Callable[[str | None], str], width: int
) -> tuple[Line, ...]:
    """What ``look`` says of something a seat sees. Of a reference that is no card nothing."""
    kind, colon, name = words.partition(":")
    if colon and kind not in view.setting.program.component_kinds:
        return ()
    words = name or words
    return lines_of(look(words, view, names, rules, partial(matching_options, words, ()), width), width)


def asked_why(words: str, game: Game, state: State, names: Sequence[str]) -> tuple[Line, ...]:
    """Why the seat that decides can't choose something now."""
    decision = game.decision(state)
    assert decision is not None, "somebody is asked"
    view = game.view(state, decision.seat)
    ids, labels = view.option_ids(), view.option_labels()
    if open_now := matching_options(words, option_keys(ids), ids, labels):
        return (said(f"“{labels[open_now[0]]}” is open to you.", names),)
    for seat, name in enumerate(names, 1):
        words = re.sub(rf"\b{re.escape(name)}\b", f"P{seat}", words)
    lines: list[Line] = []
    for reason in game.why_not(state, words):
        lines.append(said(reason.message, names))
        lines += [(Run("  "), *said(fact, names)) for fact in reason.facts]
    return tuple(lines)
