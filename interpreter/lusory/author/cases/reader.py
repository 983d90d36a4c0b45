"""Case files -> checked cases. Names, values and expressions are resolved against the program, with places in the file.

Used by :mod:`lusory.author.cases`. A mistake makes the case faulty, not the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.case_texts import case_expression, parse_value
from lusory_dsl.language.types import BOOL, ListType, PlayerType, Type
from lusory_dsl.ruleset.model import Word
from lusory_dsl.ruleset.shape import validate
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Code, Diagnostic, Diagnostics, did_you_mean
from lusory_dsl.text.memory import remembered
from lusory_dsl.text.source import Source, Span
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain, read_text

from ...game import option_values_of, players_of
from ...table.phases import all_phases, all_statements
from .model import (
    Answer,
    Asks,
    Case,
    Check,
    Decides,
    Ends,
    Formula,
    Given,
    Holds,
    IsRefused,
    Lies,
    MayChoose,
    Reads,
    Sees,
    Step,
    Until,
    Viewer,
)
from .places import PlaceReader

_T = TypeVar("_T")


def read_cases(program: core.Program, source: Source, diagnostics: Diagnostics, only: str | None = None) -> list[Case]:
    """The cases of a file, or those with ``only`` in ``file:id`` or in the title. What is wrong with the file as a
    whole goes into ``diagnostics``."""
    source.edition = program.edition
    root, found = remembered(("cases", source.name, source.text, source.edition), partial(_tree, source))
    diagnostics.extend(found)
    return [] if root is None else _cases(program, root, only)


def _tree(source: Source) -> tuple[YamlMapping | None, list[Diagnostic]]:
    """The tree of a case file that is one, and what is wrong with it."""
    found = Diagnostics()
    root = read_text(source, found)
    if root is not None:
        validate(root, "cases", found)
    return root if isinstance(root, YamlMapping) and not found.has_errors else None, found.sorted()


def cases_of(program: core.Program, root: YamlNode, diagnostics: Diagnostics) -> list[Case]:
    """The cases in the tree of a case file."""
    found = Diagnostics()
    validate(root, "cases", found)
    diagnostics.extend(found.sorted())
    return [] if found.has_errors or not isinstance(root, YamlMapping) else _cases(program, root)


def _cases(program: core.Program, root: YamlMapping, only: str | None = None) -> list[Case]:
    meant = (node for node in _items(root.get("cases")) if only is None or only.lower() in _named(node))
    return [_CaseReader(program, root, node).read() for node in meant]


def _named(case: YamlNode) -> str:
    """What a case is known by: ``file:id`` and its title, in small letters."""
    assert isinstance(case, YamlMapping)
    id, title = (_word(node).text if (node := case.get(key)) is not None else "" for key in ("id", "title"))
    return f"{case.span.source.name}:{id} {title}".lower()


def _items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """The items of a list; a single value is a list of one, nothing is an empty one."""
    if isinstance(node, YamlSequence):
        return node.items
    return () if node is None else (node,)


def _entries(node: YamlNode | None) -> tuple[tuple[YamlScalar, YamlNode], ...]:
    return node.entries if isinstance(node, YamlMapping) else ()


def _word(node: YamlNode) -> Word:
    return Word(node.text if isinstance(node, YamlScalar) else "", node.span)


def _words(node: YamlNode | None) -> tuple[Word, ...]:
    return tuple(_word(item) for item in _items(node))


@lru_cache(maxsize=8)
def _chance_types(program: core.Program, of_dice: bool) -> tuple[Type, ...]:
    """What dice, or else random picks, of a program may show."""
    randoms = [stmt for stmt in all_statements(program) if isinstance(stmt, core.Random)]
    domains = [stmt.domain.type for stmt in randoms if (stmt.stream == "dice") == of_dice]
    return tuple(dict.fromkeys(type.item for type in domains if isinstance(type, ListType)))


class _Faulty(Exception):
    """A part of a case makes no sense; the diagnostic is made."""


class _CaseReader:
    """Reads one case, and collects what is wrong with it."""

    def __init__(self, program: core.Program, file: YamlMapping, case: YamlNode) -> None:
        assert isinstance(case, YamlMapping)
        self.program = program
        self.file = file
        self.case = case
        self.diagnostics = Diagnostics()
        self.players = self.number_of_players()
        self.places = PlaceReader(program, self.players, self.diagnostics)
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
            "outcome": self.outcome,
        }

    def read(self) -> Case:
        case = self.case
        id_node, title, seed = case.get("id"), case.get("title"), self.setting("seed")
        assert id_node is not None
        chance = [case.key(key) for key in ("dice", "picks", "shuffles")]
        return Case(
            id=_word(id_node).text,
            title=_word(title).text if title is not None else "",
            clauses=_words(case.get("clauses")),
            players=self.players,
            options=self.options(),
            seed=int(plain(seed)) if seed is not None else 0,
            dice=self.chances("dice"),
            picks=self.chances("picks"),
            shuffles=self.places.shuffles(_items(case.get("shuffles"))),
            chance_span=next((key.span for key in chance if key is not None), id_node.span),
            given=self.given(),
            steps=tuple(self.step(node) for node in _items(case.get("steps")) if isinstance(node, YamlMapping)),
            span=id_node.span,
            faults=tuple(self.diagnostics.sorted()),
        )

    def fail(self, code: Code, message: str, span: Span, hint: str | None = None) -> _Faulty:
        """``raise self.fail(…)``: a mistake that leaves nothing to read."""
        self.diagnostics.add(code, message, span, hint)
        return _Faulty()

    def each(self, nodes: Iterable[YamlNode], read: Callable[[YamlNode], _T]) -> list[_T]:
        """What can be read of several nodes; a faulty one is left out."""
        found = []
        for node in nodes:
            try:
                found.append(read(node))
            except _Faulty:
                continue
        return found

    # ------------------------------------------------------------ setting

    def setting(self, key: str) -> YamlNode | None:
        """The value of a key of the case, or else of the file."""
        node = self.case.get(key)
        return self.file.get(key) if node is None else node

    def number_of_players(self) -> int:
        node = self.setting("players")
        if node is None:
            return self.program.min_players
        try:
            return players_of(self.program, int(plain(node)))
        except ValueError as problem:
            self.diagnostics.add(codes.WRONG_SETTING, str(problem), node.span)
            return self.program.min_players

    def options(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for mapping in (self.file.get("options"), self.case.get("options")):
            for key, node in _entries(mapping):
                try:
                    option_values_of(self.program, {key.text: plain(node)})
                    found[key.text] = plain(node)
                except ValueError as problem:
                    is_known = any(option.name == key.text for option in self.program.options)
                    span = node.span if is_known else key.span
                    self.diagnostics.add(codes.WRONG_SETTING, str(problem), span)
        return found

    def chances(self, key: str) -> tuple[Any, ...]:
        """Dictated results. Each must be a value of something that the rules leave to this kind of chance."""
        types = _chance_types(self.program, key == "dice")
        return tuple(self.each(_items(self.case.get(key)), lambda node: self.chance(node, types, key)))

    def chance(self, node: YamlNode, types: Sequence[Type], key: str) -> Any:
        verb = "rolled" if key == "dice" else "picked"
        if not types:
            raise self.fail(codes.WRONG_CHANCE, f"nothing is ever {verb} in {self.program.name}", node.span)
        for type in types:
            try:
                return parse_value(self.program, type, _word(node).text)
            except ValueError:
                continue
        kinds = " or ".join(str(type) for type in types)
        raise self.fail(codes.WRONG_CHANCE, f"`{_word(node).text}` can't be {verb}; {kinds} can", node.span)

    def given(self) -> Given | None:
        node = self.case.get("given")
        if not isinstance(node, YamlMapping):
            return None
        phase = node.get("phase")
        if phase is not None:
            known = [phase.id for phase in all_phases(self.program) if phase is not self.program.setup]
            if _word(phase).text not in known:
                hint = did_you_mean(_word(phase).text, known) or f"the phases are {', '.join(known)}"
                self.diagnostics.add(codes.UNKNOWN_PHASE, f"there is no phase `{_word(phase).text}`", phase.span, hint)
        entries = [(key, value) for key, value in node.entries if key.text != "phase"]
        return Given(_word(phase).text if phase is not None else None, tuple(self.places.read(entries)), node.span)

    # ------------------------------------------------------------ steps

    def step(self, node: YamlMapping) -> Step:
        fault = node.get("fault")
        checks: list[Check] = []
        for key, value in node.entries:
            if key.text in self.checks:
                checks += self.all_of(self.checks[key.text](value))
        until = node.get("play_until")
        return Step(
            answers=tuple(answer for item in _items(node.get("do")) for answer in self.answers(item)),
            until=self.until(until) if until is not None else None,
            fault=_word(fault) if fault is not None else None,
            checks=tuple(checks),
            span=node.entries[0][0].span,
        )

    def all_of(self, checks: Iterator[Check]) -> list[Check]:
        """The checks that can be read, up to a mistake."""
        found = []
        try:
            for check in checks:
                found.append(check)
        except _Faulty:
            pass
        return found

    def answers(self, node: YamlNode) -> list[Answer]:
        if isinstance(node, YamlScalar):
            return [Answer(None, node.text, node.span)]
        found = []
        for key, value in _entries(node):
            try:
                seat = self.seat(_word(key))
            except _Faulty:
                continue
            found += [Answer(seat, word.text, word.span) for word in _words(value)]
        return found

    def until(self, node: YamlNode) -> Until:
        if _word(node).text == "end":
            return Until(None, node.span)
        try:
            return Until(self.formula(node, BOOL), node.span)
        except _Faulty:
            return Until(None, node.span)

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
        found = Diagnostics()
        checked = case_expression(self.program, node.embedded(), found, expected)
        self.diagnostics.extend(found.sorted())
        if checked is None or found.has_errors:
            raise _Faulty
        expr, n_slots = checked
        for part in core.walk(expr):
            if isinstance(part, core.Const) and isinstance(part.type, PlayerType):
                self.seat(Word(f"P{int(str(part.value)) + 1}", part.span))
        return Formula(node.text, expr, n_slots, node.span)

    # ------------------------------------------------------------ checks

    def expect(self, node: YamlNode) -> Iterator[Check]:
        for formula in self.each(_items(node), lambda item: self.formula(item, BOOL)):
            yield Holds(formula.span, formula)

    def position(self, node: YamlNode) -> Iterator[Check]:
        for placing in self.places.read(_entries(node)):
            yield Lies(placing.span, placing)

    def decision(self, node: YamlNode) -> Iterator[Check]:
        word = _word(node)
        yield Decides(node.span, None if word.text == "none" else self.seat(word))

    def prompt(self, node: YamlNode) -> Iterator[Check]:
        yield Asks(node.span, _word(node).text)

    def legal(self, node: YamlNode, exactly: bool) -> Iterator[Check]:
        for key, value in _entries(node):
            yield MayChoose(key.span, self.seat(_word(key)), _words(value), exactly)

    def illegal(self, node: YamlNode) -> Iterator[Check]:
        for item in _items(node):
            reason = item.get("because") if isinstance(item, YamlMapping) else None
            for key, value in _entries(item):
                if key.text != "because":
                    seat = self.seat(_word(key))
                    for word in _words(value):
                        yield IsRefused(word.span, seat, word, _word(reason) if reason is not None else None)

    def sees(self, node: YamlNode) -> Iterator[Check]:
        for key, seen in _entries(node):
            viewer = self.viewer(_word(key))
            for place, value in _entries(seen):
                formula = self.formula(place)
                hidden = _word(value).text == "hidden"
                content = None if hidden else self.value(value, formula.expr.type)
                yield Sees(value.span, viewer, formula, hidden, content)

    def value(self, node: YamlNode, type: Type) -> Any:
        """A value of a known type, as an author writes it."""
        if isinstance(type, ListType):
            return tuple(self.value(item, type.item) for item in _items(node))
        try:
            return parse_value(self.program, type, _word(node).text)
        except ValueError as problem:
            raise self.fail(codes.WRONG_POSITION, str(problem), node.span) from None

    def events(self, node: YamlNode) -> Iterator[Check]:
        yield Reads(node.span, Viewer(None, is_case=True), _words(node), never=False)

    def log(self, node: YamlNode, never: bool) -> Iterator[Check]:
        for key, parts in _entries(node):
            yield Reads(parts.span, self.viewer(_word(key)), _words(parts), never)

    def outcome(self, node: YamlNode) -> Iterator[Check]:
        for key, value in _entries(node):
            if key.text == "winners":
                yield Ends(value.span, "winners", frozenset(self.seat(word) for word in _words(value)))
            elif key.text == "reason":
                yield Ends(value.span, "reason", _word(value).text)
            elif key.text == "shown":
                for title, column in _entries(value):
                    scoring = self.program.scoring
                    steps = (step for chart in scoring.charts for step in chart.steps)
                    titles = [shown for shown, _ in (*scoring.shown, *steps)]
                    if title.text not in titles:
                        hint = did_you_mean(title.text, titles)
                        message = f"the final table has no column `{title.text}`"
                        raise self.fail(codes.UNKNOWN_PLACE, message, title.span, hint)
                    yield Ends(column.span, "shown", self.by_seat(column), title.text)
            else:
                yield Ends(value.span, key.text, self.by_seat(value))

    def by_seat(self, node: YamlNode) -> dict[int, Any]:
        return {self.seat(_word(key)): plain(value) for key, value in _entries(node)}
