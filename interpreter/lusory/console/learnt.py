"""What was learnt from many games, as tables: used by the simulate command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..study.estimates import Estimate, Spread
from ..study.findings import Card, Done, Findings

MOST = 10
"""Rows of a table: the page and JSON have all of them."""

BARS = "▁▂▃▄▅▆▇█"


def findings(found: Findings) -> list[RenderableType]:
    """All that fits a terminal."""
    if not found.games:
        return ["", Text("Nothing can be learnt: no game came to its end.")]
    unit = "result" if found.for_one else "wins"
    parts: list[RenderableType] = ["", Text(f"What {found.games_tell}", style="bold"), *_course(found), ""]
    parts += [_ends(found), ""]
    parts.append(_questions(found))
    shown = found.strategies
    if shown:
        title = f"More than chance, of {found.tested} that were tested"
        parts += ["", Text(title, style="bold"), _done(f"{unit} ahead", shown[:MOST], found)]
    elif found.tested:
        parts += ["", Text(f"Of {found.tested} cards, actions and answers that were tested, none goes with winning.")]
    cards = sorted((one for card in found.cards if (one := _main(card)) is not None), key=lambda one: -one.taken)
    if cards:
        parts += ["", Text("The most used cards", style="bold"), _done(f"{unit} ahead", cards[:MOST], found)]
    parts += _nothing(found)
    parts += _skill(found)
    return parts


def _main(card: Card) -> Done | None:
    """What is most worth knowing of a card."""
    return card.played or card.gained or card.picked or card.drawn


def _course(found: Findings) -> Iterable[RenderableType]:
    """How a game goes."""
    of_turns = "" if found.for_one else f"{_spread(found.turns, '.1f')} turns, "
    yield Text(f"length on average: {of_turns}{_spread(found.decisions, '.1f')} decisions")
    for seat in found.seats if found.for_one else ():
        if seat.result is not None:
            yield Text(f"result on average: {seat.result.value:.1f}{_within(seat.result)}")
    for name, passes in found.rounds.items():
        yield Text(f"passes of {one_line(name)} on average: {_spread(passes, '.1f')}")
    if found.branching is not None:
        forced = f"{found.forced:.0%} of choices were forced"
        yield Text(f"options on average: {_spread(found.branching, '.1f')} at a decision; {forced}")
    yield Text.assemble("options from the beginning to the end: ", (_line(found.along), "cyan"))
    if found.first is not None:
        even = 1 / found.players
        yield Text(f"the first player wins {_share(found.first)}; even would be {even:.1%}")
    if found.ties is not None and found.ties.value:
        yield Text(f"shared by several: {_share(found.ties)}")
    lead = found.lead
    if lead is None or lead.changes is None:
        return
    yield Text(f"the lead changes {lead.changes.mean:.1f} times a game on average (read from {lead.source})")
    yield Text.assemble("who leads wins, from the beginning to the end: ", (_line(lead.along), "cyan"))
    for words, one in (
        ("who leads after three tenths wins", lead.runaways),
        ("comebacks", lead.comebacks),
    ):
        if one is not None:
            yield Text(f"{words}: {_share(one)}")
    if lead.settled is not None:
        yield Text(f"the winner leads for good after {lead.settled.median} % of the game (median)")


def _ends(found: Findings) -> Table:
    turns = () if found.for_one else ("turns",)
    table = _table("Ending", "games", "95 % between", *turns, *(seat.seat for seat in found.seats))
    for end in found.ends[:MOST]:
        table.add_row(
            Text(one_line(end.reason)),
            str(end.games),
            _between(end.share),
            *("" if end.turns is None else f"{end.turns.value:.1f}" for _ in turns),
            *(_result(one, found) for one in end.seats),
        )
    return table


def _questions(found: Findings) -> Table:
    weighed = any(one.weight is not None for one in found.questions)
    table = _table("Question", "a game", "options", "forced", *(("weight",) if weighed else ()))
    for one in found.questions[:MOST]:
        weight = () if not weighed else ("" if one.weight is None else f"{one.weight.value:.3f}",)
        options = "" if one.options is None else f"{one.options.value:.1f}"
        table.add_row(Text(one_line(one.title)), f"{one.per_game:.1f}", options, f"{one.forced:.0%}", *weight)
    return table


def _done(ahead: str, rows: Sequence[Done], found: Findings) -> Table:
    result = "result" if found.for_one else "wins"
    table = _table("", "", "a game", "of offers", result, ahead, "games", "q")
    for one in rows:
        table.add_row(
            Text(one_line(one.name)),
            one.what,
            f"{one.taken / found.games:.2f}",
            "" if one.rate is None else f"{one.rate.value:.0%}",
            _result(one.result, found),
            "" if one.ahead is None else f"{one.ahead:+.1f}" if found.for_one else f"{one.ahead:+.1%}",
            str(one.compared),
            "" if one.q is None else Text(f"{one.q:.3f}", style="bold" if one.clear else "dim"),
        )
    return table


def _nothing(found: Findings) -> Iterable[RenderableType]:
    for words, names in (
        ("cards that nobody drew, gained, picked or played", found.dead),
        ("drawn, and never played", found.unplayed),
        ("never taken", found.untaken),
    ):
        if names:
            yield Text(f"{words} ({len(names)}): {_some(names)}")
    if found.unfired:
        yield Text(f"rules that were never carried out in {found.replayed} games ({len(found.unfired)}):")
        for one in found.unfired[:MOST]:
            yield Text(f"  {one_line(one.place)} {one_line(one.missing)}")


def _skill(found: Findings) -> Iterable[RenderableType]:
    if found.skill:
        table = _table("Skill", "Elo", "95 % between", "points")
        for rung in found.skill:
            known = rung.elo is not None and rung.low is not None and rung.high is not None
            table.add_row(
                rung.kind,
                "" if rung.elo is None else f"{rung.elo:+.0f}",
                f"{rung.low:+.0f} and {rung.high:+.0f}" if known else "",
                "" if rung.share is None else f"{rung.share.value:.1%}",
            )
        yield from ("", table)


def _table(first: str, *titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right")
    return table


def _some(names: Sequence[str]) -> str:
    words = ", ".join(one_line(name) for name in names[:MOST])
    return words if len(names) <= MOST else f"{words}, and {len(names) - MOST} more"


def _line(points: Sequence[Estimate | None], height: Callable[[float], float] = float) -> str:
    """A line of bars from 0 to the highest."""
    values = [0.0 if one is None else height(one.value) for one in points]
    most = max(values, default=0.0) or 1.0
    return "".join(BARS[min(int(value / most * len(BARS)), len(BARS) - 1)] for value in values)


def _spread(one: Spread | None, form: str) -> str:
    return "no" if one is None else f"{one.mean:{form}} ({one.low} to {one.high})"


def _share(one: Estimate) -> str:
    return f"{one.value:.1%} ({_between(one)})"


def _between(one: Estimate | None) -> str:
    if one is None or one.low is None or one.high is None:
        return ""
    return f"{one.low:.1%} and {one.high:.1%}"


def _within(one: Estimate) -> str:
    """The interval of a mean, behind it."""
    return "" if one.low is None or one.high is None else f" ({one.low:.1f} and {one.high:.1f})"


def _result(one: Estimate | None, found: Findings) -> str:
    return "" if one is None else f"{one.value:.1f}" if found.for_one else f"{one.value:.1%}"
