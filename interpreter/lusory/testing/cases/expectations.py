"""Check the expectations of a case against the game, with one function for each kind of check.

The reader of case files binds these functions to what a file expects. That makes a
:data:`~lusory.testing.cases.case_model.Check`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import ndiff
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.board_drawing_and_parsing import draw_board
from lusory_dsl.core.generated_part_origins import AT_ONCE
from lusory_dsl.ruleset.model import Word
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.source import Span
from lusory_dsl.source.spelling_suggestions import suggest_name
from lusory_dsl.types.types import Type

from ...explain.styled_text_wrapping_and_values import to_text
from ...game import Game
from ...state.decisions_outcomes_and_faults import Decision, Option, Outcome, Reason, RulesetFault
from ...state.events_redaction_and_text import Announced, ChoiceMade, Event, describe, redact, redact_log
from ...state.setting_value_limits_builtins_and_names import format_name, format_place_name, unwrap_list_type
from ...state.state import State
from ...ui.model.panel_builder_and_value_looks import build_panels
from ...ui.model.panel_lines import stack_panels
from ...view.redacted_state import HiddenValue, redact_state
from ...view.seat_view import SeatReader
from ...view.table_and_option_text import format_option_id
from ..program_traversal_and_node_replacement import walk
from .case_model import DOTS, Cards, CaseExpression, Failure, Placing, Viewer

MAX_DIFFERENCES = 3  # maximum number of spaces of a board in a message
MAX_LOG_LINES = 40  # maximum lines of the log in the details of a failure
COMPARISONS = {"=", "!=", "<", "<=", ">", ">=", "in", "not in"}


def create_failure(
    code: Code,
    message: str,
    span: Span,
    details: Iterable[str] = (),
    hint: str | None = None,
    reasons: Sequence[Reason] = (),
) -> Failure:
    """Return a failure. The notes of its diagnostic are ``(reason.span, reason.text)`` of each reason with a span.

    The ``details`` of the failure are those given, and then ``because TEXT`` for each other reason, with its ``text``.
    """
    notes = tuple((reason.span, reason.text) for reason in reasons if reason.span is not None)
    other_reasons = [f"because {reason.text}" for reason in reasons if reason.span is None]
    return Failure(Diagnostic(code, message, span, hint, notes), (*details, *other_reasons))


def format_choice(game: Game, choice: ChoiceMade) -> str:
    """Return the id of the option that a choice took."""
    option = Option(0, choice.alternative, choice.values)
    return format_option_id(game.setting, game.setting.sites[choice.site], option)


@dataclass(frozen=True)
class CheckedPosition:
    """Game at the moment of a check, with the events of the current step.

    ``is_part`` means that only one block is played, not a whole game.
    """

    game: Game
    state: State
    log: list[Event]
    is_part: bool = False

    @property
    def decision(self) -> Decision | None:
        """The pending decision, or None if nobody must decide."""
        return self.game.decision(self.state)

    @property
    def options(self) -> list[str]:
        """The ids of the options of the pending decision. Empty without one."""
        decision = self.decision
        return [] if decision is None else self.game.option_ids(self.state, decision)

    def format_value(self, value: Any, type: Type) -> str:
        """Return a value as an author writes it: ``P1``, ``axe``, or a list as ``[axe, bow]``."""
        text = format_name(self.game.setting, value, type)
        return f"[{text.replace(',', ', ')}]" if isinstance(value, tuple) else text

    def _list_log_lines(self, viewer: Viewer) -> list[str]:
        """Return the log of this step as the viewer reads it. Events without a text are left out.

        The case sees all events, a seat or a spectator only what it may know. An answer to a simultaneous choice occurs
        once.
        """
        events: Sequence[Event] = self.log
        if viewer.is_case:
            descriptions = [describe(event, self.game) for event in events]
        elif viewer.seat is not None:
            events = redact_log(self.log, viewer.seat, self.game)
            descriptions = [describe(event, self.game, viewer.seat) for event in events]
        else:
            descriptions = []
            for event in events:
                # as the first seat reads it that does not see everything of the event
                seats = (seat for seat in range(self.game.players) if redact(event, seat, self.game) != event)
                descriptions.append(describe(event, self.game, next(seats, None)))
        # an answer to a simultaneous choice is logged when it is made, and again when all seats have chosen
        sites, early_lines, lines = self.game.setting.sites, set[str](), list[str]()
        for event, line in zip(events, descriptions, strict=True):
            if line is None or (isinstance(event, Announced) and line in early_lines):
                early_lines.discard(line or "")
                continue
            lines.append(line)
            if isinstance(event, ChoiceMade) and sites[event.site].origin.generator == AT_ONCE:
                early_lines.add(line)
        return lines

    def _describe_automatic_choice(self) -> str | None:
        """Return a hint if lusory took the only option of another seat after the last decision of this step, or None.

        It names the seat and option of the first such choice, which may be the reason why a check fails: “after that,
        P2 had only one option, `pass`, so lusory took it: …”. Without a decision in this step, the result is None.
        """
        choices = [event for event in self.log if isinstance(event, ChoiceMade)]
        decisions = [number for number, choice in enumerate(choices) if not choice.is_forced]
        if not decisions:
            return None
        decider = choices[decisions[-1]].seat
        later_choices = [choice for choice in choices[decisions[-1] + 1 :] if choice.seat != decider]
        if not later_choices:
            return None
        option, player = format_choice(self.game, later_choices[0]), f"P{later_choices[0].seat + 1}"
        return (
            f"after that, {player} had only one option, `{option}`, so lusory took it: give {player} another option in "
            "`given`, or add `stop: now`"
        )

    def _create_game_over_failure(self, span: Span) -> Failure:
        """Return the failure that no decision is pending."""
        message = f"there is nothing to decide: {self._explain_no_decision()}"
        return create_failure(diagnostic_codes.NOTHING_TO_DECIDE, message, span)

    def _explain_no_decision(self) -> str:
        return "after `run` in the middle of a game, nothing follows" if self.is_part else "the game is over"

    def describe_situation(self, shows_decision: bool) -> Iterator[str]:
        """Yield lines about what happened in this step and, if ``shows_decision``, a last line about what is pending.

        If events with a text happened, the first line is ``what happened in this step:``. The last ``MAX_LOG_LINES`` of
        them follow, indented by two blanks. If there are more, ``  … 3 earlier lines …`` stands before these.

        The line about what is pending is ``now P1 decides: pass | bet``, with the ids of the options. If ``decision``
        is None, it is ``now the game is over``, but ``now no player must decide`` if ``is_part``, or if the step
        stopped between two decisions.
        """
        lines = self._list_log_lines(Viewer(None, is_case=True))
        if lines:
            yield "what happened in this step:"
            if len(lines) > MAX_LOG_LINES:
                yield f"  … {len(lines) - MAX_LOG_LINES} earlier lines …"
            yield from (f"  {line}" for line in lines[-MAX_LOG_LINES:])
        if not shows_decision:
            return
        decision = self.decision
        if decision is None:
            is_over = self.state.cells[self.game.layout.over] and not self.is_part
            yield "now the game is over" if is_over else "now no player must decide"
        else:
            yield f"now P{decision.seat + 1} decides: {' | '.join(self.options)}"


# ---------------------------------------------------------------- conditions and positions


def check_expression(table: CheckedPosition, formula: CaseExpression) -> Iterator[Failure]:
    """Check ``expect``: the condition must be true. A condition that can't be computed is a failure, too.

    A false condition gives the message ```gold > 3` is false``, and as ``details`` the lines of :func:`explain_false`:
    ``("because", "  `gold` is 2")``, or () without a reason. A fault gives ```gold > 3` can't be computed: MESSAGE``
    and no details.
    """
    try:
        if evaluate_formula(table, formula):
            return
        details = explain_false(table, formula.expr, [None] * formula.n_slots)
    except RulesetFault as fault:
        message = f"`{_join_lines(formula.text)}` can't be computed: {fault.message}"
        yield create_failure(diagnostic_codes.EXPECTATION_FAILED, message, formula.span)
        return
    message, hint = f"`{_join_lines(formula.text)}` is false", table._describe_automatic_choice()
    yield create_failure(diagnostic_codes.EXPECTATION_FAILED, message, formula.span, details, hint)


def evaluate_formula(table: CheckedPosition, formula: CaseExpression) -> Any:
    """Return the value of an expression of a case, with access to hidden information."""
    return table.game.evaluate(table.state, formula.expr, [None] * formula.n_slots)


def explain_false(table: CheckedPosition, expr: core.Expr, slots: Sequence[Any]) -> list[str]:
    """Return lines that explain why a condition is false: ``because``, and a line, indented by two blanks, for each
    reason.

    The list is empty if there is no reason.
    """
    lines = [f"  {line}" for line in _list_reasons(table, expr, list(slots))]
    return ["because", *lines] if lines else []


def _list_reasons(table: CheckedPosition, expr: core.Expr, slots: list[Any]) -> Iterator[str]:
    """Yield the reasons why a condition is false.

    They are the false part of a conjunction, the first item of a list for which it is false, and both sides of a
    comparison.
    """
    if isinstance(expr, core.Binary) and expr.op in ("and", "or"):
        for side in (expr.left, expr.right):
            if not table.game.evaluate(table.state, side, slots):
                yield from _list_reasons(table, side, slots)
                if expr.op == "and":
                    return
    elif isinstance(expr, core.Binary) and expr.op in COMPARISONS:
        for side in map(_unwrap_count, (expr.left, expr.right)):
            if not isinstance(side, core.Const):
                value = table.format_value(table.game.evaluate(table.state, side, slots), side.type)
                yield f"`{side.span.line_text}` is {value}"
    elif isinstance(expr, core.Unary) and expr.op == "not":
        operand = expr.operand
        # this is `a not in b`
        if operand.span == expr.span and isinstance(operand, core.Binary) and operand.op == "in":
            yield f"`{operand.left.span.line_text}` is in `{operand.right.span.line_text}`"
        else:
            yield f"`{operand.span.line_text}` is true"
    elif isinstance(expr, core.Fold) and expr.kind == "all":
        for item in table.game.evaluate(table.state, expr.source, slots):
            slots[expr.slot] = item
            counts = expr.condition is None or table.game.evaluate(table.state, expr.condition, slots)
            if counts and not table.game.evaluate(table.state, expr.body, slots):
                value = table.format_value(item, unwrap_list_type(expr.source.type))
                uses = (node for node, _ in walk(expr.body) if isinstance(node, core.Local) and node.slot == expr.slot)
                yield f"where `{next((use.name for use in uses), 'it')}` is {value},"
                yield from _list_reasons(table, expr.body, slots)
                return
    else:
        yield f"`{expr.span.line_text}` is false"


def _unwrap_count(side: core.Expr) -> core.Expr:
    """Return the list instead of its length if a comparison was lowered from `is empty`."""
    if isinstance(side, core.CallBuiltin) and side.name == "count" and side.span == side.args[0].span:
        return side.args[0]
    return side


def check_place(table: CheckedPosition, placing: Placing) -> Iterator[Failure]:
    """Check ``position``, for one place. A failure has a message such as ```P1.gold` is 2, not 3``."""
    for name, actual, expected in _find_differences(table, [placing]):
        message, details = f"`{name}` is {actual}, not {expected}", [f"expected {expected}", f"but got  {actual}"]
        yield create_failure(diagnostic_codes.POSITION_DIFFERS, message, placing.span, details)


def check_picture(table: CheckedPosition, board: str, placings: Sequence[Placing], span: Span) -> Iterator[Failure]:
    """Check ``position``, for a board given as a picture. The only failure names the places that differ.

    Its details are the board as it is now. Its message is such as ```Square` differs from the picture: `owner[c1]` is
    P1, not none``. After ``MAX_DIFFERENCES`` places, it ends with `` and 3 more``.
    """
    differences = list(_find_differences(table, placings))
    if differences:
        parts = [f"`{name}` is {actual}, not {expected}" for name, actual, expected in differences[:MAX_DIFFERENCES]]
        suffix = f" and {len(differences) - MAX_DIFFERENCES} more" if len(differences) > MAX_DIFFERENCES else ""
        details = [f"`{board}` is now", *(f"  {line}" for line in _draw_position(table, board))]
        message = f"`{board}` differs from the picture: {'; '.join(parts)}{suffix}"
        yield create_failure(diagnostic_codes.POSITION_DIFFERS, message, span, details)


def _draw_position(table: CheckedPosition, name: str) -> list[str]:
    """Return the lines of a board as it is now, drawn with its signs, or `?` for values without a sign."""
    program, layout = table.game.program, table.game.layout
    picture, board = program.pictures[name], program.boards[name]

    def find_sign(space: int) -> str:
        values = [table.state.cells[layout.places[place].at((space,))] for place in picture.variables]
        return picture.find_sign(values) or "?"

    return draw_board(board, find_sign)


def _find_differences(table: CheckedPosition, placings: Iterable[Placing]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the actual and the expected content of each place that differs, in order."""
    for placing in placings:
        actual, expected = _format_contents(table, placing)
        if actual != expected:
            place = table.game.layout.place(placing.place)
            yield format_place_name(table.game.setting, place, placing.indices), actual, expected


def _format_contents(table: CheckedPosition, placing: Placing) -> tuple[str, str]:
    """Return the actual and the expected content of a place, as an author writes it."""
    program, layout, state, content = table.game.program, table.game.layout, table.state, placing.content
    if placing.place in program.variables:
        type = program.variables[placing.place].type
        value = state.cells[layout.places[placing.place].at(placing.indices)]
        return table.format_value(value, type), table.format_value(content, type)
    if placing.place in program.pools:
        pool, place = program.pools[placing.place], layout.places[placing.place]
        kinds = range(len(program.enums[str(pool.holds)].values))
        counts = [state.cells[place.at((*placing.indices, kind))] for kind in kinds]
        return _format_counts(table, pool, counts), _format_counts(table, pool, content)
    cards = state.zones[layout.zones[placing.place].at(placing.indices)]
    names = [_name_component(program.entities[card], content) for card in cards]
    return _format_cards(content, names), _format_cards(content, content.names)


def _name_component(entity: core.Entity, case_cards: Cards) -> str:
    """Return the name of a component that the case uses: its own name if the case lists it, else that of its card."""
    return entity.name if entity.name in case_cards.names else entity.card


def _format_counts(table: CheckedPosition, pool: core.Pool, counts: Sequence[int]) -> str:
    values = table.game.program.enums[str(pool.holds)].values
    texts = [f"{values[kind].name}: {count}" for kind, count in enumerate(counts) if count]
    return f"{{{', '.join(texts)}}}"


def _format_cards(expected: Cards, names: Sequence[str]) -> str:
    """Return the cards as text in the form of the expected ones."""
    if not expected.is_ordered:
        order = [*dict.fromkeys(expected.names), *sorted(set(names) - set(expected.names))]
        return f"{{{', '.join(f'{name}: {names.count(name)}' for name in order if name in names)}}}"
    if DOTS in expected.names:
        known_names = [name for name in expected.names if name != DOTS]
        place = expected.names.index(DOTS)
        known_after = len(known_names) - place
        if names is not expected.names and len(names) >= len(known_names):
            names = [*names[:place], DOTS, *names[len(names) - known_after :]]
    return f"[{', '.join(names)}]"


# ---------------------------------------------------------------- decisions


def check_seat(table: CheckedPosition, seat: int | None, span: Span) -> Iterator[Failure]:
    """Check ``decision``: this seat must decide. None means that the game is over.

    Yields at most one failure. Its message begins with what is true, and ends with what the case expects: ``P2 must
    decide, but here P1 must decide`` if ``seat`` is 0. If ``table.decision`` is None, it begins with ``the game is
    over``. With ``table.is_part``, it begins with ``after `run` in the middle of a game, nothing follows`` instead, and
    ``seat`` None is a failure, too. If ``seat`` is None, it ends with ``but here the game must be over``.
    """
    decision = table.decision
    if (None if decision is None else decision.seat) == seat and not (decision is None and table.is_part):
        return
    actual = table._explain_no_decision() if decision is None else f"P{decision.seat + 1} must decide"
    expected = "the game must be over" if seat is None else f"P{seat + 1} must decide"
    yield create_failure(diagnostic_codes.DECISION_DIFFERS, f"{actual}, but here {expected}", span)


def check_prompt(table: CheckedPosition, text: str, span: Span) -> Iterator[Failure]:
    """Check ``prompt``: the question contains a text, whatever the case of the letters. Yields at most one failure.

    Its message is like ``the question is “Choose a card”, not “Buy”``. If ``table.decision`` is None, it is
    ``there is no question: the game is over``, or with ``table.is_part``
    ``there is no question: after `run` in the middle of a game, nothing follows``.
    """
    decision = table.decision
    prompt = None if decision is None else table.game.prompt(table.state, decision)
    if prompt is None:
        message = f"there is no question: {table._explain_no_decision()}"
        yield create_failure(diagnostic_codes.DECISION_DIFFERS, message, span)
    elif text.lower() not in prompt.lower():
        message = f"the question is “{prompt}”, not “{text}”"
        yield create_failure(diagnostic_codes.DECISION_DIFFERS, message, span)


def find_wrong_seat(table: CheckedPosition, seat: int | None, span: Span) -> Failure | None:
    """Return a failure at ``span`` if another seat than ``seat``, which counts from 0, must decide.

    While P1 must decide, ``seat`` 1 gives “P1 must decide now, not P2”. Return None if ``seat`` must decide. A ``seat``
    of None fits whichever seat must decide, and also gives None. If no decision is pending, any ``seat`` and also None
    give the failure “there is nothing to decide: the game is over”. With ``table.is_part``, the failure is “there is
    nothing to decide: after `run` in the middle of a game, nothing follows”.
    """
    decision = table.decision
    if decision is None:
        return table._create_game_over_failure(span)
    if seat is None or seat == decision.seat:
        return None
    message = f"P{decision.seat + 1} must decide now, not P{seat + 1}"
    hint = "lusory makes a choice with a single option without asking"
    return create_failure(diagnostic_codes.WRONG_SEAT, message, span, hint=hint)


def check_options(
    table: CheckedPosition, seat: int, word: str, endings: Sequence[Word] | None, is_exact: bool, span: Span
) -> Iterator[Failure]:
    """Check ``legal`` (``is_exact``) or ``legal_includes``. Yields at most one failure.

    Example: “not among the options: `buy imp`; not expected: `buy axe`”. The first part is in the order of
    ``endings``, and the second, only with ``is_exact``, in that of the options. The code is ``LEGAL_DIFFERS``, at the
    first missing ending or else at ``span``. If another seat must decide, or the game is over, the failure is that of
    :func:`find_wrong_seat`: “P1 must decide now, not P2”. Unless ``word`` is "", only options with this first word
    count. ``endings`` lists what follows the word in them, in any order. If ``endings`` is None, one such option is
    enough, also with ``is_exact``: “no option begins with `buy`”.
    """
    seat_failure = find_wrong_seat(table, seat, span)
    if seat_failure is not None:
        yield seat_failure
        return
    actual_endings = [
        option.removeprefix(word).lstrip()
        for option in table.options
        if not word or f"{option} ".startswith(f"{word} ")
    ]
    if endings is None:
        if not actual_endings:
            hint = suggest_name(word, {option.split(" ")[0] for option in table.options})
            message = f"no option begins with `{word}`"
            reasons = table.game.explain_impossible(table.state, word, sees_all=True)
            yield create_failure(diagnostic_codes.LEGAL_DIFFERS, message, span, (), hint, reasons)
        return
    expected = {ending.text for ending in endings}
    missing = [ending for ending in endings if ending.text not in actual_endings]
    surplus = [f"{word} {ending}".strip() for ending in actual_endings if ending not in expected] if is_exact else []
    if not missing and not surplus:
        return
    missing_options = [f"{word} {ending.text}".strip() for ending in missing]
    parts = []
    if missing:
        parts.append(f"not among the options: {', '.join(f'`{option}`' for option in missing_options)}")
    if surplus:
        parts.append(f"not expected: {', '.join(f'`{option}`' for option in surplus)}")
    hint = suggest_name(missing[0].text, actual_endings) if missing else None
    reasons = [
        reason
        for option in missing_options
        for reason in table.game.explain_impossible(table.state, option, sees_all=True)
    ]
    span = missing[0].span if missing else span
    yield create_failure(diagnostic_codes.LEGAL_DIFFERS, "; ".join(parts), span, (), hint, reasons)


def check_illegal(table: CheckedPosition, seat: int, option: Word, expected_reason: Word | None) -> Iterator[Failure]:
    """Check ``illegal``: an option is refused, and a reason contains the expected text, whatever its case.

    Yields one failure at most. Without an expected text, any reason will do. The text may also be part of the line of
    rules that holds the failing condition. Any text that isn't the id of an option is refused, such as an unknown
    name, the label ``Buy axe`` of ``buy axe``, or ``buy`` alone. If another seat must decide, every option is refused,
    with the reason ``it is not P2's turn: P1 must decide``. If the game is over, the check fails.
    """
    decision = table.decision
    if decision is None:
        yield table._create_game_over_failure(option.span)
        return
    if decision.seat == seat:
        reasons = table.game.explain_impossible(table.state, option.text, sees_all=True)
    else:
        reasons = [Reason(f"it is not P{seat + 1}'s turn: P{decision.seat + 1} must decide")]
    if not reasons:
        message = f"P{seat + 1} can choose `{option.text}`, but the rules should refuse it"
        yield create_failure(diagnostic_codes.NOT_REFUSED, message, option.span)
    elif expected_reason is not None and not any(_mentions(reason, expected_reason) for reason in reasons):
        message = f"`{option.text}` is refused for another reason than “{expected_reason.text}”"
        yield create_failure(diagnostic_codes.NOT_REFUSED, message, expected_reason.span, (), None, reasons)


def _mentions(reason: Reason, phrase: Word) -> bool:
    code = "" if reason.span is None else reason.span.line_text
    return any(phrase.text.lower() in text.lower() for text in (reason.text, code))


# ---------------------------------------------------------------- observations


def check_visibility(
    table: CheckedPosition, viewer: Viewer, formula: CaseExpression, is_hidden: bool, expected_value: Any, span: Span
) -> Iterator[Failure]:
    """Check ``sees``: an expression is hidden from a viewer (``is_hidden``), or else has ``expected_value``.

    For a list of cards, that may also be :class:`Cards`. The list is hidden if any of its cards is; an empty zone is
    never hidden, even if the viewer may not see its cards. Yields at most one failure, such as “P1 sees `hp`: 3, not
    4”, “P1 sees `hp`: 3, not hidden” or “`hp` is hidden from P1”. An expression that can't be computed is a failure.
    """
    text = _join_lines(formula.text)
    reader = SeatReader(redact_state(table.game.setting, table.state, viewer.seat))
    try:
        value = reader.evaluate(formula.expr, [None] * formula.n_slots)
        hash(value)  # hashing raises HiddenValue for a card that the seat cannot see
    except HiddenValue:
        if not is_hidden:
            yield create_failure(diagnostic_codes.SEES_DIFFERS, f"`{text}` is hidden from {viewer}", span)
        return
    except RulesetFault as fault:
        message = f"`{text}` can't be computed: {fault.message}"
        yield create_failure(diagnostic_codes.SEES_DIFFERS, message, span)
        return
    if isinstance(expected_value, Cards):
        names = [_name_component(table.game.program.entities[card], expected_value) for card in value]
        name, expected = _format_cards(expected_value, names), _format_cards(expected_value, expected_value.names)
    else:
        name = table.format_value(value, formula.expr.type)
        expected = "hidden" if is_hidden else table.format_value(expected_value, formula.expr.type)
    if is_hidden or name != expected:
        message = f"{viewer} sees `{text}`: {name}, not {expected}"
        yield create_failure(diagnostic_codes.SEES_DIFFERS, message, span)


COLUMNS = 80
"""Width of the drawn table in a `screen` check."""


def check_screen(table: CheckedPosition, viewer: Viewer, lines: Sequence[str], span: Span) -> Iterator[Failure]:
    """Check ``screen``: the table that a viewer is shown has these lines, directly one after the other.

    The table is drawn in ``COLUMNS`` (80) columns. More lines may stand before and after them. Each line is compared as
    a whole. Blank lines of the table are left out, and so are spaces at both ends of its lines: ``lines`` must be
    without them. Otherwise yield one Failure, ``P1 is shown another text``. Its details are ``- expected, + shown:``,
    and then all lines of ``lines`` and of the table with the marks of ``ndiff``: ``- gold 2``, ``+ gold 3``, and
    ``  round 1`` for a line of both. Its hints, which begin with ``?``, are left out.
    """
    names = [f"P{seat + 1}" for seat in range(table.game.players)]
    panels = build_panels(table.game.view(table.state, viewer.seat), names)
    actual = [line for styled_line in stack_panels(panels, COLUMNS) if (line := to_text(styled_line).strip())]
    expected = list(lines)
    if not any(actual[start : start + len(expected)] == expected for start in range(len(actual))):
        differences = [line for line in ndiff(expected, actual) if not line.startswith("?")]
        message, details = f"{viewer} is shown another text", ["- expected, + shown:", *differences]
        yield create_failure(diagnostic_codes.SCREEN_DIFFERS, message, span, details)


def check_log(table: CheckedPosition, viewer: Viewer, parts: Sequence[Word], is_negated: bool) -> Iterator[Failure]:
    """Check ``events`` or ``log`` of this step: each part occurs in a later line than the part before it.

    The lines are the events as ``viewer`` reads them, or all events if ``viewer.is_case``. A part is any text inside a
    line, such as ``Ann`` in ``Anna draws``. Two parts can't share a line, and capital letters count. The first part
    that is in no later line is the only failure, even if it is in an earlier one. With ``is_negated``, no line may
    contain any part, and each part that occurs is a failure.
    """
    lines = table._list_log_lines(viewer)
    log = [] if viewer.is_case else [f"{viewer} reads:", *(f"  {line}" for line in lines)]
    if is_negated:
        for part in parts:
            line = next((line for line in lines if part.text in line), None)
            if line is not None:
                message = f"{viewer} reads “{line}”"
                yield create_failure(diagnostic_codes.LOG_DIFFERS, message, part.span, log)
        return
    start = 0
    for part in parts:
        index = next((i for i in range(start, len(lines)) if part.text in lines[i]), None)
        if index is None:
            is_earlier = any(part.text in line for line in lines[:start])
            problem = "before the part that is listed above it" if is_earlier else "not in the log of this step"
            message = f"“{part.text}” is {problem}" + ("" if viewer.is_case else f" as {viewer} reads it")
            yield create_failure(diagnostic_codes.LOG_DIFFERS, message, part.span, log)
            return
        start = index + 1


# ---------------------------------------------------------------- outcome


def check_outcome(table: CheckedPosition, aspect: str, expected: Any, span: Span, title: str = "") -> Iterator[Failure]:
    """Check one entry of ``outcome``, and yield at most one Failure, which covers all wrong seats.

    ``aspect`` is ``winners``, ``places``, ``payoffs``, ``reason`` or ``shown``; ``title`` is the column of ``shown``.
    ``expected`` is a frozenset of winners, a dict from seats, from 0, to numbers, or the text of the reason. The
    winners must be exactly these; seats that the dict leaves out aren't checked. The reason needs to contain the text,
    in small or capital letters. A game that is not over fails, and so does a column that the final table does not have.
    """
    outcome = table.game.outcome(table.state)
    message = None
    if outcome is None:
        message = "the game is not over"
    elif aspect == "winners":
        if frozenset(outcome.winners) != expected:
            message = f"the winners are {_format_seats(outcome.winners)}, not {_format_seats(sorted(expected))}"
    elif aspect == "reason":
        if expected.lower() not in (outcome.reason or "").lower():
            message = f"the game ended because of “{outcome.reason or 'none'}”, not “{expected}”"
    else:
        column = dict(outcome.table).get(title) if aspect == "shown" else getattr(outcome, aspect)
        wrong_seats = [] if column is None else [seat for seat in expected if column[seat] != expected[seat]]
        if column is None:
            message = f"the final table has no column `{title}`"
        elif wrong_seats:
            parts = [f"P{seat + 1} has {column[seat]}, not {expected[seat]}" for seat in wrong_seats]
            message = f"{title or aspect}: {'; '.join(parts)}"
    if message is not None:
        details = [] if outcome is None or aspect == "reason" else _list_final_table(outcome)
        yield create_failure(diagnostic_codes.OUTCOME_DIFFERS, message, span, details)


def _format_seats(seats: Iterable[int]) -> str:
    return ", ".join(f"P{seat + 1}" for seat in seats) or "nobody"


def _list_final_table(outcome: Outcome) -> list[str]:
    lines = ["the final table:"]
    for seat, place in enumerate(outcome.places):
        columns = "".join(f", {title} {values[seat]}" for title, values in outcome.table)
        lines.append(f"  {place}. P{seat + 1}{columns}, payoff {outcome.payoffs[seat]}")
    return lines


def _join_lines(text: str) -> str:
    return " ".join(text.split())
