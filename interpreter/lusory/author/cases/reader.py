"""Case files -> checked cases. Names, values and expressions are resolved against the program, with places in the file.

Used by :mod:`lusory.author.cases`. A mistake makes the case faulty, not the whole file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

from lusory_dsl import core
from lusory_dsl.case_texts import parse_value
from lusory_dsl.language.types import Type
from lusory_dsl.ruleset.shape import validate
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic, Diagnostics, did_you_mean
from lusory_dsl.text.memory import remembered
from lusory_dsl.text.source import Source, Span
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, plain, read_text

from ...game import option_values_of, players_of
from ...table.phases import all_statements
from ...table.setting import item_type
from .model import NAMELESS, Case, Given, Result
from .positions import Named, SharedPositions, positions_in
from .steps import StepReader, entries_of, items_of, word_of, words_of

_NO_CHANCE = Span(Source("", ""), 0, 0)


@dataclass(frozen=True, eq=False)
class CaseFile:
    """A file of cases whose YAML can be read. ``faults``: what is wrong with its shape; ``name`` as shown to people."""

    name: str
    root: YamlMapping
    faults: tuple[Diagnostic, ...]

    @property
    def cases(self) -> tuple[YamlMapping, ...]:
        """Its cases; none where something is wrong with what they share."""
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
        """What is wrong with the shape of one case."""
        return [fault for fault in self.faults if stands_in(case, fault)]

    def of_file(self) -> list[Diagnostic]:
        """What is wrong with its shape outside of all cases."""
        return [fault for fault in self.faults if not any(stands_in(case, fault) for case in self._written)]


def stands_in(node: YamlMapping, fault: Diagnostic) -> bool:
    """Whether something is wrong inside of a node."""
    return node.span.start <= fault.span.start < node.span.end


def case_file(source: Source, diagnostics: Diagnostics) -> CaseFile | None:
    """Return a case file; None, with diagnostics, if its YAML can't be read."""
    root, found, faults = remembered(("cases", source.name, source.text), partial(_tree, source))
    diagnostics.extend(found)
    return None if root is None else CaseFile(source.name, root, faults)


def _tree(source: Source) -> tuple[YamlMapping | None, list[Diagnostic], tuple[Diagnostic, ...]]:
    """The tree of a case file, why it is none, and what is wrong with its shape."""
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
    """The cases of a file, or those with ``only`` in ``file:id`` or in the title."""
    meant = (node for node in file.cases if only is None or only.lower() in _named(node))
    return [_CaseReader(program, file, positions, node).read() for node in meant]


def _named(case: YamlMapping) -> str:
    """What a case is known by: ``file:id`` and its title, in small letters."""
    id, title = (word_of(node).text if (node := case.get(key)) is not None else "" for key in ("id", "title"))
    return f"{case.span.source.name}:{id} {title}".lower()


@lru_cache(maxsize=8)
def _draws(program: core.Program, of_dice: bool) -> dict[str, list[Type]]:
    """Return the types of what a program rolls, or else picks at random, by the names that it gives to the results."""
    found: dict[str, list[Type]] = {}
    for stmt in all_statements(program):
        if isinstance(stmt, core.Random) and (stmt.stream == "dice") == of_dice:
            found.setdefault(stmt.name, []).append(item_type(stmt.domain.type))
    return found


class _CaseReader:
    """Reads one case, and collects what is wrong with it."""

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
        chance = [case.key(key) for key in ("dice", "picks", "shuffles")]
        return Case(
            id=id,
            title=title_text,
            clauses=words_of(case.get("clauses")),
            players=players,
            options=self.options(),
            seed=int(plain(seed)) if seed is not None else 0,
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

    # ------------------------------------------------------------ setting

    def setting(self, key: str) -> YamlNode | None:
        """The value of a key of the case, or else of the file."""
        node = self.case.get(key)
        return self.file.root.get(key) if node is None else node

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
        for mapping in (self.file.root.get("options"), self.case.get("options")):
            for key, node in entries_of(mapping):
                try:
                    option_values_of(self.program, {key.text: plain(node)})
                    found[key.text] = plain(node)
                except ValueError as problem:
                    is_known = any(option.name == key.text for option in self.program.options)
                    span = node.span if is_known else key.span
                    self.diagnostics.add(codes.WRONG_SETTING, str(problem), span)
        return found

    def chances(self, key: str) -> tuple[Result, ...]:
        """Read dictated results: a list for all draws in order, or a mapping with the results of each named draw."""
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
        """Read a dictated result. It must be a value of something that the rules leave to this kind of chance."""
        verb = "rolled" if key == "dice" else "picked at random"
        if not draws:
            raise self.steps.fail(codes.WRONG_CHANCE, f"nothing is ever {verb} in {self.program.name}", node.span)
        if name is not None and name.text not in draws:
            hint = did_you_mean(name.text, draws) or f"these are: {', '.join(draws)}"
            raise self.steps.fail(codes.WRONG_CHANCE, f"no `{name.text}` is ever {verb}", name.span, hint)
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
            raise self.steps.fail(codes.WRONG_CHANCE, message, node.span)
        return Result(text, node.span, values, None if name is None else name.text)
