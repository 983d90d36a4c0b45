"""What many games tell as one page of HTML: plots to look at, and beside each its figures. No script, no other file.

The only door to Jinja, which escapes whatever a ruleset says; plots come from :mod:`lusory.reports.plots`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jinja2

from lusory_dsl.text.printable import one_line

from ..findings.numbers import several
from ..study.estimates import Estimate, Spread
from ..study.findings import Done, Findings
from . import plots
from .findings_template import PAGE
from .plots import COLOURS, Point

MOST = 18
"""Rows of a plot; the table beside it has all."""

_PLACE = re.compile(r"\S{1,200}:\d{1,9}")
"""A place in a file, which stands on one line."""


@dataclass(frozen=True)
class Figure:
    """A plot with its figures. ``said``: what it shows. ``values``: its points in words, for who can't see it."""

    title: str
    said: str
    plot: str | None
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: bool = False
    values: str = ""


@dataclass(frozen=True)
class Chapter:
    """Some figures under a heading, with words about all of them."""

    id: str
    title: str
    words: str
    figures: tuple[Figure, ...]


def page(found: Findings) -> str:
    """The whole page."""
    environment = jinja2.Environment(
        autoescape=True, finalize=_shown, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["place"] = _PLACE.fullmatch
    writer = _Writer(found)
    chapters = [chapter for chapter in writer.chapters() if chapter.figures]
    glance = list(writer.glance()) if found.games else []
    verdict = " ".join(writer.verdict()) if found.games else ""
    text: str = environment.from_string(PAGE).render(
        found=found, chapters=chapters, glance=glance, verdict=verdict, colours=COLOURS
    )
    return text + "\n"


def _shown(value: Any) -> Any:
    """What strangers wrote, with nothing in it that does more than be read."""
    return one_line(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


class _Writer:
    def __init__(self, found: Findings) -> None:
        self.found = found
        self.even = None if found.for_one else 1 / found.players
        self.form = ".0f" if found.for_one else ".0%"
        self.finer = ".1f" if found.for_one else ".1%"
        self.result = "result" if found.for_one else "share of wins"

    # ------------------------------------------------------------ the beginning

    def verdict(self) -> Iterator[str]:
        """Whether it is balanced, how long it takes, and what never happened, in a sentence each."""
        found = self.found
        yield self._balance()
        if found.turns is not None and found.decisions is not None:
            turns = "" if found.for_one else f"{several(found.turns.median, 'turn')} and "
            yield f"Half of the games end within {turns}{several(found.decisions.median, 'decision')}."
        missing = (
            (found.dead, "card", "{} never came up"),
            (found.unplayed, "drawn card", "nobody played {}"),
            (found.untaken, "option", "nobody chose {}"),
            (found.unfired, "part", "{} of the rules never took effect"),
        )
        words = _and([told.format(several(len(some), word)) for some, word, told in missing if some])
        yield f"{words[0].upper()}{words[1:]}." if words else "Every card, option and rule came up."

    def _balance(self) -> str:
        """Whether some seat wins more or less than its share, by more than chance explains."""
        found = self.found
        if self.even is None:
            result = found.seats[0].result
            return "" if result is None else f"The mean result is {_number(result)} ({_between(result, '.1f')})."
        compared = [(seat.seat, seat.result) for seat in found.seats]
        compared.append(("The player who begins", found.first))
        uneven = []
        for name, share in compared:
            if share is None or share.low is None or share.high is None or share.low <= self.even <= share.high:
                continue
            uneven.append(f"{name} wins {_percent(share)} ({_between(share)})")
        if uneven:
            return f"The seats are not balanced: {_and(uneven)}, where {self.even:.0%} would be even."
        return f"The seats look balanced: each one's range contains {self.even:.0%}."

    def glance(self) -> Iterator[tuple[str, str, str]]:
        """What one looks for first: a figure, what it is, and how sure it is."""
        found = self.found
        if found.first is not None:
            yield _percent(found.first), "First player wins", f"{_between(found.first)}; even: {self.even:.0%}"
        elif found.seats[0].result is not None:
            yield _number(found.seats[0].result), "mean result", _between(found.seats[0].result, ".1f")
        if found.turns is not None and found.decisions is not None:
            for words, one in (("turns", found.turns), ("decisions", found.decisions)):
                if not (found.for_one and one is found.turns):
                    yield f"{one.median}", f"{words} in a game", f"median; {one.tenth} to {one.nine_tenths} in 8 of 10"
        if found.branching is not None:
            forced = f"mean; {found.forced:.0%} of choices were forced"
            yield f"{found.branching.mean:.1f}", "options at a decision", forced
        if found.lead is not None and found.lead.changes is not None:
            yield f"{found.lead.changes.mean:.1f}", "changes of the lead", f"mean; {found.lead.changes.high} at most"
            if found.lead.comebacks is not None:
                yield _percent(found.lead.comebacks), "Comebacks", _between(found.lead.comebacks)
            if found.lead.settled is not None:
                yield f"{found.lead.settled.median} %", "of a game until the winner leads for good", "median"
        if found.ties is not None:
            yield _percent(found.ties), "shared wins", _between(found.ties)

    def chapters(self) -> Iterator[Chapter]:
        """In the order of the page."""
        found = self.found
        clear = len(found.strategies)
        yield Chapter("players", "Players", "", tuple(self._players()))
        yield Chapter("course", "The course of a game", "", tuple(self._course()))
        yield Chapter("ends", "How it ends", "", tuple(self._ends()))
        yield Chapter(
            "strategies",
            "What goes with winning",
            (
                f"{clear} of {found.tested} stand out. About one in twenty of these will be chance all the same. "
                "What goes with winning need not be the reason: a player who is ahead can do more. "
                if clear
                else f"None of {found.tested} stands out. "
            )
            + ("" if found.for_one else "Seats are compared with the others of the same game."),
            tuple(self._strategies()),
        )
        yield Chapter("decisions", "Decisions", "", tuple(self._decisions()))
        yield Chapter("cards", "Cards and keywords", "", tuple(self._cards()))
        yield Chapter("nothing", "What never came up", "", tuple(self._nothing()))

    # ------------------------------------------------------------ chapters

    def _players(self) -> Iterator[Figure]:
        found = self.found
        seats = [_point(f"{seat.seat} {seat.kind}", seat.result) for seat in found.seats]
        began = [_point(f"{s.seat} begins", s.began) for s in found.seats if s.began is not None and not found.for_one]
        rows = [
            (s.seat, s.kind, *_cells(s.result, found), *_cells(s.began, found), str(s.began.n if s.began else 0))
            for s in found.seats
        ]
        head = ("Seat", "Player", self.result, "95 % between", "when it begins", "95 % between", "games")
        yield self._figure("By seat", [p for p in (*seats, *began) if p], self.result, head, rows)
        if found.skill:
            points = [Point(r.kind, r.elo, r.low, r.high) for r in found.skill if r.elo is not None]
            skill = [
                (r.kind, "" if r.elo is None else f"{r.elo:+.0f}", _signs(r.low, r.high), _percent(r.share))
                for r in found.skill
            ]
            said = "The further apart, the more skill counts. 400 points of Elo: ten points to one."
            plot = plots.intervals(points, "Elo", 0, "+.0f") if points else None
            yield Figure(
                "Strong against weak",
                said,
                plot,
                ("Player", "Elo", "95 % between", "points"),
                tuple(skill),
                values=_values(points, "+.0f"),
            )

    def _course(self) -> Iterator[Figure]:
        found = self.found
        for title, one in (("Turns in a game", found.turns), ("Decisions in a game", found.decisions)):
            if one is not None and not (title.startswith("Turns") and found.for_one):
                yield _histogram(title, "", [("games", one)], title.split(" ")[0].lower())
        if any(found.along):
            yield self._along("Options at a decision, as the game goes on", found.along, "options", None, ".1f")
        lead = found.lead
        if lead is None:
            return
        said = f"Who is ahead is read from {SOURCES[lead.source]}."
        if any(lead.along):
            yield self._along("How often who leads wins", lead.along, "wins", self.even, ".0%", said)
        if lead.changes is not None:
            yield _histogram("Changes of the lead", "", [("games", lead.changes)], "changes")
        if lead.settled is not None:
            said = "When the one who won took the lead for good: early, and the rest was played for nothing."
            yield _histogram("Decided after", said, [("games", lead.settled)], "% of the game")

    def _along(
        self, title: str, each: Sequence[Estimate | None], axis: str, even: float | None, form: str, said: str = ""
    ) -> Figure:
        points = [Point(str(n / len(each)), e.value, e.low, e.high) for n, e in enumerate(each) if e is not None]
        rows = [
            (f"{n / len(each):.0%}", format(e.value, form), _between(e, form), str(e.n))
            for n, e in enumerate(each)
            if e
        ]
        plot = plots.course(points, axis, even, form)
        told = _values([replace(point, label=f"at {float(point.label):.0%}") for point in points], form)
        return Figure(title, said, plot, ("Of the game", axis, "95 % between", "counted"), tuple(rows), values=told)

    def _ends(self) -> Iterator[Figure]:
        found = self.found
        points = [p for end in found.ends[:MOST] if (p := _point(end.reason, end.share))]
        turns = () if found.for_one else ("turns",)
        rows = [
            (
                e.reason,
                str(e.games),
                _percent(e.share),
                _between(e.share),
                *(_number(e.turns) for _ in turns),
                *(_of(one, found) for one in e.seats),
            )
            for e in found.ends
        ]
        head = ("Ending", "games", "share", "95 % between", *turns, *(seat.seat for seat in found.seats))
        plot = plots.intervals(points, "share of the games", zero=True)
        said = "Beside each: what the seats came to in these games."
        yield Figure("Endings", said, plot, head, tuple(rows), values=_values(points, ".1%"))
        for column in found.columns:
            pairs = (("winners", column.winners), ("others", column.others))
            groups = [(name, one) for name, one in pairs if one is not None]
            if groups:
                if found.for_one:
                    groups = [("games", groups[0][1])]
                yield _histogram(column.title, "", groups, column.title)

    def _strategies(self) -> Iterator[Figure]:
        found = self.found
        axis = "result more" if found.for_one else "above the table's average"
        shown = found.strategies
        tested = sorted((one for one in found.done if one.p is not None), key=lambda one: one.p or 0)
        rows = [
            (
                f"{d.what} {d.name}",
                _ahead(d, found),
                str(d.compared),
                f"{d.p:.2g}",
                f"{d.q:.2g}",
                "yes" if d.clear else "",
                d.place,
            )
            for d in tested
        ]
        points = [Point(f"{d.what} {d.name}", d.ahead or 0, marked=(d.ahead or 0) < 0) for d in shown[:MOST]]
        plot = plots.intervals(points, axis, 0, "+.0f" if found.for_one else "+.0%") if points else None
        said = (
            "Games with it against games without." if found.for_one else "Seats that did it more often than the others."
        )
        said += " p: how likely by chance; q: allowing for all that was looked at."
        if rows:
            head = ("Done", axis, "games", "p", "q", "clear", "place")
            title = "More than chance" if shown else "Nothing is clear"
            yield Figure(title, said, plot, head, tuple(rows), True, _values(points, f"+{self.finer}"))

    def _decisions(self) -> Iterator[Figure]:
        found = self.found
        asked = [Point(q.title, q.per_game) for q in found.questions[:MOST]]
        rows = [
            (q.title, f"{q.per_game:.1f}", _number(q.options), f"{q.forced:.0%}", _number(q.weight, ".3f"), q.place)
            for q in found.questions
        ]
        head = ("Question", "a game", "options", "forced", "weight", "place")
        weighed = sorted((q for q in found.questions if q.weight), key=lambda q: -(q.weight.value if q.weight else 0))
        said = (
            "Weight: how much better the best option is than the average one, as those who thought found; "
            "part of it is the noise of few simulations."
        )
        said = said if weighed else ""
        plot = plots.ranked(asked, "decisions a game", ".1f")
        yield Figure("Questions", said, plot, head, tuple(rows), True, _values(asked, ".1f"))
        if weighed:
            points = [p for q in weighed[:MOST] if (p := _point(q.title, q.weight))]
            plot = plots.intervals(points, "weight", None, ".2f")
            again = tuple((q.title, _number(q.weight, ".3f"), _between(q.weight, ".3f")) for q in weighed)
            told = _values(points, ".2f")
            yield Figure(
                "Which decisions matter", said, plot, ("Question", "weight", "95 % between"), again, values=told
            )
        for title, some in (("Actions", found.actions), ("Answers", found.answers), ("First choices", found.openings)):
            yield from self._dones(title, some)

    def _dones(self, title: str, some: Sequence[Done]) -> Iterator[Figure]:
        """Of things done: how often, and what came of it."""
        found = self.found
        taken = sorted((one for one in some if one.taken), key=lambda one: -one.taken)
        points = [p for one in taken[:MOST] if (p := _point(one.name, one.result, one.clear))]
        if points:
            said = f"{self.result.capitalize()} of the seats who did it."
            if any(point.marked for point in points):
                said += " Diamonds are clear."
            if any(one.at_random is not None for one in taken):
                said += " At random, among the figures: what chance takes."
            plot = plots.intervals(points, self.result, self.even, self.form)
            rows = tuple(_row(one, found) for one in (taken or some))
            yield Figure(title, said, plot, DONE, rows, True, _values(points, self.finer))

    def _cards(self) -> Iterator[Figure]:
        found = self.found
        for title, way in (("drawn", "drawn"), ("gained", "gained"), ("played", "played"), ("picked", "picked")):
            of = [one for card in found.cards if (one := getattr(card, way)) is not None]
            yield from self._dones(f"Cards {title}", of)
        yield from self._dones("Keywords of cards played", found.keywords)
        zones = sorted({zone for card in found.cards for zone in card.zones})
        if len(zones) > 1:
            rows = [
                (card.name, *(f"{card.zones.get(zone, 0):.2f}" for zone in zones)) for card in found.cards if card.zones
            ]
            yield Figure(
                "Where cards went, out of hands and decks", "Times a game.", None, ("Card", *zones), tuple(rows), True
            )

    def _nothing(self) -> Iterator[Figure]:
        found = self.found
        if found.dead:
            said = "Nobody drew, gained, picked or played them."
            yield Figure("Cards", said, None, ("Card",), tuple((name,) for name in found.dead))
        if found.unplayed:
            said = "They were drawn, and nobody played them."
            yield Figure("Cards in hands", said, None, ("Card",), tuple((name,) for name in found.unplayed))
        if found.untaken:
            yield Figure(
                "Actions and answers", "Nobody took them.", None, ("Never taken",), tuple((n,) for n in found.untaken)
            )
        if found.unfired:
            said = f"In {found.replayed} games these parts of the rules were never carried out."
            rows = [(one.place, one.kind, one.missing, f"{one.behind or ''}") for one in found.unfired]
            yield Figure("Rules", said, None, ("Place", "Kind", "Missing", "behind it"), tuple(rows), True)

    def _figure(
        self, title: str, points: Sequence[Point], axis: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]
    ) -> Figure:
        plot = plots.intervals(points, axis, self.even, self.form) if points else None
        return Figure(title, "", plot, head, tuple(rows), values=_values(points, self.finer))


SOURCES = {
    "value": "what the ruleset tells bots",
    "ranks": "the ranks of the rules, as though the game ended there",
    "playouts": "what comes of a position when it is played on at random",
}

DONE = ("Name", "How", "offered", "taken", "of offers", "at random", "of games", "result", "95 % between", "ahead", "q")


def _row(one: Done, found: Findings) -> tuple[str, ...]:
    q = "" if one.q is None else f"{one.q:.2g}{' clear' if one.clear else ''}"
    random = "" if one.at_random is None else f"{one.at_random:.0%}"
    offers, games = _percent(one.rate), _percent(one.games)
    result = _cells(one.result, found)
    return (one.name, one.what, str(one.offered), str(one.taken), offers, random, games, *result, _ahead(one, found), q)


def _histogram(title: str, said: str, groups: Sequence[tuple[str, Spread]], axis: str) -> Figure:
    plot = plots.histogram([(name, one.width, one.bars) for name, one in groups], axis)
    head = ("", "mean", "deviation", "least", "one in ten below", "median", "nine in ten below", "most", "counted")
    rows = [
        (name, f"{s.mean:.2f}", f"{s.deviation:.2f}", *map(str, (s.low, s.tenth, s.median, s.nine_tenths, s.high, s.n)))
        for name, s in groups
    ]
    told = [f"{name} median {s.median}, {s.tenth} to {s.nine_tenths} in 8 of 10" for name, s in groups]
    return Figure(title, said, plot, head, tuple(rows), values="; ".join(told))


def _values(points: Sequence[Point], form: str) -> str:
    """The points of a plot in words."""
    return ", ".join(f"{point.label} {point.value:{form}}" for point in points)


def _and(parts: Sequence[str]) -> str:
    """The parts as one list in words."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _point(label: str, one: Estimate | None, marked: bool = False) -> Point | None:
    return None if one is None else Point(label, one.value, one.low, one.high, marked)


def _cells(one: Estimate | None, found: Findings) -> tuple[str, str]:
    return _of(one, found), _between(one, ".1f" if found.for_one else ".1%")


def _of(one: Estimate | None, found: Findings) -> str:
    return _number(one) if found.for_one else _percent(one)


def _ahead(one: Done, found: Findings) -> str:
    return "" if one.ahead is None else format(one.ahead, "+.1f" if found.for_one else "+.1%")


def _percent(one: Estimate | None) -> str:
    return "" if one is None else f"{one.value:.1%}"


def _number(one: Estimate | None, form: str = ".1f") -> str:
    return "" if one is None else format(one.value, form)


def _between(one: Estimate | None, form: str = ".1%") -> str:
    return "" if one is None or one.low is None or one.high is None else f"{one.low:{form}} – {one.high:{form}}"


def _signs(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:+.0f} – {high:+.0f}"
