"""Read case files: parse the YAML, check expressions and statements, and build the data model of cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from lusory_dsl import core
from lusory_dsl.checker.expressions_in_test_cases import (
    check_case_block,
    check_case_expression,
    describe_case_names,
    parse_value,
)
from lusory_dsl.ruleset.model import Word
from lusory_dsl.ruleset.schema_validation import validate
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import get_cached
from lusory_dsl.source.source import NOWHERE, EmbeddedText, Source, Span
from lusory_dsl.source.spelling_suggestions import suggest_name
from lusory_dsl.types.types import BOOL, INT, ComponentType, ListType, PlayerType, Type
from lusory_dsl.yaml.reader import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    decode_source,
    list_entries,
    list_items,
    read_bytes,
    read_text,
    to_plain_data,
)

from ...game import choose_player_count, read_option_values
from ...state.flattened_phases import iterate_phases, iterate_program_statements
from ...state.setting_value_limits_builtins_and_names import unwrap_list_type
from .case_model import NAMELESS, Answer, Case, CaseBlock, CaseExpression, Check, DictatedResult, Step, Until, Viewer
from .case_position_parser import InvalidPart, NamedPosition, PlaceReader, SharedPositions
from .expectations import (
    check_expression,
    check_illegal,
    check_log,
    check_options,
    check_outcome,
    check_picture,
    check_place,
    check_prompt,
    check_screen,
    check_seat,
    check_visibility,
)

FORCED_KEY, HIDDEN, NONE, ANY = "forced", "hidden", "none", "any"
DECISION_CHECKS = ("decision", "prompt", "legal", "legal_includes", "illegal")
"""Checks of the pending decision."""
ACTION_KEYS = ("do", "play_until", "run")
"""Keys of a step that are actions. The checks of the step follow them."""
ACTION_MODIFIERS = ("stop", "fault")
"""Keys that modify actions. They are not checks."""

_POOL = re.compile(r"(?:P[1-9][0-9]*\.)?([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?")


def _list_misplaced_checks(step: YamlMapping) -> Iterator[tuple[YamlScalar, YamlScalar]]:
    """Yield the first check above each action in a step, with that action."""
    check: YamlScalar | None = None
    for key, _ in step.entries:
        if key.text not in ACTION_KEYS:
            check = key if check is None and key.text not in ACTION_MODIFIERS else check
        elif check is not None:
            yield check, key
            check = None


def _read_word(node: YamlNode) -> Word:
    """Return the text of a node with its place. The text of a node that is no scalar is empty."""
    return Word(node.text if isinstance(node, YamlScalar) else "", node.span)


def _read_words(node: YamlNode | None) -> tuple[Word, ...]:
    """Return the text of each item of a list with its place.

    A single value counts as a list of one, None as an empty one.
    """
    return tuple(_read_word(item) for item in list_items(node))


class StepReader:
    """Reader of the steps of one case, which collects diagnostics."""

    def __init__(self, program: core.Program, player_count: int, diagnostics: Diagnostics) -> None:
        self.program = program
        self.players = player_count
        self.diagnostics = diagnostics
        self.places = PlaceReader(program, player_count, diagnostics)
        self.checks: dict[str, Callable[[YamlNode], Iterator[Check]]] = {
            "expect": self._read_expect,
            "position": self.read_position,
            "decision": self._read_decision,
            "prompt": self._read_prompt,
            "legal": lambda node: self._read_legal(node, is_exact=True),
            "legal_includes": lambda node: self._read_legal(node, is_exact=False),
            "illegal": self._read_illegal,
            "sees": self._read_sees,
            "events": self._read_events,
            "log": lambda node: self._read_log(node, is_negated=False),
            "not_in_log": lambda node: self._read_log(node, is_negated=True),
            "screen": self._read_screen,
            "outcome": self._read_outcome,
        }

    # ------------------------------------------------------------ actions

    def _read_step(self, node: YamlMapping) -> Step:
        """Return a step of a case. Faulty answers and checks are reported and left out.

        Answers come from ``do``, and checks from all keys that hold checks, both in the order of the file; without
        them, they are ``()``. ``play_until`` (as ``until``), ``run``, ``stop`` and ``fault`` give None if they are
        missing, and ``stop`` gives its span. A faulty ``play_until`` becomes the end of the game, and a faulty ``run``
        an empty block. The span of the step is that of its first key.
        """
        self._check_keys(node)
        fault, stop, run, until = (node.get(key) for key in ("fault", "stop", "run", "play_until"))
        checks: list[Check] = []
        for key, value in node.entries:
            if key.text not in self.checks:
                continue
            with suppress(InvalidPart):  # the checks of this key before a faulty one count
                for check in self.checks[key.text](value):
                    checks.append(check)
        return Step(
            answers=tuple(answer for item in list_items(node.get("do")) for answer in self._read_answers(item)),
            until=self._read_until(until) if until is not None else None,
            run=self._read_routine(run) if run is not None else None,
            stop=stop.span if stop is not None else None,
            fault=_read_word(fault) if fault is not None else None,
            checks=tuple(checks),
            span=node.entries[0][0].span,
        )

    def _check_keys(self, node: YamlMapping) -> None:
        """Report keys that exclude each other, and checks before actions, in this step of a case.

        These are ``run`` with another action; ``stop`` without ``do``, with ``play_until``, or with a check of a
        decision; each check beside ``fault``; and without ``fault``, the first check above an action. Never raises; the
        step is read all the same.
        """
        action_key = next((key for name in ACTION_KEYS if (key := node.get_key(name))), None)
        run, stop = node.get_key("run"), node.get_key("stop")
        report_conflict = partial(self.diagnostics.add, diagnostic_codes.KEYS_EXCLUDE)
        if run is not None and action_key is not None and action_key is not run:
            report_conflict(f"`run` can't be combined with `{action_key.text}`", run.span)
        if stop is not None and (node.get_key("do") is None or node.get_key("play_until") is not None):
            report_conflict("`stop: now` needs a decision: write it in a step with `do`", stop.span)
        decision_check = next((key for name in DECISION_CHECKS if (key := node.get_key(name))), None)
        if stop is not None and decision_check is not None and run is None:
            message = f"`{decision_check.text}` can't be combined with `stop: now`: no player must decide yet"
            report_conflict(message, decision_check.span, "move it to the next step")
        if node.get_key("fault") is not None:
            for key in (key for key, _ in node.entries if key.text in self.checks):
                message = f"`{key.text}` is never tested, because `fault` ends the case before the checks of its step"
                report_conflict(message, key.span, "delete it, or move it into a step of its own before this one")
            return
        for check, action_key_below in _list_misplaced_checks(node):
            message = f"`{check.text}` is above `{action_key_below.text}`, but a step acts first and checks afterwards"
            hint = "move it below, or into a step of its own before this one"
            self.diagnostics.add(diagnostic_codes.CHECK_ABOVE, message, check.span, hint)

    def _read_answers(self, node: YamlNode) -> list[Answer]:
        """Return the answers of an item of `do`: a text for any seat, or answers below seats or `forced`.

        They come in the order of the file. A text gives one answer without a seat. Answers of an unknown seat are
        reported and left out.
        """
        if isinstance(node, YamlScalar):
            return [Answer(None, node.text, node.span)]
        answers: list[Answer] = []
        for key, value in list_entries(node):
            try:
                seat = None if key.text == FORCED_KEY else self.places.read_seat(_read_word(key))
            except InvalidPart:
                continue
            answers += self._read_answers_of(seat, value, key.text == FORCED_KEY)
        return answers

    def _read_answers_of(self, seat: int | None, node: YamlNode, is_forced: bool) -> Iterator[Answer]:
        """Yield the answers of a seat in order. Answers below any key of a mapping are forced."""
        for item in list_items(node):
            if isinstance(item, YamlMapping):
                for _, forced_node in item.entries:
                    yield from self._read_answers_of(seat, forced_node, is_forced=True)
            else:
                yield Answer(seat, _read_word(item).text, item.span, is_forced)

    def _read_until(self, node: YamlNode) -> Until:
        """Return the action. ``end``, and a faulty condition after its report, mean the end of the game."""
        formula = None
        with suppress(InvalidPart):
            formula = None if _read_word(node).text == "end" else self._read_formula(node, BOOL)
        return Until(formula, node.span)

    def _read_routine(self, node: YamlNode) -> CaseBlock:
        """Return the checked statements of a `run` action. The schema guarantees that ``node`` is a text.

        Their mistakes are added to the diagnostics; the block is empty then. All state checks run after the statements.
        """
        assert isinstance(node, YamlScalar)
        body, n_slots = check_case_block(self.program, node.embedded_text, self.diagnostics)
        for stmt in body:
            self._check_seats(stmt)
        return CaseBlock(body, n_slots, node.span)

    # ------------------------------------------------------------ parts

    def _read_viewer(self, word: Word) -> Viewer:
        return Viewer(None) if word.text == "spectator" else Viewer(self.places.read_seat(word))

    def _read_formula(self, node: YamlNode, expected: Type | None = None) -> CaseExpression:
        """Return the checked expression of a node, which may also be a YAML boolean."""
        assert isinstance(node, YamlScalar)
        return self._check_formula(node.embedded_text, node.span, expected)

    def _check_formula(self, text: EmbeddedText, span: Span, expected: Type | None = None) -> CaseExpression:
        """Return a checked expression, of the type ``expected`` if given. Raises InvalidPart after a report."""
        diagnostics = Diagnostics()
        result = check_case_expression(self.program, text, diagnostics, expected)
        self.diagnostics.extend(diagnostics.list_sorted())
        if result is None:
            raise InvalidPart
        expr, n_slots = result
        self._check_seats(expr)
        return CaseExpression(text.text, expr, n_slots, span)

    def _check_seats(self, root: object) -> None:
        """Raise InvalidPart, after a report, if a constant within a node names a seat that the case does not have."""
        for node in core.walk(root):
            if isinstance(node, core.Const) and isinstance(node.type, PlayerType):
                self.places.read_seat(Word(f"P{int(str(node.value)) + 1}", node.span))

    # ------------------------------------------------------------ checks

    def _read_expect(self, node: YamlNode) -> Iterator[Check]:
        for formula in self.places.read_valid(list_items(node), lambda item: self._read_formula(item, BOOL)):
            yield partial(check_expression, formula=formula)

    def read_position(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each place, in order, but one for a whole board with a picture."""
        for entry in list_entries(node):
            placings = self.places.read([entry])
            if placings and entry[0].text in self.program.pictures:
                yield partial(check_picture, board=entry[0].text, placings=placings, span=entry[0].span)
                continue
            for placing in placings:
                yield partial(check_place, placing=placing)

    def _read_decision(self, node: YamlNode) -> Iterator[Check]:
        word = _read_word(node)
        seat = None if word.text == NONE else self.places.read_seat(word)
        yield partial(check_seat, seat=seat, span=node.span)

    def _read_prompt(self, node: YamlNode) -> Iterator[Check]:
        yield partial(check_prompt, text=_read_word(node).text, span=node.span)

    def _read_legal(self, node: YamlNode, is_exact: bool) -> Iterator[Check]:
        """Yield a check for each seat with a list of options, and for each first word below a seat.

        ``any`` and ``none`` stand for any option, and for no option, that begins with the word.
        """
        for key, value in list_entries(node):
            seat = self.places.read_seat(_read_word(key))
            if not isinstance(value, YamlMapping):
                yield partial(
                    check_options, seat=seat, word="", endings=_read_words(value), is_exact=is_exact, span=key.span
                )
                continue
            for word, node_of_word in value.entries:
                text = _read_word(node_of_word).text
                endings = None if text == ANY else () if text == NONE else _read_words(node_of_word)
                is_whole = is_exact or text == NONE
                yield partial(
                    check_options, seat=seat, word=word.text, endings=endings, is_exact=is_whole, span=word.span
                )

    def _read_illegal(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each option that is not legal.

        Its reason is the text under ``because`` in the same item, or None.
        """
        for item in list_items(node):
            reason = item.get("because") if isinstance(item, YamlMapping) else None
            for key, value in list_entries(item):
                if key.text != "because":
                    seat = self.places.read_seat(_read_word(key))
                    expected_reason = _read_word(reason) if reason is not None else None
                    for word in _read_words(value):
                        yield partial(check_illegal, seat=seat, option=word, expected_reason=expected_reason)

    def _read_sees(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each expression of each viewer, in order. A pool gives a check for each kind of counters.

        Raises InvalidPart after a report.
        """
        for key, places in list_entries(node):
            viewer = self._read_viewer(_read_word(key))
            for place, value in list_entries(places):
                is_hidden = _read_word(value).text == HIDDEN
                pool = self.program.pools.get(match[1]) if (match := _POOL.fullmatch(place.text)) else None
                if pool is not None:
                    yield from self._read_sees_pool(viewer, place, pool, None if is_hidden else value)
                    continue
                formula = self._read_formula(place)
                content = None if is_hidden else self.read_value(value, formula.expr.type)
                check = partial(check_visibility, viewer=viewer, formula=formula, span=value.span)
                yield partial(check, is_hidden=is_hidden, expected_value=content)

    def _read_sees_pool(
        self, viewer: Viewer, place: YamlScalar, pool: core.Pool, node: YamlNode | None
    ) -> Iterator[Check]:
        """Yield a check of ``PLACE.KIND`` for each kind of counters in a pool. A ``node`` of None means that they are
        hidden.

        Raises InvalidPart after a report if the counts are faulty.
        """
        counts = None if node is None else self.places.read_counts(pool, node)
        text = place.embedded_text
        for kind in pool.kinds:
            ending = f".{self.places.list_kinds(pool)[kind].name}"
            offsets = (*text.offsets, *([text.offsets[-1]] * len(ending)))
            formula = self._check_formula(EmbeddedText(text.base, text.text + ending, offsets), place.span, INT)
            span = place.span if node is None else node.span
            check = partial(check_visibility, viewer=viewer, formula=formula, span=span)
            yield partial(check, is_hidden=counts is None, expected_value=None if counts is None else counts[kind])

    def read_value(self, node: YamlNode, type: Type) -> Any:
        """Return the value of a node with a known type: a tuple for a list, otherwise what ``parse_value`` returns.

        With a list type, ``[3, 4]`` gives ``(3, 4)``, and a single value counts as a list of one: ``3`` gives ``(3,)``.
        Cards given by counts are the exception: ``{oak: 2}`` gives ``Cards(names=("oak", "oak"), is_ordered=False)``.
        Raises InvalidPart after a report if the value does not fit the type, or if the game has fewer such cards.
        """
        if not isinstance(type, ListType):
            return self.places.read_value(type, node)
        if isinstance(node, YamlMapping) and isinstance(type.item, ComponentType):
            return self.places.read_counted_cards(type.item.name, node)
        return tuple(self.read_value(item, type.item) for item in list_items(node))

    def _read_events(self, node: YamlNode) -> Iterator[Check]:
        yield partial(check_log, viewer=Viewer(None, is_case=True), parts=_read_words(node), is_negated=False)

    def _read_log(self, node: YamlNode, is_negated: bool) -> Iterator[Check]:
        for key, parts in list_entries(node):
            viewer = self._read_viewer(_read_word(key))
            yield partial(check_log, viewer=viewer, parts=_read_words(parts), is_negated=is_negated)

    def _read_screen(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each viewer, with the lines of its text. Blank lines and spaces at the ends don't count."""
        for key, text in list_entries(node):
            viewer = self._read_viewer(_read_word(key))
            lines = [stripped for line in _read_word(text).text.splitlines() if (stripped := line.strip())]
            yield partial(check_screen, viewer=viewer, lines=lines, span=text.span)

    # ------------------------------------------------------------ outcome

    def _read_outcome(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each entry, but for ``shown`` one for each column.

        Raises InvalidPart after a report for a wrong seat, number or column.
        """
        for key, value in list_entries(node):
            if key.text == "winners":
                winners = frozenset(self.places.read_seat(word) for word in _read_words(value))
                yield partial(check_outcome, aspect="winners", expected=winners, span=value.span)
            elif key.text == "reason":
                yield partial(check_outcome, aspect="reason", expected=_read_word(value).text, span=value.span)
            elif key.text == "shown":
                yield from self._read_shown(value)
            else:
                numbers = self._read_numbers_by_seat(value)
                yield partial(check_outcome, aspect=key.text, expected=numbers, span=value.span)

    def _read_shown(self, node: YamlNode) -> Iterator[Check]:
        """Yield a check for each column of the final table in the mapping ``node``, in its order.

        The columns are those that the scoring shows and the steps of its charts. Raises InvalidPart after a report for
        an unknown one.
        """
        titles = _list_column_titles(self.program)
        for title, column in list_entries(node):
            if title.text in titles:
                numbers = self._read_numbers_by_seat(column)
                yield partial(check_outcome, aspect="shown", expected=numbers, span=column.span, title=title.text)
                continue
            message = f"the final table has no column `{title.text}`"
            hint = suggest_name(title.text, titles) or (f"it has {', '.join(titles)}" if titles else None)
            raise self.places.fail(message, title.span, hint, diagnostic_codes.UNKNOWN_PLACE)

    def _read_numbers_by_seat(self, node: YamlNode) -> dict[int, Any]:
        """Return seat, from 0 -> number.

        Raises InvalidPart after a report if a value is no number or a seat does not exist.
        """
        numbers = {}
        for key, value in list_entries(node):
            if not isinstance(value, YamlScalar) or not isinstance(value.value, int | float):
                raise self.places.fail(f"{key.text} needs a number here", value.span, code=diagnostic_codes.WRONG_KIND)
            numbers[self.places.read_seat(_read_word(key))] = to_plain_data(value)
        return numbers


def _list_column_titles(program: core.Program) -> list[str]:
    """Return the titles of the final table: the columns that the scoring shows, and the steps of its charts."""
    steps = (step for chart in program.scoring.charts for step in chart.steps)
    return [title for title, _ in (*program.scoring.columns, *steps)]


@dataclass(frozen=True, eq=False)
class CaseFile:
    """Case file. ``name`` is used in messages, and ``root`` is None if it can't be read or its YAML is invalid.

    ``problems`` are those of reading it, and ``schema_faults`` its violations of the schema.
    """

    name: str
    text: str
    root: YamlMapping | None
    problems: tuple[Diagnostic, ...]
    schema_faults: tuple[Diagnostic, ...] = ()

    @property
    def cases(self) -> tuple[YamlMapping, ...]:
        """The YAML of each case. Empty without a root, or if a schema fault lies outside all cases and positions.

        An entry that is no mapping is a fault outside them: ``cases: [5, {…}]`` gives ().
        """
        positions = [node for _, node in self.positions]
        can_be_read = all(_is_inside(positions, fault) for fault in self._list_file_faults())
        return self._case_nodes if can_be_read else ()

    @cached_property
    def _case_nodes(self) -> tuple[YamlMapping, ...]:
        nodes = () if self.root is None else list_items(self.root.get("cases"))
        return tuple(case for case in nodes if isinstance(case, YamlMapping))

    @property
    def positions(self) -> tuple[NamedPosition, ...]:
        """The key and the mapping of each shared position, in order. Entries that are no mappings are left out.

        Without a root, there are none.
        """
        entries = list_entries(None if self.root is None else self.root.get("positions"))
        return tuple((key, node) for key, node in entries if isinstance(node, YamlMapping))

    def list_case_faults(self, case: YamlMapping) -> list[Diagnostic]:
        """Return the schema faults inside one case, in their order."""
        return [fault for fault in self.schema_faults if _is_inside([case], fault)]

    def _list_file_faults(self) -> list[Diagnostic]:
        """Return the schema faults outside all cases."""
        return [fault for fault in self.schema_faults if not _is_inside(self._case_nodes, fault)]

    @cached_property
    def faults(self) -> list[Diagnostic]:
        """The faults of the file as a whole: its ``problems``, and the schema faults outside all cases.

        Schema faults in shared positions are among them. The list is sorted, and related faults are joined, as
        :meth:`Diagnostics.list_sorted` does.
        """
        diagnostics = Diagnostics()
        diagnostics.extend([*self.problems, *self._list_file_faults()])
        return diagnostics.list_sorted()


def _is_inside(nodes: Iterable[YamlMapping], fault: Diagnostic) -> bool:
    """Return whether a fault is inside one of the nodes."""
    return any(node.span.start <= fault.span.start < node.span.end for node in nodes)


def parse_case_file(file: Path | Source) -> CaseFile:
    """Return a case file, read from a path or given as a source, with its ``name`` and ``text``.

    The ``name`` of ``Path("cases/a.yaml")`` is ``cases/a.yaml``, and a source keeps its own. If it can't be read, has
    invalid YAML, or holds no mapping, ``root`` is None, and ``problems`` has the diagnostics that say why. Other
    violations of the schema are in ``schema_faults``. The ``text`` of an unreadable file is "".
    """
    diagnostics = Diagnostics()
    source = file if isinstance(file, Source) else None
    if isinstance(file, Path) and (data := read_bytes(file, str(file), diagnostics)) is not None:
        source = decode_source(str(file), data, diagnostics)
    if source is None:
        return CaseFile(str(file), "", None, tuple(diagnostics.list_sorted()))
    root, problems, schema_faults = get_cached(("cases", source.name, source.text), partial(_parse_tree, source))
    diagnostics.extend(problems)
    return CaseFile(source.name, source.text, root, tuple(diagnostics.list_sorted()), schema_faults)


def _parse_tree(source: Source) -> tuple[YamlMapping | None, list[Diagnostic], tuple[Diagnostic, ...]]:
    """Return the YAML tree or None, the diagnostics of reading it, and its schema faults."""
    diagnostics, faults = Diagnostics(), Diagnostics()
    root = read_text(source, diagnostics)
    if root is not None:
        validate(root, "cases", faults)
    if not isinstance(root, YamlMapping):
        return None, [*diagnostics.list_sorted(), *faults.list_sorted()], ()
    return (None if diagnostics.has_errors else root), diagnostics.list_sorted(), tuple(faults.list_sorted())


def read_cases(
    program: core.Program, file: CaseFile, positions: SharedPositions, only: str | None = None
) -> list[Case]:
    """Return the cases of a file, or only those with ``only`` in ``file:id`` or in the title.

    Small and capital letters are the same. Mistakes in a case are kept in its ``faults``. A case that violates the
    schema has nothing but these, its id and title.
    """
    selected_nodes = (node for node in file.cases if only is None or only.lower() in _get_searchable_name(node))
    return [_CaseReader(program, file, positions, node).read() for node in selected_nodes]


def _get_searchable_name(case: YamlMapping) -> str:
    """Return ``file:id`` and the title of a case in lower case."""
    id, title = (_read_word(node).text if (node := case.get(key)) is not None else "" for key in ("id", "title"))
    return f"{case.span.source.name}:{id} {title}".lower()


@lru_cache(maxsize=8)
def _list_draw_types(program: core.Program, is_for_dice: bool) -> dict[str, list[Type]]:
    """Return the types of the results that a program rolls or picks at random, by the name of the draw."""
    types: dict[str, list[Type]] = {}
    for stmt in iterate_program_statements(program):
        if isinstance(stmt, core.Random) and (stmt.stream == "dice") == is_for_dice:
            types.setdefault(stmt.name, []).append(unwrap_list_type(stmt.domain.type))
    return types


def describe_rules(program: core.Program) -> tuple[object, dict[str, object]]:
    """Describe a program for the readers of cases. Two programs with equal descriptions give the same cases.

    Returns a hashable value for all that readers use except variables, and a dictionary that maps the name of each
    variable to a hashable value. The first has the name of the game, other names with their types (but no actions), the
    least and largest number of players, the options, and the results of dice and random picks. It also has the phases
    and the titles of the final table. Variables that a picture of a board shows are in it, too, and not in the
    dictionary.
    """
    draws = tuple(
        (of_dice, name, *types)
        for of_dice in (False, True)
        for name, types in _list_draw_types(program, of_dice).items()
    )
    titles, phases = tuple(_list_column_titles(program)), tuple(phase.id for phase in iterate_phases(program))
    players = program.min_players, program.max_players
    names, variables = describe_case_names(program)
    return (names, players, tuple(program.options), draws, phases, titles), variables


class _CaseReader:
    """Reader of one case, which collects diagnostics."""

    def __init__(self, program: core.Program, file: CaseFile, positions: SharedPositions, case: YamlMapping) -> None:
        self.program = program
        assert file.root is not None, "a file without a root has no cases"
        self.root = file.root
        self.positions = positions
        self.case = case
        self.diagnostics = Diagnostics()
        self.diagnostics.extend(file.list_case_faults(case))

    def read(self) -> Case:
        """Return the case, with everything that is not faulty, and its faults, sorted.

        Players and seed are those of the case, or else those of the file. Without any, the number of players is the
        smallest that is allowed, and the seed 0. If the number of players, of the case or else the file, isn't allowed,
        that is a fault of the case, and the smallest counts. Options of the file and the case are joined, and those of
        the case win. After a fault that the schema reported, the case keeps only its id, title and faults. If it has no
        id then, its id is ``NAMELESS``.
        """
        case = self.case
        id_node, title = case.get("id"), case.get("title")
        span = case.span if id_node is None else id_node.span
        id, title_text = (_read_word(node).text if node is not None else "" for node in (id_node, title))
        if self.diagnostics.has_errors:
            faults = tuple(self.diagnostics.list_sorted())
            return Case(id or NAMELESS, title_text, (), 0, {}, 0, (), (), (), NOWHERE, None, (), span, faults)
        players, seed = self._read_player_count(), self._find_setting("seed")
        steps = StepReader(self.program, players, self.diagnostics)
        self.places = steps.places
        position = None
        if isinstance(node := case.get("given"), YamlMapping):
            position = self.positions.read_position(node, players, self.diagnostics)
        step_nodes = (node for node in list_items(case.get("steps")) if isinstance(node, YamlMapping))
        case_steps = tuple(map(steps._read_step, step_nodes))
        for step in case_steps[:-1]:
            if step.fault is not None:
                message = "`fault` ends the case, so the steps after it are never played"
                hint = "delete those steps, or move them into another case"
                self.diagnostics.add(diagnostic_codes.KEYS_EXCLUDE, message, step.fault.span, hint)
        chance_keys = [case.get_key(key) for key in ("dice", "picks", "shuffles")]
        return Case(
            id=id,
            title=title_text,
            clauses=_read_words(case.get("clauses")),
            players=players,
            options=self._read_options(),
            seed=int(to_plain_data(seed)) if seed is not None else 0,
            dice=self._read_results("dice"),
            picks=self._read_results("picks"),
            shuffles=tuple(self.places.read_valid(list_items(case.get("shuffles")), self.places.read_shuffle)),
            chance_span=next((key.span for key in chance_keys if key is not None), span),
            given=position,
            steps=case_steps,
            span=span,
            faults=tuple(self.diagnostics.list_sorted()),
        )

    # ------------------------------------------------------------ settings

    def _find_setting(self, key: str) -> YamlNode | None:
        """Return the value of a key of the case, or else of the file."""
        node = self.case.get(key)
        return self.root.get(key) if node is None else node

    def _read_player_count(self) -> int:
        """Return the number of players of the case, else of its file, else the smallest number of the ruleset.

        A number that the ruleset doesn't allow is reported, and the smallest taken instead.
        """
        node = self._find_setting("players")
        if node is None:
            return self.program.min_players
        try:
            return choose_player_count(self.program, int(to_plain_data(node)))
        except ValueError as problem:
            self.diagnostics.add(diagnostic_codes.WRONG_SETTING, str(problem), node.span)
            return self.program.min_players

    def _read_options(self) -> dict[str, Any]:
        """Return the options of the file and of the case: name -> value as written. The case's values win.

        Unknown options and wrong values are reported and left out. Options that are not written are missing.
        """
        options: dict[str, Any] = {}
        for mapping in (self.root.get("options"), self.case.get("options")):
            for key, node in list_entries(mapping):
                try:
                    read_option_values(self.program, {key.text: to_plain_data(node)})
                    options[key.text] = to_plain_data(node)
                except ValueError as problem:
                    is_known = any(option.name == key.text for option in self.program.options)
                    span = node.span if is_known else key.span
                    self.diagnostics.add(diagnostic_codes.WRONG_SETTING, str(problem), span)
        return options

    def _read_results(self, key: str) -> tuple[DictatedResult, ...]:
        """Return the dictated results under ``dice`` or ``picks``, in order. Faulty ones are reported and left out.

        They are a list for all draws in order, or a mapping with results for each named draw. Without the key there are
        none.
        """
        draws, node = _list_draw_types(self.program, key == "dice"), self.case.get(key)
        if not isinstance(node, YamlMapping):
            return tuple(self.places.read_valid(list_items(node), lambda item: self._read_result(item, draws, key)))
        named_results: list[DictatedResult] = []
        for name, results in node.entries:
            read_item = partial(self._read_result, draws=draws, key=key, name=name)
            named_results += self.places.read_valid(list_items(results), read_item)
        return tuple(named_results)

    def _read_result(
        self, node: YamlNode, draws: Mapping[str, list[Type]], key: str, name: YamlScalar | None = None
    ) -> DictatedResult:
        """Return a dictated result. ``name`` is the draw that it is for, or None for any.

        ``draws`` maps each name of a draw in the game to the types of its values, and ``key`` is ``dice`` or ``picks``.
        The values of the result are type -> value, for each type that the text fits. Raises InvalidPart after a report
        if no such draw is in the game, or if the result fits the type of none.
        """
        fail = partial(self.places.fail, code=diagnostic_codes.WRONG_CHANCE)
        verb = "rolled" if key == "dice" else "picked at random"
        if not draws:
            raise fail(f"nothing is {verb} in {self.program.name}", node.span)
        if name is not None and name.text not in draws:
            hint = suggest_name(name.text, draws) or f"choose from: {', '.join(draws)}"
            raise fail(f"no `{name.text}` is {verb} in this game", name.span, hint)
        text = _read_word(node).text
        types = draws[name.text] if name is not None else [type for draw_types in draws.values() for type in draw_types]
        values: dict[str, Any] = {}
        for type in types:
            with suppress(ValueError):
                values.setdefault(str(type), parse_value(self.program, type, text))
        if not values:
            kinds = " or ".join(dict.fromkeys(map(str, types)))
            subject = "this" if name is None else f"`{name.text}`"
            message = f"`{text}` can't be {verb}: {subject} must be of type {kinds}"
            raise fail(message, node.span)
        return DictatedResult(text, node.span, values, None if name is None else name.text)
