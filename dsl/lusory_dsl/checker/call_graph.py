"""Who calls whom: cycles, and start values that read what is not set up yet. Fed and asked by the checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, field
from ..text.source import Span

MOST_SHOWN = 8
"""So many calls of a ring are named in a message."""


class Owner(NamedTuple):
    """What a text belongs to: a section, and a name where the section has several."""

    section: str
    name: str = ""


_NOBODY = Owner("")


@dataclass(eq=False)
class Graph:
    """The calls between routines, by what they belong to."""

    calls: dict[Owner, dict[Owner, Span]] = field(default_factory=dict)
    reads: dict[Owner, tuple[str, Span]] = field(default_factory=dict)
    causes: dict[tuple[Owner, Owner], str] = field(default_factory=dict)

    def call(self, caller: Owner, callee: Owner, span: Span) -> None:
        """Notes a call; the first place counts."""
        self.calls.setdefault(caller, {}).setdefault(callee, span)

    def set_off(self, owner: Owner, rule: Owner, span: Span, does: str) -> None:
        """Notes that a routine sets off a rule by what it ``does``, such as "sets `coins`"."""
        if rule not in self.calls.get(owner, {}):
            self.causes[owner, rule] = does
        self.call(owner, rule, span)

    def reads_state(self, owner: Owner, name: str, span: Span) -> None:
        """Notes that a routine reads a variable or zone."""
        self.reads.setdefault(owner, (name, span))

    def report_cycles(self, diagnostics: Diagnostics, printed: Mapping[str, str]) -> None:
        """Nothing may call itself: a ring of calls is reported where it closes, unless both who call there are known
        to be in rings. ``printed``: for queries of cards, the field with the value that they begin with."""
        done: set[Owner] = set()
        told: set[Owner] = set()
        for first in self.calls:
            if first in done:
                continue
            path = {first: 0}  # whose calls are being followed -> how many were before it
            todo = [(first, self._calls_of(first))]
            while todo:
                owner, calls = todo[-1]
                callee, span = next(calls, (_NOBODY, None))
                if span is None:
                    todo.pop()
                    del path[owner]
                    done.add(owner)
                elif callee in path:
                    if owner not in told or callee not in told:
                        ring = list(path)[path[callee] :]
                        told.update(ring)
                        self._report_cycle([*ring, callee], span, diagnostics, printed)
                elif callee not in done:
                    path[callee] = len(path)
                    todo.append((callee, self._calls_of(callee)))

    def _calls_of(self, owner: Owner) -> Iterator[tuple[Owner, Span]]:
        return iter(self.calls.get(owner, {}).items())

    def _report_cycle(
        self, ring: list[Owner], span: Span, diagnostics: Diagnostics, printed: Mapping[str, str]
    ) -> None:
        names = [owner.name for owner in ring]
        is_event = any(pair in self.causes for pair in pairwise(ring))
        if is_event:
            self._report_events(ring, span, diagnostics)
            return
        if len(ring) == 2:
            message = f"the {ring[0].section} `{names[0]}` calls itself"
            notes = []
        else:
            shown = [f"`{name}`" for name in names]
            shown = shown if len(ring) <= MOST_SHOWN else [*shown[: MOST_SHOWN - 2], "…", shown[-1]]
            message = f"these call each other in a ring: {' → '.join(shown)}"
            notes = [
                (self.calls[a][b], f"`{a.name}` calls `{b.name}` here")
                for a, b in pairwise(ring[: min(len(ring) - 1, MOST_SHOWN)])
            ]
        hint = "use a loop with a bound, or take one of the calls out"
        asked = next((name for name in names if name in printed), None)
        if asked is not None:
            field, member = printed[asked], asked.partition(".")[2]
            hint = f"read the printed value in place of `.{member}`, which rules may change: `.{field}`"
        diagnostics.add(codes.RECURSION, message, span, hint, notes)

    def _report_events(self, ring: list[Owner], span: Span, diagnostics: Diagnostics) -> None:
        """A ring in which a rule answers to what is moved or set."""
        pairs = list(pairwise(ring))
        first = next(n for n, pair in enumerate(pairs) if pair in self.causes)
        pairs = [*pairs[first:], *pairs[:first]]  # from a statement on
        names = [f"`{a.name}`" for a, _ in pairs]
        shown = [*names, names[0]] if len(names) < MOST_SHOWN else [*names[: MOST_SHOWN - 2], "…", names[0]]
        if len(pairs) == 1:
            message = f"the rule {names[0]} would set itself off: it {self.causes[pairs[0]]}"
        else:
            message = f"these set each other off in a ring: {' → '.join(shown)}"
        notes = [
            (
                self.calls[a][b],
                f"`{a.name}` {self.causes[a, b]} here, which `{b.name}` answers to"
                if (a, b) in self.causes
                else f"`{a.name}` calls `{b.name}` here",
            )
            for a, b in pairs[:MOST_SHOWN]
        ]
        hint = "make it a state check, `whenever …`, which goes on until nothing is left to do"
        if any(self.causes.get(pair, "").startswith("moves cards") for pair in pairs):
            hint = f"say where the cards come from, such as `move hand where … to …`; or {hint}"
        diagnostics.add(codes.EVENT_RING, message, self.calls[pairs[0][0]][pairs[0][1]], hint, notes[1:])

    def report_early_reads(self, starts: list[Owner], diagnostics: Diagnostics) -> None:
        """Start values may read options, tables and players, directly or through queries, but no variable or zone."""
        clean: set[Owner] = set()  # those that read nothing, nor does what they call
        for start in starts:
            found = self._early_read(start, clean)
            if found is None:
                continue
            name, read, call = found
            direct = call is None
            diagnostics.add(
                codes.EARLY_READ,
                f"a start value reads `{name}`, which has no value yet",
                read if call is None else call,
                "start values may read options, tables, players and indices; set the rest in `setup`",
                [] if direct else [(read, f"`{name}` is read here")],
            )

    def report_state_in_tables(self, tables: list[Owner], diagnostics: Diagnostics) -> None:
        """A table is the same whatever happens: its values may read no variable and no zone."""
        clean: set[Owner] = set()
        for table in tables:
            found = self._early_read(table, clean)
            if found is not None:
                name, read, call = found
                message = f"the table `{table.name}` reads `{name}`, which changes"
                hint = "a table is the same throughout a game: this is a query"
                notes = [] if call is None else [(read, f"`{name}` is read here")]
                diagnostics.add(codes.STATE_IN_TABLE, message, call or read, hint, notes)

    def _early_read(self, start: Owner, clean: set[Owner]) -> tuple[str, Span, Span | None] | None:
        """What a start value reads, where, and which of its own calls leads there."""
        seen: set[Owner] = set()
        todo: list[tuple[Owner, Span | None]] = [(start, None)]
        while todo:
            owner, call = todo.pop()
            if owner in seen or owner in clean:
                continue
            seen.add(owner)
            if owner in self.reads:
                return (*self.reads[owner], call)
            calls = self.calls.get(owner, {}).items()
            todo += [(callee, call or span) for callee, span in reversed(calls)]
        clean |= seen
        return None
