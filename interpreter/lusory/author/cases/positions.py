"""Positions that cases share: ``positions`` in any file of cases, and ``from``, which lays one over another.

Used by the reader of cases. A position is read once for each number of players, and its faults are told once, where
they stand, not where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from lusory_dsl import core
from lusory_dsl.ruleset.model import Word
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic, Diagnostics, did_you_mean
from lusory_dsl.text.source import Span
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar

from ...table.phases import all_phases
from .model import REST, Cards, Placing
from .places import PlaceReader

FROM, PHASE = "from", "phase"
Named = tuple[YamlScalar, YamlMapping]
"""A shared position: its name and what it lists."""


@dataclass(frozen=True, eq=False)
class Position:
    """What lies where when play goes on: each place once, whatever it is laid over."""

    phase: str | None = None
    placings: tuple[Placing, ...] = ()


class SharedPositions:
    """The positions of all files of cases of a ruleset. ``more``: where to look for one that is in none of these."""

    def __init__(
        self, program: core.Program, named: Iterable[Named], more: Callable[[], Iterable[Named]] = lambda: ()
    ) -> None:
        self.program = program
        self.named: dict[str, Named] = {}
        self.twice: list[Diagnostic] = []
        for key, node in named:
            first, _ = self.named.setdefault(key.text, (key, node))
            if first is not key:
                message = f"there is another position `{key.text}`"
                notes = ((first.span, "the other one"),)
                self.twice.append(Diagnostic(codes.DUPLICATE_CASE, message, key.span, "rename one of them", notes))
        self.more = more
        self.knows_more = False
        self._read: dict[tuple[str, int], tuple[Position, list[Diagnostic]]] = {}

    def known(self, name: str) -> Named | None:
        if name not in self.named and not self.knows_more:
            self.knows_more = True
            for key, node in self.more():
                self.named.setdefault(key.text, (key, node))
        return self.named.get(name)

    def faults(self) -> Iterator[Diagnostic]:
        """What is wrong with the positions as they are written, where the most players are at the table."""
        yield from self.twice
        for name in list(self.named):
            yield from self._shared(name, self.program.max_players, ())[1]

    def position(
        self, node: YamlMapping, players: int, diagnostics: Diagnostics, under: tuple[str, ...] = ()
    ) -> Position:
        """What a position lists, laid over the one that it begins ``from``. ``under``: the shared positions that it is
        part of, outermost first."""
        below = Position()
        base = node.get(FROM)
        if isinstance(base, YamlScalar):
            below = self.base(base, players, diagnostics, under)
        phase = node.get(PHASE)
        if isinstance(phase, YamlScalar):
            self.check_phase(Word(phase.text, phase.span), diagnostics)
        places = PlaceReader(self.program, players, diagnostics, lays=True)
        listed = places.read([entry for entry in node.entries if entry[0].text not in (FROM, PHASE)])
        layer = max((placing.layer + 1 for placing in below.placings), default=0)
        laid = {(p.place, p.indices): p for p in below.placings}
        laid |= {(p.place, p.indices): replace(p, layer=layer) for p in listed}
        found = Position(phase.text if isinstance(phase, YamlScalar) else below.phase, tuple(laid.values()))
        self.check_rests(found, diagnostics)
        return found

    def base(self, name: YamlScalar, players: int, diagnostics: Diagnostics, under: tuple[str, ...]) -> Position:
        """The shared position of a name."""
        if self.known(name.text) is None:
            hint = did_you_mean(name.text, self.named) or self.list_of_names()
            diagnostics.add(codes.UNKNOWN_POSITION, f"there is no position `{name.text}`", name.span, hint)
            return Position()
        if name.text in under:
            ring = " → ".join(f"`{each}`" for each in (*under[under.index(name.text) :], name.text))
            message = f"positions begin from each other: {ring}"
            diagnostics.add(codes.POSITION_RING, message, name.span, "let one of them list what it needs itself")
            return Position()
        found, faults = self._shared(name.text, players, under)
        for fault in faults:
            diagnostics.extend([replace(fault, notes=(*fault.notes, (name.span, "used here")))])
        return found

    def _shared(self, name: str, players: int, under: tuple[str, ...]) -> tuple[Position, list[Diagnostic]]:
        if (name, players) not in self._read:
            faults = Diagnostics()
            position = self.position(self.named[name][1], players, faults, (*under, name))
            if under and faults.has_errors:
                return position, faults.sorted()  # of a ring something else is told from each of its positions
            self._read[name, players] = position, faults.sorted()
        return self._read[name, players]

    def list_of_names(self) -> str:
        if not self.named:
            return "shared positions stand under `positions` in a file of cases"
        return f"the positions are {', '.join(self.named)}"

    def check_phase(self, word: Word, diagnostics: Diagnostics) -> None:
        known = [phase.id for phase in all_phases(self.program) if phase is not self.program.setup]
        if word.text not in known:
            hint = did_you_mean(word.text, known) or f"the phases are {', '.join(known)}"
            diagnostics.add(codes.UNKNOWN_PHASE, f"there is no phase `{word.text}`", word.span, hint)

    def check_rests(self, position: Position, diagnostics: Diagnostics) -> None:
        """A kind has one rest: no second place can hold what lies nowhere else."""
        first: dict[tuple[str, int], Span] = {}
        for placing in position.placings:
            for kind in _kinds_of_rest(self.program, placing):
                earlier = first.setdefault(kind, placing.span)
                if earlier is not placing.span:
                    message = "the rest is in two places: each lies where the other is not"
                    notes = ((earlier, "the other one"),)
                    diagnostics.add(codes.TWO_RESTS, message, placing.span, "say of one of them what lies in it", notes)


def _kinds_of_rest(program: core.Program, placing: Placing) -> Iterator[tuple[str, int]]:
    """The kinds of counters or cards of which all lies in a place that lies nowhere else."""
    if placing.place in program.pools:
        holds = str(program.pools[placing.place].holds)
        yield from ((holds, kind) for kind, count in enumerate(placing.content) if count is None)
    elif isinstance(placing.content, Cards) and REST in placing.content.names:
        yield str(program.zones[placing.place].holds), -1


def positions_in(root: YamlNode | None) -> Iterator[Named]:
    """The shared positions of a file of cases."""
    positions = root.get("positions") if isinstance(root, YamlMapping) else None
    if isinstance(positions, YamlMapping):
        yield from ((key, node) for key, node in positions.entries if isinstance(node, YamlMapping))
