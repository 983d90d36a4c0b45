"""Give a hint: compare the options of a seat by search, with their values, confidence and likely continuation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lusory_dsl.core import compute_structural_key

from ...explain.styled_text_wrapping_and_values import Line, Run, join_lines, make_line
from ...game import Game
from ...play.match import Match
from ...play.player_interface_scripted_and_random_players import DecisionTable
from ...play.searching_bots import PLANS, SearchingBot
from ...search.default_simulation_budget import estimate_budget
from ...search.likely_continuation import UNKNOWN_SEAT
from ...search.option_evaluation import ComparedOption
from ...state.random_streams import derive_seed
from .screen import Question
from .screen_builder import build_previewed_question

AHEAD = 2
"""Number of following decisions that a hint shows."""

PLAN = "bot"
"""The search plan that hints use. Their random numbers are independent of those of the bots."""

MORE = "    "


def write_hint(match: Match, seat: int, names: Sequence[str]) -> tuple[Line, ...]:
    """Return a hint for the seat that must decide. It uses only what the seat knows, and is reproducible.

    Example: ``Best:`` (bold), ``  Column c``, ``    pays -0.3 on average (-0.6 to +0.0)``,
    ``    then probably: Bo: Column d``. Effects, or ``nothing comes of it now`` for the one that declines or ends the
    turn, stand before the value, which :func:`_format_value_of_option` writes. If the option ends the game, the last
    line is like ``    and so Ann has three in a row``. Worse options follow below ``Not as good:``, without a
    continuation. If several may be best, the titles are ``Probably best:`` and ``Perhaps as good:``, or
    ``These are about as good as each other:`` if their values look the same or the best does nothing. A continuation
    that all of these share stands only after the last of them. The best DEFAULT_COMPARED_OPTIONS (4) are compared, and
    of equivalent ones among them only the best stays. A single one that is left has no title. The only line is
    ``It is not your turn.`` if the seat need not decide, and begins with ``Nobody can say:`` if no game agrees with all
    that the seat knows.
    """
    decision = match.decision
    if decision is None or decision.seat != seat:
        return (make_line("It is not your turn.", names),)
    table = match.make_table(seat)
    bot = SearchingBot(PLANS[PLAN], derive_seed(match.seed, f"hints for seat {seat}"), PLAN, match.backend)
    bot.resume(match.decision_counts[seat])
    candidates = bot.compare_options(table)
    question = build_previewed_question(match, table.view, names)
    assert question is not None, "the seat must decide"
    candidates = _keep_one_copy(candidates, question)
    if not candidates:
        return (make_line("Nobody can say: nothing was found that agrees with all that you know.", names),)
    return tuple(_Hint(table, bot, question, names)._write_lines(candidates))


def _keep_one_copy(candidates: Sequence[ComparedOption], question: Question) -> list[ComparedOption]:
    """Return the compared options without all but the best of equivalent ones, which the screen shows as one."""
    options = enumerate(question.options)
    groups = {option.number: index if option.like < 0 else option.like for index, option in options}
    best_by_group: dict[tuple[str, int], ComparedOption] = {}
    for candidate in candidates:
        number = candidate.evaluation.option
        best_by_group.setdefault(("group", groups[number]) if number in groups else ("alone", number), candidate)
    return list(best_by_group.values())


@dataclass(frozen=True)
class _Hint:
    """Format the results of a search.

    Attributes:
        table: The seat's view of the match, with a game that can be searched.
        question: The question as the screen shows it.
    """

    table: DecisionTable
    bot: SearchingBot
    question: Question
    names: Sequence[str]

    def _write_lines(self, candidates: Sequence[ComparedOption]) -> Iterator[Line]:
        """Yield the options that may be best, each with its continuation, and then the other options.

        ``candidates`` holds at least one option, the best first. An option may be best if its comparison says so, or if
        its value looks the same as that of the best. A continuation that all of them share stands once, after the last.
        If one may be best, the bold title is ``Best:``. If several may, it is
        ``These are about as good as each other:`` for equal values, or if the best does nothing and so comes after the
        others. Otherwise, ``Probably best:`` stands before the first and ``Perhaps as good:`` before the rest. ``Not as
        good:`` stands before the other options. A single option has no title.
        """
        game = self.table.game
        values = [_format_value(game, candidate, candidate.evaluation.value) for candidate in candidates]
        pairs = zip(candidates, values, strict=True)
        best = [candidate for candidate, value in pairs if candidate.comparison.may_be_best or value == values[0]]
        best.sort(key=lambda candidate: candidate.evaluation.option == self._idle)
        worse_candidates = [candidate for candidate in candidates if candidate not in best]
        courses = [tuple(self._write_continuation(candidate)) for candidate in best]
        is_same = len(courses) > 1 and len(set(courses)) == 1
        best_values = {_format_value(game, candidate, candidate.evaluation.value) for candidate in best}
        is_equal = len(best) > 1 and (len(best_values) == 1 or best[0] is not candidates[0])
        if len(candidates) > 1:
            title = "Probably best:" if len(best) > 1 else "Best:"
            yield (Run("These are about as good as each other:" if is_equal else title, bold=True),)
        for i, (candidate, course) in enumerate(zip(best, courses, strict=True)):
            if i == 1 and not is_equal:
                yield (Run("Perhaps as good:", bold=True),)
            yield from self._write_option(candidate)
            yield from () if is_same else course
        yield from courses[0] if is_same else ()
        if worse_candidates:
            yield (Run("Not as good:", bold=True),)
        for candidate in worse_candidates:
            yield from self._write_option(candidate)

    @property
    def _idle(self) -> int:
        """The number in the decision of the option that does nothing, or -1."""
        return -1 if self.question.end is None else self.question.options[self.question.end].number

    def _write_option(self, candidate: ComparedOption) -> Iterator[Line]:
        """Yield the label, the effects and the value of an option. One that does nothing now says so."""
        number = candidate.evaluation.option
        option = next((option for option in self.question.options if option.number == number), None)
        label = make_line(self.table.view.option_labels()[number], self.names) if option is None else option.label
        yield (Run("  "), *label)
        if number == self._idle:
            yield (Run(f"{MORE}nothing comes of it now", dim=True),)
        elif option is not None:
            yield from ((Run(MORE), *sentence) for sentence in option.preview)
        yield (Run(MORE), Run(_format_value_of_option(self.table.game, candidate), dim=True))

    def _write_continuation(self, candidate: ComparedOption) -> Iterator[Line]:
        """Yield a line with the likely continuation after an option, and nothing if the search can't tell.

        The line is like ``then probably: Bo: Column d; Ann: Column e``. With hidden information it has only the seat's
        own decisions and who decides after them.
        """
        table = self.table
        course = self.bot.predict_course(table, candidate.evaluation.option, AHEAD)
        if course is None:
            return
        lines: list[Line] = [make_line(label, self.names) for label in course.labels]
        if course.next_seat is None:
            lines.append(make_line(course.end_reason or "the game ends", self.names))
        elif course.next_seat not in (UNKNOWN_SEAT, table.seat) and not table.has_perfect_information:
            lines.append((*make_line(f"P{course.next_seat + 1}", self.names), Run(" decides")))
        if lines:
            ends_at_once = course.next_seat is None and not course.labels
            yield (Run(f"{MORE}{'and so' if ends_at_once else 'then probably:'} "), *join_lines(lines, "; "))


def _format_value_of_option(game: Game, candidate: ComparedOption) -> str:
    """Return the value of an option in words, with its interval: ``chance to win 61% (55% to 67%)``.

    A solitaire game has the mean of its score behind the title of the score, ``Points, on average 12.5``. If the error
    is 1 or more, the score has no decimals. Any other game whose playouts stop before the end has ``prospects 61%,
    where even is 50%``. If they reach the end, a payoff of the rules reads ``pays +1.5 on average``, and without one,
    three or more players have ``prospects 61%``. The interval follows the number, or ``on average`` of a payoff. It is
    left out if both ends look the same. 61% is the value 0.61. In a game with payoffs or a zero-sum game, where values
    go from -1 to 1, it is 0.22.
    """
    value, error = candidate.evaluation.value, candidate.comparison.value_error
    low, mid, high = (_format_value(game, candidate, bound) for bound in (value - error, value, value + error))
    interval = "" if low == high else f" ({low} to {high})"
    if game.players == 1:
        return f"{_get_score_title(game)}, on average {mid}{interval}"
    if _is_paid(game):
        return f"pays {mid} on average{interval}"
    if _is_cut(game):
        return f"prospects {mid}{interval}, where even is 50%"
    return f"{'chance to win' if game.players == 2 else 'prospects'} {mid}{interval}"


def _format_value(game: Game, candidate: ComparedOption, value: float) -> str:
    """Format the value of an option: a score, a payoff such as ``+1.5``, or a percentage.

    A score has a decimal if the error is below 1. A percentage maps values from -1 to 1 to 0 % to 100 % if the game has
    payoffs or is zero-sum.
    """
    scoring = game.program.scoring
    if game.players == 1:
        return f"{value:.{0 if candidate.comparison.value_error >= 1 else 1}f}"
    if _is_paid(game):
        return f"{round(value, 1) + 0.0:+.1f}"
    share = (value + 1) / 2 if scoring.payoff is not None or scoring.is_zero_sum else value
    return f"{min(max(share, 0.0), 1.0):.0%}"


def _is_paid(game: Game) -> bool:
    """Return whether the value of an option is a payoff of the rules."""
    return game.program.scoring.payoff is not None and not _is_cut(game)


def _is_cut(game: Game) -> bool:
    """Return whether playouts stop before the end of the game, so that a heuristic values the position."""
    return estimate_budget(game).horizon is not None


def _get_score_title(game: Game) -> str:
    """Return the title of the score of a solitaire game."""
    key = compute_structural_key(game.program.scoring.rank[0])
    columns = game.program.scoring.columns
    return next((title for title, column in columns if compute_structural_key(column) == key), "the result")
