"""Who calls whom: cycles, and start values that read what is not set up yet. Fed and asked by the checker."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from . import codes
from .diagnostics import Diagnostics
from .source import Span


@dataclass(eq=False)
class Graph:
    """The calls between routines, by owner names such as ``query points``."""

    calls: dict[str, dict[str, Span]] = field(default_factory=dict)
    reads: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def call(self, caller: str, callee: str, span: Span) -> None:
        """Notes a call; the first place counts."""
        self.calls.setdefault(caller, {}).setdefault(callee, span)

    def reads_state(self, owner: str, name: str, span: Span) -> None:
        """Notes that a routine reads a variable or zone."""
        self.reads.setdefault(owner, (name, span))

    def report_cycles(self, diagnostics: Diagnostics) -> None:
        """Nothing may call itself: each ring of calls is reported once, where it closes."""
        done: set[str] = set()
        reported: set[frozenset[str]] = set()

        def visit(owner: str, path: list[str]) -> None:
            path.append(owner)
            for callee, span in self.calls.get(owner, {}).items():
                if callee in path:
                    self._report_cycle([*path[path.index(callee) :], callee], span, reported, diagnostics)
                elif callee not in done:
                    visit(callee, path)
            path.pop()
            done.add(owner)

        for owner in list(self.calls):
            if owner not in done:
                visit(owner, [])

    def _report_cycle(
        self, ring: list[str], span: Span, reported: set[frozenset[str]], diagnostics: Diagnostics
    ) -> None:
        members = frozenset(ring)
        if members in reported:
            return
        reported.add(members)
        names = [name.split(" ", 1)[1] for name in ring]
        if len(ring) == 2:
            message = f"the {ring[0].split(' ', 1)[0]} `{names[0]}` calls itself"
            notes = []
        else:
            message = f"these call each other in a ring: {' → '.join(f'`{n}`' for n in names)}"
            notes = [
                (self.calls[a][b], f"`{a.split(' ', 1)[1]}` calls `{b.split(' ', 1)[1]}` here")
                for a, b in pairwise(ring[:-1])
            ]
        diagnostics.add(codes.RECURSION, message, span, "use a loop with a bound, or take one of the calls out", notes)

    def report_early_reads(self, starts: list[str], diagnostics: Diagnostics) -> None:
        """Start values may read options, tables and players, directly or through queries, but no variable or zone."""
        for start in starts:
            found = self._early_read(start, set())
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

    def _early_read(self, owner: str, seen: set[str]) -> tuple[str, Span, Span | None] | None:
        seen.add(owner)
        if owner in self.reads:
            return (*self.reads[owner], None)
        for callee, span in self.calls.get(owner, {}).items():
            if callee not in seen:
                found = self._early_read(callee, seen)
                if found is not None:
                    return found[0], found[1], span
        return None
