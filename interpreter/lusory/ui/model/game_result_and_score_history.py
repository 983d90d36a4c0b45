"""Describe the result of a finished game: the verdict, the scores, the score after each round, and the page of them.

The score after each round reads whole positions with their secrets, so it is only for games that are over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lusory_dsl import core

from ...evaluator.expressions import Reader, pad_slots
from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    capitalize_line,
    cut_line,
    end_sentence,
    join_as_list,
    join_lines,
    make_line,
    measure_text,
    name_player,
    pad_line,
    restyle,
    wrap_line,
)
from ...play.match import Match
from ...state.decisions_outcomes_and_faults import Outcome, RulesetFault
from ...state.events_redaction_and_text import PhaseBegan
from ...state.state import State
from .screen import Ending, ResultColumn


def make_ending(
    program: core.Program, outcome: Outcome, names: Sequence[str], secrets: tuple[Line, ...] = ()
) -> Ending:
    """Return the ending of a game. ``secrets`` becomes :attr:`Ending.hidden_information`.

    ``verdict`` is a Line that joins :func:`write_verdict` and :func:`_write_margin`, with the text ``Time is up. Ann
    wins. Points: 19 to 18.`` ``table`` has a ``ResultColumn`` for each title of the score. A column that only breaks
    ties has ``(tie-break)`` behind its title, and is left out if no players were tied before it. ``steps`` are those of
    the chart that ranked the players, or () without one. ``text`` is what the ruleset prints for ``outcome.reason``, or
    (). ``history`` and ``turning_point`` are ().
    """
    ties = program.scoring.ties
    scores = tuple(
        ResultColumn(f"{title} (tie-break)" if title in ties else title, tuple(values))
        for title, values in outcome.score_columns
        if title not in ties or _has_tie_before(values, outcome.ranks, ties.index(title))
    )
    steps = tuple(ResultColumn(title, tuple(values)) for title, values in outcome.steps)
    ending = program.printed_texts.find_ending(outcome.reason)
    text = () if ending is None else tuple(make_line(line, names) for line in ending.text)
    return Ending(
        (*write_verdict(outcome, names), *_write_margin(outcome)),
        outcome.winners,
        scores,
        outcome.chart or "",
        steps,
        outcome.places,
        secrets,
        text,
    )


def _has_tie_before(values: tuple[int, ...], ranks: Sequence[tuple[int, ...]], tie: int) -> bool:
    """Return whether several seats are equal in all rank values before the tie-break with index ``tie``.

    It is the first rank value after index ``tie`` that is ``values``, of all seats. True if there is none.
    """
    steps = list(zip(*ranks, strict=True))
    number = next((i for i, step in enumerate(steps) if i > tie and step == values), None)
    return number is None or len({rank[:number] for rank in ranks}) < len(ranks)


def write_verdict(outcome: Outcome, names: Sequence[str]) -> Line:
    """Return the reason for the end, if there is one, and a sentence about the winners: ``Time is up. Ann wins.``

    The reason gets a full stop if it doesn't end with ``.``, ``!``, ``?`` or ``…`` and, unless it begins with a player,
    a capital letter. Several winners give ``Ann and Bo share the win.``, and no winner ``Nobody wins.`` If all players
    win, it is ``A draw.`` With a single name, only the reason is returned, or ``The game is over.`` without one.
    """
    reason = make_line(outcome.reason, names) if outcome.reason else ()
    # Names keep their case.
    if reason and not reason[0].of:
        reason = capitalize_line(reason)
    if len(names) == 1:
        return end_sentence(reason) if reason else (Run("The game is over."),)
    winners: list[Line] = [(name_player(seat, names),) for seat in outcome.winners]
    if not winners:
        verdict: Line = (Run("Nobody wins."),)
    elif len(winners) == len(names):
        verdict = (Run("A draw."),)
    else:
        verdict = (*join_as_list(winners), Run(" wins." if len(winners) == 1 else " share the win."))
    return (*end_sentence(reason), Run(" "), *verdict) if reason else verdict


def _write_margin(outcome: Outcome) -> Line:
    """Return the score that decided the game, of all seats, highest value first: `` Points: 19 to 18.``

    After ties for the lead in earlier scores that the rules show, it names only the seats that were tied: `` Coins
    broke the tie: 3 to 1.`` The line begins with a blank. Returns () if everybody or nobody wins. Returns () also if
    the rules don't show the score that decided, or an earlier one that took some seats out of the lead. The same holds
    if that score only marks the winners with 1 and all others with 0.
    """
    seats = range(len(outcome.ranks))
    leaders, is_tied = list(seats), False
    for values in zip(*outcome.ranks, strict=True):
        title = next((title for title, column in outcome.table if column == values), "")
        tied_seats, best_value = leaders, max(values[seat] for seat in leaders)
        leaders = [seat for seat in tied_seats if values[seat] == best_value]
        is_narrower = len(leaders) < len(tied_seats)
        if is_narrower and (not title or values == tuple(int(seat in outcome.winners) for seat in seats)):
            break
        if is_narrower and len(leaders) <= len(outcome.winners) < len(seats):
            margin = " to ".join(map(str, sorted((values[seat] for seat in tied_seats), reverse=True)))
            return (Run(f" {title} broke the tie: {margin}." if is_tied else f" {title}: {margin}."),)
        is_tied = is_tied or bool(title)
    return ()


MOST_TURNS = 1500
"""Games with more decisions have no history: each decision needs a view of its position."""
NUMBERED = re.compile(r"^(.*?)\s*\b(\d+)")
"""The name and the number of a round at the start of a phase label: ``Round 3 of 8 · Plan``."""


THE_END = "the end"
"""The title of the scores after the last round, if more was scored then."""


def list_scores_by_round(match: Match) -> tuple[ResultColumn, ...]:
    """Return a column for each round of a finished game, in order: ``ResultColumn("Round 3", (12, 9))``.

    A round is a series of decisions with one title. If a decision with another title or none interrupts it, both parts
    have a column. The column has a score of each seat at the first decision after the round, or at the end of the game.
    The score is the one that the ranking compares first, even if a later one broke a tie. If the rules rank by
    ``-penalty``, the values are negative. A title is the name and the number with which a phase label begins:
    ``Round 3`` from ``Round 3 of 8 · Plan``. If the last decision is in a round and another top-level phase began after
    it, the title of this round is ``THE_END``. Returns () if there are fewer than two columns, or the game is not over
    or has more than ``MOST_TURNS`` decisions. Returns () also if there is no such score, as in a selective ranking, or
    if it can't be evaluated during the game.
    """
    outcome = match.outcome
    game = match.game
    points = None if outcome is None else _find_deciding_score(game.program.scoring, outcome)
    if points is None or len(match.turns) > MOST_TURNS:
        return ()
    slots = [pad_slots((seat,), game.program.scoring.n_slots) for seat in range(game.players)]
    columns: list[ResultColumn] = []
    try:
        for title, state in _list_round_ends(match):
            reader = Reader(game.setting, state.cells, state.zones)
            columns.append(ResultColumn(title, tuple(reader.require(points, seat_slots) for seat_slots in slots)))
    except RulesetFault:
        return ()
    return tuple(columns) if len(columns) > 1 else ()


def _find_deciding_score(scoring: core.Scoring, outcome: Outcome) -> core.Expr | None:
    """Return the score that is compared first: the first step of the chart that counted, or else the first rank.

    Returns None if there is no rank, or if the ruleset has charts or a selective ranking, and no chart counted.
    """
    steps = [step for chart in scoring.charts if chart.title == outcome.chart for step in chart.steps]
    if steps:
        return steps[0][1]
    return scoring.rank[0] if scoring.rank and not scoring.is_selective and not scoring.charts else None


def _list_round_ends(match: Match) -> Iterator[tuple[str, State]]:
    """Yield the title of each round with the position at its end.

    The last title is ``THE_END`` if the rules went on with another phase after the last decision. Points that came
    then, such as those of a final scoring, belong to no round.
    """
    title = ""
    for turn in match.turns:
        label = NUMBERED.match(match.game.view(turn.before, None).phase_label)
        new_title = f"{label[1]} {label[2]}".strip() if label is not None and "·" not in label[1] else ""
        if title and new_title != title:
            yield title, turn.before
        title = new_title
    if title:
        last, setting = match.turns[-1], match.game.setting
        round_phase = match.game.view(last.before, None).phase
        own_id = setting.phases[round_phase][0].id if round_phase is not None else ""
        ids = {phase.id for phase in match.game.program.phases} - {own_id}
        is_over = any(isinstance(event, PhaseBegan) and event.phase in ids for event in match.log[last.log_length :])
        yield THE_END if is_over else title, match.state


def match_signs(history: tuple[ResultColumn, ...], table: Sequence[ResultColumn]) -> tuple[ResultColumn, ...]:
    """Return the history, with all values negated if the final table shows them so: where fewer points are better.

    The table shows them so if the values of one of its columns are the negated values of the last column of the
    history, and not all 0. Titles don't matter. Otherwise the history comes back unchanged, also an empty one.
    """
    last_values = tuple(-value for value in history[-1].values) if history else ()
    if not any(last_values) or all(column.values != last_values for column in table):
        return history
    return tuple(ResultColumn(column.title, tuple(-value for value in column.values)) for column in history)


def write_turning_point(history: Sequence[ResultColumn], winners: Sequence[int], names: Sequence[str]) -> Line:
    """Return a sentence that says since when the winner has led, or ().

    If the winner leads in every column, it is ``Ann led from the first round to the last.`` Otherwise it names the
    first column of the lead that lasts to the end: ``Ann has led since Round 3.`` If the title of this column is
    ``THE_END``, it is ``Ann took the lead at the end.`` A player whose value is higher than all others leads in a
    column, so a tie is no lead. The name is a Run of its own. Returns () without a history, if not exactly one player
    wins, and if the winner does not lead at the end or plays alone.
    """
    if not history or len(winners) != 1 or len(names) == 1:
        return ()
    winner = winners[0]
    leads = []
    for column in history:
        other_values = [value for seat, value in enumerate(column.values) if seat != winner]
        leads.append(column.values[winner] - max(other_values))
    if leads[-1] <= 0:
        return ()
    since = max((i + 1 for i, lead in enumerate(leads) if lead <= 0), default=0)
    when = f" has led since {history[since].title}." if since else " led from the first round to the last."
    when = f" took the lead at {THE_END}." if since and history[since].title == THE_END else when
    return (name_player(winner, names), Run(when))


def list_hidden_information(ending: Ending) -> list[Line]:
    """Return the dim title ``What was hidden`` and each line of hidden information after a blank, or [] without any."""
    if not ending.hidden_information:
        return []
    return [(Run("What was hidden", dim=True),), *((Run(" "), *line) for line in ending.hidden_information)]


def lay_out_ending(ending: Ending, names: Sequence[str], columns: int) -> list[Line]:
    """Return the lines about the end: verdict, author's text, table of scores, score after each round, turning point.

    The first line is bold: `` Ann wins. Points: 9 to 4.`` After an empty line comes the table of scores:
    `` Ranking          Ann    Bo``, ``  Points            9     4``. It begins with the ``chart`` of the ending, or
    blanks without one, and has no name for a player alone. Its rows are the ``steps``, and then the columns of
    ``table`` with other titles. Three players or more have a row ``Place`` first, unless all share a place. As the only
    row it needs three different places. Without rows there is no table. If the score after each round or the turning
    point is known, they follow after another empty line: `` After round     1  2``, ``  Ann            3  9``,
    `` Ann has led since Round 2.`` The first rounds are dropped if not all fit. The first column of both tables is 4
    wider than their longest title or name, if that fits; this example has both. In the table of scores, the column of a
    player is 2 wider than the name or the longest value, and at least 6. Sentences are wrapped to ``columns``, and
    lines of tables cut.
    """
    lines = [row for line in ((*ending.verdict,), *ending.text) for row in wrap_line((Run(" "), *line), columns, 1)]
    if lines:
        lines[0] = restyle(lines[0], bold=True)
    titles = {step.title for step in ending.steps}
    rows = [*ending.steps, *(row for row in ending.table if row.title not in titles)]
    if names[2:] and len(set(ending.places)) > (1 if rows else 2):
        rows.insert(0, ResultColumn("Place", ending.places))
    titles_shown = [*(row.title for row in rows), ending.chart, *names, _format_history_title(ending)]
    widths = [
        max(measure_text(name) + 2, *(len(str(row.values[seat])) + 2 for row in rows), 6)
        for seat, name in enumerate(names)
    ]
    title_width = max(map(measure_text, titles_shown)) + 4
    title_width = min(title_width, columns // 2, max(columns - sum(widths), columns // 4))
    if rows:
        # A player alone needs no name above the only column.
        heads = [pad_line((name_player(i, names),), width, "right") for i, width in enumerate(widths) if names[1:]]
        title = pad_line((Run(f" {ending.chart}", dim=True),), title_width)
        lines += [(), cut_line((*title, *join_lines(heads, "")), columns)]
    for row in rows:
        cells = [pad_line((Run(str(value)),), width, "right") for value, width in zip(row.values, widths, strict=True)]
        lines.append(cut_line((*pad_line((Run(f"  {row.title}"),), title_width), *join_lines(cells, "")), columns))
    return [*lines, *_list_history(ending, names, title_width, columns)]


def _list_history(ending: Ending, names: Sequence[str], title_width: int, columns: int) -> list[Line]:
    """Return a row for each player with the score after each round, and the turning point.

    Only the last rounds are shown if not all fit. An empty line comes first. Empty if the ending has neither.
    """
    lines: list[Line] = [()] if ending.turning_point or ending.history else []
    if ending.history:
        cells = [(column.title.rpartition(" ")[2], *map(str, column.values)) for column in ending.history]
        width = max(len(word) for column in cells for word in column) + 2
        shown_columns = cells[-max((columns - title_width - 1) // width, 1) :]
        heads: list[Line] = [(Run(f" {_format_history_title(ending)}", dim=True),)]
        heads += [(Run("  "), name_player(seat, names)) for seat in range(len(names))] if names[1:] else [()]
        for row, head in enumerate(heads):
            line = [*pad_line(head, title_width)]
            for column in shown_columns:
                line += pad_line((Run(column[row], dim=not row),), width, "right")
            lines.append(cut_line(tuple(line), columns))
    return lines + (wrap_line((Run(" "), *ending.turning_point), columns, 1) if ending.turning_point else [])


def _format_history_title(ending: Ending) -> str:
    """Return the title of the rows of the history, such as ``After round``, or "" without a history."""
    name = ending.history[0].title.rpartition(" ")[0].lower() if ending.history else ""
    return f"After {name}" if name else ""
