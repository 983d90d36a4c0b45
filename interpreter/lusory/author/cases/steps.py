"""Steps of cases: what is done and what is checked. Names, values and expressions are resolved against the program.

Used by the reader of cases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.case_texts import case_block, case_expression, parse_value
from lusory_dsl.language.types import BOOL, INT, ComponentType, ListType, PlayerType, Type
from lusory_dsl.ruleset.model import Word
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Code, Diagnostics, did_you_mean
from lusory_dsl.text.source import Embedded, Span
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain

from .model import (
    Answer,
    Asks,
    Check,
    Decides,
    Ends,
    Formula,
    Holds,
    IsDrawn,
    IsRefused,
    Lies,
    MayChoose,
    MayGoOn,
    Reads,
    Routine,
    Sees,
    Shows,
    Step,
    Until,
    Viewer,
)
from .places import FaultyPlace, PlaceReader

FORCED, HIDDEN, NONE, ANY = "forced", "hidden", "none", "any"
ASKING = ("decision", "prompt", "legal", "legal_includes", "illegal")
"""The keys that ask what is to be decided."""
ACTIONS = ("do", "play_until", "run")
"""The keys of a step that do something. Its checks are made afterwards."""
BESIDE_ACTIONS = ("stop", "fault")
"""The keys that say more about what a step does. They check nothing."""

_POOL = re.compile(r"(?:P[1-9][0-9]*\.)?([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?")

_T = TypeVar("_T")


class Faulty(Exception):
    """A part of a case makes no sense; the diagnostic is made."""


def items_of(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """The items of a list; a single value is a list of one, nothing is an empty one."""
    if isinstance(node, YamlSequence):
        return node.items
    return () if node is None else (node,)


def _checks_above(step: YamlMapping) -> Iterator[tuple[YamlScalar, YamlScalar]]:
    """Yield the first check that stands above a key that does something, and that key."""
    check: YamlScalar | None = None
    for key, _ in step.entries:
        if key.text not in ACTIONS:
            check = key if check is None and key.text not in BESIDE_ACTIONS else check
        elif check is not None:
            yield check, key
            check = None


def entries_of(node: YamlNode | None) -> tuple[tuple[YamlScalar, YamlNode], ...]:
    return node.entries if isinstance(node, YamlMapping) else ()


def word_of(node: YamlNode) -> Word:
    return Word(node.text if isinstance(node, YamlScalar) else "", node.span)


def words_of(node: YamlNode | None) -> tuple[Word, ...]:
    return tuple(word_of(item) for item in items_of(node))


class StepReader:
    """Reads the steps of one case, and collects what is wrong with them."""

    def __init__(self, program: core.Program, players: int, diagnostics: Diagnostics) -> None:
        self.program = program
        self.players = players
        self.diagnostics = diagnostics
        self.places = PlaceReader(program, players, diagnostics)
        self.checks: dict[str, Callable[[YamlNode], Iterator[Check]]] = {
            "expect": self.expect,
            "position": self.position,
            "decision": self.decision,
            "prompt": self.prompt,
            "legal": lambda node: self.legal(node, exactly=True),
            "legal_includes": lambda node: self.legal(node, exactly=False),
            "illegal": self.illegal,
            "sees": self.sees,
            "events": self.events,
            "log": lambda node: self.log(node, never=False),
            "not_in_log": lambda node: self.log(node, never=True),
            "screen": self.screen,
            "outcome": self.outcome,
        }

    def fail(self, code: Code, message: str, span: Span, hint: str | None = None) -> Faulty:
        """``raise self.fail(…)``: a mistake that leaves nothing to read."""
        self.diagnostics.add(code, message, span, hint)
        return Faulty()

    def each(self, nodes: Iterable[YamlNode], read: Callable[[YamlNode], _T]) -> list[_T]:
        """What can be read of several nodes; a faulty one is left out."""
        found = []
        for node in nodes:
            try:
                found.append(read(node))
            except Faulty:
                continue
        return found

    # ------------------------------------------------------------ what is done

    def step(self, node: YamlMapping) -> Step:
        self.check_keys(node)
        fault, stop, run, until = (node.get(key) for key in ("fault", "stop", "run", "play_until"))
        checks: list[Check] = []
        for key, value in node.entries:
            if key.text in self.checks:
                checks += self.all_of(self.checks[key.text](value))
        return Step(
            answers=tuple(answer for item in items_of(node.get("do")) for answer in self.answers(item)),
            until=self.until(until) if until is not None else None,
            run=self.routine(run) if run is not None else None,
            stop=stop.span if stop is not None else None,
            fault=word_of(fault) if fault is not None else None,
            checks=tuple(checks),
            span=node.entries[0][0].span,
        )

    def check_keys(self, node: YamlMapping) -> None:
        """Keys that don't go together, and checks above what is done."""
        deed, run, stop = (
            next((key for name in ACTIONS if (key := node.key(name))), None),
            node.key("run"),
            node.key("stop"),
        )
        if run is not None and deed is not None and deed is not run:
            self.diagnostics.add(codes.KEYS_EXCLUDE, f"`run` stands in place of `{deed.text}`", run.span)
        if stop is not None and (deed is None or node.key("play_until") is not None):
            message = "`stop: now` follows on a decision: it stands with `do`"
            self.diagnostics.add(codes.KEYS_EXCLUDE, message, stop.span)
        asking = next((key for name in ASKING if (key := node.key(name))), None)
        if stop is not None and asking is not None and run is None:
            message = f"`{asking.text}` can't stand beside `stop: now`: nobody is asked yet"
            self.diagnostics.add(codes.KEYS_EXCLUDE, message, asking.span, "put it into the next step")
        for check, below in _checks_above(node):
            message = f"`{check.text}` stands above `{below.text}`: a step does first, then checks"
            hint = "move it into a step of its own before this one, or below"
            self.diagnostics.add(codes.CHECK_ABOVE, message, check.span, hint)

    def answers(self, node: YamlNode) -> list[Answer]:
        if isinstance(node, YamlScalar):
            return [Answer(None, node.text, node.span)]
        found: list[Answer] = []
        for key, value in entries_of(node):
            try:
                seat = None if key.text == FORCED else self.seat(word_of(key))
            except Faulty:
                continue
            found += self.answers_by(seat, value, key.text == FORCED)
        return found

    def answers_by(self, seat: int | None, node: YamlNode, is_forced: bool) -> Iterator[Answer]:
        """What a seat decides, or must do."""
        for item in items_of(node):
            if isinstance(item, YamlMapping):
                for _, forced in item.entries:
                    yield from self.answers_by(seat, forced, is_forced=True)
            else:
                yield Answer(seat, word_of(item).text, item.span, is_forced)

    def until(self, node: YamlNode) -> Until:
        if word_of(node).text == "end":
            return Until(None, node.span)
        try:
            return Until(self.formula(node, BOOL), node.span)
        except Faulty:
            return Until(None, node.span)

    def routine(self, node: YamlNode) -> Routine:
        """Statements of the language."""
        assert isinstance(node, YamlScalar)
        body, n_slots = case_block(self.program, node.embedded(), self.diagnostics)
        for part in (part for stmt in body for part in core.walk(stmt)):
            self.check_seats(part)
        return Routine(body, n_slots, node.span)

    # ------------------------------------------------------------ parts

    def seat(self, word: Word) -> int:
        number = int(word.text.removeprefix("P"))
        if number > self.players:
            message = f"nobody sits at {word.text}: this case has {self.players} players"
            raise self.fail(codes.NO_SUCH_SEAT, message, word.span)
        return number - 1

    def viewer(self, word: Word) -> Viewer:
        return Viewer(None) if word.text == "spectator" else Viewer(self.seat(word))

    def formula(self, node: YamlNode, expected: Type | None = None) -> Formula:
        """An expression of the language; also a bare ``true``."""
        assert isinstance(node, YamlScalar)
        return self.formula_of(node.embedded(), node.span, expected)

    def formula_of(self, text: Embedded, span: Span, expected: Type | None = None) -> Formula:
        found = Diagnostics()
        checked = case_expression(self.program, text, found, expected)
        self.diagnostics.extend(found.sorted())
        if checked is None:
            raise Faulty
        expr, n_slots = checked
        for part in core.walk(expr):
            self.check_seats(part)
        return Formula(text.text, expr, n_slots, span)

    def check_seats(self, part: object) -> None:
        """A seat that a text names must be there."""
        if isinstance(part, core.Const) and isinstance(part.type, PlayerType):
            self.seat(Word(f"P{int(str(part.value)) + 1}", part.span))

    # ------------------------------------------------------------ checks

    def all_of(self, checks: Iterator[Check]) -> list[Check]:
        """The checks that can be read, up to a mistake."""
        found = []
        try:
            for check in checks:
                found.append(check)
        except Faulty:
            pass
        return found

    def expect(self, node: YamlNode) -> Iterator[Check]:
        for formula in self.each(items_of(node), lambda item: self.formula(item, BOOL)):
            yield Holds(formula.span, formula)

    def position(self, node: YamlNode) -> Iterator[Check]:
        for entry in entries_of(node):
            placings = self.places.read([entry])
            if placings and entry[0].text in self.program.pictures:
                yield IsDrawn(entry[0].span, entry[0].text, tuple(placings))
                continue
            for placing in placings:
                yield Lies(placing.span, placing)

    def decision(self, node: YamlNode) -> Iterator[Check]:
        word = word_of(node)
        yield Decides(node.span, None if word.text == NONE else self.seat(word))

    def prompt(self, node: YamlNode) -> Iterator[Check]:
        yield Asks(node.span, word_of(node).text)

    def legal(self, node: YamlNode, exactly: bool) -> Iterator[Check]:
        for key, value in entries_of(node):
            seat = self.seat(word_of(key))
            if not isinstance(value, YamlMapping):
                yield MayChoose(key.span, seat, words_of(value), exactly)
                continue
            for first, rest in value.entries:
                said = word_of(rest).text if isinstance(rest, YamlScalar) else ""
                listed = None if said == ANY else () if said == NONE else words_of(rest)
                yield MayGoOn(first.span, seat, word_of(first), listed, exactly or said == NONE)

    def illegal(self, node: YamlNode) -> Iterator[Check]:
        for item in items_of(node):
            reason = item.get("because") if isinstance(item, YamlMapping) else None
            for key, value in entries_of(item):
                if key.text != "because":
                    seat = self.seat(word_of(key))
                    for word in words_of(value):
                        yield IsRefused(word.span, seat, word, word_of(reason) if reason is not None else None)

    def sees(self, node: YamlNode) -> Iterator[Check]:
        for key, seen in entries_of(node):
            viewer = self.viewer(word_of(key))
            for place, value in entries_of(seen):
                hidden = word_of(value).text == HIDDEN
                pool = self.program.pools.get(matched[1]) if (matched := _POOL.fullmatch(place.text)) else None
                if pool is not None:
                    yield from self.sees_pool(viewer, place, pool, None if hidden else value)
                    continue
                formula = self.formula(place)
                content = None if hidden else self.value(value, formula.expr.type)
                yield Sees(value.span, viewer, formula, hidden, content)

    def sees_pool(self, viewer: Viewer, place: YamlScalar, pool: core.Pool, node: YamlNode | None) -> Iterator[Check]:
        """What is seen of all kinds of counters of a pool; ``node`` None: nothing."""
        try:
            counts = None if node is None else self.places.counts(pool, node)
        except FaultyPlace:
            raise Faulty from None
        written = place.embedded()
        for kind in pool.kinds:
            ending = f".{self.places.kinds_of(pool)[kind].name}"
            offsets = (*written.offsets, *([written.offsets[-1]] * len(ending)))
            formula = self.formula_of(Embedded(written.source, written.text + ending, offsets), place.span, INT)
            span = place.span if node is None else node.span
            yield Sees(span, viewer, formula, counts is None, None if counts is None else counts[kind])

    def value(self, node: YamlNode, type: Type) -> Any:
        """A value of a known type, as an author writes it."""
        if isinstance(type, ListType):
            if isinstance(node, YamlMapping) and isinstance(type.item, ComponentType):
                try:
                    return self.places.counted(type.item.name, node)
                except FaultyPlace:
                    raise Faulty from None
            return tuple(self.value(item, type.item) for item in items_of(node))
        try:
            return parse_value(self.program, type, word_of(node).text)
        except ValueError as problem:
            raise self.fail(codes.WRONG_POSITION, str(problem), node.span) from None

    def events(self, node: YamlNode) -> Iterator[Check]:
        yield Reads(node.span, Viewer(None, is_case=True), words_of(node), never=False)

    def log(self, node: YamlNode, never: bool) -> Iterator[Check]:
        for key, parts in entries_of(node):
            yield Reads(parts.span, self.viewer(word_of(key)), words_of(parts), never)

    def screen(self, node: YamlNode) -> Iterator[Check]:
        for key, text in entries_of(node):
            lines = (line.strip() for line in word_of(text).text.splitlines())
            yield Shows(text.span, self.viewer(word_of(key)), tuple(line for line in lines if line))

    # ------------------------------------------------------------ the end

    def outcome(self, node: YamlNode) -> Iterator[Check]:
        for key, value in entries_of(node):
            if key.text == "winners":
                yield Ends(value.span, "winners", frozenset(self.seat(word) for word in words_of(value)))
            elif key.text == "reason":
                yield Ends(value.span, "reason", word_of(value).text)
            elif key.text == "shown":
                yield from self.shown(value)
            else:
                yield Ends(value.span, key.text, self.by_seat(value))

    def shown(self, node: YamlNode) -> Iterator[Check]:
        """Columns of the final table."""
        scoring = self.program.scoring
        steps = (step for chart in scoring.charts for step in chart.steps)
        titles = [shown for shown, _ in (*scoring.shown, *steps)]
        for title, column in entries_of(node):
            if title.text in titles:
                yield Ends(column.span, "shown", self.by_seat(column), title.text)
                continue
            if re.fullmatch("P[1-9][0-9]*", title.text):
                said = f"write `{{{(titles or ['Points'])[0]}: {{{title.text}: …}}}}`: the column, then the seats"
                raise self.fail(codes.UNKNOWN_PLACE, "`shown` lists columns, not seats", title.span, said)
            message = f"the final table has no column `{title.text}`"
            hint = did_you_mean(title.text, titles) or (f"it has {', '.join(titles)}" if titles else None)
            raise self.fail(codes.UNKNOWN_PLACE, message, title.span, hint)

    def by_seat(self, node: YamlNode) -> dict[int, Any]:
        found = {}
        for key, value in entries_of(node):
            if not isinstance(value, YamlScalar) or not isinstance(value.value, int | float):
                raise self.fail(codes.WRONG_KIND, f"{key.text} has a number here", value.span)
            found[self.seat(word_of(key))] = plain(value)
        return found
