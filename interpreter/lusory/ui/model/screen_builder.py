"""Build the screen of a seat from a match: panels, changes, story, question and result.

The module also maps answers back to decisions of the match, and undoes or redoes whole answers. It finds equivalent
options, such as copies of a card, so that a question lists them once. The panels themselves come from
:mod:`lusory.ui.model.panel_builder_and_value_looks`, and the sentences of the story from
:mod:`lusory.explain.event_sentences`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice

from lusory_dsl import core
from lusory_dsl.core.program_reads_and_value_bounds import find_unordered_zones
from lusory_dsl.types.types import ComponentType

from ...evaluator.statements_options_and_resumption import find_candidates
from ...explain.event_sentences import list_visible_events, tell_deeds, tell_earlier_deeds
from ...explain.sentences_to_the_viewer_and_of_choices import address_owner, address_viewer
from ...explain.styled_text_wrapping_and_values import (
    DO,
    Line,
    Run,
    close_brackets,
    join_lines,
    make_line,
    restyle,
    to_text,
    write_text,
    write_value,
)
from ...play.match import Match, Turn
from ...play.undo_rules import UndoObstacle
from ...state.decisions_outcomes_and_faults import Option as Choice, Outcome, RulesetFault, list_open_picks
from ...state.events_redaction_and_text import ChoiceMade, format_counter_label, format_place_label, is_bookkeeping
from ...state.flattened_phases import iterate_reachable_asks
from ...state.setting_value_limits_builtins_and_names import HIDDEN, Indices, Value, get_place_type, unwrap_list_type
from ...state.state import State
from ...view.redacted_state import HiddenValue, Unknown
from ...view.seat_view import View
from ...view.table_and_option_text import format_option_id, format_option_label, identify, number_repeats
from .declining_turn_ending_and_take_all_options import ends_turn, find_end_option, find_option_of_all, list_flags_set
from .game_introduction_page import is_set_up_phase, list_recommended_commands, write_start_page
from .game_result_and_score_history import list_scores_by_round, make_ending, match_signs, write_turning_point
from .look_and_why import explain_closed_options
from .option_preview_sentences import (
    action_of_text,
    add_moved_card,
    get_printed_text,
    introduce_text,
    is_only_mentioned,
    predict_consequences,
    preview_option,
)
from .panel_builder_and_value_looks import build_panels, list_card_texts
from .screen import (
    DONE,
    Answer,
    Cell,
    Dial,
    Dials,
    Ending,
    Grid,
    Hand,
    Items,
    Map,
    Option,
    Panel,
    Piles,
    Players,
    Question,
    Screen,
)


def _mark_copies(view: View, choices: Sequence[Choice], options: Sequence[Option]) -> tuple[Option, ...]:
    """Return the options, each but the first of equivalent ones with the index of that first one in ``like``.

    Options are equivalent if label, path, preview and alternative are the same, and their components can't be told
    apart. These are equal cards with equal state in the same place, side by side if its order makes a difference.
    ``choices`` are the same options of the decision, in order.
    """
    texts = [(tuple(run.text for run in option.path), to_text(option.label)) for option in options]
    if len(set(texts)) == len(texts):
        return tuple(options)
    keys = _ComponentKeys(view)
    first_numbers: dict[Hashable, int] = {}
    marked_options = []
    for number, (choice, option) in enumerate(zip(choices, options, strict=True)):
        preview = tuple(map(to_text, option.preview))
        like = first_numbers.setdefault((texts[number], preview, choice.alternative, *keys._make_keys(choice)), number)
        marked_options.append(option if like == number else replace(option, like=like))
    return tuple(marked_options)


class _ComponentKeys:
    """Compute keys that identify components up to equivalence, as far as a seat can see."""

    def __init__(self, view: View) -> None:
        self.view, self.setting = view, view.setting
        self.program = view.setting.program
        self._keys: dict[int, Hashable] = {}

    def _make_keys(self, choice: Choice) -> Iterator[Hashable]:
        """Yield a key for each value of an option, in order. Copies of a card that the seat can't tell apart share one.

        In an ordered zone, only neighbouring copies share one. A copy that a variable holds, or whose zone is unknown,
        has a key of its own. Any other value gives its type and value, as in ``("int", 3)``.
        """
        ask = self.view.ask
        assert isinstance(ask, core.Ask)
        variables = ask.alternatives[choice.alternative].vars
        for variable, value in zip(variables, choice.values, strict=True):
            item_type = unwrap_list_type(variable.domain.type)
            if not isinstance(item_type, ComponentType) or type(value) is not int:
                yield _make_hashable(value)
                continue
            if value not in self._keys:
                self._keys[value] = self._make_component_key(value)
            yield self._keys[value]

    def _make_component_key(self, card: int) -> Hashable:
        """Return a key for a component: its card and state, its zone, and the start of its run of equal neighbours.

        The start is left out if the order of the zone makes no difference. A component that a variable refers to, or
        whose zone is unknown, is equivalent to no other.
        """
        state, layout = self.view.redacted_state, self.setting.layout
        zone = state.cells[layout.location + card]
        if type(zone) is not int or self._is_named(card):
            return ("alone", card)
        cards = state.zones[zone]
        card_key = self._make_card_key(card)
        if self.setting.layout.get_zone(zone)[0] in find_unordered_zones(self.program):
            return (card_key, zone)
        start = cards.index(card)
        while start and type(neighbour := cards[start - 1]) is int and card_key == self._make_card_key(neighbour):
            start -= 1
        return (card_key, zone, start)

    def _make_card_key(self, card: int) -> Hashable:
        return (self.program.entities[card].card, self._list_values_of(card))

    def _is_named(self, card: int) -> bool:
        """Return whether a variable holds this component, so that it differs from its copies."""
        kind = self.program.entities[card].kind
        for name, variable in self.program.variables.items():
            # The type is the kind, or an optional or list type of it.
            for indices in self.setting.list_indices(name) if kind in str(variable.type) else ():
                value = self.view.redacted_state.cells[self.setting.layout.places[name].at(indices)]
                items = value if isinstance(value, list | tuple) else (value,)
                if value.__class__ is not Unknown and card in items:
                    return True
        return False

    def _list_values_of(self, card: int) -> Hashable:
        """Return the values of all variables, pools and zones that have this component as an index."""
        kind = ComponentType(self.program.entities[card].kind)
        state, layout = self.view.redacted_state, self.setting.layout
        values: list[tuple[str, Indices, Hashable]] = []
        for name in (*layout.places, *layout.zones):
            dims = self.program.get_place(name).dims
            positions = [position for position, dim in enumerate(dims) if dim.type == kind]
            for indices in self.setting.list_indices(name) if positions else ():
                if not any(indices[position] == card for position in positions):
                    continue
                other_indices = tuple(index for i, index in enumerate(indices) if i not in positions)
                if name in layout.zones:
                    cards = state.zones[layout.zones[name].at(indices)]
                    values.append((name, other_indices, tuple(map(_make_hashable, cards))))
                    continue
                pool = self.program.pools.get(name)
                for counter in [(kind,) for kind in pool.kinds] if pool is not None else [()]:
                    value = state.cells[layout.places[name].at((*indices, *counter))]
                    values.append((name, other_indices, _make_hashable(value)))
        return tuple(values)


def _make_hashable(value: Value) -> Hashable:
    """Return a hashable form of a value. All unknown values are equal."""
    if value.__class__ is Unknown:
        return "?"
    return tuple(map(_make_hashable, value)) if isinstance(value, list | tuple) else (type(value).__name__, value)


def _find_last_seen_position(match: Match, seat: int | None) -> State | None:
    """Return the position that marks of changes compare with, or None before the seat's first choice.

    It is the position after the seat's last choice. If nobody has chosen since, it is the one before that choice.
    Spectators have none.
    """
    number = next((i for i in reversed(range(len(match.turns))) if match.turns[i].seat == seat), None)
    if number is None:
        return None
    later_turns = match.turns[number + 1 :]
    return later_turns[0].before if later_turns else match.turns[number].before


def _mark_changes(panels: Sequence[Panel], before: Sequence[Panel]) -> tuple[Panel, ...]:
    """Return the panels with the changes since ``before`` marked as fresh. Panels match by type, place and title.

    Values match by title, players' columns by title and seat, spaces by position, cards and dials by their text. A new
    value is wholly fresh, and so is a card with more copies than before, and the face that a dial has turned to. Panels
    that are new, and grids of another size, stay unmarked. The panels of ``before`` are not returned.
    """
    old = {_make_key(panel): panel for panel in before}
    return tuple(_mark_panel(panel, old[key]) if (key := _make_key(panel)) in old else panel for panel in panels)


def _make_key(panel: Panel) -> tuple[object, ...]:
    return type(panel), panel.place, panel.title, isinstance(panel, Items) and panel.is_spare


def _mark_panel(now: Panel, old: Panel) -> Panel:
    """Return a panel with its changes marked, see :func:`_mark_changes`. Both panels have the same type."""
    match now, old:
        case Items(), Items():
            old_cells = {item.title: item.cell for item in old.items}
            items = (replace(item, cell=_mark_cell(item.cell, old_cells.get(item.title))) for item in now.items)
            return replace(now, items=tuple(items))
        case Players(), Players():
            old_columns = {column.title: column.cells for column in old.columns}
            pairs = ((column, old_columns.get(column.title, ())) for column in now.columns)
            columns = (replace(column, cells=_mark_cells(column.cells, old_cells)) for column, old_cells in pairs)
            return replace(now, columns=tuple(columns))
        case Grid(), Grid():
            if len(now.rows) != len(old.rows) or len(now.heads) != len(old.heads):
                return now
            row_pairs = zip(now.rows, old.rows, strict=True)
            rows = (replace(row, cells=_mark_cells(row.cells, old_row.cells)) for row, old_row in row_pairs)
            return replace(now, rows=tuple(rows))
        case Map(), Map():
            old_nodes = {(node.across, node.down): node.cell for node in old.nodes}
            nodes = ((node, old_nodes.get((node.across, node.down))) for node in now.nodes)
            marked_nodes = (replace(node, cell=_mark_cell(node.cell, old_cell)) for node, old_cell in nodes)
            return replace(now, nodes=tuple(marked_nodes))
        case Dials(), Dials():
            old_dials = {to_text(dial.head): dial for dial in old.dials}
            return replace(now, dials=tuple(_mark_dial(dial, old_dials.get(to_text(dial.head))) for dial in now.dials))
        case Hand(), Hand():
            old_counts = {_join_words(card.cell): card.count for card in old.cards}
            checks = ((card, card.count > old_counts.get(_join_words(card.cell), 0)) for card in now.cards)
            cards = (replace(card, cell=_mark_all(card.cell)) if is_new else card for card, is_new in checks)
            return replace(now, cards=tuple(cards))
        case Piles(), Piles():
            old_tops = {to_text(pile.title): pile.top for pile in old.piles}
            tops = _mark_cells([pile.top for pile in now.piles], [old_tops.get(to_text(p.title)) for p in now.piles])
            return replace(now, piles=tuple(replace(pile, top=top) for pile, top in zip(now.piles, tops, strict=True)))
    return now


def _mark_dial(now: Dial, old: Dial | None) -> Dial:
    """Mark the current face of a dial as new if the dial has turned."""
    if old is None or old.current == now.current or now.current is None:
        return now
    return replace(now, faces=tuple(_mark_all(face) if i == now.current else face for i, face in enumerate(now.faces)))


def _join_words(cell: Cell) -> str:
    return " ".join(map(to_text, cell.lines))


def _mark_all(cell: Cell) -> Cell:
    """Mark a whole cell as new."""
    return cell.change_lines(partial(restyle, fresh=True))


def _mark_cells(now: Sequence[Cell | None], old: Sequence[Cell | None]) -> tuple[Cell | None, ...]:
    pairs = zip(now, [*old, *[None] * (len(now) - len(old))], strict=False)
    return tuple(None if cell is None else _mark_cell(cell, old_cell) for cell, old_cell in pairs)


def _mark_cell(now: Cell, old: Cell | None) -> Cell:
    if old is None:
        return _mark_all(now)
    return replace(now, lines=_mark_lines(now.lines, old.lines), short=_mark_lines(now.short, old.short))


def _mark_lines(new_lines: tuple[Line, ...], old_lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Mark the runs that changed.

    Compares runs one by one if both versions have the same shape. Otherwise marks each run that ``old_lines`` doesn't
    have, and further copies of a run if ``old_lines`` has fewer. Commas and blanks are not marked then.
    """
    if [len(line) for line in new_lines] == [len(line) for line in old_lines]:
        line_pairs = (zip(line, old_line, strict=True) for line, old_line in zip(new_lines, old_lines, strict=True))
        return tuple(tuple(_mark_run(run, old_run) for run, old_run in run_pairs) for run_pairs in line_pairs)
    old_runs = Counter((run.text, run.of) for line in old_lines for run in line)
    marked_lines = []
    for line in new_lines:
        runs = []
        for run in line:
            key = (run.text, run.of)
            is_old = old_runs[key] > 0 or not run.text.strip(" ,")
            old_runs[key] -= 1
            runs.append(run if is_old else replace(run, fresh=True))
        marked_lines.append(tuple(runs))
    return tuple(marked_lines)


def _mark_run(now: Run, old: Run) -> Run:
    return now if (now.text, now.of, now.dim) == (old.text, old.of, old.dim) else replace(now, fresh=True)


MOST_NAMED = 12
"""Maximum number of cards of a zone that are listed by name."""


def _list_revealed_places(seat_view: View, full_view: View, names: Sequence[str]) -> tuple[Line, ...]:
    """Return a line ``PLACE: CONTENT`` for each place that a seat could not see and that is not empty.

    ``seat_view`` is the view of the seat, and ``full_view`` is the view of everything. Variables come first, then pools
    and zones. Bookkeeping variables are left out, and so is None. A zone lists ``MOST_NAMED`` cards, and counts the
    others.
    """
    setting = full_view.setting
    lines: list[Line] = []
    for name in (*setting.program.variables, *setting.program.pools, *setting.program.zones):
        for indices in setting.list_indices(name):
            if not seat_view.can_see(name, indices) and (content := _describe_content(full_view, name, indices, names)):
                lines.append((*make_line(format_place_label(setting, name, indices), names), Run(": "), *content))
    return tuple(lines)


def _describe_content(view: View, name: str, indices: Indices, names: Sequence[str]) -> Line:
    """Return the content of a place. Returns an empty line for empty places and for bookkeeping variables."""
    setting, program = view.setting, view.setting.program
    place = setting.layout.place(name)
    if name in program.zones:
        return join_lines(_list_cards(view, view.redacted_state.zones[place.at(indices)]))
    if name in program.pools:
        counters = ((kind, view.redacted_state.cells[place.at((*indices, kind))]) for kind in program.pools[name].kinds)
        return join_lines((Run(f"{n} {format_counter_label(setting, name, kind, n)}"),) for kind, n in counters if n)
    value = view.redacted_state.cells[place.at(indices)]
    if value is None or is_bookkeeping(setting, name):
        return ()
    return write_value(view.question_reader, value, get_place_type(program, name), names)


def _list_cards(view: View, cards: Sequence[int]) -> Iterator[Line]:
    entities = view.setting.program.entities
    for card in cards[:MOST_NAMED]:
        yield make_line(entities[card].label, (), identify(view.setting, ComponentType(entities[card].kind), card))
    if len(cards) > MOST_NAMED:
        yield (Run(f"and {len(cards) - MOST_NAMED} more"),)


NO_REDO = "Nothing was taken back, or something else was decided since."
"""Message for a redo that is not possible."""
WHY_NO_UNDO: dict[UndoObstacle, str] = {
    "end": "the game is over",
    "chance": "chance has decided something since",
    "shuffle": "something was shuffled since",
    "secret": "you have seen something that was hidden",
    "another": "another player, who knew more, has decided since",
}
"""Reasons why a decision can't be undone."""


def build_screen(match: Match, seat: int | None, names: Sequence[str], start: int | None = None) -> Screen:
    """Return the screen of a seat. None is a spectator.

    The story starts at the event with index ``start`` of the log. By default that is the seat's last decision, or 0 if
    it never decided (see :func:`find_story_start`). For a spectator, the default covers as many of the latest visible
    choices as there are players, or everything once the game is over. Runs of the panels are
    ``fresh`` if they differ from what the seat saw right before the first choice after its last one. So automatic
    changes between these two don't count. If nobody has chosen since, its view before that last choice is compared.
    For a spectator and a seat that never chose, nothing is fresh. A finished game has an ending, no question, and
    hides nothing.
    """
    game, outcome = match.game, match.outcome
    start = _choose_story_start(match, seat) if start is None else start
    view = game.view(match.state, seat) if outcome is None else game.reveal_table(match.state, seat)
    panels = build_panels(view, names)
    if (before := _find_last_seen_position(match, seat)) is not None:
        panels = _mark_changes(panels, build_panels(game.view(before, seat), names))
    phase = make_line(view.phase_label, names)
    question = build_previewed_question(match, view, names)
    story = tell_deeds(match, seat, names, start)
    if question is not None and not question.takes_several:
        lines = explain_closed_options(game, match.state, view, panels, question.options, names)
        question = replace(question, closed_options=lines)
    return Screen(
        title=game.program.name,
        seat=seat,
        names=tuple(names),
        phase=phase,
        panels=panels,
        story=story,
        question=question,
        waiting=view.waiting_for,
        ending=None if outcome is None else _build_ending(match, view, seat, names, outcome),
        introduction=write_start_page(match, seat, names),
        commands=list_recommended_commands(game.program),
        is_set_up=is_set_up_phase(game.program, phase),
        is_new=outcome is None and not any(turn.seat == seat for turn in match.turns),
        history=tell_earlier_deeds(match, seat, names, start, story),
        texts=tuple(list_card_texts(game.program, panels)),
    )


def _build_ending(match: Match, view: View, seat: int | None, names: Sequence[str], outcome: Outcome) -> Ending:
    """Return the ending of a match with what was hidden and with its turning point. ``view`` hides nothing."""
    ending = make_ending(
        match.game.program, outcome, names, _list_revealed_places(match.game.view(match.state, seat), view, names)
    )
    history = list_scores_by_round(match) if match.keeps_record else ()
    return replace(
        ending,
        verdict=address_viewer(ending.verdict, seat),
        text=tuple(address_viewer(line, seat) for line in ending.text),
        history=match_signs(history, ending.table),
        turning_point=address_viewer(write_turning_point(history, outcome.winners, names), seat),
    )


def _choose_story_start(match: Match, seat: int | None) -> int:
    """Return the log index where the story starts.

    For a spectator it covers as many of the latest visible choices as there are players, or everything once the game
    is over.
    """
    if seat is not None or match.decision is None:
        return find_story_start(match, seat)
    events = list_visible_events(match, None, reversed(range(len(match.log))))
    choices = (number for number, event in events if isinstance(event, ChoiceMade))
    return next(islice(choices, match.game.players - 1, None), 0)


def find_story_start(match: Match, seat: int | None) -> int:
    """Return the log length before the seat's last decision, or 0 if it never decided or is None.

    If it was one of several picks by one statement, with no event between them, return the length before the first.
    """
    if seat is None or not any(turn.seat == seat for turn in match.turns):
        return 0
    return list_latest_answer(match, seat)[0].log_length


# ---------------------------------------------------------------- the question


def build_question(view: View, names: Sequence[str]) -> Question | None:
    """Return the question that the seat of a view must answer, or None. The options have no previews.

    ``names`` has the name of each seat, for the labels. In a choice of one, each option but the first of equivalent
    ones has the index of that first one in ``like``. Any other option has -1. A choice of several is one question about
    all candidates that can still be picked, without the option to stop. Those that are possible only after another
    pick have the ``number`` -1. If the seat may not know the candidates, each pick is a question of its own, with all
    options of the decision. All options of both have -1 in ``like``.
    """
    if view.decision is None:
        return None
    if isinstance(view.ask, core.AskMany):
        question = _build_multiple_choice(view, view.ask, names)
        if question is not None:
            return question
    decision = view.decision
    ids = view.option_ids()
    options = tuple(_build_option(view, choice, id, names) for choice, id in zip(decision.options, ids, strict=True))
    end = find_end_option(view.setting, view.ask, decision)
    is_end = end is None or ends_turn(view.ask, decision.options[end])
    all_at_once = None
    if isinstance(view.ask, core.Ask):
        program = view.setting.program
        avoided_names = {name for name, weight in program.advice.weights if not weight}
        final_flags = set() if end is None else list_flags_set(program, view.ask, decision.options[end])
        marked_options = []
        for option, choice in zip(_mark_copies(view, decision.options, options), decision.options, strict=True):
            is_last = not final_flags.isdisjoint(list_flags_set(program, view.ask, choice))
            is_avoided = view.ask.alternatives[choice.alternative].name in avoided_names
            marked_options.append(replace(option, is_last=is_last, is_avoided=is_avoided))
        options, all_at_once = tuple(marked_options), find_option_of_all(view.ask, decision)
    return Question(_build_prompt(view, names), options, end, ends_turn=is_end, all_at_once=all_at_once)


def build_previewed_question(match: Match, view: View, names: Sequence[str]) -> Question | None:
    """Return :func:`build_question` with more about its options, or None if the seat need not decide.

    Each option gets ``preview``, ``is_useful``, ``has_gain``, ``moved_card`` and ``is_mention``. Its ``text`` is one
    Line: the name of its subject, when the text counts, and its printed text, such as
    ``Axe, when you play it: Draw a card.``. It is () without a printed text, or if the option only mentions the
    subject. An option whose preview differs from that of the option in its ``like`` gets -1 in ``like``. Equal labels
    of options with -1 then get `` (1 of 2)`` etc., and any other option gets the label of the one in its ``like``.
    Decisions with more than ``MOST_OPTIONS`` options have empty previews. With ``takes_several``, the options stay as
    they are. The question itself always gets ``is_continuation`` and ``is_asked_again``.
    """
    question = build_question(view, names)
    if question is None or view.decision is None:
        return None
    is_again = _is_asked_again(match, view)
    question = replace(question, is_continuation=is_continuation(match, view), is_asked_again=is_again)
    if question.takes_several:
        return question
    options: list[Option] = []
    for option, choice in zip(question.options, view.decision.options, strict=True):
        forecast = predict_consequences(match.game, view, choice)
        option = add_moved_card(forecast, view, choice, option, question.prompt)
        is_mention = is_only_mentioned(view.ask, choice, option.subject)
        printed_text = "" if is_mention else get_printed_text(match.game.program, option.subject)
        # The name tells what the card says from what the option does: to discard a card is not to play it.
        runs = (*option.path, *option.label, *question.prompt)
        name = next((run.text for run in runs if run.of == option.subject), "")
        use = action_of_text(match.game.program, view.ask, choice, option.subject)
        text = make_line(introduce_text(name, use, printed_text), names) if printed_text else ()
        is_said = bool(text) or is_mention
        preview, is_useful, has_gain = preview_option(forecast, view, choice, option.words, names, is_said)
        first = options[option.like].preview if option.like >= 0 else ()
        is_like = option.like >= 0 and [to_text(line) for line in first] == [to_text(line) for line in preview]
        like = option.like if is_like else -1
        option = replace(option, preview=preview, text=text, is_mention=is_mention)
        options.append(replace(option, is_useful=is_useful, has_gain=has_gain, like=like))
    return replace(question, options=number_equal_labels(options))


def number_equal_labels(options: Sequence[Option]) -> tuple[Option, ...]:
    """Return the options, in order, with ``Run(" (1 of 2)")`` and so on appended to labels with equal words.

    An option whose ``like`` is not negative does not count: it gets the label of the option with this index, which must
    be an earlier one.
    """
    labels = Counter(option.words for option in options if option.like < 0)
    counts: Counter[str] = Counter()
    numbered_options: list[Option] = []
    for option in options:
        label = option.label
        if option.like >= 0:
            label = numbered_options[option.like].label
        elif labels[option.words] > 1:
            counts[option.words] += 1
            label = (*label, Run(f" ({counts[option.words]} of {labels[option.words]})"))
        numbered_options.append(replace(option, label=label))
    return tuple(numbered_options)


def _build_prompt(view: View, names: Sequence[str]) -> Line:
    return address_owner(write_text(view.setting, view.prompt(), names), view.seat)


def _build_option(view: View, choice: Choice, id: str, names: Sequence[str], number: int | None = None) -> Option:
    label = address_owner(close_brackets(_write_label(view, choice, names)), view.seat)
    return Option(choice.index if number is None else number, id, label, _build_path(view, choice, names))


def _write_label(view: View, choice: Choice, names: Sequence[str]) -> Line:
    return write_text(view.setting, format_option_label(view.question_reader, view.ask, choice, view.slots), names)


def _build_path(view: View, choice: Choice, names: Sequence[str]) -> Line:
    """Return the path of an option: one run for its alternative and for each of its values."""
    ask = view.ask
    if isinstance(ask, core.AskMany):
        return _join_runs(write_value(view.question_reader, choice.values[0], unwrap_list_type(ask.source.type), names))
    alternative = ask.alternatives[choice.alternative]
    name = alternative.name or ""
    steps: list[Run] = [Run(name.replace("_", " "), of=f"{DO}{name}")]
    for variable, value in zip(alternative.vars, choice.values, strict=True):
        steps += _join_runs(write_value(view.question_reader, value, unwrap_list_type(variable.domain.type), names))
    return tuple(steps)


def _join_runs(line: Line) -> Line:
    """Merge the text of a value into one run."""
    return line if len(line) == 1 else (Run("".join(run.text for run in line)),)


# ---------------------------------------------------------------- picking several


def _build_multiple_choice(view: View, ask: core.AskMany, names: Sequence[str]) -> Question | None:
    """Return a choice of several items as one question about all candidates that can still be picked.

    The limits are those of the picks that are left. Options that become available only after other picks have number
    -1. Returns None if the seat may not know the candidates.
    """
    decision = view.decision
    assert decision is not None
    try:
        candidates, low, high = find_candidates(view.question_reader, ask, list(view.slots))
    except (HiddenValue, RulesetFault):
        return None
    offers = [choice for choice in decision.options if choice.alternative == 0]
    picks = view.picks
    least, most = max(low - len(picks), 0), high - len(picks)
    values = [HIDDEN if isinstance(value, Unknown) else value for value in candidates]
    choices = [Choice(-1, 0, (values[number],)) for number in list_open_picks(values, picks, 0, ask.is_ordered)]
    ids = number_repeats([format_option_id(view.setting, ask, choice) for choice in choices])
    offset = len(decision.options) - len(offers)
    options = tuple(
        _build_option(view, choice, id, names, index + offset if index < len(offers) else -1)
        for index, (choice, id) in enumerate(zip(choices, ids, strict=True))
    )
    picked_labels = tuple(_write_label(view, Choice(-1, 0, (values[number],)), names) for number in picks)
    return Question(_build_prompt(view, names), options, None, True, ask.is_ordered, least, most, picked_labels)


def take(match: Match, question: Question, answer: Answer) -> None:
    """Apply a player's answer to the match, one decision for each pick.

    Skips a pick if a single option is open and the picks can't end, because the rules take it themselves. Adds the
    decision that ends the picks if they could go on. In the answer to a choice of several, ``DONE`` is ignored unless
    it is the id of an option. Raises ValueError, with nothing applied, for other ids that are unknown or repeated, and
    for too few or too many. Also raises it for ids in another order than ``question.options``, unless
    ``question.is_ordered``. Raises whatever :meth:`lusory.play.match.Match.take` raises; earlier picks then stay
    applied.
    """
    ids = [option.id for option in question.options]
    if not question.takes_several:
        if len(answer) != 1:
            raise ValueError("exactly one option has to be chosen")
        match.take(question.options[ids.index(answer[0])].number)
        return
    assert match.decision is not None, "the question is asked"
    site, seat = match.decision.site, match.decision.seat
    picks = [ids.index(id) for id in answer if id != DONE or id in ids]
    if len(set(picks)) < len(picks) or not question.least <= len(picks) <= question.most:
        raise ValueError(f"{question.least} to {question.most} different options are to be picked")
    if not question.is_ordered and picks != sorted(picks):
        raise ValueError("picks whose order does not count come in the order of the options")
    for n in range(len(picks) + 1):
        is_open = n < question.most
        options = list_open_picks(ids, picks[:n], question.least, question.is_ordered) if is_open else []
        has_end = n >= question.least
        if len(options) + has_end < 2 or not options:
            # The rules take a single remaining option themselves.
            continue
        decision = match.decision
        assert decision is not None and (decision.site, decision.seat) == (site, seat), "the same choice goes on"
        if n == len(picks):
            match.take(0)
        else:
            match.take(options.index(picks[n]) + has_end)


def explain_no_undo(match: Match, seat: int | None) -> str:
    """Explain in one short sentence why a seat can't undo its last choice.

    A spectator gets ``There is nothing to take back yet.`` So does a seat if neither it nor a seat that shares its
    keyboard has decided yet. Others get a text such as ``Your last decision stands: the game is over.``, with
    ``WHY_NO_UNDO[match.find_undo_obstacle(seat)]`` after the colon. The seat must not be able to undo.
    """
    obstacle = None if seat is None else match.find_undo_obstacle(seat)
    if obstacle is None:
        return "There is nothing to take back yet."
    return f"Your last decision stands: {WHY_NO_UNDO[obstacle]}."


def list_latest_answer(match: Match, seat: int) -> list[Turn]:
    """Return the seat's latest decision, or all picks if it belongs to a choice of several, earliest first.

    The decision that ended the picks is included. Decisions of other seats are not. A pick that was the only option is
    made without a decision, and so is missing. Raises ValueError if the seat has not decided yet.
    """
    number = max(number for number, turn in enumerate(match.turns) if turn.seat == seat)
    turns = [match.turns[number]]
    while match.game.view(turns[0].before, seat).picks:
        number -= 1
        turns.insert(0, match.turns[number])
    return turns


def list_undone_answer(match: Match) -> list[Turn]:
    """Return the decisions that a redo repeats, in the order of play: one, or all undone ones of a choice of several.

    In a choice of several, the “done” that ended the picks is included. Empty if nothing was undone. Decisions of other
    seats that the redo repeats as well are left out.
    """
    turns: list[Turn] = []
    for first, *_ in reversed(match.undone_turns):
        if turns and not match.game.view(first.before, first.seat).picks:
            break
        turns.append(first)
    return turns


def ends_picking(match: Match, turn: Turn) -> bool:
    """Return whether a decision ended a choice of several, so that it was no pick."""
    decision = match.game.decision(turn.before)
    return decision is not None and match.game.takes_several(decision) and decision.options[turn.index].alternative != 0


# ---------------------------------------------------------------- stepping back within an option


MOST_PARTS = 5
"""Maximum number of questions of one option after which another one is known as a part of it."""


def is_continuation(match: Match, view: View) -> bool:
    """Return whether the question ``view.decision`` belongs to an option that ``view.seat`` took before.

    A question belongs to an option if it stands in the statements of the option. Effects that these call, directly or
    not, and rules on those effects count, too. All questions answered since, by any seat, must belong to that option,
    too. The option must be among the last :data:`MOST_PARTS` decisions, and no pick in a choice of several. Returns
    False if ``view.decision`` is None.
    """
    if view.decision is None:
        return False
    sites = {view.decision.site}
    for turn in match.turns[: -MOST_PARTS - 1 : -1]:
        if turn.seat == view.seat and _leads_to_questions(match, turn, sites):
            return True
        decision = match.game.decision(turn.before)
        sites |= set() if decision is None else {decision.site}
    return False


def _is_asked_again(match: Match, view: View) -> bool:
    """Return whether the seat of a view answered its pending question just before, in a loop within one option.

    Returns False if the loop stands outside of options: the question then belongs to another step of the game.
    """
    if view.decision is None:
        return False
    seat_and_site = (view.decision.seat, view.decision.site)
    for number, turn in enumerate(reversed(match.turns)):
        decision = match.game.decision(turn.before)
        if decision is None or (decision.seat, decision.site) != seat_and_site:
            is_own = turn.seat == view.seat
            return number > 0 and is_own and _leads_to_questions(match, turn, {view.decision.site})
    return False


def _leads_to_questions(match: Match, turn: Turn, sites: Collection[int]) -> bool:
    """Return whether the option taken in ``turn`` can ask all questions at ``sites``.

    Questions in the effects that the option calls count, too. A pick in a choice of several items gives False.
    """
    decision = match.game.decision(turn.before)
    ask = None if decision is None else match.game.setting.sites[decision.site]
    if decision is None or not isinstance(ask, core.Ask):
        return False
    return _list_sites_below(match.game.program, ask, decision.options[turn.index].alternative).issuperset(sites)


@lru_cache(maxsize=256)
def _list_sites_below(program: core.Program, ask: core.Ask, alternative: int) -> frozenset[int]:
    """Return the sites of all questions that an option may ask, in its statements and in the effects that it calls."""
    asks = iterate_reachable_asks(program, (ask.alternatives[alternative].body,))
    return frozenset(part.site for part, _ in asks)
