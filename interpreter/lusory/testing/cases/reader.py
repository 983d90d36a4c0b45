"""Read case files: parse the YAML, check expressions and statements, and build the data model of cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.checker.case_expressions import check_case_block, check_case_expression, parse_value
from lusory_dsl.ruleset.model import Word
from lusory_dsl.ruleset.schema_validation import validate
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Code, Diagnostic, Diagnostics, suggest_name
from lusory_dsl.source.parse_cache import get_cached
from lusory_dsl.source.source import EmbeddedText, Source, Span
from lusory_dsl.types.types import BOOL, INT, ComponentType, ListType, PlayerType, Type
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text, to_plain_data

from ...game import option_values_of, players_of
from ...state.phase_operations import all_statements
from ...state.setting import item_type
from .model import (
    NAMELESS,
    Answer,
    Asks,
    Case,
    Check,
    Decides,
    Ends,
    Formula,
    Given,
    Holds,
    IsDrawn,
    IsRefused,
    Lies,
    MayChoose,
    MayGoOn,
    Reads,
    Result,
    Routine,
    Sees,
    Shows,
    Step,
    Until,
    Viewer,
)
from .positions import FaultyPlace, Named, PlaceReader, SharedPositions, positions_in

FORCED, HIDDEN, NONE, ANY = "forced", "hidden", "none", "any"
ASKING = ("decision", "prompt", "legal", "legal_includes", "illegal")
"""Checks of the pending decision."""
ACTIONS = ("do", "play_until", "run")
"""Keys of a step that are actions. The checks of the step follow them."""
BESIDE_ACTIONS = ("stop", "fault")
"""Keys that modify actions. They are not checks."""

_POOL = re.compile(r"(?:P[1-9][0-9]*\.)?([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?")

_T = TypeVar("_T")


class Faulty(Exception):
    """Error: a part of a case is invalid. Its diagnostic is already reported."""


def items_of(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """Return the items of a list. A single value counts as a list of one, and None as an empty list."""
    if isinstance(node, YamlSequence):
        return node.items
    return () if node is None else (node,)


def _checks_above(step: YamlMapping) -> Iterator[tuple[YamlScalar, YamlScalar]]:
    """Yield each check that stands before an action in a step, with that action."""
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
    """Reader of the steps of one case, which collects diagnostics."""

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
        """Report a fault and return the exception for ``raise self.fail(…)``."""
        self.diagnostics.add(code, message, span, hint)
        return Faulty()

    def each(self, nodes: Iterable[YamlNode], read: Callable[[YamlNode], _T]) -> list[_T]:
        """Return what ``read`` returns for each node, without faulty nodes."""
        found = []
        for node in nodes:
            try:
                found.append(read(node))
            except Faulty:
                continue
        return found

    # ------------------------------------------------------------ actions

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
        """Report keys that exclude each other, and checks before actions."""
        deed, run, stop = (
            next((key for name in ACTIONS if (key := node.get_key(name))), None),
            node.get_key("run"),
            node.get_key("stop"),
        )
        if run is not None and deed is not None and deed is not run:
            self.diagnostics.add(diagnostic_codes.KEYS_EXCLUDE, f"`run` can't be combined with `{deed.text}`", run.span)
        if stop is not None and (deed is None or node.get_key("play_until") is not None):
            message = "`stop: now` needs a decision: write it in a step with `do`"
            self.diagnostics.add(diagnostic_codes.KEYS_EXCLUDE, message, stop.span)
        asking = next((key for name in ASKING if (key := node.get_key(name))), None)
        if stop is not None and asking is not None and run is None:
            message = f"`{asking.text}` can't be combined with `stop: now`: no player must decide yet"
            self.diagnostics.add(diagnostic_codes.KEYS_EXCLUDE, message, asking.span, "move it to the next step")
        for check, below in _checks_above(node):
            message = f"`{check.text}` is above `{below.text}`, but a step acts first and checks afterwards"
            hint = "move it below, or into a step of its own before this one"
            self.diagnostics.add(diagnostic_codes.CHECK_ABOVE, message, check.span, hint)

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
        """Yield the answers of a seat, including forced ones."""
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
        """Return the checked statements of a `run` action."""
        assert isinstance(node, YamlScalar)
        body, n_slots = check_case_block(self.program, node.to_embedded_text(), self.diagnostics)
        for part in (part for stmt in body for part in core.walk(stmt)):
            self.check_seats(part)
        return Routine(body, n_slots, node.span)

    # ------------------------------------------------------------ parts

    def seat(self, word: Word) -> int:
        number = int(word.text.removeprefix("P"))
        if number > self.players:
            message = f"there is no {word.text}: this case has {self.players} players"
            raise self.fail(diagnostic_codes.NO_SUCH_SEAT, message, word.span)
        return number - 1

    def viewer(self, word: Word) -> Viewer:
        return Viewer(None) if word.text == "spectator" else Viewer(self.seat(word))

    def formula(self, node: YamlNode, expected: Type | None = None) -> Formula:
        """Return the checked expression of a node, which may also be a YAML boolean."""
        assert isinstance(node, YamlScalar)
        return self.formula_of(node.to_embedded_text(), node.span, expected)

    def formula_of(self, text: EmbeddedText, span: Span, expected: Type | None = None) -> Formula:
        found = Diagnostics()
        checked = check_case_expression(self.program, text, found, expected)
        self.diagnostics.extend(found.sorted())
        if checked is None:
            raise Faulty
        expr, n_slots = checked
        for part in core.walk(expr):
            self.check_seats(part)
        return Formula(text.text, expr, n_slots, span)

    def check_seats(self, part: object) -> None:
        """Report a fault if a constant names a seat that the case does not have."""
        if isinstance(part, core.Const) and isinstance(part.type, PlayerType):
            self.seat(Word(f"P{int(str(part.value)) + 1}", part.span))

    # ------------------------------------------------------------ checks

    def all_of(self, checks: Iterator[Check]) -> list[Check]:
        """Return the checks up to the first faulty one."""
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
        """Yield a check for each kind of counters in a pool. A ``node`` of None means that they are hidden."""
        try:
            counts = None if node is None else self.places.counts(pool, node)
        except FaultyPlace:
            raise Faulty from None
        written = place.to_embedded_text()
        for kind in pool.kinds:
            ending = f".{self.places.kinds_of(pool)[kind].name}"
            offsets = (*written.offsets, *([written.offsets[-1]] * len(ending)))
            formula = self.formula_of(EmbeddedText(written.source, written.text + ending, offsets), place.span, INT)
            span = place.span if node is None else node.span
            yield Sees(span, viewer, formula, counts is None, None if counts is None else counts[kind])

    def value(self, node: YamlNode, type: Type) -> Any:
        """Return the value of a node with a known type."""
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
            raise self.fail(diagnostic_codes.WRONG_POSITION, str(problem), node.span) from None

    def events(self, node: YamlNode) -> Iterator[Check]:
        yield Reads(node.span, Viewer(None, is_case=True), words_of(node), never=False)

    def log(self, node: YamlNode, never: bool) -> Iterator[Check]:
        for key, parts in entries_of(node):
            yield Reads(parts.span, self.viewer(word_of(key)), words_of(parts), never)

    def screen(self, node: YamlNode) -> Iterator[Check]:
        for key, text in entries_of(node):
            lines = (line.strip() for line in word_of(text).text.splitlines())
            yield Shows(text.span, self.viewer(word_of(key)), tuple(line for line in lines if line))

    # ------------------------------------------------------------ outcome

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
        """Yield the checks of columns of the final table."""
        scoring = self.program.scoring
        steps = (step for chart in scoring.charts for step in chart.steps)
        titles = [shown for shown, _ in (*scoring.shown, *steps)]
        for title, column in entries_of(node):
            if title.text in titles:
                yield Ends(column.span, "shown", self.by_seat(column), title.text)
                continue
            if re.fullmatch("P[1-9][0-9]*", title.text):
                said = f"write `{{{(titles or ['Points'])[0]}: {{{title.text}: …}}}}`: the column, then the seats"
                raise self.fail(diagnostic_codes.UNKNOWN_PLACE, "`shown` lists columns, not seats", title.span, said)
            message = f"the final table has no column `{title.text}`"
            hint = suggest_name(title.text, titles) or (f"it has {', '.join(titles)}" if titles else None)
            raise self.fail(diagnostic_codes.UNKNOWN_PLACE, message, title.span, hint)

    def by_seat(self, node: YamlNode) -> dict[int, Any]:
        found = {}
        for key, value in entries_of(node):
            if not isinstance(value, YamlScalar) or not isinstance(value.value, int | float):
                raise self.fail(diagnostic_codes.WRONG_KIND, f"{key.text} needs a number here", value.span)
            found[self.seat(word_of(key))] = to_plain_data(value)
        return found


_NO_CHANCE = Span(Source("", ""), 0, 0)


@dataclass(frozen=True, eq=False)
class CaseFile:
    """Case file with valid YAML. ``faults`` are violations of the schema. ``name`` is used in messages."""

    name: str
    root: YamlMapping
    faults: tuple[Diagnostic, ...]

    @property
    def cases(self) -> tuple[YamlMapping, ...]:
        """Return the cases, or none if a part that they share is faulty."""
        return () if any(not self._is_of_position(fault) for fault in self.of_file()) else self._written

    @cached_property
    def _written(self) -> tuple[YamlMapping, ...]:
        return tuple(case for case in items_of(self.root.get("cases")) if isinstance(case, YamlMapping))

    def _is_of_position(self, fault: Diagnostic) -> bool:
        return any(stands_in(position, fault) for _, position in self.positions)

    @property
    def positions(self) -> tuple[Named, ...]:
        return tuple(positions_in(self.root))

    def of_case(self, case: YamlMapping) -> list[Diagnostic]:
        """Return the schema faults of one case."""
        return [fault for fault in self.faults if stands_in(case, fault)]

    def of_file(self) -> list[Diagnostic]:
        """Return the schema faults outside all cases."""
        return [fault for fault in self.faults if not any(stands_in(case, fault) for case in self._written)]


def stands_in(node: YamlMapping, fault: Diagnostic) -> bool:
    """Return whether a fault is inside a node."""
    return node.span.start <= fault.span.start < node.span.end


def case_file(source: Source, diagnostics: Diagnostics) -> CaseFile | None:
    """Return a case file, or None, with diagnostics, if its YAML is invalid."""
    root, found, faults = get_cached(("cases", source.name, source.text), partial(_tree, source))
    diagnostics.extend(found)
    return None if root is None else CaseFile(source.name, root, faults)


def _tree(source: Source) -> tuple[YamlMapping | None, list[Diagnostic], tuple[Diagnostic, ...]]:
    """Return the YAML tree or None, the diagnostics of reading it, and its schema faults."""
    found, faults = Diagnostics(), Diagnostics()
    root = read_text(source, found)
    if root is not None:
        validate(root, "cases", faults)
    if not isinstance(root, YamlMapping):
        return None, [*found.sorted(), *faults.sorted()], ()
    return (None if found.has_errors else root), found.sorted(), tuple(faults.sorted())


def read_cases(
    program: core.Program, file: CaseFile, positions: SharedPositions, only: str | None = None
) -> list[Case]:
    """Return the cases of a file, or only those with ``only`` in ``file:id`` or in the title."""
    meant = (node for node in file.cases if only is None or only.lower() in _named(node))
    return [_CaseReader(program, file, positions, node).read() for node in meant]


def _named(case: YamlMapping) -> str:
    """Return ``file:id`` and the title of a case in lower case."""
    id, title = (word_of(node).text if (node := case.get(key)) is not None else "" for key in ("id", "title"))
    return f"{case.span.source.name}:{id} {title}".lower()


@lru_cache(maxsize=8)
def _draws(program: core.Program, of_dice: bool) -> dict[str, list[Type]]:
    """Return the types of the results that a program rolls or picks at random, by the name of the draw."""
    found: dict[str, list[Type]] = {}
    for stmt in all_statements(program):
        if isinstance(stmt, core.Random) and (stmt.stream == "dice") == of_dice:
            found.setdefault(stmt.name, []).append(item_type(stmt.domain.type))
    return found


class _CaseReader:
    """Reader of one case, which collects diagnostics."""

    def __init__(self, program: core.Program, file: CaseFile, positions: SharedPositions, case: YamlMapping) -> None:
        self.program = program
        self.file = file
        self.positions = positions
        self.case = case
        self.diagnostics = Diagnostics()
        self.diagnostics.extend(file.of_case(case))

    def read(self) -> Case:
        case = self.case
        id_node, title = case.get("id"), case.get("title")
        span = case.span if id_node is None else id_node.span
        id, title_text = (word_of(node).text if node is not None else "" for node in (id_node, title))
        if self.diagnostics.has_errors:
            faults = tuple(self.diagnostics.sorted())
            return Case(id or NAMELESS, title_text, (), 0, {}, 0, (), (), (), _NO_CHANCE, None, (), span, faults)
        players, seed = self.number_of_players(), self.setting("seed")
        self.steps = StepReader(self.program, players, self.diagnostics)
        chance = [case.get_key(key) for key in ("dice", "picks", "shuffles")]
        return Case(
            id=id,
            title=title_text,
            clauses=words_of(case.get("clauses")),
            players=players,
            options=self.options(),
            seed=int(to_plain_data(seed)) if seed is not None else 0,
            dice=self.chances("dice"),
            picks=self.chances("picks"),
            shuffles=self.steps.places.shuffles(items_of(case.get("shuffles"))),
            chance_span=next((key.span for key in chance if key is not None), span),
            given=self.given(players),
            steps=tuple(self.steps.step(node) for node in items_of(case.get("steps")) if isinstance(node, YamlMapping)),
            span=span,
            faults=tuple(self.diagnostics.sorted()),
        )

    def given(self, players: int) -> Given | None:
        node = self.case.get("given")
        if not isinstance(node, YamlMapping):
            return None
        position = self.positions.position(node, players, self.diagnostics)
        return Given(position.phase, position.placings, node.span)

    # ------------------------------------------------------------ settings

    def setting(self, key: str) -> YamlNode | None:
        """Return the value of a key of the case, or else of the file."""
        node = self.case.get(key)
        return self.file.root.get(key) if node is None else node

    def number_of_players(self) -> int:
        node = self.setting("players")
        if node is None:
            return self.program.min_players
        try:
            return players_of(self.program, int(to_plain_data(node)))
        except ValueError as problem:
            self.diagnostics.add(diagnostic_codes.WRONG_SETTING, str(problem), node.span)
            return self.program.min_players

    def options(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for mapping in (self.file.root.get("options"), self.case.get("options")):
            for key, node in entries_of(mapping):
                try:
                    option_values_of(self.program, {key.text: to_plain_data(node)})
                    found[key.text] = to_plain_data(node)
                except ValueError as problem:
                    is_known = any(option.name == key.text for option in self.program.options)
                    span = node.span if is_known else key.span
                    self.diagnostics.add(diagnostic_codes.WRONG_SETTING, str(problem), span)
        return found

    def chances(self, key: str) -> tuple[Result, ...]:
        """Return dictated results: a list for all draws in order, or a mapping with results for each named draw."""
        draws, node = _draws(self.program, key == "dice"), self.case.get(key)
        if not isinstance(node, YamlMapping):
            return tuple(self.steps.each(items_of(node), lambda item: self.chance(item, draws, key)))
        found: list[Result] = []
        for name, results in node.entries:
            read = partial(self.chance, draws=draws, key=key, name=name)
            found += self.steps.each(items_of(results), read)
        return tuple(found)

    def chance(
        self, node: YamlNode, draws: Mapping[str, list[Type]], key: str, name: YamlScalar | None = None
    ) -> Result:
        """Return a dictated result. It must be a possible value of a draw of this kind."""
        verb = "rolled" if key == "dice" else "picked at random"
        if not draws:
            raise self.steps.fail(diagnostic_codes.WRONG_CHANCE, f"nothing is {verb} in {self.program.name}", node.span)
        if name is not None and name.text not in draws:
            hint = suggest_name(name.text, draws) or f"choose from: {', '.join(draws)}"
            raise self.steps.fail(
                diagnostic_codes.WRONG_CHANCE, f"no `{name.text}` is {verb} in this game", name.span, hint
            )
        text = word_of(node).text
        types = draws[name.text] if name is not None else [type for some in draws.values() for type in some]
        values: dict[str, Any] = {}
        for type in types:
            with suppress(ValueError):
                values.setdefault(str(type), parse_value(self.program, type, text))
        if not values:
            kinds = " or ".join(dict.fromkeys(map(str, types)))
            what = "this" if name is None else f"`{name.text}`"
            message = f"`{text}` can't be {verb}: {what} must be of type {kinds}"
            raise self.steps.fail(diagnostic_codes.WRONG_CHANCE, message, node.span)
        return Result(text, node.span, values, None if name is None else name.text)
