"""Answer ``look NAME`` and ``why OPTION``, the questions of a player about the current table.

Reasons also stand below a question: what each card lacks that the player might want to use but can't now.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from lusory_dsl import core
from lusory_dsl.core.board_geometry import parse_space_name
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.source import Span, capitalize, humanise
from lusory_dsl.source.spelling_suggestions import find_nearest
from lusory_dsl.types.types import PLAYER, BoolType, ComponentType, EnumType, IntType, Type

from ...explain.declaration_names_and_lookup import PREPOSITIONS
from ...explain.glossary_merging_and_title_lookup import remove_clauses
from ...explain.sentences_to_the_viewer_and_of_choices import address_viewer
from ...explain.styled_text_wrapping_and_values import (
    DO,
    Line,
    Run,
    capitalize_line,
    join_as_list,
    join_lines,
    make_line,
    name_player,
    restyle,
    to_text,
)
from ...game import Game
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...state.events_redaction_and_text import format_counter_label, format_place_label, is_bookkeeping
from ...state.setting_value_limits_builtins_and_names import HIDDEN, Indices, Value, get_constant_text, unwrap_list_type
from ...state.state import State
from ...view.query_breakdowns_and_component_summaries import (
    Adjustment,
    Breakdown,
    ComponentSummary,
    list_visible_components,
    summarize_component,
)
from ...view.redacted_state import HiddenValue
from ...view.seat_view import View
from ...view.table_and_option_text import identify
from .option_preview_sentences import find_component
from .option_tree_and_choice_in_progress import fold_text, map_topics, match_names, match_options
from .panel_builder_and_value_looks import build_panels
from .screen import SENTENCE, Hand, Option, Panel, Players, Question

NO_FIT = "No option fits these words now."
RULES = "--rules"
"""Suffix of a question that asks for source locations in the rules, too."""


def split_rules_suffix(query: str) -> tuple[str, bool]:
    """Split a question into its topic, with single blanks, and whether it has the word ``--rules``, anywhere in it."""
    words = query.split()
    return " ".join(word for word in words if word != RULES), RULES in words


FEW = 4
"""Maximum number of options, or of reasons, about a thing that are listed."""


def parse_save_file(argument: str) -> str:
    """Return the file name given with ``save``, without surrounding blanks, or "" if there is none.

    Raises ValueError if it begins with ``--``, so that no game is saved to a file named like an option.
    """
    if argument.startswith("--"):
        raise ValueError(f"There is no option {argument.split()[0]}; save FILE says where the game is saved.")
    return argument.strip()


def explain_why_not(
    query: str,
    game: Game,
    state: State,
    question: Question,
    names: Sequence[str],
    format_span: SpanFormatter | None = None,
) -> tuple[Line, ...]:
    """Explain why the seat that decides can't choose something now.

    ``query`` is an id, or words of an option, a thing or an action. It calls a player ``P1``, or by ``names``, one for
    each seat. The first matching option gives ``“Drop Hat” is open to you.``, unless ``query`` is just the name of an
    action that is closed. At most ``FEW`` (4) lines on other actions with a thing follow: ``Buy: needs 4 coins.``
    Without an open option, a thing gives such lines only. ``buy hat``, with an action, gives each reason as a line,
    ``Needs 4 coins.``, and its facts, indented by two blanks. The printed text of a card comes last if ``query`` is its
    id or label: ``Axe: It cuts.`` A space with a name gives ``No option leads to Mill now.``, and behind it, if there
    are any, `` The options lead to Inn and Farm.`` or else `` Such options belong to “Travel”.``, a phase. Unknown
    words give ``There is no option “saw” now.``, or ``There is no option “ann” now; did you mean “a1”?`` Empty words
    give ``Say which option: why OPTION.`` With ``format_span``, words without an open option give only reasons, facts
    and the location of each rule, such as ``  rules.yaml:9``.
    """
    query = query.strip()
    if not query:
        return (make_line("Say which option: why OPTION."),)
    open_numbers = [] if _is_closed_action(query, game, state) else _match_whole_numbers(question.options, query)
    if any(fold_text(card.label) == (name := fold_text(query)) for card in game.program.entities):
        # “Take Storm 7 for Flood 5” isn't about the card Flood 7
        open_numbers = [i for i in open_numbers if f" {name} " in f" {fold_text(question.options[i].words)} "]
    for seat, name in enumerate(names, 1):
        query = re.sub(rf"\b{re.escape(name)}\b", f"P{seat}", query, flags=re.IGNORECASE)
    # An id names players by their seats.
    if open_numbers := open_numbers or [i for i, option in enumerate(question.options) if option.id == query]:
        reasons = () if _find_space(query, game.program)[1] else _explain_other_actions(query, game, state, names)
        other_lines = (line for line in reasons if not to_text(line).startswith(NO_FIT))
        return (_describe_open_option(question.options[open_numbers[0]]), *other_lines)
    if format_span is None:
        return (*_explain_plainly(query, game, state, question, names), *_quote_card_text(query, game.program, names))
    return _list_reasons(query, game, state, names, format_span)


def _match_whole_numbers(options: Sequence[Option], query: str) -> list[int]:
    """Return the options that words match, see :func:`match_options`. A last number must be whole: ``a1`` isn't a10.

    “Move a1 to a10” matches ``a1``, because it occurs there as a whole, too.
    """
    numbers = match_options(options, query)
    if not query[-1:].isdigit():
        return numbers
    pattern = re.compile(rf"{re.escape(query)}(\d*)", re.IGNORECASE)
    return [number for number in numbers if "" in (pattern.findall(options[number].words) or [""])]


def _quote_card_text(query: str, program: core.Program, names: Sequence[str]) -> tuple[Line, ...]:
    """Return the printed text of the card with this id or label as a line ``Axe: TEXT``, or () without one."""
    id = query.casefold()
    card = next((entity for entity in program.entities if id in (entity.card, entity.label.casefold())), None)
    text = () if card is None else program.printed_texts.cards.get(card.card, ())
    return (make_line(f"{card.label}: {SENTENCE.join(text)}", names),) if card is not None and text else ()


def _explain_plainly(
    query: str, game: Game, state: State, question: Question, names: Sequence[str]
) -> tuple[Line, ...]:
    """Explain for a player why something that no option names can't be chosen now.

    The whole name of a space beats words that it shares with cards.
    """
    space, is_whole = _find_space(query, game.program)
    if space is not None and is_whole:
        return (_explain_space(space, game, question),)
    reasons = tuple(_explain_other_actions(query, game, state, names))
    if space is not None and all(to_text(line).startswith(NO_FIT) for line in reasons):
        return (_explain_space(space, game, question),)
    if reasons:
        return reasons
    option = _find_option_named(query, question)
    if option is not None:
        return (_describe_open_option(option),)
    return _list_reasons(query, game, state, names)


def _list_reasons(
    query: str, game: Game, state: State, names: Sequence[str], format_span: SpanFormatter | None = None
) -> tuple[Line, ...]:
    """Return each reason against an option, its facts, and with ``format_span`` its location in the rules."""
    decision = game.decision(state)
    seat = None if decision is None else decision.seat
    lines: list[Line] = []
    for reason in game.explain_impossible(state, query):
        # Quoted words stay as they were typed, with the player's own name.
        sentence = _make_sentence(reason.message, names, None if f"“{query}”" in reason.message else seat)
        # The name of a space keeps its small letter.
        is_about_space = parse_space_name(to_text(sentence).partition(" ")[0]) is not None
        lines.append(sentence if is_about_space else capitalize_line(sentence))
        lines += [(Run("  "), *capitalize_line(_make_sentence(fact, names, seat))) for fact in reason.facts]
        if format_span is not None and reason.span is not None:
            lines.append((Run(f"  {format_span(reason.span)}", dim=True),))
    return tuple(dict.fromkeys(lines))


def _find_space(query: str, program: core.Program) -> tuple[core.EnumValue | None, bool]:
    """Return the space with a name of its own, unlike ``a1``, that words end with, and whether they say nothing else.

    Words of the name of one space, and of no card, are its name, too. Returns None without such a space.
    """
    values = (value for board in program.boards for value in program.enums[board].values)
    spaces = [value for value in values if not parse_space_name(value.name)]
    words = fold_text(query)
    for space in spaces:
        if f" {words}".endswith(f" {fold_text(space.label)}"):
            return space, words == fold_text(space.label)
    named_spaces = [space for space in spaces if words and {*words.split()} <= {*fold_text(space.label).split()}]
    card_numbers = match_names(query, [(card.label,) for card in program.entities])
    return (named_spaces[0], True) if len(named_spaces) == 1 and not card_numbers else (None, False)


def _explain_space(space: core.EnumValue, game: Game, question: Question) -> Line:
    """Return that no option leads to a space, and to which spaces options lead, or else in which phases others do."""
    board = next(name for name in game.program.boards if space in game.program.enums[name].values)
    sentence = f"No option leads to {space.label} now."
    steps = (step.text for option in question.options for step in option.path if step.of.startswith(f"{board}:"))
    if destinations := [(Run(name),) for name in dict.fromkeys(steps)]:
        return (Run(f"{sentence} The options lead to "), *join_as_list(destinations), Run("."))
    phases = (
        game.setting.phases[phase][-1].label
        for site, ask in game.setting.sites.items()
        for alternative in (ask.alternatives if isinstance(ask, core.Ask) else ())
        if any(unwrap_list_type(variable.domain.type) == EnumType(board) for variable in alternative.vars)
        for phase in game.setting.ask_contexts.get(site, (None, ()))[1]
    )
    titles = dict.fromkeys(f"“{title}”" for label in phases if (title := get_constant_text(label)))
    return make_line(f"{sentence} Such options belong to {' or '.join(titles)}." if titles else sentence)


def _make_sentence(text: str, names: Sequence[str], seat: int | None) -> Line:
    """Return a text about players in which the player who asks is "you". It ends in ``?``, ``!`` or a full stop."""
    return address_viewer(make_line(text if text.endswith(("?", "!", ".")) else f"{text}.", names), seat)


def _describe_open_option(option: Option) -> Line:
    return (Run("“"), *option.label, Run("” is open to you."))


def _find_option_named(query: str, question: Question) -> Option | None:
    """Return the first option of the action that the words name, or None."""
    for option in question.options:
        action = option.path[0].of.removeprefix(DO) if option.path else ""
        if action and humanise(action).casefold() == query.casefold():
            return option
    return None


def _is_closed_action(query: str, game: Game, state: State) -> bool:
    """Return whether the words are the name of an action that is not available now."""
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    if decision is None or not isinstance(ask, core.Ask):
        return False
    names = [humanise(str(alternative.name)).casefold() for alternative in ask.alternatives]
    open_numbers = {option.alternative for option in decision.options}
    return any(name == query.casefold() and number not in open_numbers for number, name in enumerate(names))


def _explain_other_actions(query: str, game: Game, state: State, names: Sequence[str]) -> Iterator[Line]:
    """Yield the reasons why other actions with values are closed for the thing that ``query`` names.

    Nothing if ``query`` begins with the name of an action. If it begins with the first word of labels instead, such as
    ``move``, only these actions count. Without a reason, their printed texts then say what they need. In any other case
    reasons that hold for the whole action are left out.
    """
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    actions = [action for action in ask.alternatives if action.name is not None] if isinstance(ask, core.Ask) else []
    if any(f"{query} ".casefold().startswith(f"{humanise(str(action.name))} ".casefold()) for action in actions):
        # The question names one of the actions.
        return
    seat = None if decision is None else decision.seat
    verb, _, object_name = query.casefold().partition(" ")
    titles = ((_write_action_title(action).casefold(), action) for action in actions if action.vars)
    verb_actions = [action for title, action in titles if title.split(" ")[0] == verb]
    actions, query = (verb_actions, object_name) if verb_actions else (actions, query)
    lacks: list[tuple[str, Line]] = []
    absences: list[Line] = []
    missing_facts: list[Line] = []
    for action in actions:
        if not action.vars:
            continue
        action_name = str(action.name)
        # Reasons that hold for the whole action have nothing to do with this thing.
        action_reasons = game.explain_impossible(state, action_name)
        if verb_actions and (conditions := [reason for reason in action_reasons if reason.cause == "condition"]):
            yield from (capitalize_line(_make_sentence(reason.message, names, seat)) for reason in conditions)
            return
        for reason in game.explain_impossible(state, f"{action_name} {query}"):
            sentence = _make_sentence(reason.message, names, seat)
            if reason.cause in ("condition", "nature") and reason not in action_reasons:
                # No player knows an action whose label begins with a value by a name.
                is_named = action.label is None or isinstance((*action.label.parts, "")[0], str)
                is_whole = not is_named and to_text(sentence).casefold().startswith(query.casefold())
                title: Line = () if is_whole else (Run(f"{_write_action_title(action)}: "),)
                lacks.append((reason.cause, (*title, *sentence)))
            elif reason.cause == "absence":
                absences.append(capitalize_line(sentence))
            elif verb_actions:
                missing_facts += [capitalize_line(_make_sentence(fact, names, seat)) for fact in reason.facts]
    # That a thing is not where an action needs it matters less than what an action lacks, or when one can take it.
    if verb_actions and not lacks:
        texts = game.program.printed_texts.actions
        needs = dict.fromkeys(" ".join(texts.get(str(action.name), ())) for action in verb_actions)
        absences = missing_facts or [make_line(f"{NO_FIT} {text}".strip()) for text in needs]
    elif absences and not lacks:
        reasons = game.explain_impossible(state, query)
        if reasons[:1] and reasons[0].cause == "phase":
            absences = [capitalize_line(_make_sentence(reason.message, names, seat)) for reason in reasons]
    # Conditions that a thing can never meet don't matter if it only lacks something that it can get.
    condition_lines = [line for cause, line in lacks if cause == "condition"]
    yield from list(dict.fromkeys(condition_lines or [line for _, line in lacks] or absences))[:FEW]


def _write_action_title(alternative: core.Alternative) -> str:
    """Return the words for an action, capitalized: those at the beginning of its label, or its name.

    Prepositions and articles at the end of the words are left out. For an action of a card, it is always the name.
    """
    first_part = alternative.label.parts[0] if alternative.label is not None and alternative.label.parts else ""
    words = first_part.strip(" :,(“").replace(": ", " – ") if isinstance(first_part, str) else ""
    while words.rpartition(" ")[2] in (*PREPOSITIONS, "a", "the"):
        words = words.rpartition(" ")[0]
    return capitalize(words if words and alternative.original is None else humanise(str(alternative.name)))


NOW = "Now: "
"""Beginning of a line about an available option."""


def describe_options(query: str, question: Question | None) -> tuple[Line, ...]:
    """Return the available options about a name or reference, with their effects, after an empty line ``()``.

    Each is a line ``Now: LABEL. PREVIEW``, with the lines of ``option.preview`` joined by blanks. An option without a
    preview gives ``Now: LABEL. ``. Returns () without a question, if ``question.takes_several``, if none or more than
    ``FEW`` options match, or if none of them has a preview. The options with the reference ``query`` on their path
    match, each equivalent one too. If there are none, those match that :func:`match_options` gives for ``query``. If
    the label contains ``query``, a number at the end of ``query`` must be whole there: ``a1`` doesn't match “Move a10”.
    But ``red 1`` matches “Red card 10”, which doesn't contain it.
    """
    if question is None or question.takes_several:
        return ()
    numbers = map_topics(question.options).get(query) or _match_whole_numbers(question.options, query)
    options = [question.options[number] for number in numbers]
    if len(options) > FEW or not any(option.preview for option in options):
        return ()
    lines = ((Run(NOW, bold=True), *option.label, Run(". "), *join_lines(option.preview, " ")) for option in options)
    return ((), *lines)


NOT_NOW = "Not now. "
"""Beginning of a line that says why nothing can be done with a thing."""


def describe_reasons(
    reference: str, game: Game, state: State, question: Question | None, names: Sequence[str]
) -> tuple[Line, ...]:
    """Return the reasons why no option is about a thing with a reference like ``Card:axe``, after an empty line.

    Each reason is a line ``Not now. REASON``, and the first ``FEW`` are kept. They are those that `why` gives for the
    label of the thing, such as ``Buy: needs 2 coins.`` or ``No option leads to Mill now.`` ``names`` are those of the
    players by seat. Reasons that only say that there is no such option, or that it is open to the player, are left out.
    Returns () if no reason remains, without a question, and for a thing that an option is about or names in its label.
    """
    kind, _, name = reference.partition(":")
    if question is None or not name or map_topics(question.options).get(reference):
        return ()
    if any(run.of == reference for option in question.options for run in option.label):
        return ()
    component = find_component(game.program, reference)
    values = game.program.enums[kind].values if kind in game.program.enums else ()
    labels = {value.name: value.label for value in values}
    label = labels.get(name, name) if component is None else component.label
    reasons = _explain_plainly(label, game, state, question, names)
    lines = [line for line in reasons if not any(phrase in to_text(line) for phrase in _NO_REASONS)]
    return ((), *((Run(NOT_NOW, bold=True), *line) for line in lines[:FEW])) if lines else ()


_NO_REASONS = ("There is no option", "is open to you")
"""Parts of answers of `why` that give no reason."""

# Maximum number of listed places of one card, or of cards that a name could mean.
MOST = 8
PlacedCard = tuple[core.Entity, str, Indices]
SpanFormatter = Callable[[Span], str]
"""Return the text of a location in the rules."""
Rules = Callable[[str], str | None]
"""Return the text of the rules about a name, or None if the rules don't know it."""


def describe_thing(
    query: str, view: View, names: Sequence[str], rules: Rules, format_span: SpanFormatter | None = None
) -> tuple[Line, ...]:
    """Describe a thing on the table, given by name or by a reference such as ``Space:a1``.

    ``names`` holds the names of the players. Case matters only in ``Space:`` or ``Card:``, the name of an enum or
    component kind. The first that fits is described:

    - a player, by name or as ``P1``, with all attributes, unless a space such as ``p1`` has that name
    - a value of an enum by its reference, with the content of its places and the text of the rules; an unknown value
      such as ``Space:z9`` gives ()
    - the rules about a word that is only a part of the names of cards
    - a visible card: its printed text, if any, then an empty line, ``Axe ×2: your hand`` and the state for equal copies
    - values of enums with that name and the text of the rules about the word, or one of them
    - a card out of sight: its printed text, if any, then ``No Axe lies where you can see it.``

    Cards with different ids and labels give ``That could be:``, at most ``MOST`` (8) lines ``  CARD: PLACE``, and
    ``  and 2 more`` if more fit. An unknown name gives ``You see no “NAME”.``, and `` Did you mean “Axe”?`` behind it
    if a visible card has a similar name. An empty one gives ``Say what: look NAME.`` If ``format_span`` is given, the
    changes of a card's value by one source are followed by the location of the first rule, unless they last only for a
    time.
    """
    query = query.strip()
    if not query:
        return (make_line("Say what: look NAME."),)
    kind, name = query.split(":", 1) if ":" in query else ("", query)
    # A wide board has a space p1, unlike the player P1.
    is_space = parse_space_name(query) is not None and bool(_find_values(view, query))
    if (seat := _find_seat(query, names)) is not None and not is_space:
        return tuple(_describe_player(view, seat, names))
    if kind in view.setting.program.enums:
        return _describe_value(view, _find_values(view, name, kind)[:1], names, rules)
    is_kind_named = kind in view.setting.program.component_kinds
    query = name if is_kind_named else query
    cards = list(list_visible_components(view))
    matches = [cards[n] for n in match_names(query, [(card.name, card.card, card.label) for card, _, _ in cards])]
    # A card id means all copies of the card.
    if query in {card.card for card, _, _ in matches}:
        matches = [match for match in cards if match[0].card == query]
    whole_names = {word.casefold() for card, _, _ in matches for word in (card.name, card.card, card.label)}
    if not is_kind_named and query.casefold() not in whole_names and rules(query) is not None:
        # The rules define this word, and cards only mention it.
        return _describe_from_rules(query, view, cards, names, rules)
    card_ids = dict.fromkeys(card.card for card, _, _ in matches)
    if len(card_ids) > 1 and len({card.label for card, _, _ in matches}) > 1:
        places = ((card.label, _format_place(view, zone, indices)) for card, zone, indices in matches)
        lines = list(dict.fromkeys(f"{label}: {place}" for label, place in places))
        remark = [(Run(f"  and {len(lines) - MOST} more", dim=True),)] if len(lines) > MOST else []
        return (make_line("That could be:"), *((Run("  "), *make_line(line, names)) for line in lines[:MOST]), *remark)
    if matches:
        return tuple(_describe_card(view, matches, names, rules, format_span))
    return _describe_from_rules(query, view, cards, names, rules)


def _find_seat(query: str, names: Sequence[str]) -> int | None:
    """Return the seat of a player given by name, reference or ``P1``, or None. Case does not matter."""
    aliases = ((f"{PLAYER}:P{seat}".casefold(), f"p{seat}", name.casefold()) for seat, name in enumerate(names, 1))
    return next((seat for seat, forms in enumerate(aliases) if query.casefold() in forms), None)


def _describe_player(view: View, seat: int, names: Sequence[str]) -> Iterator[Line]:
    """Yield all attributes of a player, including those that the screen has no room for."""
    viewer_mark = (Run(" (you)", dim=True),) if seat == view.seat else ()
    yield (name_player(seat, names), *viewer_mark)
    for panel in build_panels(view, names):
        if not isinstance(panel, Players):
            continue
        row = next(number for number, head in enumerate(panel.heads) if head.seat == seat)
        for column in panel.columns:
            cell = column.cells[row]
            if cell is not None and any(map(to_text, cell.lines)):
                yield (Run(f"  {column.title} ", dim=True), *join_lines(cell.lines, " "))


def _describe_from_rules(
    query: str, view: View, cards: Sequence[PlacedCard], names: Sequence[str], rules: Rules
) -> tuple[Line, ...]:
    """Return the text of the rules about something that is not a visible component.

    Values of enums with that name come with the content of their places. A card that lies nowhere in sight has the last
    line ``No Axe lies where you can see it.`` An unknown name gives ``You see no “axx”. Did you mean “Axe”?``
    """
    values, text = _find_values(view, query), rules(query)
    if values and (text is None or any(_list_contents(view, *value) for value in values)):
        contents = _describe_value(view, values, names, rules)
        rules_lines = () if text is None else _make_lines(text, names)
        return contents if {*rules_lines} <= {*contents} else (*contents, (), *rules_lines)
    if text is not None:
        return _make_lines(text, names)
    entities = view.setting.program.entities
    numbers = match_names(query, [(card.name, card.card, card.label) for card in entities])
    if len({entities[n].card for n in numbers}) == 1:
        entity = entities[numbers[0]]
        name = entity.name if any(card.card == entity.card for card, _, _ in cards) else entity.label
        nowhere = f"No {name} lies where you can see it."
        return (*_make_lines(rules(entity.card) or "", names), (Run(nowhere, dim=True),))
    similar_name = find_nearest(query, [word for card, _, _ in cards for word in (card.label, card.name)])
    suggestion = f" Did you mean “{similar_name}”?" if similar_name else ""
    return (make_line(f"You see no “{query}”.{suggestion}", names),)


def _find_values(view: View, name: str, within: str | None = None) -> list[tuple[str, int]]:
    """Return the enum and the index of each value with a given name or label, exact spelling first.

    Case does not matter. Without ``within``, search only the enums that index a place.
    """
    matches = [
        (enum.name, number, name in (value.name, value.label))
        for enum in view.setting.program.enums.values()
        if within == enum.name or (within is None and any(True for _ in _list_indexed_places(view, enum.name)))
        for number, value in enumerate(enum.values)
        if name.casefold() in (value.name.casefold(), value.label.casefold())
    ]
    return [(enum, number) for enum, number, _ in sorted(matches, key=lambda match: not match[2])]


def _list_indexed_places(view: View, enum: str) -> Iterator[tuple[str, int]]:
    """Yield the places that an enum indexes, each with the position of that index."""
    program = view.setting.program
    pictures = {name for picture in program.pictures.values() for name in picture.variables}
    names = [name for name in program.variables if name in pictures or not is_bookkeeping(view.setting, name)]
    variables = {name: program.variables[name].dims for name in names if program.variables[name].origin.is_authored}
    zones = {name: zone.dims for name, zone in program.zones.items()}
    pools = {name: pool.dims for name, pool in program.pools.items()}
    for name, dims in {**variables, **zones, **pools}.items():
        for position, dim in enumerate(dims):
            if dim.type == EnumType(enum):
                yield name, position
                break


def _describe_value(
    view: View, values: Sequence[tuple[str, int]], names: Sequence[str], rules: Rules
) -> tuple[Line, ...]:
    """Describe values: the content of their places, as far as the seat sees it, and the text of the rules."""
    lines: list[Line] = []
    for enum, number in values:
        value = view.setting.program.enums[enum].values[number]
        lines.append((Run(value.label, bold=True, of=f"{enum}:{value.name}"),))
        contents = _list_contents(view, enum, number)
        lines += [(Run("  "), *capitalize_line(make_line(content, names))) for content in contents]
        text = rules(value.name)
        lines += [*([()] if contents and text else []), *_make_lines(text or "", names)]
    return tuple(lines)


def _list_contents(view: View, enum: str, number: int) -> list[str]:
    """Return the content of all places of a value: ``Board (a1): Knight``."""
    return [
        f"{_format_place(view, name, indices)}: {content}"
        for name, position in _list_indexed_places(view, enum)
        for indices in view.setting.list_indices(name)
        if indices[position] == number and (content := _format_content(view, name, indices))
    ]


def _format_place(view: View, name: str, indices: Indices) -> str:
    """Return the label of a place. Places of the viewer start with "your"."""
    label = format_place_label(view.setting, name, indices)
    own_prefix = "" if view.seat is None else f"P{view.seat + 1}'s "
    return f"your {label.removeprefix(own_prefix)}" if own_prefix and label.startswith(own_prefix) else label


def _format_content(view: View, name: str, indices: Indices) -> str:
    """Return the content of a place in words, as far as the seat sees it. Returns "" for empty places and false values.

    Cards are counted by name: ``Axe ×2, ?``. A hidden variable or pool gives ``HIDDEN``.
    """
    program, place = view.setting.program, view.setting.layout.place(name)
    # The number of cards in a zone is public.
    if name in program.zones:
        cards = view.redacted_state.zones[place.at(indices)]
        labels = Counter(program.entities[card].label if isinstance(card, int) else HIDDEN for card in cards)
        return ", ".join(_format_times(label, n) for label, n in labels.items())
    if not view.can_see(name, indices):
        return HIDDEN
    if name in program.pools:
        counters = ((kind, view.redacted_state.cells[place.at((*indices, kind))]) for kind in program.pools[name].kinds)
        return ", ".join(f"{n} {format_counter_label(view.setting, name, kind, int(n))}" for kind, n in counters if n)
    value = view.redacted_state.cells[place.at(indices)]
    return "" if value is None or value is False else view.label(value, program.variables[name].type)


def _describe_card(
    view: View, copies: Sequence[PlacedCard], names: Sequence[str], rules: Rules, format_span: SpanFormatter | None
) -> Iterator[Line]:
    """Yield the printed text of a card, and the state of its copies on the table.

    Copies in the same place with the same state share an entry.
    """
    yield from _make_lines(rules(copies[0][0].card) or "", names)
    groups: dict[tuple[str, tuple[Line, ...]], list[core.Entity]] = {}
    for card, zone, indices in copies:
        lines = tuple(_describe_component(view, summarize_component(view, card, zone, indices), names, format_span))
        groups.setdefault((_format_place(view, zone, indices), lines), []).append(card)
    for (place_label, lines), cards in list(groups.items())[:MOST]:
        label = _format_times(cards[0].label, len(cards))
        yield ()
        yield (Run(label, bold=True, of=f"{cards[0].kind}:{cards[0].name}"), Run(": "), *make_line(place_label, names))
        yield from lines
    if len(groups) > MOST:
        yield ()
        yield (Run(f"and in {len(groups) - MOST} more places", dim=True),)


def _format_times(label: str, n: int) -> str:
    return label if n == 1 else f"{label} ×{n}"


def _make_lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(make_line(line, names) for line in remove_clauses(text).strip().splitlines())


def _describe_component(
    view: View, summary: ComponentSummary, names: Sequence[str], format_span: SpanFormatter | None
) -> Iterator[Line]:
    """Yield the state of a component: unmodified values on one line, and modified ones below with their causes.

    Unmodified keywords are left out, because the card shows them, and so are values that follow from its fields alone.
    """
    program = view.setting.program
    plain_values = [
        _format_named_value(view, variable.label, value, variable.type, names)
        for variable, value in summary.variables
        if variable.label
    ]
    changed_lines = []
    for breakdown in summary.queries:
        query = breakdown.query
        if breakdown.changes:
            changed_lines.append(_format_modified_value(view, breakdown, names, format_span))
        elif query.name not in program.keywords and collect_reads(query.value, program.queries, program.zones):
            plain_values.append(_format_named_value(view, _name_query(query), breakdown.value, query.type, names))
    if plain_values:
        yield (Run("  "), *capitalize_line(join_lines(plain_values)))
    yield from changed_lines


def _format_named_value(view: View, name: str, value: Value, type: Type, names: Sequence[str]) -> Line:
    """Format a named value: ``attack 4``. A boolean is its name alone, or "not" and its name."""
    if isinstance(type, BoolType):
        return (Run(name if value else f"not {name}"),)
    return (Run(f"{name} "), *restyle(make_line(view.label(value, type), names), bold=True))


def _name_query(query: core.Query) -> str:
    return humanise(query.name.rpartition(".")[2])


def _format_modified_value(
    view: View, breakdown: Breakdown, names: Sequence[str], format_span: SpanFormatter | None
) -> Line:
    """Format a modified value with its parts: ``attack 4: 2 printed, +1 Standard bearer``."""
    value = view.label(breakdown.value, breakdown.query.type)
    name = capitalize(_name_query(breakdown.query))
    line: list[Run] = [Run(f"  {name} "), *restyle(make_line(value, names), bold=True)]
    line += [Run(": "), *make_line(_format_base(view, breakdown), names)]
    for source, group in groupby(breakdown.changes, key=lambda change: _get_source_name(view, change)):
        changes = list(group)
        line += [Run(", "), *make_line(f"{_summarize_changes(view, breakdown, changes)} {source}", names)]
        if format_span is not None and changes[0].rule.until is None:
            line.append(Run(f" {format_span(changes[0].rule.span)}", dim=True))
    return tuple(line)


def _format_base(view: View, breakdown: Breakdown) -> str:
    origin = "printed" if breakdown.is_printed else "of its own"
    if isinstance(breakdown.query.type, BoolType):
        return origin if breakdown.base else f"not {origin}"
    return f"{view.label(breakdown.base, breakdown.query.type)} {origin}"


def _summarize_changes(view: View, breakdown: Breakdown, changes: Sequence[Adjustment]) -> str:
    """Summarize the changes by one source: the sum of numbers, or the last of other values."""
    if isinstance(breakdown.query.type, IntType):
        return f"{changes[-1].after - changes[0].before:+d}".replace("-", "−")
    return f"{view.label(changes[-1].after, breakdown.query.type)} by"


def _get_source_name(view: View, change: Adjustment) -> str:
    """Return the name of the source of a change."""
    rule, program = change.rule, view.setting.program
    if rule.until is not None:
        return f"until {humanise(rule.until)} ends"
    id = rule.rule.partition(" (")[0]
    if change.card is None:
        return next((card.label for card in program.entities if card.card == id), humanise(id))
    card = program.entities[change.card]
    return card.label if card.card == id else f"{card.label} ({humanise(id)})"


# ---------------------------------------------------------------- closed options


MOST_CLOSED = 4
"""Maximum number of lines."""
MOST_TRIED = 12
"""Maximum number of pairs of an action and a card for which reasons are looked for."""
_LACK = re.compile(r"needs (\d+) ([^,]+), and (you have|there are|there is) (\d+)")
"""Reason that says how much of something a card needs, and how much there is."""
LONGEST = 70
"""Maximum length of a reason. Longer ones are left to `why`."""


def explain_closed_options(
    game: Game, state: State, view: View, panels: Sequence[Panel], options: Sequence[Option], names: Sequence[str]
) -> tuple[Line, ...]:
    """Return lines that say for cards of the viewer's hand why an action that takes cards from there can't take them.

    The lines are in the order of the actions, then of the hand. The action may have no option at all, and another one
    may take the card. A card and its copies have one line, about the first action with a reason:
    ``Axe: needs 3 points, and you have 1``. Cards that lack the same thing, and find equally much of it, share the line
    of the first: ``Needs more points than 1: Axe 2, Bow 5``. Cards whose own action is closed follow, also from outside
    the hand, such as ``Rat (battle): needs 3 copies of Rat, and you have 1``. If such an action lacks something to
    choose, the reason is ``there is nothing to choose now``. Otherwise the reason is the first of `why` that is about
    the card and can change. Reasons that close the whole action don't count. A card without a reason, or with one
    longer than ``LONGEST`` (70), has no line. There are at most ``MOST_CLOSED`` (4) lines, about the first
    ``MOST_TRIED`` (12) pairs of an action and a card. Returns () if the viewer need not decide, and in a choice of
    several things.
    """
    if view.seat is None or view.decision is None or not isinstance(view.ask, core.Ask):
        return ()
    entries: dict[str, tuple[Run, Line]] = {}
    pairs = [*_list_closed_pairs(view, view.ask, panels, options)]
    for action, card in [*pairs, *_list_closed_abilities(view, view.ask, options)][:MOST_TRIED]:
        label = card.text
        is_ability = (action, card) not in pairs
        name = f"{label} ({humanise(action).lower()})" if is_ability else label
        if name in entries:
            continue
        reasons = game.explain_impossible(state, f"{action} {label}")
        general = game.explain_impossible(state, action)
        text = next((reason.message for reason in reasons if reason.cause == "condition" and reason not in general), "")
        text = text.replace(f" for {label},", ",")
        if is_ability and any(reason.message.startswith("there is no ") for reason in reasons):
            text = "there is nothing to choose now"
        if text and len(text) <= LONGEST:
            reason = address_viewer(make_line(text, names), view.seat)
            entries[name] = Run(name, of=card.of), reason
    return tuple(_merge_lacks(entries.values()))[:MOST_CLOSED]


def _merge_lacks(entries: Iterable[tuple[Run, Line]]) -> Iterator[Line]:
    """Yield the lines about cards and the reason of each, in the order of the first card of a line."""
    groups: dict[object, list[tuple[Run, Line]]] = {}
    for number, (card, reason) in enumerate(entries):
        lack = _LACK.fullmatch(to_text(reason))
        # Two numbers of one thing can differ in its plural only.
        key = number if lack is None else (lack[2].removesuffix("s"), *lack.groups()[2:])
        groups.setdefault(key, []).append((card, reason))
    for cards in groups.values():
        card, reason = cards[0]
        if len(cards) > 1:
            lacks = [(card, lack) for card, reason in cards if (lack := _LACK.fullmatch(to_text(reason)))]
            largest_lack = max((lack for _, lack in lacks), key=lambda lack: int(lack[1]))
            needs = ((card, Run(f" {lack[1]}")) for card, lack in lacks)
            yield (Run(f"Needs more {largest_lack[2]} than {largest_lack[4]}: "), *join_lines(needs))
        elif to_text(reason).startswith(f"{card.text} "):
            yield capitalize_line(reason)
        else:
            yield capitalize_line((card, Run(": "), *reason))


def _list_closed_pairs(
    view: View, ask: core.Ask, panels: Sequence[Panel], options: Sequence[Option]
) -> Iterator[tuple[str, Run]]:
    """Yield each action that some card can take part in, with each card of a hand that it does not offer.

    Actions that take cards from elsewhere, such as a supply with other copies of them, are left out. Actions that take
    a kind of card from several piles are left out, too.
    """
    cards: list[Run] = []
    for hand_card in (card for panel in panels if isinstance(panel, Hand) for card in panel.cards):
        cards += [run for line in hand_card.cell.lines for run in line if run.of][:1]
    for alternative in ask.alternatives:
        if alternative.name is None or not alternative.vars or alternative.original is not None:
            continue
        do, type = f"{DO}{alternative.name}", unwrap_list_type(alternative.vars[0].domain.type)
        if not isinstance(type, ComponentType):
            continue
        labels = {step.text for option in options if option.path[0].of == do for step in option.path[1:]}
        values = _list_cards_to_choose(view, alternative.vars[0])
        if _are_kinds(view, values):
            continue
        cards_beside = {identify(view.setting, type, card) for card in _list_cards_beside(view, values)}
        for card in cards:
            if cards_beside and card.of not in cards_beside:
                continue
            if card.of.startswith(f"{type.name}:") and card.text not in labels:
                yield str(alternative.name), card


def _list_closed_abilities(view: View, ask: core.Ask, options: Sequence[Option]) -> Iterator[tuple[str, Run]]:
    """Yield each action of a card's own that no option offers, with a card that the question lets take it."""
    entities = view.setting.program.entities
    for alternative in ask.alternatives:
        if alternative.original is None or not alternative.vars:
            continue
        do, type = f"{DO}{alternative.name}", unwrap_list_type(alternative.vars[0].domain.type)
        labels = {step.text for option in options if option.path[0].of == do for step in option.path[1:]}
        cards = _list_cards_to_choose(view, alternative.vars[0])
        for card in [n for n in cards if entities[n].fields["original"] == alternative.original][:1]:
            if (label := view.label(card, type)) not in labels:
                yield str(alternative.name), Run(label, of=identify(view.setting, type, card))


def _list_cards_to_choose(view: View, variable: core.ChoiceVar) -> list[int]:
    """Return the cards that a choice is about, also those that its conditions exclude.

    Empty if the viewer may not know them.
    """
    try:
        values = list(view.question_reader.filter(variable.slot, variable.domain, None, list(view.slots)))
    except (HiddenValue, RulesetFault):
        return []
    return [value for value in values if type(value) is int]


def _are_kinds(view: View, values: Sequence[int]) -> bool:
    """Return whether cards stand for their kinds: several originals that have copies and lie in different places.

    The first copy of a kind may lie in a hand by chance.
    """
    entities, location = view.setting.program.entities, view.setting.layout.location
    copies = Counter(entity.card for entity in entities)
    has_copies = all(entities[n].fields["original"] == n and copies[entities[n].card] > 1 for n in values)
    cells = [view.redacted_state.cells[location + n] for n in values]
    return has_copies and len({cell if type(cell) is int else None for cell in cells}) > 1


def _list_cards_beside(view: View, values: Sequence[int]) -> Iterator[int]:
    """Yield the cards in the zones that hold some of ``values``."""
    state, location = view.redacted_state, view.setting.layout.location
    cells = [state.cells[location + value] for value in values]
    for zone in dict.fromkeys(cell for cell in cells if type(cell) is int):
        yield from (card for card in state.zones[zone] if type(card) is int)
