"""From what was gathered to what it says. What it says is in :mod:`lusory.study.findings`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from lusory_dsl import core
from lusory_dsl.language.types import ListType, OptionalType, Type
from lusory_dsl.text.source import Span
from lusory_dsl.text.spelling import humanised

from ..author.adequacy.coverage import left_out
from ..game import Game
from ..table.setting import label_of
from .estimates import ENOUGH, FALSE, Estimate, chance_of, corrected, mean, share, spread
from .findings import Card, Done, End, FinalColumn, Findings, Lead, Question, Rung, Seat, Unfired
from .fired import parts_of
from .gathered import (
    ACTION,
    ANSWER,
    DRAWN,
    FORCED,
    GAINED,
    KEYWORD,
    OPENING,
    PICK,
    PLAYED,
    REACHED,
    TURNED,
    VALUES,
    WIN,
    Gathered,
    Key,
)
from .outlook import Outlook
from .tallies import WHOLE, Sums, Use
from .unplayed import Choice, Unplayed

HALF, EARLY = 5, 3
"""Tenths of the game after which it is asked who leads."""


class Finder:
    """``zones``: in which cards count as played, as they were gathered. ``kinds``: who sat where."""

    def __init__(
        self,
        game: Game,
        kinds: Sequence[str],
        options: Mapping[str, Any],
        seed: int,
        gathered: Gathered,
        zones: Sequence[str] = (),
    ) -> None:
        self.game, self.kinds, self.options, self.seed, self.seen = game, kinds, options, seed, gathered
        self.uses = Unplayed(game.program, zones)
        self.for_one = game.players == 1

    def found(self, skill: Sequence[Rung] = ()) -> Findings:
        """All of it."""
        game, seen = self.game, self.seen
        program = game.program
        cards = tuple(self._cards())
        asked = seen.decisions.sums.total
        found = Findings(
            program.id,
            program.name,
            program.version,
            game.players,
            self.options,
            self.seed,
            seen.games,
            self.for_one,
            tuple(
                Seat(f"P{n + 1}", kind, self._result(seen.seats[n]), self._result(seen.began[n]))
                for n, kind in enumerate(self.kinds)
            ),
            None if self.for_one else self._result(seen.first),
            None if self.for_one else share(seen.ties, seen.games),
            spread(seen.decisions),
            spread(seen.turns),
            {name: spread(one) for name, one in seen.rounds.items()},
            spread(seen.options),
            tuple(mean(one) for one in seen.along),
            seen.forced.sums.total / max(asked + seen.forced.sums.total, 1),
            self._lead(),
            tuple(self._ends()),
            tuple(
                FinalColumn(title, spread(c.winners), spread(c.others), spread(c.margin), tuple(map(mean, c.seats)))
                for title, c in seen.columns.items()
            ),
            tuple(self._questions()),
            tuple(
                self._done("taken", (ACTION, n), one.title, _short(one.place))
                for n, one in enumerate(self.uses.choices)
            ),
            tuple(self._answers(ANSWER)),
            tuple(self._answers(OPENING)),
            tuple(self._keywords()),
            cards,
            0,
            tuple(self._dead()),
            tuple(self._unplayed()),
            tuple(
                _titled(one)
                for n, one in enumerate(self.uses.choices)
                if not self._taken((ACTION, n)) and not self._taken((FORCED, n))
            ),
            seen.replayed,
            tuple(self._unfired()),
            tuple(skill),
        )
        return _tested(found)

    def _result(self, sums: Sums) -> Estimate | None:
        return mean(sums) if self.for_one else share(sums.total / WIN, sums.n)

    def _lead(self) -> Lead | None:
        seen = self.seen
        if not seen.changes.sums.n:
            return None
        half, early = seen.leads[HALF], seen.leads[EARLY]
        return Lead(
            Outlook(self.game).source,
            tuple(share(one.total, one.n) for one in seen.leads),
            tuple(mean(one, WHOLE) for one in seen.gaps),
            spread(seen.changes),
            spread(seen.settled),
            mean(seen.drama, WHOLE),
            share(half.n - half.total, half.n),
            share(early.total, early.n),
        )

    def _ends(self) -> Iterator[End]:
        for reason, one in sorted(self.seen.ends.items(), key=lambda end: (-end[1].decisions.n, end[0])):
            games = one.decisions.n
            seats = tuple(self._result(sums) for sums in one.seats)
            yield End(reason, games, share(games, self.seen.games), mean(one.decisions), mean(one.turns), seats)

    def _questions(self) -> Iterator[Question]:
        games = max(self.seen.games, 1)
        for site, one in sorted(self.seen.questions.items(), key=lambda item: -item[1].options.n):
            ask = self.game.setting.sites[site]
            decisions = one.options.n
            forced = one.forced / max(decisions + one.forced, 1)
            yield Question(
                _words(ask.prompt),
                _place(ask.span),
                decisions,
                decisions / games,
                mean(one.options),
                forced,
                mean(one.weight, WHOLE),
            )

    # ------------------------------------------------------------ what was done

    def _taken(self, key: Key) -> int:
        use = self.seen.uses.get(key)
        return 0 if use is None else use.taken

    def _done(self, what: str, key: Key, name: str, place: str = "") -> Done:
        use = self.seen.uses.get(key) or Use()
        offered = use.offered
        ahead, compared, p = self._compared(use)
        return Done(
            what,
            name,
            place,
            offered,
            use.taken,
            share(use.taken, offered) if offered else None,
            use.chance / WHOLE / offered if offered else None,
            share(use.games, self.seen.games),
            self._result(use.seats),
            ahead,
            compared,
            p,
        )

    def _if_done(self, what: str, key: Key, name: str) -> Done | None:
        return self._done(what, key, name) if key in self.seen.uses else None

    def _compared(self, use: Use) -> tuple[float | None, int, float | None]:
        """What went with doing it: how much, in how many games, and how likely by chance; None: too few of them."""
        if self.for_one:
            return self._with_and_without(use)
        n = self.game.players
        if not use.ahead.n:
            return None, use.more, None
        ahead = use.excess / n / WIN / use.ahead.n
        if use.more < ENOUGH or not use.variance:
            return ahead, use.more, None
        return ahead, use.more, chance_of(use.excess / n / sqrt(use.variance / (n * n * (n - 1))))

    def _with_and_without(self, use: Use) -> tuple[float | None, int, float | None]:
        """Of a game for one: Welch's test of the games with it against those without."""
        whole, with_it = self.seen.seats[0], use.seats
        without = Sums(whole.n - with_it.n, whole.total - with_it.total, whole.squares - with_it.squares)
        if not with_it.n or not without.n:
            return None, 0, None
        difference, compared = with_it.mean - without.mean, min(with_it.n, without.n)
        error = sqrt(with_it.deviation**2 / with_it.n + without.deviation**2 / without.n)
        return difference, compared, chance_of(difference / error) if error and compared >= ENOUGH else None

    def _answers(self, kind: str) -> Iterator[Done]:
        """Values that were taken, by the question; or what whoever began took first."""
        what = "first" if kind == OPENING else "taken"
        keys = [key for key in self.seen.uses if key[0] == kind]
        for key in sorted(keys, key=lambda key: (-self._taken(key), str(key))):
            inner = key[1:] if kind == OPENING else key
            if self._taken(key):
                name, span = self._named(inner)
                yield self._done(what, key, name, _place(span) if span else "")

    def _named(self, key: Key) -> tuple[str, Span | None]:
        """What is used, in words, and where it stands."""
        if key[0] == ACTION:
            return self.uses.choices[key[1]].title.replace("_", " "), None
        if key[0] == PICK:
            return self.game.program.entities[key[1]].label, None
        _, site, number, at, value = key
        ask = self.game.setting.sites[site]
        if isinstance(ask, core.AskMany):
            return f"{_valued(self.game, ask.source.type, value)} ({_words(ask.prompt)})", ask.span
        way = ask.alternatives[number]
        words = [way.name.replace("_", " ")] if way.name is not None else []
        if len(way.vars) > 1:
            words.append(f"{way.vars[at].name.replace('_', ' ')}:")
        words.append(_valued(self.game, way.vars[at].domain.type, value))
        if way.name is None:
            words.append(f"({_words(ask.prompt)})")
        return " ".join(words), ask.span

    def _keywords(self) -> Iterator[Done]:
        for name in self.game.program.keywords:
            key = (KEYWORD, name)
            if key in self.seen.uses:
                yield self._done("played", key, humanised(name.partition(".")[2]))

    def _cards(self) -> Iterator[Card]:
        program, games = self.game.program, max(self.seen.games, 1)
        reached: dict[int, dict[str, float]] = {}
        for key, use in self.seen.uses.items():
            if key[0] == REACHED:
                reached.setdefault(key[1], {})[key[2]] = use.taken / games
        for one in program.entities:
            first = self.uses.original(one.number)
            if first == one.number:
                copies = one.fields.get("copies", ())
                ways = (("picked", PICK), ("drawn", DRAWN), ("gained", GAINED), ("played", PLAYED))
                picked, drawn, gained, played = (self._if_done(what, (of, first), one.label) for what, of in ways)
                number = len(copies) if isinstance(copies, tuple) else 1
                yield Card(one.label, one.kind, number, picked, drawn, gained, played, reached.get(first, {}))

    def _dead(self) -> Iterator[str]:
        """Cards of the kinds that lie open that nobody and nothing ever brought into play."""
        for cards in self.uses.cards.values():
            for card in cards:
                if not any((kind, card.number) in self.seen.uses for kind in (PICK, DRAWN, GAINED, PLAYED, TURNED)):
                    yield card.label

    def _unplayed(self) -> Iterator[str]:
        """Cards that came into hands and never out of them to where all see them, while others of their kind did."""
        for cards in self.uses.cards.values():
            if any((PLAYED, card.number) in self.seen.uses for card in cards):
                for card in cards:
                    if self._taken((DRAWN, card.number)) and not self._taken((PLAYED, card.number)):
                        yield card.label

    def _unfired(self) -> Iterator[Unfired]:
        parts = parts_of(self.game.program)
        covered = {item for n, item in enumerate(parts) if self.seen.fired[n]}
        if self.seen.replayed:
            for item, behind in left_out(parts, covered):
                yield Unfired(item.kind, item.name, item.words, _place(item.span), behind)


def _tested(found: Findings) -> Findings:
    """What is clear among all that was compared."""
    tested = [one for one in found.done if one.p is not None]
    corrections = corrected([one.p for one in tested if one.p is not None])
    judged = {id(one): replace(one, q=q, clear=q < FALSE) for one, q in zip(tested, corrections, strict=True)}

    def of(one: Done | None) -> Done | None:
        return None if one is None else judged.get(id(one), one)

    def each(some: Sequence[Done]) -> tuple[Done, ...]:
        return tuple(judged.get(id(one), one) for one in some)

    cards = tuple(
        replace(card, picked=of(card.picked), drawn=of(card.drawn), gained=of(card.gained), played=of(card.played))
        for card in found.cards
    )
    actions, answers, openings = each(found.actions), each(found.answers), each(found.openings)
    keywords = each(found.keywords)
    return replace(
        found, actions=actions, answers=answers, openings=openings, keywords=keywords, cards=cards, tested=len(tested)
    )


def _titled(choice: Choice) -> str:
    return f"{choice.title} ({_short(choice.place)})"


def _short(place: str) -> str:
    """A file and a line, wherever the file lies."""
    return place.rpartition("/")[2]


def _place(span: Span) -> str:
    return f"{_short(span.source.name)}:{span.line}"


def _words(prompt: core.TextTemplate) -> str:
    """A question, with dots for what depends on the position."""
    return "".join(part if isinstance(part, str) else "…" for part in prompt.parts)


def _valued(game: Game, type: Type, value: int) -> str:
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return f"{VALUES} or more" if value == VALUES else label_of(game.setting, value, type)
