"""What is found out on the way, while texts are checked: it only grows. Read by lints and by what comes after."""

from __future__ import annotations

from .. import core
from ..core.sugar import TemporaryChange
from ..text.records import dataclass, field
from ..text.source import Span
from .call_graph import Graph, Owner
from .locals import KnownLocals, LocalName
from .names import EnumValueSymbol


@dataclass(frozen=True, eq=False)
class WrittenCondition:
    """A condition as an author wrote it. ``before``: those that do not hold where it is read."""

    known: KnownLocals
    condition: core.Expr
    before: tuple[core.Expr, ...] = ()


@dataclass(eq=False)
class Notes:
    """What the texts of one ruleset were found to do."""

    graph: Graph = field(default_factory=Graph)
    used: set[str] = field(default_factory=set)  # names
    read: set[str] = field(default_factory=set)  # names whose value is asked for
    written: set[str] = field(default_factory=set)  # the places that something sets
    used_values: set[tuple[str, int]] = field(default_factory=set)  # enum and ordinal
    used_fields: set[tuple[str, str]] = field(default_factory=set)  # kind and field
    used_layers: set[str] = field(default_factory=set)
    used_charts: set[str] = field(default_factory=set)
    opened_menus: set[str] = field(default_factory=set)
    unused_locals: list[LocalName] = field(default_factory=list)
    taken_actions: set[str] = field(default_factory=set)
    offered: int = 0  # characters of actions, wherever they are offered
    answers: dict[str, tuple[str, Span]] = field(default_factory=dict)  # actions that answer a window, and where
    touched: list[tuple[Owner, core.Stmt]] = field(default_factory=list)  # what writes or moves, and in which text
    begun: set[str] = field(default_factory=set)  # the spans that something begins
    ends_for_some: bool = False  # whether an `end game` names who can win
    ending_words: set[str] = field(default_factory=set)  # reasons of endings, `{}` for what is put in
    open_endings: list[Span] = field(default_factory=list)  # those that name neither who can win nor a chart
    temporary: dict[str, TemporaryChange] = field(default_factory=dict)  # by the variable that keeps it
    kept: dict[str, core.Variable] = field(default_factory=dict)  # what choices remember, which no author names
    conditions: list[WrittenCondition] = field(default_factory=list)
    choices: list[tuple[KnownLocals, core.Ask | core.AskMany | core.Random]] = field(default_factory=list)
    optional_subjects: set[Span] = field(default_factory=set)  # places before a dot that may be `none`
    sites: int = 0
    private_sites: set[int] = field(default_factory=set)

    def use_value(self, value: EnumValueSymbol) -> None:
        """Notes that a value of an enum is named."""
        self.used.add(value.enum.name)
        self.used_values.add((value.enum.name, value.ordinal))

    def site(self) -> int:
        """The number of the next choice."""
        self.sites += 1
        return self.sites - 1
