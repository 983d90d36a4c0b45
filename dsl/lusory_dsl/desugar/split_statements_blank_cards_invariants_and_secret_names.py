"""Lower splits and keywords of blank cards, hide names that hold secrets, and mark invariants that are laws."""

from __future__ import annotations

from .. import core
from ..core.generated_part_origins import BLANK_CARDS, LETS, SPLITS, Origin
from ..core.internal_names_and_internal_variables import make_internal_name
from ..core.knowledge_of_locals import get_knowledge
from ..core.program_reads_and_value_bounds import collect_reads
from ..source.dataclass_with_lazy_methods import Record, replace
from ..source.source import Span
from ..types.types import BOOL, INT, TEXT, ListType, Type, get_default_value
from .pass_helpers import NodeBuilder


def make_blankable(query: core.Query, kind: str) -> dict[str, core.Query]:
    """Return two queries by name: that of a keyword, which blank cards of ``kind`` lack, and its former definition.

    Example: ``Card.flying`` becomes ``if this.blank then false else "Card.flying unless blank"(this)``. The second name
    is ``Card.flying unless blank``. In place of ``false``, an Int keyword has 0, a list is empty, and any other, such
    as a ``Text?``, has ``none``. The modifiers stay with the former definition.
    """
    (this_param,), span = query.params, query.value.span
    card = core.Local(this_param.type, span, this_param.slot, this_param.name)
    origin = Origin(BLANK_CARDS, query.name, "given")
    original = replace(query, name=f"{query.name} unless blank", origin=origin)
    condition_origin = Origin(BLANK_CARDS, query.name, "blank")
    is_blank = core.CallQuery(BOOL, span, f"{kind}.blank", (card,), origin=condition_origin)
    blank_value = core.Const(query.type, span, get_default_value(query.type))
    value = core.IfExpr(
        query.type, span, is_blank, blank_value, core.CallQuery(query.type, span, original.name, (card,))
    )
    return {query.name: replace(query, n_slots=1, value=value, modifiers=()), original.name: original}


class Split(Record):
    """A division of ``amount`` among the items of ``source`` that satisfy ``condition``.

    For each ``item`` the chooser decides its ``part``, at most ``max_part``. ``body`` runs for each item with a
    positive part. ``extra_slots`` holds five slots for the loop. Variables named after the site store the progress."""

    span: Span
    site: int
    chooser: core.Expr
    prompt: core.TextTemplate
    label: core.TextTemplate
    amount: core.Expr
    source: core.Expr
    condition: core.Expr | None
    max_part: core.Expr
    item: core.Local
    part: core.Local
    extra_slots: tuple[int, ...]
    body: tuple[core.Stmt, ...]


class SplitLoopBuilder(NodeBuilder):
    """A builder for the loop that replaces a split.

    Each question has a minimum, so that the rest fits the limits of later items. It also offers to settle the rest in
    any way. An item with one possible part isn't asked about. Example: ``split 3 as n over z in [a, b], at most 2: …``
    asks for the part of ``a``, which is 1 or 2, and gives the rest to ``b``.
    """

    def __init__(self, split: Split) -> None:
        """Prepare the locals of the loop.

        These are the list of items, their limits, the bounds of the next choice, and its position.
        """
        super().__init__(split.span, Origin(SPLITS))
        self.split = split
        self.item, self.number = split.item, split.part
        self.remaining, self.part = self._read_progress("Left", INT), self._read_progress("Part", INT)
        self.is_settled = self._read_progress("Settled", BOOL)
        names, types = ("items", "limits", "low", "high", "place"), (split.source.type, ListType(INT), INT, INT, INT)
        self.items, self.limits, self.low, self.high, self.position = (
            core.Local(type, self.span, slot, name)
            for slot, name, type in zip(split.extra_slots, names, types, strict=True)
        )

    def build_loop(self) -> list[core.Stmt]:
        """Return all statements that replace the split.

        Two Lets bind the list of the different items that meet the condition, and the list of their limits (at least
        0). Two SetCells follow, here for the site 7. ``split7_Left`` becomes the amount, or the sum of the limits if
        that is smaller. ``split7_Settled`` becomes false. The last one is a ForEach over the positions of the items,
        from 0, with the condition that ``split7_Left`` is above 0.
        """
        split, item = self.split, self.item
        items = split.source
        if split.condition is not None:
            items = self.make_filter(items, item, split.condition)
        limit = self.make_builtin_call("larger", INT, self.make_number(0), split.max_part)
        total_limit = self.make_builtin_call("sum", INT, self.limits)
        amount = self.make_builtin_call("smaller", INT, split.amount, total_limit)
        has_remaining = self.make_test(">", self.remaining, self.make_number(0))
        return [
            self.make_let(self.items, self.make_builtin_call("unique", items.type, items)),
            self.make_let(self.limits, self.make_map(self.items, item, limit)),
            self.make_assignment(self.remaining.place, amount),
            self.make_assignment(self.is_settled.place, core.Const(BOOL, self.span, False)),
            self.make_index_loop(self.position, self.items, self._build_body(), has_remaining),
        ]

    def _build_body(self) -> tuple[core.Stmt, ...]:
        """Return the body of the loop: bound the item's part, ask for it, and run the block of the split."""
        next_place = core.Binary(INT, self.span, "+", self.position, self.make_number(1))
        later_limits = self.make_builtin_call("drop", self.limits.type, self.limits, next_place)
        lower_limit = self.make_difference(self.remaining, self.make_builtin_call("sum", INT, later_limits))
        limit = self.make_builtin_call("at", INT, self.limits, self.position)
        is_decided = self.make_test("or", self.is_settled, self.make_test("=", self.low, self.high))
        take_all = self.make_assignment(self.part.place, self.high)
        has_part = self.make_test(">", self.part, self.make_number(0))
        return (
            self.make_let(self.item, self._current_item),
            self.make_let(self.low, self.make_builtin_call("larger", INT, self.make_number(0), lower_limit)),
            self.make_let(self.high, self.make_builtin_call("smaller", INT, self.remaining, limit)),
            self.make_if(is_decided, (take_all,), (self._build_question(),)),
            self.make_let(self.number, self.part),
            self.make_assignment(self.remaining.place, self.part, "sub"),
            self.make_if(has_part, self.split.body),
        )

    def _build_question(self) -> core.Stmt:
        """Return the question for the part of an item, with an option to end the questions."""
        split, span, item, number = self.split, self.span, self.item, self.number
        statements = (
            self.make_assignment(self.is_settled.place, core.Const(BOOL, span, True)),
            self.make_assignment(self.part.place, self.high),
        )
        any_label = core.TextTemplate(TEXT, span, ("Let the game decide",))
        any_alternative = core.Alternative("any", any_label, (), (), statements, span)
        item_alone = core.ListLit(ListType(item.type), span, (self._current_item,))
        numbers = core.Range(self.limits.type, span, self.low, self.high)
        variables = (
            core.ChoiceVar(item.slot, item.name, item_alone, None, False, item.span),
            core.ChoiceVar(number.slot, number.name, numbers, None, False, number.span),
        )
        take_part = self.make_assignment(self.part.place, number)
        exact_alternative = core.Alternative(None, split.label, (), variables, (take_part,), span)
        alternatives = (any_alternative, exact_alternative)
        return core.Ask(span, split.site, split.chooser, split.prompt, alternatives, (), origin=self.origin)

    @property
    def _current_item(self) -> core.Expr:
        return self.make_builtin_call("at", self.item.type, self.items, self.position)

    def _read_progress(self, suffix: str, type: Type) -> core.ReadCell:
        return core.ReadCell(type, self.span, make_internal_name(f"split{self.split.site}", suffix), ())


def hide_secret_names(program: core.Program) -> core.Program:
    """Return a copy of a program in which variables from ``let`` that hold hidden information are hidden, too.

    Only a name that a statement in the block of its ``let`` writes is a variable, such as ``card_0_Named`` for
    ``card``. Its ``visible`` becomes ``Visibility("nobody", None)`` if it gets a value that not all players know, as
    by ``let card = deck.top`` with a hidden deck. Hiding a name can make others secret, so the pass repeats until
    nothing changes. Returns the program itself if no such variable gets a secret value.
    """
    visible_names = {name for name, variable in program.variables.items() if variable.origin.generator == LETS}
    while visible_names and (secret_names := visible_names & get_knowledge(program).secret_variables):
        nobody = core.Visibility("nobody", None)
        hidden_variables = {name: replace(program.variables[name], visible=nobody) for name in secret_names}
        program = replace(program, variables=program.variables | hidden_variables)
        visible_names -= secret_names
    return program


def mark_laws(program: core.Program) -> core.Program:
    """Return a program in which ``is_law`` is True for each invariant that reads no state, and False for all others.

    A law has the same value in all positions of a game. Example: ``always: count(Suit) = 4`` is a law, and ``always:
    bank.total = 20`` isn't. Tables, card fields, options and the number of players are no state. The text of
    ``because`` counts, too: a law must not read state there.
    """
    invariants = []
    for invariant in program.invariants:
        parts = [invariant.condition, invariant.because]
        for var in invariant.vars:
            parts += [var.domain, var.condition]
        reads = (collect_reads(part, program.queries, program.zones) for part in parts if part is not None)
        invariants.append(replace(invariant, is_law=not any(reads)))
    return replace(program, invariants=tuple(invariants))
