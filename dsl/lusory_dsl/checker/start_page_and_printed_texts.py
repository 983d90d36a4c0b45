"""Check the start page and the texts printed on cards, actions and other declarations, and collect them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from .. import core
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import suggest_name
from ..source.source import EmbeddedText, humanise, quote_list
from ..types.types import BOOL, INT
from .code_fields_and_templates import TextChecker

COLUMNS, ROWS = 78, 20
"""The room for a start page on a terminal of 80 by 24."""


def collect_player_texts(
    ruleset: model.Ruleset, options: Sequence[core.Option], texts: TextChecker
) -> core.PrintedTexts:
    """Collect all texts for players.

    All texts that can end the game must be checked before.

    Each mapping goes from a declared name (``ENUM.VALUE`` for values), in declared order, to a tuple of the lines of
    its text, each without surplus blanks; for an ending they are in a core.Ending. Left out are declarations without a
    text, except endings, and endings that nothing reaches. ``frames`` has the fields above the text of each kind of
    component: those that its ``frame`` lists, else those without a default. Reports names in frames that are no fields,
    and a start page that is faulty or too large.
    """
    charts = () if ruleset.scoring is None else ruleset.scoring.charts
    phases = dict(_phases(ruleset.phases))
    used_endings = texts.notes.used_endings
    _check_frames(ruleset, texts)
    return core.PrintedTexts(
        start_page=_start_page(ruleset, phases, options, texts),
        cards={card.id.text: _lines(card.text) for card in ruleset.cards if card.text},
        actions={action.name.text: _lines(action.text) for action in ruleset.actions if action.text},
        effects={effect.name.text: _lines(effect.text) for effect in ruleset.effects if effect.text},
        values={
            f"{enum.name.text}.{value.name.text}": _lines(value.text)
            for enum in ruleset.enums
            for value in enum.values
            if value.text
        },
        phases={name: _lines(phase.text) for name, phase in phases.items() if phase.text},
        charts={chart.name.text: _lines(chart.text) for chart in charts if chart.text},
        endings={
            ending.name.text: core.Ending(used_endings[ending.name.text], _lines(ending.text))
            for ending in ruleset.endings
            if ending.name.text in used_endings
        },
        frames={kind.name.text: kind.frame for kind in ruleset.components},
    )


def _check_frames(ruleset: model.Ruleset, texts: TextChecker) -> None:
    """Report names in frames that are no fields of their kind."""
    for kind in ruleset.components:
        fields = [name.text for name, _ in kind.fields]
        for name in kind.frame_names or ():
            if name.text not in fields:
                message, hint = f"a `{kind.name.text}` has no field `{name.text}`", suggest_name(name.text, fields)
                texts.report.add(diagnostic_codes.UNKNOWN_NAME, message, name.span, hint or "name a field")


def _lines(text: Iterable[EmbeddedText]) -> tuple[str, ...]:
    return tuple(" ".join(line.text.split()) for line in text)


def _phases(phases: Iterable[model.PhaseDecl]) -> Iterator[tuple[str, model.PhaseDecl]]:
    for phase in phases:
        yield phase.id.text, phase
        yield from _phases(phase.phases)


def _start_page(
    ruleset: model.Ruleset, phases: dict[str, model.PhaseDecl], options: Sequence[core.Option], texts: TextChecker
) -> core.StartPage | None:
    """Return the start page, or None without one.

    Reports unknown phases, which are left out, and a page with more than ``ROWS`` lines.
    """
    decl = ruleset.game.start_page
    if decl is None:
        return None
    turn: list[tuple[str, str]] = []
    for name, line in decl.turn:
        if name is not None and name.text not in phases:
            hint = suggest_name(name.text, phases) or "`turn` names phases; it may also be a list of lines"
            message = f"there is no phase `{name.text}`"
            texts.report.add(diagnostic_codes.UNKNOWN_NAME, message, name.span, hint)
        else:
            turn.append(("" if name is None else _title(phases[name.text]), line))
    recommended = tuple(_recommended(game, ruleset.game, options, texts) for game in decl.recommended)
    page = core.StartPage(decl.aim, tuple(turn), decl.know, recommended)
    rows = sum(len(textwrap.wrap(line, COLUMNS)) for line in _page_lines(page))
    if rows > ROWS:
        message = f"the start page has {rows} lines on a terminal of 80 columns, and {ROWS} fit"
        texts.report.add(diagnostic_codes.TOO_LARGE, message, decl.span, "say less: the rulebook holds the rest")
    return page


def _page_lines(page: core.StartPage) -> Iterator[str]:
    yield page.aim
    yield from (f"{title}: {line}" if title else line for title, line in page.turn)
    yield from page.know
    yield from (game.name for game in page.recommended)


def _title(phase: model.PhaseDecl) -> str:
    """Return the label of a phase up to its first inserted value, or else its id in words."""
    label = "" if phase.label is None else phase.label.text.partition("{")[0].strip(" :,–-·")
    return label or humanise(phase.id.text).capitalize()


def _recommended(
    decl: model.RecommendedDecl, game: model.GameDecl, options: Sequence[core.Option], texts: TextChecker
) -> core.RecommendedGame:
    """Check a recommended game against the number of players and the options, and return it.

    Its options are as authors write them; faulty ones are reported and left out.
    """
    report, seats = texts.report, len(decl.seats)
    if not game.min_players <= seats <= game.max_players:
        fewest, most = game.min_players, game.max_players
        message = f"`{decl.name}` has {seats} seats, and {fewest if fewest == most else f'{fewest} to {most}'} can play"
        report.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, decl.span, "name who sits on each seat")
    known = {option.name: option for option in options}
    option_values: dict[str, bool | int | str] = {}
    for name, value in decl.options:
        option = known.get(name.text)
        if option is None:
            hint = suggest_name(name.text, known) or "name one of the `options`"
            report.add(diagnostic_codes.UNKNOWN_NAME, f"there is no option `{name.text}`", name.span, hint)
        elif not isinstance(value.data, bool | int | str) or not _fits(option, value.data):
            message = f"the option `{name.text}` is never this"
            hint = suggest_name(str(value.data), option.values) or f"it can be {_allowed(option)}"
            report.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, value.span, hint)
        else:
            option_values[name.text] = value.data
    return core.RecommendedGame(decl.name, decl.seats, option_values)


def _fits(option: core.Option, value: bool | int | str) -> bool:
    """Return whether an option can have a value, as authors write it."""
    if option.values:
        return value in option.values
    if option.type == BOOL or isinstance(value, bool):
        return option.type == BOOL and isinstance(value, bool)
    return option.type == INT and isinstance(value, int) and (option.low or 0) <= value <= (option.high or 0)


def _allowed(option: core.Option) -> str:
    if option.values:
        return quote_list([f"`{value}`" for value in option.values], "or")
    return "`true` or `false`" if option.type == BOOL else f"{option.low} to {option.high}"
