"""Check the expectations of a case against the game, with one function for each kind of check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import ndiff
from typing import Any, cast

from lusory_dsl import core
from lusory_dsl.core.board_diagrams import draw_board
from lusory_dsl.core.provenance import AT_ONCE
from lusory_dsl.ruleset.model import Word
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Code, Diagnostic, suggest_name
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import Type

from ...evaluator.expressions import excerpt
from ...game import Game
from ...state.decision import Decision, Outcome, Reason, RulesetFault
from ...state.event_log import Announced, ChoiceMade, Event, describe, redact, redact_log
from ...state.setting import item_type, name_of, place_name
from ...state.state import State
from ...ui.model.layout import stacked
from ...ui.model.panels import panels_of
from ...ui.model.styled_text import plain
from ...view.redacted_state import HiddenValue, redact_state
from ...view.seat_view import SeatReader
from ..program_tree import walk
from .model import (
    DOTS,
    Asks,
    Cards,
    Check,
    Decides,
    Ends,
    Failure,
    Formula,
    Holds,
    IsDrawn,
    IsRefused,
    Lies,
    MayChoose,
    MayGoOn,
    Placing,
    Reads,
    Sees,
    Shows,
    Viewer,
)

MOST_WRONG = 3  # maximum number of spaces of a board in a message
MOST_LINES = 40  # maximum lines of the log in the details of a failure
COMPARISONS = {"=", "!=", "<", "<=", ">", ">=", "in", "not in"}


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
        return self.game.decision(self.state)

    @property
    def options(self) -> list[str]:
        """Return the ids of the options of the pending decision."""
        decision = self.decision
        return [] if decision is None else self.game.option_ids(self.state, decision)

    def name(self, value: Any, type: Type) -> str:
        """Return a value as an author writes it."""
        text = name_of(self.game.setting, value, type)
        return f"[{text.replace(',', ', ')}]" if isinstance(value, tuple) else text

    def lines(self, viewer: Viewer) -> list[str]:
        """Return the log of this step as the viewer reads it."""
        events: Sequence[Event] = self.log
        if viewer.is_case:
            said = [describe(event, self.game) for event in events]
        elif viewer.seat is not None:
            events = redact_log(self.log, viewer.seat, self.game)
            said = [describe(event, self.game, viewer.seat) for event in events]
        else:
            said = [self.as_spectator(event) for event in events]
        return self._without_repeats(events, said)

    def _without_repeats(self, events: Sequence[Event], said: Sequence[str | None]) -> list[str]:
        """Drop repeated lines.

        An answer to a simultaneous choice is logged when it is made, and again when all seats have chosen.
        """
        sites, early, found = self.game.setting.sites, set[str](), list[str]()
        for event, line in zip(events, said, strict=True):
            if line is None or (isinstance(event, Announced) and line in early):
                early.discard(line or "")
                continue
            found.append(line)
            if isinstance(event, ChoiceMade) and sites[event.site].origin.generator == AT_ONCE:
                early.add(line)
        return found

    def as_spectator(self, event: Event) -> str | None:
        """Return the description of an event with only the information that every seat has."""
        seats = range(self.game.players)
        blind = next((seat for seat in seats if redact(event, seat, self.game) != event), None)
        return describe(event, self.game, blind)

    def failure(
        self,
        code: Code,
        message: str,
        span: Span,
        details: Iterable[str] = (),
        hint: str | None = None,
        reasons: Sequence[Reason] = (),
    ) -> Failure:
        """Return a failure. Reasons with a span become notes, the others details."""
        notes = tuple((reason.span, reason.text) for reason in reasons if reason.span is not None)
        told = [f"because {reason.text}" for reason in reasons if reason.span is None]
        return Failure(Diagnostic(code, message, span, hint, notes), (*details, *told))

    def over(self, span: Span) -> Failure:
        """Return the failure that no decision is pending."""
        why = "after `run` in the middle of a game, nothing follows" if self.is_part else "the game is over"
        return self.failure(diagnostic_codes.NOTHING_TO_DECIDE, f"there is nothing to decide: {why}", span)

    def situation(self, asks: bool = True) -> Iterator[str]:
        """Yield lines about what happened in this step and, if ``asks``, about the pending decision."""
        lines = self.lines(Viewer(None, is_case=True))
        if lines:
            yield "what happened in this step:"
            if len(lines) > MOST_LINES:
                yield f"  … {len(lines) - MOST_LINES} earlier lines …"
            yield from (f"  {line}" for line in lines[-MOST_LINES:])
        if not asks:
            return
        decision = self.decision
        if decision is None:
            is_over = self.game.outcome(self.state) is not None and not self.is_part
            yield "now the game is over" if is_over else "now no player must decide"
        else:
            yield f"now P{decision.seat + 1} decides: {' | '.join(self.options)}"


# ---------------------------------------------------------------- conditions and positions


def _holds(table: CheckedPosition, check: Holds) -> Iterator[Failure]:
    formula = check.formula
    try:
        if value_of(table, formula):
            return
        details = because(table, formula.expr, [None] * formula.n_slots)
    except RulesetFault as fault:
        message = f"`{_one_line(formula.text)}` can't be computed: {fault.message}"
        yield table.failure(diagnostic_codes.EXPECTATION_FAILED, message, check.span)
        return
    message = f"`{_one_line(formula.text)}` is false"
    yield table.failure(diagnostic_codes.EXPECTATION_FAILED, message, check.span, details)


def value_of(table: CheckedPosition, formula: Formula) -> Any:
    """Return the value of an expression of a case, with access to hidden information."""
    return table.game.evaluate(table.state, formula.expr, [None] * formula.n_slots)


def because(table: CheckedPosition, expr: core.Expr, slots: Sequence[Any]) -> list[str]:
    """Return lines that explain why a condition is false."""
    lines = [f"  {line}" for line in _explained(table, expr, list(slots))]
    return ["because", *lines] if lines else []


def _explained(table: CheckedPosition, expr: core.Expr, slots: list[Any]) -> Iterator[str]:
    """Yield the reasons why a condition is false.

    They are the false part of a conjunction, the first item of a list for which it is false, and both sides of a
    comparison.
    """
    if isinstance(expr, core.Binary) and expr.op in ("and", "or"):
        for side in (expr.left, expr.right):
            if not table.game.evaluate(table.state, side, slots):
                yield from _explained(table, side, slots)
                if expr.op == "and":
                    return
    elif isinstance(expr, core.Binary) and expr.op in COMPARISONS:
        for side in map(_contents, (expr.left, expr.right)):
            if not isinstance(side, core.Const):
                value = table.name(table.game.evaluate(table.state, side, slots), side.type)
                yield f"`{excerpt(side.span)}` is {value}"
    elif isinstance(expr, core.Unary) and expr.op == "not":
        within = expr.operand
        # this is `a not in b`
        if within.span == expr.span and isinstance(within, core.Binary) and within.op == "in":
            yield f"`{excerpt(within.left.span)}` is in `{excerpt(within.right.span)}`"
        else:
            yield f"`{excerpt(within.span)}` is true"
    elif isinstance(expr, core.Fold) and expr.kind == "all":
        for item in table.game.evaluate(table.state, expr.source, slots):
            slots[expr.slot] = item
            counts = expr.condition is None or table.game.evaluate(table.state, expr.condition, slots)
            if counts and not table.game.evaluate(table.state, expr.body, slots):
                yield f"where `{_local(expr)}` is {table.name(item, item_type(expr.source.type))},"
                yield from _explained(table, expr.body, slots)
                return
    else:
        yield f"`{excerpt(expr.span)}` is false"


def _contents(side: core.Expr) -> core.Expr:
    """Return the list instead of its length if a comparison was lowered from `is empty`."""
    if isinstance(side, core.CallBuiltin) and side.name == "count" and side.span == side.args[0].span:
        return side.args[0]
    return side


def _local(fold: core.Fold) -> str:
    """Return the author's name for the items of a fold."""
    named = (p.name for p, _ in walk(fold.body) if isinstance(p, core.Local) and p.slot == fold.slot)
    return next(named, "it")


def _lies(table: CheckedPosition, check: Lies) -> Iterator[Failure]:
    placing = check.placing
    expected, found = _expected(table, placing), _found(table, placing)
    if expected != found:
        name = _place(table, placing)
        message = f"`{name}` is {found}, not {expected}"
        yield table.failure(
            diagnostic_codes.POSITION_DIFFERS, message, check.span, [f"expected {expected}", f"but got  {found}"]
        )


def _is_drawn(table: CheckedPosition, check: IsDrawn) -> Iterator[Failure]:
    wrong = [p for p in check.placings if _expected(table, p) != _found(table, p)]
    if wrong:
        parts = [f"`{_place(table, p)}` is {_found(table, p)}, not {_expected(table, p)}" for p in wrong[:MOST_WRONG]]
        more = f" and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        details = [f"`{check.board}` is now", *(f"  {line}" for line in drawn(table, check.board))]
        message = f"`{check.board}` differs from the picture: {'; '.join(parts)}{more}"
        yield table.failure(diagnostic_codes.POSITION_DIFFERS, message, check.span, details)


def drawn(table: CheckedPosition, name: str) -> list[str]:
    """Return a board as it is now, drawn with its signs, or `?` for values without a sign."""
    program, layout = table.game.program, table.game.layout
    picture, board = program.pictures[name], program.boards[name]

    def sign(space: int) -> str:
        values = [table.state.cells[layout.places[place].at((space,))] for place in picture.variables]
        return picture.find_sign(values) or "?"

    return draw_board(board, sign)


def _place(table: CheckedPosition, placing: Placing) -> str:
    return place_name(table.game.setting, table.game.layout.place(placing.place), placing.indices)


def _expected(table: CheckedPosition, placing: Placing) -> str:
    program = table.game.program
    if placing.place in program.variables:
        return table.name(placing.content, program.variables[placing.place].type)
    if placing.place in program.pools:
        return _counts(table, program.pools[placing.place], placing.content)
    return _cards(placing.content, placing.content.names)


def _found(table: CheckedPosition, placing: Placing) -> str:
    program, layout, state = table.game.program, table.game.layout, table.state
    if placing.place in program.variables:
        value = state.cells[layout.places[placing.place].at(placing.indices)]
        return table.name(value, program.variables[placing.place].type)
    if placing.place in program.pools:
        pool, place = program.pools[placing.place], layout.places[placing.place]
        kinds = range(len(program.enums[str(pool.holds)].values))
        return _counts(table, pool, [state.cells[place.at((*placing.indices, kind))] for kind in kinds])
    cards = state.zones[layout.zones[placing.place].at(placing.indices)]
    return _cards(placing.content, [_written(program.entities[card], placing.content) for card in cards])


def _written(entity: core.Entity, listed: Cards) -> str:
    """Return the name of a component that the case uses: its own name if the case lists it, else that of its card."""
    return entity.name if entity.name in listed.names else entity.card


def _counts(table: CheckedPosition, pool: core.Pool, counts: Sequence[int]) -> str:
    values = table.game.program.enums[str(pool.holds)].values
    held = [f"{values[kind].name}: {count}" for kind, count in enumerate(counts) if count]
    return f"{{{', '.join(held)}}}"


def _cards(expected: Cards, names: Sequence[str]) -> str:
    """Return the cards as text in the form of the expected ones."""
    if not expected.is_ordered:
        order = [*dict.fromkeys(expected.names), *sorted(set(names) - set(expected.names))]
        return f"{{{', '.join(f'{name}: {names.count(name)}' for name in order if name in names)}}}"
    if DOTS in expected.names:
        listed = [name for name in expected.names if name != DOTS]
        place = expected.names.index(DOTS)
        after = len(listed) - place
        if names is not expected.names and len(names) >= len(listed):
            names = [*names[:place], DOTS, *names[len(names) - after :]]
    return f"[{', '.join(names)}]"


# ---------------------------------------------------------------- decisions


def _decides(table: CheckedPosition, check: Decides) -> Iterator[Failure]:
    decision = table.decision
    if (None if decision is None else decision.seat) == check.seat:
        return
    now = "the game is over" if decision is None else f"P{decision.seat + 1} must decide"
    expected = "the game must be over" if check.seat is None else f"P{check.seat + 1} must decide"
    yield table.failure(diagnostic_codes.DECISION_DIFFERS, f"{now}, but here {expected}", check.span)


def _asks(table: CheckedPosition, check: Asks) -> Iterator[Failure]:
    decision = table.decision
    prompt = None if decision is None else table.game.prompt(table.state, decision)
    if prompt is None:
        yield table.failure(diagnostic_codes.DECISION_DIFFERS, "there is no question: the game is over", check.span)
    elif check.text.lower() not in prompt.lower():
        yield table.failure(
            diagnostic_codes.DECISION_DIFFERS, f"the question is “{prompt}”, not “{check.text}”", check.span
        )


def wrong_seat(table: CheckedPosition, seat: int | None, span: Span) -> Failure | None:
    """Return a failure if ``seat`` need not decide now, else None. A seat of None accepts any seat."""
    decision = table.decision
    if decision is None:
        return table.over(span)
    if seat is None or seat == decision.seat:
        return None
    message = f"P{decision.seat + 1} must decide now, not P{seat + 1}"
    hint = "lusory makes a choice with a single option without asking"
    return table.failure(diagnostic_codes.WRONG_SEAT, message, span, hint=hint)


def _may_choose(table: CheckedPosition, check: MayChoose) -> Iterator[Failure]:
    wrong = wrong_seat(table, check.seat, check.span)
    if wrong is not None:
        yield wrong
        return
    options = table.options
    expected = [word.text for word in check.options]
    missing = [word for word in check.options if word.text not in options]
    surplus = [option for option in options if option not in expected] if check.exactly else []
    if not missing and not surplus:
        return
    parts = []
    if missing:
        parts.append(f"not among the options: {', '.join(f'`{word.text}`' for word in missing)}")
    if surplus:
        parts.append(f"not expected: {', '.join(f'`{option}`' for option in surplus)}")
    hint = suggest_name(missing[0].text, options) if missing else None
    reasons = [reason for word in missing for reason in table.game.why_not(table.state, word.text, sees_all=True)]
    span = missing[0].span if missing else check.span
    yield table.failure(diagnostic_codes.LEGAL_DIFFERS, "; ".join(parts), span, (), hint, reasons)


def _may_go_on(table: CheckedPosition, check: MayGoOn) -> Iterator[Failure]:
    wrong = wrong_seat(table, check.seat, check.span)
    if wrong is not None:
        yield wrong
        return
    word = check.word.text
    found = [option.removeprefix(word).lstrip() for option in table.options if f"{option} ".startswith(f"{word} ")]
    if check.rest is None:
        if not found:
            hint = suggest_name(word, {option.split(" ")[0] for option in table.options})
            message = f"no option begins with `{word}`"
            reasons = table.game.why_not(table.state, word, sees_all=True)
            yield table.failure(diagnostic_codes.LEGAL_DIFFERS, message, check.span, (), hint, reasons)
        return
    missing = [rest for rest in check.rest if rest.text not in found]
    listed = {rest.text for rest in check.rest}
    surplus = [rest for rest in found if rest not in listed] if check.exactly else []
    if missing:
        parts = ", ".join(f"`{word} {rest.text}`".replace(" `", "`") for rest in missing)
        reasons = [r for rest in missing for r in table.game.why_not(table.state, f"{word} {rest.text}", sees_all=True)]
        hint = suggest_name(missing[0].text, found)
        yield table.failure(
            diagnostic_codes.LEGAL_DIFFERS, f"not among the options: {parts}", missing[0].span, (), hint, reasons
        )
    if surplus:
        message = f"not expected: {', '.join(f'`{word} {rest}`'.replace(' `', '`') for rest in surplus)}"
        yield table.failure(diagnostic_codes.LEGAL_DIFFERS, message, check.span)


def _is_refused(table: CheckedPosition, check: IsRefused) -> Iterator[Failure]:
    decision = table.decision
    if decision is None:
        yield table.over(check.span)
        return
    if decision.seat != check.seat:
        reason = Reason(f"it is not P{check.seat + 1}'s turn: P{decision.seat + 1} must decide")
        if check.because is not None and not _speaks(reason, check.because):
            message = f"`{check.option.text}` is refused for another reason than “{check.because.text}”"
            yield table.failure(diagnostic_codes.NOT_REFUSED, message, check.because.span, (), None, [reason])
        return
    reasons = table.game.why_not(table.state, check.option.text, sees_all=True)
    if not reasons:
        message = f"P{check.seat + 1} can choose `{check.option.text}`, but the rules should refuse it"
        yield table.failure(diagnostic_codes.NOT_REFUSED, message, check.span)
    elif check.because is not None and not any(_speaks(reason, check.because) for reason in reasons):
        message = f"`{check.option.text}` is refused for another reason than “{check.because.text}”"
        yield table.failure(diagnostic_codes.NOT_REFUSED, message, check.because.span, (), None, reasons)


def _speaks(reason: Reason, part: Word) -> bool:
    return part.text.lower() in reason.text.lower()


# ---------------------------------------------------------------- observations


def _sees(table: CheckedPosition, check: Sees) -> Iterator[Failure]:
    formula = check.formula
    text = _one_line(formula.text)
    reader = SeatReader(redact_state(table.game.setting, table.state, check.viewer.seat))
    try:
        value = reader.value(formula.expr, [None] * formula.n_slots)
        hash(value)  # hashing raises HiddenValue for a card that the seat cannot see
    except HiddenValue:
        if not check.hidden:
            yield table.failure(diagnostic_codes.SEES_DIFFERS, f"`{text}` is hidden from {check.viewer}", check.span)
        return
    except RulesetFault as fault:
        message = f"`{text}` can't be computed: {fault.message}"
        yield table.failure(diagnostic_codes.SEES_DIFFERS, message, check.span)
        return
    if isinstance(check.value, Cards):
        name, expected = _in_any_order(table, value, check.value), _cards(check.value, check.value.names)
    else:
        name = table.name(value, formula.expr.type)
        expected = "hidden" if check.hidden else table.name(check.value, formula.expr.type)
    if check.hidden or name != expected:
        message = f"{check.viewer} sees `{text}`: {name}, not {expected}"
        yield table.failure(diagnostic_codes.SEES_DIFFERS, message, check.span)


def _in_any_order(table: CheckedPosition, cards: Sequence[int], expected: Cards) -> str:
    return _cards(expected, [_written(table.game.program.entities[card], expected) for card in cards])


COLUMNS = 80
"""Width of the drawn table in a `screen` check."""


def _shows(table: CheckedPosition, check: Shows) -> Iterator[Failure]:
    names = [f"P{seat + 1}" for seat in range(table.game.players)]
    panels = panels_of(table.game.view(table.state, check.viewer.seat), names)
    drawn = [line for found in stacked(panels, COLUMNS, None) if (line := plain(found).strip())]
    wanted = list(check.lines)
    if not any(drawn[at : at + len(wanted)] == wanted for at in range(len(drawn))):
        told = [line for line in ndiff(wanted, drawn) if not line.startswith("?")]
        message = f"{check.viewer} is shown another text"
        yield table.failure(diagnostic_codes.SCREEN_DIFFERS, message, check.span, ["- expected, + shown:", *told])


def _reads(table: CheckedPosition, check: Reads) -> Iterator[Failure]:
    lines = table.lines(check.viewer)
    log = [] if check.viewer.is_case else [f"{check.viewer} reads:", *(f"  {line}" for line in lines)]
    if check.never:
        for part in check.parts:
            line = next((line for line in lines if part.text in line), None)
            if line is not None:
                message = f"{check.viewer} reads “{line}”"
                yield table.failure(diagnostic_codes.LOG_DIFFERS, message, part.span, log)
        return
    at = 0
    for part in check.parts:
        place = next((i for i in range(at, len(lines)) if part.text in lines[i]), None)
        if place is None:
            earlier = any(part.text in line for line in lines[:at])
            rest = "before the part that is listed above it" if earlier else "not in the log of this step"
            message = f"“{part.text}” is {rest}" + ("" if check.viewer.is_case else f" as {check.viewer} reads it")
            yield table.failure(diagnostic_codes.LOG_DIFFERS, message, part.span, log)
            return
        at = place + 1


# ---------------------------------------------------------------- outcome


def _ends(table: CheckedPosition, check: Ends) -> Iterator[Failure]:
    outcome = table.game.outcome(table.state)
    if outcome is None:
        yield table.failure(diagnostic_codes.OUTCOME_DIFFERS, "the game is not over", check.span)
        return
    if check.what == "winners":
        if frozenset(outcome.winners) != check.expected:
            message = f"the winners are {_seats(outcome.winners)}, not {_seats(sorted(check.expected))}"
            yield table.failure(diagnostic_codes.OUTCOME_DIFFERS, message, check.span, _final(outcome))
    elif check.what == "reason":
        if check.expected.lower() not in (outcome.reason or "").lower():
            message = f"the game ended because of “{outcome.reason or 'none'}”, not “{check.expected}”"
            yield table.failure(diagnostic_codes.OUTCOME_DIFFERS, message, check.span)
    else:
        column = dict(outcome.table).get(check.title) if check.what == "shown" else getattr(outcome, check.what)
        if column is None:
            message = f"the final table has no column `{check.title}`"
            yield table.failure(diagnostic_codes.OUTCOME_DIFFERS, message, check.span, _final(outcome))
            return
        wrong = [seat for seat, number in check.expected.items() if column[seat] != number]
        if wrong:
            name = check.title or check.what
            parts = [f"P{seat + 1} has {column[seat]}, not {check.expected[seat]}" for seat in wrong]
            message = f"{name}: {'; '.join(parts)}"
            yield table.failure(diagnostic_codes.OUTCOME_DIFFERS, message, check.span, _final(outcome))


def _seats(seats: Iterable[int]) -> str:
    return ", ".join(f"P{seat + 1}" for seat in seats) or "nobody"


def _final(outcome: Outcome) -> list[str]:
    lines = ["the final table:"]
    for seat, place in enumerate(outcome.places):
        columns = "".join(f", {title} {values[seat]}" for title, values in outcome.table)
        lines.append(f"  {place}. P{seat + 1}{columns}, payoff {outcome.payoffs[seat]}")
    return lines


def _one_line(text: str) -> str:
    return " ".join(text.split())


_CHECKS: dict[type[Check], Callable[[CheckedPosition, Any], Iterator[Failure]]] = {
    Holds: _holds,
    Lies: _lies,
    IsDrawn: _is_drawn,
    Decides: _decides,
    Asks: _asks,
    MayChoose: _may_choose,
    MayGoOn: _may_go_on,
    IsRefused: _is_refused,
    Sees: _sees,
    Reads: _reads,
    Shows: _shows,
    Ends: _ends,
}


def failures_of(table: CheckedPosition, check: Check) -> list[Failure]:
    """Return the failures of a check, or an empty list if it passes."""
    return list(_CHECKS[type(check)](table, cast(Any, check)))
