"""Desugar windows: moments at which players may answer.

A window becomes an effect of its name, made from ordinary statements that ask, store the answers and carry them out.
Hidden variables store its state between decisions. A window never opens itself, so one set of variables is enough.

Example: a window in which each player may answer once becomes a loop over the players: ask for an action or to pass,
pay the cost, and store the action with its choices. A second loop then carries out the stored actions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from .. import core
from ..core.generated_part_origins import WINDOWS, Origin
from ..core.internal_names_and_internal_variables import CANCELLED_SUFFIX, make_hidden_variable, make_internal_name
from ..source.dataclass_with_lazy_methods import Record, replace
from ..source.source import Span
from ..types.types import BOOL, INT, NOTHING, PLAYER, TEXT, ListType, OptionalType, Type
from .pass_helpers import NodeBuilder


class OfferedAction(Record):
    """An action that a choice or window offers.

    ``cost`` holds the statements that pay for it. They run before the body of ``alternative``, which lacks them here.
    """

    alternative: core.Alternative
    cost: tuple[core.Stmt, ...]


class Round(Record):
    """Answers that each asked player may give in turn. ``prelude`` runs before each player is asked."""

    site: int
    prelude: tuple[core.Stmt, ...]
    answers: tuple[OfferedAction, ...]


class Window(Record):
    """A window, opened by the effect ``name``.

    ``forced_round`` holds answers that a player must give if possible. ``max_answers`` is the maximum number of
    answers, stored or not. ``player_slot``, ``players_slot`` and ``answer_slot`` are slots: the player who is asked,
    all asked players, and the answer that is carried out."""

    name: str
    asked_players: core.Expr
    prompt: core.TextTemplate
    forced_round: Round | None
    free_round: Round
    max_answers: int
    is_last_first: bool
    lasts_until_all_pass: bool
    player_slot: int
    players_slot: int
    answer_slot: int
    span: Span


class WindowBuilder(NodeBuilder):
    """A builder for one window.

    For each stored answer, the window keeps the number of its alternative, its player and its chosen values.
    """

    def __init__(self, window: Window) -> None:
        """Prepare the locals of a window. Stored answers are numbered from 0 to ``max_answers - 1``."""
        super().__init__(window.span, Origin(WINDOWS, window.name))
        self.window = window
        self.variables: list[core.Variable] = []
        self.row = (core.Dim(INT, 0, window.max_answers),)
        # the player who is asked, later the player who answered
        self.me = core.Local(PLAYER, self.span, window.player_slot, "me")
        self.players = core.Local(ListType(PLAYER), self.span, window.players_slot, "players")
        self.number = core.Local(INT, self.span, window.answer_slot, "number")
        self.stored_bodies: list[tuple[core.Stmt, ...]] = []  # for each stored alternative, its statements for later
        self.counts_answers = window.is_last_first or window.lasts_until_all_pass

    def build_body(self) -> tuple[core.Stmt, ...]:
        """Return all statements of the window, and collect its variables in ``variables``.

        A Let binds the players without duplicates, and a SetCell resets the flag of cancellation. If answers are stored
        (``is_last_first``), or the window ``lasts_until_all_pass``, the number of answers is set to 0. In the second
        case, so is the number of passes in a row. ``forced_round`` comes next, if it isn't None, then ``free_round``,
        in which players may also pass, each as a ForEach. With ``lasts_until_all_pass``, the free round is inside a
        Repeat. This ends when all have passed in a row, or ``max_answers`` answers were given. Unless answers are
        stored, a cancellation also ends the rounds. Stored answers are carried out at the end, the last one first.
        """
        window, players = self.window, self.window.asked_players
        different_players = core.CallBuiltin(ListType(PLAYER), players.span, "unique", (players,))
        cancellation = self._declare_variable(CANCELLED_SUFFIX, BOOL, False)
        statements = [self.make_let(self.players, different_players), cancellation]
        if self.counts_answers:
            statements.append(self._declare_variable("Answered", INT, 0))
        if window.lasts_until_all_pass:
            statements.append(self._declare_variable("Passed", INT, 0))
        if window.is_last_first:
            self._declare_variable("Answer", INT, 0, self.row)
            self._declare_variable("By", PLAYER, 0, self.row)
        if window.forced_round is not None:
            statements.append(self._build_round(window.forced_round))
        ask_round = self._build_round(window.free_round, self._build_pass)
        if window.lasts_until_all_pass:
            is_open, max_rounds = self._build_open_condition(), self.make_number(window.max_answers + 1)
            ask_round = core.Repeat(self.span, None, is_open, max_rounds, (ask_round,), origin=self.origin)
        statements.append(ask_round)
        if window.is_last_first:
            statements.append(self._build_execution())
        return tuple(statements)

    # ------------------------------------------------------------ what the window keeps

    def _declare_variable(
        self, suffix: str, type: Type, start: object, dims: tuple[core.Dim, ...] = (), visibility: str = "all"
    ) -> core.Stmt:
        """Declare a variable, and return the statement that initialises it."""
        name = self.window.name
        variable = make_hidden_variable(
            make_internal_name(name, suffix), type, start, self.span, Origin(WINDOWS, name, suffix), dims, visibility
        )
        self.variables.append(variable)
        return self._make_assignment(suffix, "set", core.Const(type, self.span, start))

    def _make_assignment(
        self, suffix: str, op: str, value: core.Expr, indices: tuple[core.Expr, ...] = ()
    ) -> core.Stmt:
        name = make_internal_name(self.window.name, suffix)
        return core.SetCell(self.span, name, indices, op, value, origin=self.origin)

    def _make_read(self, suffix: str, type: Type, indices: tuple[core.Expr, ...] = ()) -> core.Expr:
        return core.ReadCell(type, self.span, make_internal_name(self.window.name, suffix), indices)

    def _make_increment(self, suffix: str, op: str) -> core.Stmt:
        return self._make_assignment(suffix, op, self.make_number(1))

    # ------------------------------------------------------------ asking

    def _build_round(self, round: Round, make_last: Callable[[], core.Alternative] | None = None) -> core.Stmt:
        """Ask each player in order, while the window is open. ``make_last`` makes an additional alternative."""
        alternatives = tuple(map(self._build_answer, round.answers)) + (() if make_last is None else (make_last(),))
        ask = core.Ask(self.span, round.site, self.me, self.window.prompt, alternatives, (), origin=self.origin)
        body, is_open = (*round.prelude, ask), self._build_open_condition()
        return core.ForEach(self.span, self.me.slot, "me", self.players, is_open, body, origin=self.origin)

    def _build_open_condition(self) -> core.Expr | None:
        """Return the condition that the window is still open. None: it stays open until each player was asked."""
        conditions: list[core.Expr] = []
        if self.window.lasts_until_all_pass:
            number = self.make_builtin_call("count", INT, self.players)
            conditions.append(self.make_test("<", self._make_read("Passed", INT), number))
            limit = self.make_number(self.window.max_answers)
            conditions.append(self.make_test("<", self._make_read("Answered", INT), limit))
        if not self.window.is_last_first:
            conditions.append(self.make_not(self._make_read(CANCELLED_SUFFIX, BOOL)))
        return reduce(partial(self.make_test, "and"), conditions) if conditions else None

    def _build_pass(self) -> core.Alternative:
        body = (self._make_increment("Passed", "add"),) if self.window.lasts_until_all_pass else ()
        return core.Alternative("pass", core.TextTemplate(TEXT, self.span, ("Pass",)), (), (), body, self.span)

    def _build_answer(self, answer: OfferedAction) -> core.Alternative:
        """Return an action as an answer. The cost is paid at once. The action runs at once, or is stored for later."""
        body = list(answer.cost)
        if self.window.lasts_until_all_pass:
            body.append(self._make_assignment("Passed", "set", self.make_number(0)))
        if self.window.is_last_first:
            body += self._build_answer_storage(answer.alternative)
        if self.counts_answers:
            body.append(self._make_increment("Answered", "add"))
        if not self.window.is_last_first:
            body += answer.alternative.body
        return replace(answer.alternative, body=tuple(body))

    # ------------------------------------------------------------ last first

    def _build_answer_storage(self, alternative: core.Alternative) -> list[core.Stmt]:
        """Return statements that store an answer, and remember the statements that carry it out later."""
        place = (self._make_read("Answered", INT),)
        storage: list[core.Stmt] = [
            self._make_assignment("Answer", "set", self.make_number(len(self.stored_bodies)), place),
            self._make_assignment("By", "set", self.me, place),
        ]
        row = (self.number,)
        execution = [self.make_let(self.me, self._make_read("By", PLAYER, row))]
        for var in alternative.vars:
            domain_type = var.domain.type
            type = domain_type.item if isinstance(domain_type, ListType) else NOTHING  # a faulty one was reported
            suffix = f"Value{len(self.stored_bodies)}_{var.name}"
            optional = type if isinstance(type, OptionalType) else OptionalType(type)
            self._declare_variable(suffix, optional, None, self.row, "nobody" if var.is_secret else "all")
            storage.append(self._make_assignment(suffix, "set", core.Local(type, var.span, var.slot, var.name), place))
            execution.append(
                core.Let(var.span, var.slot, var.name, self._make_read(suffix, type, row), origin=self.origin)
            )
        self.stored_bodies.append((*execution, *alternative.body))
        return storage

    def _build_execution(self) -> core.Stmt:
        """Return a loop that carries out the stored answers, the last one first."""
        span, origin = self.span, self.origin
        kind = self._make_read("Answer", INT, (self.number,))
        branches = [
            (self.make_test("=", kind, self.make_number(number)), body)
            for number, body in enumerate(self.stored_bodies)
        ]
        remaining = self._make_read("Answered", INT)
        has_answers = self.make_test(">", remaining, self.make_number(0))
        steps = (
            self._make_increment("Answered", "sub"),
            self.make_let(self.number, remaining),
            core.If(span, tuple(branches), (), origin=origin),
        )
        max_answers = self.make_number(self.window.max_answers)
        return core.Repeat(span, None, has_answers, max_answers, steps, origin=origin)
