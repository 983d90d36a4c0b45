"""Hold the state of checking: locals in scope, narrowed types, and facts that all texts share.

A :class:`Routine` is one text being checked. The class :class:`Notes` collects facts about the whole ruleset. The table
:class:`Forms` maps each class of syntax node to the function that checks it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol

from .. import core
from ..desugar.durations_and_state_checks import TemporaryChange
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record, ValueRecord, dataclass, field, fields, replace
from ..source.diagnostics import Code, Diagnostics, Edit, Fix
from ..source.source import Span, prepend_article
from ..syntax import ast
from ..types.types import NOTHING, PLAYER, NoneType, OptionalType, Type
from .call_graph_and_size_limits import CallGraph, Owner
from .symbol_table import (
    EnumValueSymbol,
    Names,
    PoolSymbol,
    Reference,
    Symbol,
    VariableSymbol,
    WindowSymbol,
    ZoneSymbol,
    report_unknown,
)

UNSEEN_CARD = "unseen card"
"""The kind of a local that stands for a card which a player is about to choose unseen."""
CHOSEN_LATER = "chosen later"
PARAMETER_OF_EVENT = "parameter of an event"
REASONS_OUT_OF_SCOPE = {
    "local": ("it exists only in the block above", "if this belongs to the block, indent it"),
    UNSEEN_CARD: (
        "nobody knows this card before the block runs",
        "use it only in the block: the player chooses it without seeing it",
    ),
    CHOSEN_LATER: ("the action tests `if` before it is chosen", "put the condition behind the choice: `where …`"),
}
"""Kind of a local -> why its name is unknown outside its scope, and what to do. Other kinds are like ``local``."""


@dataclass(eq=False)
class LocalName:
    """A local of a routine.

    Attributes:
        kind: The word that messages use for it, such as ``parameter``.
        is_exempt: True if the local may stay unused without a lint.
        place: The variable behind this local, if statements can write it. Otherwise None.
        hidden_local: The item called ``it`` of an outer condition, which this ``it`` hides. None for all other locals.
    """

    name: str
    slot: int
    type: Type
    span: Span
    kind: str = "local"
    is_used: bool = False
    is_exempt: bool = False
    place: VariableSymbol | None = None
    hidden_local: LocalName | None = None


class _Frame(dict[str, LocalName]):
    """The locals of one scope, by name.

    ``has_unread_text`` is True if a text that declares further locals could not be parsed. Unknown names may then be
    such locals.
    """

    has_unread_text = False


class Locals:
    """The scopes of a routine, innermost last. It also numbers the slots of locals.

    Attributes:
        n_slots: The number of slots that were allocated.
        frames: The locals of each scope, outermost first.
        closed_locals: The locals of scopes that have been closed, by name.
    """

    def __init__(self) -> None:
        self.n_slots = 0
        self.frames: list[_Frame] = [_Frame()]
        self.closed_locals: dict[str, LocalName] = {}

    def allocate_slot(self) -> int:
        """Allocate a new slot and return its number. Slots count from 0."""
        self.n_slots += 1
        return self.n_slots - 1

    def find(self, name: str) -> LocalName | None:
        """Return the local of a name, searched from the innermost scope outwards. Returns None for an unknown name."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return None

    def find_all(self, names: Iterable[str]) -> list[LocalName]:
        """Return the locals with the given names. Unknown names are left out."""
        return [local for name in names if (local := self.find(name)) is not None]

    def list_names(self) -> list[str]:
        """Return the names of all locals in scope, from the outermost scope inwards.

        A name that hides another one occurs twice.
        """
        return [name for frame in self.frames for name in frame]

    def collect(self) -> dict[str, LocalName]:
        """Return the locals in scope by name. One that hides another takes its place."""
        return {name: local for frame in self.frames for name, local in frame.items()}

    def bind(self, local: LocalName) -> None:
        """Add a local to the innermost scope, in place of one with the same name there."""
        self.frames[-1][local.name] = local

    @property
    def may_have_unparsed(self) -> bool:
        """True if a scope may hold names that could not be parsed."""
        return any(frame.has_unread_text for frame in self.frames)

    def mark_unparsed(self) -> None:
        """Record that the innermost scope may hold names that could not be parsed."""
        self.frames[-1].has_unread_text = True

    def copy(self) -> Locals:
        """Return a copy with the same locals in scope, and the same number of slots.

        Scopes and the number of slots then change independently, but both share their LocalName objects.
        ``closed_locals`` starts empty.
        """
        copied_locals = Locals()
        copied_locals.n_slots, copied_locals.frames = self.n_slots, [copy(frame) for frame in self.frames]
        return copied_locals


class LocalFacts(Record):
    """Facts about the locals of a text, by slot.

    Attributes:
        sources: The list that a loop variable runs through.
        values: The value that a local was given.
    """

    sources: dict[int, core.Expr] = field(default_factory=dict)
    values: dict[int, core.Expr] = field(default_factory=dict)


class CheckedCondition(Record):
    """A condition as an author wrote it.

    Attributes:
        facts: Facts about the locals that the condition uses.
    """

    facts: LocalFacts
    condition: core.Expr


@dataclass(eq=False)
class Notes:
    """Facts about a whole ruleset, collected while its texts are checked. Lints and later passes read them."""

    graph: CallGraph = field(default_factory=CallGraph)
    used_names: set[str] = field(default_factory=set)  # declared names in use
    read_names: set[str] = field(default_factory=set)  # names whose value is read
    written_places: set[str] = field(default_factory=set)  # places that a statement sets
    used_values: set[tuple[str, int]] = field(default_factory=set)  # enum and ordinal
    used_fields: set[tuple[str, str]] = field(default_factory=set)  # kind and field
    used_layers: set[str] = field(default_factory=set)
    used_charts: set[str] = field(default_factory=set)
    used_endings: dict[str, str] = field(default_factory=dict)  # name -> its label, with `{}` for each inserted value
    opened_menus: set[str] = field(default_factory=set)
    unused_locals: list[LocalName] = field(default_factory=list)
    taken_actions: set[str] = field(default_factory=set)
    inlined_nodes: int = 0  # total characters of actions, counted once for each offer
    window_actions: dict[str, tuple[str, Span]] = field(default_factory=dict)  # action -> its window, and where
    rule_causes: list[tuple[Owner, core.Stmt]] = field(default_factory=list)  # statements that write or move
    begun_spans: set[str] = field(default_factory=set)  # spans that a statement begins
    has_ending_with_winner: bool = False  # True if an `end game` names who can win, or a chart
    ending_reasons: set[str] = field(default_factory=set)  # reasons of endings, with `{}` for each inserted value
    endings_without_winner: list[Span] = field(default_factory=list)  # endings without winners and without a chart
    temporary_changes: dict[str, TemporaryChange] = field(default_factory=dict)
    """By the variable that stores the change."""
    hidden_variables: dict[str, core.Variable] = field(default_factory=dict)
    """Variables that the compiler makes for choices."""
    conditions: list[CheckedCondition] = field(default_factory=list)
    choices: list[tuple[LocalFacts, core.Ask | core.AskMany | core.Random]] = field(default_factory=list)
    optional_subjects: set[Span] = field(default_factory=set)  # places before a dot that may be `none`
    site_count: int = 0
    private_sites: set[int] = field(default_factory=set)
    observer: Observer | None = None
    outer_hidden_variables: int = 0  # number of hidden variables before these notes, see :meth:`start_part`

    @property
    def counters(self) -> tuple[int, int, int]:
        """The numbers of choice sites, of hidden variables and of inlined nodes up to now, in this order."""
        return self.site_count, self.hidden_variable_count, self.inlined_nodes

    @property
    def hidden_variable_count(self) -> int:
        """The number of hidden variables of the whole ruleset up to now."""
        return self.outer_hidden_variables + len(self.hidden_variables)

    def start_part(self) -> Notes:
        """Return empty notes for one text, with the same counters. Pass them to :meth:`add_part` afterwards."""
        return Notes(
            site_count=self.site_count,
            inlined_nodes=self.inlined_nodes,
            outer_hidden_variables=self.hidden_variable_count,
            window_actions=self.window_actions,
            observer=None if self.observer is None else self.observer.start_part(),
        )

    def add_part(self, part: Notes, start: tuple[int, int, int], names: Names) -> None:
        """Add the notes ``part`` about one text. ``start`` holds the :attr:`counters` that ``part`` began with.

        ``site_count`` and ``inlined_nodes`` grow by as much as they did in ``part`` since ``start``. All sets, lists
        and dicts of ``part`` are added, except ``window_actions``, which :meth:`start_part` shares. An entry that a
        dict already has stays. The call graph is added, too, and ``has_ending_with_winner`` becomes True if ``part``
        has it. If both have an observer, the one here gets that of ``part``, with ``names``, the names of this check.
        ``part`` stays the same, so that a later check can add it again.
        """
        self.graph.add(part.graph)
        for part_field in fields(self):
            own_value, new_value = getattr(self, part_field.name), getattr(part, part_field.name)
            if isinstance(own_value, set):
                own_value |= new_value
            elif isinstance(own_value, list):
                own_value += new_value
            elif isinstance(own_value, dict) and part_field.name != "window_actions":  # an earlier check had its own
                own_value |= new_value | own_value
        self.has_ending_with_winner = self.has_ending_with_winner or part.has_ending_with_winner
        self.site_count += part.site_count - start[0]
        self.inlined_nodes += part.inlined_nodes - start[2]
        if self.observer is not None and part.observer is not None:
            self.observer.add_part(part.observer, names)

    def record_enum_value(self, value: EnumValueSymbol) -> None:
        """Record that a text names an enum value."""
        self.used_names.add(value.enum.name)
        self.used_values.add((value.enum.name, value.ordinal))

    def allocate_site(self) -> int:
        """Return the number of a new choice site: ``site_count`` before the call, which adds 1 to it."""
        self.site_count += 1
        return self.site_count - 1


class Observer(Protocol):
    """Receive what the checker finds out about the nodes of effect texts. Editors show it."""

    def record_expression(self, routine: Routine, node: ast.Expr, operand: core.Expr | Reference) -> None:
        """Receive an expression after it is checked, with the locals that are in scope there."""

    def record_statement(self, routine: Routine, node: ast.Stmt) -> None:
        """Receive a statement before it is checked."""

    def start_part(self) -> Observer:
        """Return an observer for one text. The result of its check may be used again in later checks."""

    def add_part(self, part: Any, names: Names) -> None:
        """Receive everything that an observer of :meth:`start_part` received in this check, or in an earlier one.

        ``names`` are the names of this check. They equal those of the earlier one, apart from their positions.
        """


Stmts = tuple[core.Stmt, ...]
ExpressionForm = Callable[["Routine", Any, Type | None], core.Expr | Reference]
"""Function that checks an expression node. It gets the expected type, and returns a typed value or a place."""
StatementForm = Callable[["Routine", Any], Sequence[core.Stmt]]
"""Function that checks a statement node. It returns core statements, or none after a report."""


def make_faulty(span: Span) -> core.Expr:
    """Return the expression that takes the place of a faulty one: a Const of the type NOTHING.

    This type fits everywhere, so that a mistake is reported once.
    """
    return core.Const(NOTHING, span, None)


def make_player_subjects(name: str) -> tuple[str, ...]:
    """Return ``("player of NAME",)``, the subject of findings about a declaration that lacks its player or has one too
    many. Findings with the same subject are reported once.
    """
    return (f"player of {name}",)


def make_block_subjects(routine: Routine) -> tuple[str, ...]:
    """Return ``("blocks of OWNER",)``, the subject of findings that follow from a line with the wrong indentation."""
    return (f"blocks of {routine.owner}",)


def is_faulty(expr: core.Expr) -> bool:
    """Return whether an expression has the type NOTHING, as have those that were reported as faulty."""
    return expr.type == NOTHING


class Forms(ValueRecord):
    """Map each class of syntax node to the function that checks it."""

    expressions: Mapping[type[ast.Expr], ExpressionForm]
    statements: Mapping[type[ast.Stmt], StatementForm]


@dataclass(eq=False)
class Routine:
    """One text while it is checked. All data that it shares with other routines is frozen or only grows.

    Attributes:
        owner: The text's node in the call graph, such as the query ``points``.
        is_setup: True for the setup block, whose random numbers come from a stream of their own.
        loops: The number of loops around this point that ``stop`` could leave.
        window: The window whose answers are inlined into this routine.
        inlined_owners: The actions whose text is being inlined into this routine.
        narrowed_types: The narrower types of optional locals, by slot. They follow from the conditions around this
            point.
        subjects: The checked expression before the dot of each member, as a cache.
        scope: The block that is being checked. ``place_in_scope`` is the index of the current statement in it.
        written_names: The names that a block writes, by the ``id`` of the block.
        grown_types: The item types of growing lists, by the position of their names. It is set only in a trial run that
            infers these types, and None otherwise.
    """

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms
    owner: Owner
    is_setup: bool = False
    locals: Locals = field(default_factory=Locals)
    local_facts: LocalFacts = field(default_factory=LocalFacts)
    loops: int = 0
    window: WindowSymbol | None = None
    inlined_owners: list[Owner] = field(default_factory=list)
    narrowed_types: dict[int, Type] = field(default_factory=dict)
    subjects: dict[ast.Member, core.Expr | Reference] = field(default_factory=dict)
    scope: ast.Block = ()
    place_in_scope: int = 0
    written_names: dict[int, frozenset[str]] = field(default_factory=dict)
    grown_types: dict[int, Type] | None = None

    # ------------------------------------------------------------ parts

    def check_operand(self, node: ast.Expr, expected: Type | None = None) -> core.Expr | Reference:
        """Check an expression. Returns a value as an expression, and a place as a Reference.

        ``deck.top``, ``gold + 1`` and ``card.cost`` are values, and so are names of ``let`` that no statement writes.
        The variables ``gold`` and ``owner[space]``, the zone ``deck``, pools and tables are places, even if indices are
        missing. ``expected`` chooses between enums, or an enum and cards, that share the name of a value. The result
        may have another type than ``expected``. After a report, it is often a faulty expression.
        """
        queries = self.names.queries
        queries.depth += 1
        operand = self.forms.expressions[type(node)](self, node, expected)
        queries.depth -= 1
        if self.notes.observer is not None:
            self.notes.observer.record_expression(self, node, operand)
        return operand

    def check_block(self, block: ast.Block) -> Stmts:
        """Check the statements of a block in a scope of its own, and return their core statements in order.

        Four statements leave the block: ``stop``, ``end game``, an ``if`` with an ``else`` whose branches all end in
        one of the four, and a ``by`` or ``privately`` whose block does. Statements behind one are checked, but left out
        of the result, and the first of them gets a warning. ``notes.rule_causes`` gets a pair of the owner and the
        statement for each core statement of the result that itself writes or moves. The blocks inside add theirs, even
        those of statements left out. A ``by`` gives a Let of ``me`` and its statements, and a ``privately`` only its
        statements. These are in the result without one around them, so that their pairs are added once more.
        """
        statements: list[core.Stmt] = []
        has_left = False
        queries = self.names.queries
        outer_place = self.scope, self.place_in_scope
        with self.open_scope(), self.restore_narrowing():
            queries.depth += 1
            for i, node in enumerate(block):
                self.scope, self.place_in_scope = block, i
                if self.notes.observer is not None:
                    self.notes.observer.record_statement(self, node)
                new_statements = self.forms.statements[type(node)](self, node)
                if has_left:
                    continue
                statements += new_statements
                self.notes.rule_causes += [
                    (self.owner, stmt) for stmt in new_statements if core.get_writes(stmt) or core.get_moves(stmt)
                ]
                if new_statements and _leaves_block(new_statements[-1]) and i + 1 < len(block):
                    has_left = True
                    word = _LEAVING_WORDS.get(type(node), "this")
                    message = f"nothing after {word} ever runs"
                    self.report.add(codes.UNREACHABLE, message, block[i + 1].span, "remove it, or move it up")
            queries.depth -= 1
        self.scope, self.place_in_scope = outer_place
        return tuple(statements)

    def copy_for_trial(self, notes: Notes, report: Diagnostics, types: dict[int, Type]) -> Routine:
        """Return a copy with the same locals in scope, for a trial run that infers item types into ``types``.

        The trial has its own notes, report and facts about locals, so that it leaves no trace in this routine.
        """
        return replace(
            self, notes=notes, report=report, locals=self.locals.copy(), local_facts=LocalFacts(), grown_types=types,
            narrowed_types=dict(self.narrowed_types), subjects={}, inlined_owners=list(self.inlined_owners),
        )  # fmt: skip

    # ------------------------------------------------------------ reports

    def report_error(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
        subjects: tuple[str, ...] = (),
        is_consequence: bool = False,
        fixes: Iterable[Fix] = (),
    ) -> core.Expr:
        """Add an error to ``report``, and return the faulty expression that :func:`make_faulty` makes for ``span``.

        It is not added if an earlier one has the same code, file name and start. Beyond ``MAX_FINDINGS`` errors, it is
        only counted, or raises TooManyErrors, see :meth:`Diagnostics.add`. Of ``notes``, those whose source has an
        empty ``text`` are left out. ``subjects`` names what the error concerns. Of findings that share one of them,
        :meth:`Diagnostics.list_sorted` keeps the first by file and position without ``is_consequence``, with notes at
        the others. If all have ``is_consequence``, all stay.
        """
        visible_notes = [(place, label) for place, label in notes if place.source.text]
        self.report.add(code, message, span, hint, visible_notes, subjects, is_consequence, fixes)
        return make_faulty(span)

    def report_misuse(self, symbol: Symbol, code: Code, message: str, span: Span, hint: str | None = None) -> core.Expr:
        """Report a declared name in a place where it means nothing, and return a faulty expression.

        The name counts as used, and a note shows its declaration.
        """
        self.notes.used_names.add(symbol.name)
        return self.report_error(code, message, span, hint, symbol.notes)

    # ------------------------------------------------------------ locals

    def bind(self, name: str, type: Type, span: Span, kind: str = "local", is_exempt: bool = False) -> int:
        """Bind a name to a new slot and return the slot, 0 for the first one. ``kind`` is the word for this local in
        later messages.

        A name that hides a declaration or another local is bound, but reported as SHADOWING: ```x` is already the name
        of a local here``. A local that is hidden counts as used. With ``is_exempt``, or if the name begins with ``_``,
        an unused name is not reported.
        """
        hidden_local = self.locals.find(name)
        symbol = self.names.symbols.get(name)
        if hidden_local is not None:
            hidden_local.is_used = True
            message = f"`{name}` is already the name of {prepend_article(hidden_local.kind)} here"
            notes = [(hidden_local.span, "first named here")]
            self.report_error(codes.SHADOWING, message, span, "give it another name", notes)
        elif symbol is not None:
            message = f"`{name}` is already the name of {prepend_article(symbol.kind)}"
            self.report_error(codes.SHADOWING, message, span, "give the local another name", symbol.notes)
        return self.bind_unchecked(name, type, span, kind, is_exempt)

    def bind_unchecked(self, name: str, type: Type, span: Span, kind: str = "local", is_exempt: bool = True) -> int:
        """Bind a name in the innermost scope to a new slot with :meth:`add_local`, and return the slot.

        Nothing is reported, whatever the name hides; :meth:`bind` reports that. ``kind`` is the word for the local in
        messages. With ``is_exempt``, or if the name begins with ``_``, no warning follows if the local is never used.
        """
        slot = self.locals.allocate_slot()
        is_exempt = is_exempt or name.startswith("_")
        self.add_local(LocalName(name, slot, type, span, kind, is_exempt=is_exempt))
        return slot

    def add_local(self, local: LocalName) -> None:
        """Add a local to the innermost scope, where it replaces one of the same name.

        If ``local`` has the name ``it`` and the kind ``item``, ``local.hidden_local`` becomes the ``it`` that was
        visible before if that has the kind ``item``, too, and otherwise None. Clears ``subjects``.
        """
        if local.name == "it" and local.kind == "item":
            outer_local = self.locals.find("it")
            local.hidden_local = outer_local if outer_local is not None and outer_local.kind == "item" else None
        self.locals.bind(local)
        self.subjects.clear()

    def bind_me(self, span: Span) -> int:
        """Bind ``me``, the acting player, to a new slot and return the slot."""
        return self.bind_unchecked("me", PLAYER, span, "player")

    def bind_parameters(
        self, has_player: bool, span: Span, params: Iterable[tuple[str, Type, Span]], is_exempt: bool = True
    ) -> tuple[core.Param, ...]:
        """Bind ``me`` at ``span`` if ``has_player`` is true, then the parameters, and return them all in this order.

        Each gives a ``Param(slot, name, type)``, such as ``Param(0, "me", PLAYER)``. A parameter whose name is taken is
        reported as SHADOWING, and bound all the same. With ``is_exempt``, or if its name begins with ``_``, no warning
        follows if a parameter is never used. For ``me``, none ever follows.
        """
        core_params = [core.Param(self.bind_me(span), "me", PLAYER)] if has_player else []
        for name, type, place in params:
            core_params.append(core.Param(self.bind(name, type, place, "parameter", is_exempt), name, type))
        return tuple(core_params)

    @contextmanager
    def open_scope(self) -> Iterator[None]:
        """Open a scope for the duration of a ``with`` block.

        Afterwards its locals that were never used, and are not exempt, are added to ``notes.unused_locals``.
        """
        self.locals.frames.append(_Frame())
        try:
            yield
        finally:
            frame = self.locals.frames.pop()
            self.locals.closed_locals.update(frame)
            self.notes.unused_locals += [local for local in frame.values() if not local.is_used and not local.is_exempt]
            self.subjects.clear()

    @contextmanager
    def hide_outer_scopes(self) -> Iterator[None]:
        """Hide all outer locals and loops for the duration of a ``with`` block. Their names are unknown there, and
        ``stop`` has no loop.

        Outer locals and loops are back afterwards, also if the body raises. ``locals.closed_locals`` is empty at the
        start, and afterwards keeps only the locals of scopes that were opened and closed in the block. The locals that
        the block itself binds are added neither there nor to ``notes.unused_locals``. The cache ``subjects`` is emptied
        at the start and at the end. No slot is used twice: ``locals.n_slots`` goes on from its value before, also after
        the block.
        """
        frames, self.locals.frames = self.locals.frames, [_Frame()]
        loops, self.loops = self.loops, 0
        self.locals.closed_locals = {}
        self.subjects.clear()
        try:
            yield
        finally:
            self.locals.frames, self.loops = frames, loops
            self.subjects.clear()

    # ------------------------------------------------------------ optional values

    @contextmanager
    def restore_narrowing(self) -> Iterator[None]:
        """Restore the narrowed types when a ``with`` block ends, also if it raises."""
        saved_types = dict(self.narrowed_types)
        try:
            yield
        finally:
            self.narrowed_types = saved_types
            self.subjects.clear()

    def narrow(self, condition: core.Expr, is_true: bool) -> None:
        """Narrow the types of locals, given that a condition is true (``is_true``) or false.

        Example: in a branch of ``if x is not none``, the type of ``x`` is no longer optional. Follows ``not``, both
        sides of a true ``and`` and both sides of a false ``or``. Other conditions, and tests of anything that is no
        local, change nothing.
        """
        match condition:
            case core.Unary(op="not", operand=operand):
                self.narrow(operand, not is_true)
            case core.Binary(op="and", left=left, right=right) if is_true:
                self.narrow(left, True)
                self.narrow(right, True)
            case core.Binary(op="or", left=left, right=right) if not is_true:
                self.narrow(left, False)
                self.narrow(right, False)
            case core.Binary(op=("=" | "!=") as op, left=left, right=right) if (op == "!=") is is_true:
                for value, operand_beside in ((left, right), (right, left)):
                    if (
                        isinstance(value, core.Local)
                        and isinstance(value.type, OptionalType)
                        and isinstance(operand_beside.type, NoneType)
                    ):
                        self.narrowed_types[value.slot] = value.type.item
                        self.subjects.clear()

    # ------------------------------------------------------------ names

    def record_use(self, symbol: Symbol, span: Span, is_read: bool = True) -> None:
        """Record that a text uses a symbol, for the lints and the call graph.

        The name goes into ``notes.used_names`` and, unless ``is_read`` is False, into ``notes.read_names``. A read of a
        variable, pool or zone is also stored as ``notes.graph.state_reads[self.owner] = (name, span)``, if the owner
        has no entry yet. So only a text's first read of any of them is stored.
        """
        self.notes.used_names.add(symbol.name)
        if is_read:
            self.notes.read_names.add(symbol.name)
        if is_read and isinstance(symbol, VariableSymbol | PoolSymbol | ZoneSymbol):
            self.notes.graph.add_state_read(self.owner, symbol.name, span)

    def record_layer(self, layer: str | None, span: Span) -> None:
        """Add the layer of a rule or change to ``notes.used_layers``. Reports an unknown one, and adds it, too.

        Does nothing if ``layer`` is None.
        """
        if layer is not None and layer not in self.names.layers:
            report_unknown(self.report, "layer", layer, span, self.names.layers, "list it under `layers`")
        if layer is not None:
            self.notes.used_layers.add(layer)

    def suggest_actor(self, hint: str = "") -> str:
        """Return a hint on how to let a player act, for a text without an acting player.

        ``hint`` says how to name the player in this place; it is "" where no expression can name one. In an effect, the
        hint ``name a player`` gives “name a player, or put it inside `each player:` or `by p:`”, and "" gives “put it
        inside `each player:` or `by p:`”. In a view, “show it where `me` is known: …” follows in the same way. In
        ``_SECTIONS_WITHOUT_BLOCKS``, such as a query, and in a test case outside ``run``, ``hint`` stands alone. There
        "" gives “put this into a query with `per: Player`, and write `p.query`”, and in the case “let a player ask, …”.
        A rule with the local ``this``, the card, gives “write `this.holder` …”, whatever ``hint`` is.
        """
        section = self.owner.section
        if section == "rule" and self.locals.find("this") is not None:
            return "write `this.holder` for who has this card, or use `when card enters any PLACE` for who takes a card"
        if section == "view":
            way = "show it where `me` is known: in `players`, `own`, a panel `hand`, or a panel with `per: player`"
        elif section == "case" and self.owner.name != "run":
            way = "" if hint else "let a player ask, and check with `log`: `run: 'by P1: announce \"{…}\"'`"
        elif section in _SECTIONS_WITHOUT_BLOCKS:
            way = "" if hint else "put this into a query with `per: Player`, and write `p.query`"
        else:
            way = "put it inside `each player:` or `by p:`"
        return ", or ".join(filter(None, (hint, way)))

    @property
    def example_player(self) -> str:
        """The player in hints such as “say who owns it: `p.purse`”: ``P1`` in a test case, else ``p``."""
        return "P1" if self.owner.section == "case" else "p"

    def get_actor(self, span: Span, reason: str, hint: str = "") -> core.Expr:
        """Return ``me``, as a Local, and set ``is_used`` of its LocalName.

        If no player acts in this text, report ``REASON, but no player acts here`` as NOBODY_ACTS, and return a faulty
        expression. ``reason`` says why a player is needed, and ``hint`` how to name the player in this place, or is "".
        The hint of the error is usually ``suggest_actor(hint)``. If ``me`` is in ``locals.closed_locals``, “, or indent
        this if it belongs to the block above” follows. If not, a query or effect that is no window has “declare the
        query `x` with `per: Player`, or name a player” for the ``hint`` “name a player”. Without ``hint``, a query's
        hint ends before the comma, and ``suggest_actor()`` follows “or” in an effect. A fix then adds ``per: Player``
        if the keys of the declaration are in braces or on the next lines.
        """
        me = self.locals.find("me")
        if me is None:
            section, name = self.owner
            message = f"{reason}, but no player acts here"
            if "me" in self.locals.closed_locals:
                hint = f"{self.suggest_actor(hint)}, or indent this if it belongs to the block above"
                return self.report_error(codes.NOBODY_ACTS, message, span, hint, subjects=make_block_subjects(self))
            if section not in ("query", "effect") or isinstance(self.names.symbols.get(name), WindowSymbol):
                return self.report_error(codes.NOBODY_ACTS, message, span, self.suggest_actor(hint))
            way = hint or ("" if section == "query" else self.suggest_actor())
            hint = ", or ".join(filter(None, (f"declare the {section} `{name}` with `per: Player`", way)))
            fixes = _insert_player(self.names.symbols[name].span) if name in self.names.symbols else ()
            subjects = make_player_subjects(name)
            return self.report_error(codes.NOBODY_ACTS, message, span, hint, subjects=subjects, fixes=fixes)
        me.is_used = True
        return core.Local(PLAYER, span, me.slot, "me")


_SECTIONS_WITHOUT_BLOCKS = frozenset(
    ("board", "start", "visible", "to", "active", "bots", "table", "invariant", "scoring", "reminder", "query")
)
"""The sections of texts that are expressions: they can't contain ``each player:``."""

_BEHIND_KEY = re.compile(r": *(?:\{|\n( +)(?=\w+:))")


def _insert_player(name_span: Span) -> tuple[Fix, ...]:
    """Return the fix that adds ``per: Player`` to a declaration whose name is at ``name_span``, as a tuple of one.

    It becomes the first key of the declaration. Returns () if the declaration has no keys.
    """
    source = name_span.source
    match = _BEHIND_KEY.match(source.text, name_span.end)
    if match is None:
        return ()
    text, offset = ("per: Player, ", match.end()) if match[1] is None else (f"{match[1]}per: Player\n", match.start(1))
    return (Fix("Add `per: Player` to the declaration", (Edit(Span(source, offset, offset), text),)),)


_LEAVING_WORDS: dict[type[ast.Stmt], str] = {ast.Stop: "`stop`", ast.EndGame: "`end game`", ast.If: "this `if`"}


def _leaves_block(stmt: core.Stmt) -> bool:
    """Return whether the statements after this one in its block are never reached."""
    if isinstance(stmt, core.If):
        blocks = (*(body for _, body in stmt.branches), stmt.otherwise)
        return all(block and _leaves_block(block[-1]) for block in blocks)
    return isinstance(stmt, core.Stop | core.EndGame)
