"""What happened, in sentences as a seat may know it: events → deeds.

A deed is a choice and what came of it, or what the rules did between choices. What it changed is told by what is left
of it in the end: counters that went there and back, and components that lie where they lay, are no news.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from lusory_dsl import core
from lusory_dsl.core.origin import AT_ONCE, SAYS, SPLITS
from lusory_dsl.language.types import IntType

from ..game import Game
from ..play.match import Turn
from ..reading.reader import Reader
from ..table.choices import Decision, Option
from ..table.events import (
    UNHEARD,
    Announced,
    ChoiceMade,
    Event,
    GameEnded,
    PhaseBegan,
    VariableSet,
    redact,
    same_again,
)
from ..table.setting import HIDDEN, Value, fixed_text, item_type
from ..table.state import State
from .changes import Changes
from .lines import joined, listed, styled
from .model import Deed
from .options import meant
from .text import Line, Run, plain
from .words import capital, choice_words, filled, player, said, worded


class Played(Protocol):
    """A game under way, as far as it is told of."""

    @property
    def game(self) -> Game: ...

    @property
    def state(self) -> State: ...

    @property
    def log(self) -> Sequence[Event]: ...

    @property
    def decision(self) -> Decision | None: ...

    @property
    def turns(self) -> Sequence[Turn]: ...


def deeds(
    match: Played, seat: int | None, names: Sequence[str], start: int = 0, whole: bool = False
) -> tuple[Deed, ...]:
    """What happened from the event numbered ``start`` on, as a seat (None: a spectator) was told. ``whole``: to
    somebody who may know everything, since nobody plays."""
    teller = _Teller(match, seat, names, whole)
    turns = {turn.logged: turn for turn in match.turns if turn.logged >= start}
    for number, event in events_told(match, seat, range(start, len(match.log)), whole):
        teller.tell(event, number, turns.get(number))
    return teller.done()


def events_told(
    match: Played, seat: int | None, numbers: Iterable[int], whole: bool = False
) -> Iterator[tuple[int, Event]]:
    """Events by their numbers in the log, as a seat learns of them. Leave out those that it does not learn of, and
    those that say nothing more than the one before."""
    before: Event | None = None
    for number in numbers:
        seen = match.log[number] if whole else as_told(match.log[number], seat, match.game)
        if seen == UNHEARD or (before == seen and same_again(seen, match.game)):
            continue
        yield number, seen
        before = seen


def as_told(event: Event, seat: int | None, game: Game) -> Event:
    """An event as a seat learns of it; a spectator learns what every seat does."""
    if seat is not None:
        return redact(event, seat, game)
    told = [redact(event, other, game) for other in range(game.players)]
    if UNHEARD in told:
        return UNHEARD
    return next((one for one in told if one != event), event)


@dataclass
class _Deed:
    """A deed of which more may be told. ``awaits``: its author says what is told of it in place of the label.
    ``is_part``: what comes of it is told with the deed before; without a line nothing else is. ``is_known``: it is
    one's own, and others know less. ``is_early``: others choose at the same time, and have not all done so.
    ``picks``: of a choice of some what was picked, at the site."""

    line: Line
    seat: int | None
    changes: Changes
    forced: bool = False
    awaits: bool = False
    is_part: bool = False
    is_known: bool = False
    is_early: bool = False
    site: int | None = None
    picks: list[Line] = field(default_factory=list)


class _Teller:
    """Events, one after the other."""

    def __init__(self, match: Played, seat: int | None, names: Sequence[str], whole: bool) -> None:
        self.match = match
        self.game = match.game
        self.setting = match.game.setting
        self.seat = seat
        self.names = names
        self.whole = whole
        self.words = Reader(self.setting, match.state.cells, match.state.zones)  # labels of values alone
        self.logged = [turn.logged for turn in match.turns]
        self.told: list[Deed] = []
        self.begun: list[str] = []  # phases of which nothing was told yet
        self.phases: dict[str, str] = {}  # how the position calls those whose labels it takes to know
        self.deed: _Deed | None = None
        self.rules = self._changes()
        self.answers: list[Deed] = []  # told before all had chosen
        self.is_ended = False

    def _changes(self) -> Changes:
        return Changes(self.setting, self.names)

    def tell(self, event: Event, number: int, turn: Turn | None) -> None:
        """One more event, by its number in the log; ``turn``: the decision that it is the answer to."""
        match event:
            case PhaseBegan(phase=phase):
                self._close()
                self._call_phases(phase, number)
                self.begun.append(phase)
            case ChoiceMade():
                self._choice(event, turn)
            case Announced(text=text):
                self._announced(capital(said((text or "").strip(), self.names)))
            case GameEnded(reason=words):
                self._close()
                reason = (Run(": "), *said(words, self.names)) if words is not None else ()
                self.told.append(Deed((Run("The game is over"), *reason), heading=True))
            case VariableSet(variable=name) if self._maker_of(name) == AT_ONCE:
                pass  # what is kept of choices until all have chosen
            case _:
                (self.rules if self.deed is None else self.deed.changes).note(event)

    def _maker_of(self, name: str) -> str:
        variable = self.setting.program.variables.get(name)
        return "" if variable is None else variable.origin.maker

    def _announced(self, words: Line) -> None:
        """Something was said aloud: in place of a label that its author left to it, that hides something, or that says
        the same in other words; as a deed of its own where it says something else."""
        deed = self.deed
        (self.rules if deed is None else deed.changes).heard(words)
        if deed is not None and plain(deed.line).startswith(f"{plain(words)} ("):
            return  # with what was asked
        answer = self._take_back(words)
        if answer is not None:
            self._close()
            self.deed = _Deed(answer.line, answer.seat, self._changes())
        elif deed is not None and deed.is_known and deed.changes.is_empty and self._knows_more(words, deed):
            deed.is_known = False  # it tells the others what they may know of it
        elif deed is not None and (deed.awaits or self._tells(words, deed)):
            deed.line, deed.awaits, deed.is_part = words, False, deed.is_part or not words
        elif deed is None or plain(deed.line) != plain(words):
            self._close()
            self.deed = _Deed(words, None, self._changes())

    def _take_back(self, words: Line) -> Deed | None:
        """Take back an answer that was told before all had chosen, where words tell it to all. Else return None."""
        for answer in self.answers:
            if answer.line[:1] == words[:1] and plain(answer.line).startswith((plain(words), f"{plain(words)} (")):
                self.answers = [other for other in self.answers if other is not answer]
                self.told = [deed for deed in self.told if deed is not answer]
                return answer
        return None

    def _tells(self, words: Line, deed: _Deed) -> bool:
        """Whether words tell a choice: they begin with who chose, and name all that its label names, or what it
        describes behind a colon; where that is nothing, they come before anything is changed."""
        if deed.seat is None or deed.line[:1] != words[:1]:
            return False
        named = [run.text for run in deed.line[1:] if run.of]
        head, colon, _ = plain(deed.line[1:]).removeprefix(": ").partition(":")
        if colon and not named:  # a name and what it is
            named = [head]
        return all(name in plain(words) for name in named) and (bool(named) or deed.changes.is_empty)

    def _knows_more(self, words: Line, deed: _Deed) -> bool:
        """Whether the label of an own choice names what words about it, for all, do not."""
        named = [run.text for run in deed.line[1:] if run.of]
        return words[:1] == deed.line[:1] and not all(name in plain(words) for name in named)

    def done(self) -> tuple[Deed, ...]:
        """All that was told; a part of the game that has just begun is not."""
        self._close()
        return tuple(_together(self.told))

    # ------------------------------------------------------------ parts

    def _close(self) -> None:
        """Tell what was done and changed so far."""
        deed, self.deed = self.deed, None
        if deed is not None:
            details = tuple(deed.changes.sentences())
            goes_on = bool(self.told) and not self.begun and self.told[-1].seat == deed.seat
            if deed.is_part and goes_on and (details or not deed.line):
                self.told[-1] = replace(self.told[-1], details=(*self.told[-1].details, *details))
            elif deed.line:
                self._head()
                self.told.append(Deed(deed.line, deed.seat, details, forced=deed.forced))
                if deed.is_early:
                    self.answers.append(self.told[-1])
            for sentence in details if not deed.line and not goes_on else ():
                self._head()
                self.told.append(Deed(sentence))
        for sentence in self.rules.sentences():
            self._head()
            self.told.append(Deed(sentence))
        self.rules = self._changes()

    def _head(self) -> None:
        """The parts of the game that have begun: the last, and those round it. Who says just this before is not heard
        twice; a part in which players only do one thing after the other is one part, however often it begins."""
        if not self.begun:
            return
        path = [phase for phase in self.setting.phases[self.begun[-1]] if phase.id in self.begun]
        labels = [*dict.fromkeys(filter(None, map(self._phase, path)))] or [_id_words(path[-1].id)]
        heading = Deed(said(" · ".join(labels), self.names), heading=True)
        if self.told and self.told[-1].seat is None and plain(self.told[-1].line).casefold() == labels[-1].casefold():
            del self.told[-1]
        if self.told and self.told[-1].heading:
            del self.told[-1]  # nothing was told of it
        since = next((at for at in range(len(self.told) - 1, -1, -1) if self.told[at].heading), None)
        if since is None or self.told[since] != heading or any(deed.seat is None for deed in self.told[since + 1 :]):
            self.told.append(heading)
        self.begun.clear()

    def _phase(self, phase: core.Phase) -> str:
        """What a phase is called; "" where nobody says, or the position that would is not known."""
        return fixed_text(phase.label) or self.phases.get(phase.id, "")

    def _call_phases(self, begun: str, number: int) -> None:
        """What a phase that begins with an event, and those round it, are called, as far as it takes a position to
        say: in that of the next decision, unless they have begun anew before it."""
        for phase in self.setting.phases[begun]:
            if phase.label is not None and not fixed_text(phase.label):
                self.phases.pop(phase.id, None)
                at = bisect(self.logged, number)
                end = self.logged[at] if at < len(self.logged) else len(self.match.log)
                known = self._turn_from(at)
                if known is not None and not self._begins(phase.id, number + 1, end):
                    reader = self._position(*known)[0]
                    self.phases[phase.id] = plain(filled(reader, phase.label, [None] * phase.n_slots, self.names))

    def _turn_from(self, at: int) -> tuple[State, int] | None:
        """The position of a decision by its number, and where the rules ask for it; None behind the last."""
        if at < len(self.match.turns):
            answer = self.match.log[self.logged[at]]
            assert isinstance(answer, ChoiceMade), "what a decision logs first"
            return self.match.turns[at].before, answer.site
        decision = self.match.decision
        return None if decision is None else (self.match.state, decision.site)

    def _begins(self, phase: str, start: int, end: int) -> bool:
        return any(isinstance(event, PhaseBegan) and event.phase == phase for event in self.match.log[start:end])

    # ------------------------------------------------------------ choices

    def _choice(self, event: ChoiceMade, turn: Turn | None) -> None:
        _, seat, site, alternative, values, forced = event
        ask = self.setting.sites[site]
        if isinstance(ask, core.AskMany):
            self._pick(event, ask)
            return
        if turn is not None and seat == self.seat:
            values = self._own(turn, values)
        is_of_it = self.deed is not None and self.deed.seat == seat
        is_number = self._is_mere_number(ask, alternative)
        if forced and is_of_it and is_number:
            return
        self._close()
        label = self._label(ask, Option(0, alternative, values), turn)
        forced = bool(forced) and seat == self.seat and self._could_differ(ask)
        self.deed = _Deed((player(seat, self.names), Run(": "), *label), seat, self._changes(), forced)
        self.deed.is_part = is_of_it and is_number
        self.deed.is_early = ask.origin.maker == AT_ONCE
        self.deed.is_known = turn is not None and seat == self.seat and as_told(event, None, self.game) != event
        self.deed.awaits = HIDDEN in {run.text for run in label} or any(
            isinstance(stmt, core.Announce) and stmt.origin.maker == SAYS for stmt in ask.alternatives[alternative].body
        )

    def _could_differ(self, ask: core.Ask) -> bool:
        """Whether there is ever more to choose from: else it is no news that there was not."""
        return len(ask.alternatives) > 1 or any(alternative.vars for alternative in ask.alternatives)

    def _is_mere_number(self, ask: core.Ask, alternative: int) -> bool:
        """Whether an answer is numbers without words, or a part of a split: no deed where nothing else was possible,
        and else a part of the deed before it, if what comes of it is told."""
        if ask.origin.maker == SPLITS:
            return True
        given = ask.alternatives[alternative]
        types = [item_type(variable.domain.type) for variable in given.vars]
        return given.name is None and bool(types) and all(isinstance(type, IntType) for type in types)

    def _own(self, turn: Turn, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values of an own answer as they were offered: components that were in sight then are named."""
        decision = self.game.view(turn.before, turn.seat).decision
        return values if decision is None else decision.options[turn.index].values

    def _pick(self, event: ChoiceMade, ask: core.AskMany) -> None:
        """One more of several, or that there are no more."""
        _, seat, site, alternative, values, forced = event
        deed = self.deed
        if deed is None or deed.site != site or deed.seat != seat or not deed.changes.is_empty:
            self._close()
            deed = self.deed = _Deed((), seat, self._changes(), True, site=site)
        if alternative == 0:
            deed.picks += [worded(self.words, value, item_type(ask.source.type), self.names) for value in values]
        deed.forced = deed.forced and bool(forced) and seat == self.seat
        chosen = listed(deed.picks) if deed.picks else (Run("nothing"),)
        deed.line = (player(seat, self.names), Run(" chooses "), *chosen)

    def _label(self, ask: core.Ask, choice: Option, turn: Turn | None) -> Line:
        """The words of an answer as the position before it had them; without the position the words that are the same
        in all."""
        alternative = ask.alternatives[choice.alternative]
        if turn is not None and alternative.label is not None:
            reader, slots = self._reading(ask, turn)
            return _beginning(choice_words(reader, ask, choice, slots, self.names))
        by_slot = {v.slot: value for v, value in zip(alternative.vars, choice.values, strict=True)}
        if alternative.label is not None and all(
            isinstance(part, str) or (isinstance(part, core.Local) and part.slot in by_slot)
            for part in alternative.label.parts
        ):
            own: list[Value] = [None] * (max(by_slot, default=0) + 1)
            return _beginning(choice_words(self.words, ask, choice, own, self.names))
        return self._named(ask, alternative, choice.values, turn)

    def _named(self, ask: core.Ask, alternative: core.Alternative, values: Sequence[Value], turn: Turn | None) -> Line:
        """An answer by its name and its values; values alone with what was asked."""
        pairs = [pair for pair in zip(alternative.vars, values, strict=True) if pair[1] is not None]
        words = [worded(self.words, value, item_type(variable.domain.type), self.names) for variable, value in pairs]
        if alternative.name is not None:
            return capital(joined([(Run(alternative.name.replace("_", " ")),), *words], " "))
        asked = plain(self._asked(ask, turn))
        called = [variable.name.replace("_", " ") for variable, _ in pairs]
        if words and asked not in ("", f"Choose {' and '.join(called)}"):  # which is what the author did not ask
            return (*_beginning(joined(words)), Run(f" ({asked})", dim=True))
        bare = all(plain(word).isdecimal() for word in words)
        named = [
            (Run(f"{variable.name.replace('_', ' ')} "), *word)
            for (variable, _), word in zip(pairs, words, strict=True)
        ]
        return _beginning(joined(named if bare else words))

    def _asked(self, ask: core.Ask, turn: Turn | None) -> Line:
        """What was asked, as the position had it; of a choice that was forced, if it is the same in all."""
        if turn is None:
            return said(fixed_text(ask.prompt) or "", self.names)
        reader, slots = self._reading(ask, turn)
        return filled(reader, ask.prompt, slots, self.names)

    def _reading(self, ask: core.Ask, turn: Turn) -> tuple[Reader, list[Value]]:
        """The position before a choice, as far as it may be known, and the locals of the routine that asked."""
        return self._position(turn.before, ask.site)

    def _position(self, before: State, site: int) -> tuple[Reader, list[Value]]:
        if self.whole:
            reader = Reader(self.setting, before.cells, before.zones)
            return reader, list(self.game.locals_of(before))
        return self.game.heard(before, self.seat, site)


def _beginning(words: Line) -> Line:
    """What somebody chose, as a sentence begins; what a value is called stays as it is: ``a7``."""
    return words if words and words[0].of else capital(words)


def _id_words(id: str) -> str:
    return id.replace("_", " ").replace("-", " ").capitalize()


def _together(told: Iterable[Deed]) -> Iterator[Deed]:
    """Deeds of the rules that read alike are one."""
    last: Deed | None = None
    times = 1
    for deed in (*told, None):
        if last is not None and deed is not None and deed == last and deed.seat is None and not deed.heading:
            times += 1
            continue
        if last is not None:
            yield last if times == 1 else replace(last, line=(*last.line, Run(f" (×{times})", dim=True)))
        last, times = deed, 1


def as_lines(told: Iterable[Deed]) -> tuple[Line, ...]:
    """Deeds with all their details, a line each."""
    lines: list[Line] = []
    for deed in told:
        forced = (Run(" (nothing else was possible)", dim=True),) if deed.forced else ()
        lines.append((Run("— "), *deed.line, Run(" —")) if deed.heading else (*deed.line, *forced))
        lines += [(Run("    "), *styled(detail, dim=True)) for detail in deed.details]
    return tuple(lines)


def is_told(words: str, told: Sequence[Deed], before: Line, now: Line) -> bool:
    """Whether words, in any order, stand in a line of what happened, or of the part of the game that is now: one that
    was called otherwise before."""
    lines = [plain(line) for deed in told for line in (deed.line, *deed.details)]
    return bool(meant(words, [(line,) for line in (*lines, *([plain(now)] if now != before else []))]))
