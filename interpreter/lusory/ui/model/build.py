"""Build a screen from a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from lusory_dsl import core
from lusory_dsl.types.types import ComponentType, Type

from ...play.match import Match, Turn
from ...state.decision import Decision, Option as Choice, Outcome, RulesetFault
from ...state.event_log import ChoiceMade, counted, is_bookkeeping, place_label
from ...state.setting import HIDDEN, Indices, Setting, Value, item_type, type_of_place
from ...state.state import State
from ...view.text import option_id, reference, unique
from ...view.view import View
from ...view.visibility import Hidden, Unknown
from .boards import with_neighbours
from .log import deeds, events_told
from .panels import panels_of
from .previews import foretold
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
    ResultColumn,
    Screen,
)
from .text import (
    DO,
    Line,
    Run,
    capital,
    choice_words,
    closed,
    filled,
    joined,
    listed,
    plain,
    player,
    said,
    styled,
    worded,
)


def with_copies(view: View, choices: Sequence[Choice], options: Sequence[Option]) -> tuple[Option, ...]:
    """The options, each with the number of the first that is like it in ``like``."""
    reads = [(tuple(run.text for run in option.path), plain(option.label)) for option in options]
    if len(set(reads)) == len(reads):
        return tuple(options)
    signs = _Signs(view)
    first: dict[Hashable, int] = {}
    found = []
    for number, (choice, option) in enumerate(zip(choices, options, strict=True)):
        about = (plain(option.cost), plain(option.result))
        like = first.setdefault((reads[number], about, choice.alternative, *signs.of(choice)), number)
        found.append(option if like == number else replace(option, like=like))
    return tuple(found)


class _Signs:
    """What tells components apart on a position, as a seat sees it."""

    def __init__(self, view: View) -> None:
        self.view, self.setting = view, view.setting
        self.program = view.setting.program
        self._known: dict[int, Hashable] = {}

    def of(self, choice: Choice) -> Iterator[Hashable]:
        """What tells the values of an option apart from those of others."""
        ask = self.view.ask
        assert isinstance(ask, core.Ask)
        variables = ask.alternatives[choice.alternative].vars
        for variable, value in zip(variables, choice.values, strict=True):
            of = item_type(variable.domain.type)
            is_card = isinstance(of, ComponentType) and type(value) is int
            yield self._card(value) if is_card else _plain(value)

    def _card(self, card: int) -> Hashable:
        if card not in self._known:
            self._known[card] = self._sign(card)
        return self._known[card]

    def _sign(self, card: int) -> Hashable:
        """Where it lies, behind how many others that are not like it, and what is kept of it."""
        seen, layout = self.view.seen, self.setting.layout
        zone = seen.cells[layout.location + card]
        if type(zone) is not int or self._is_named(card):
            return ("alone", card)
        cards = seen.zones[zone]
        own = (self.program.entities[card].card, self._kept(card))
        begins = cards.index(card)
        while begins and type(before := cards[begins - 1]) is int and own == self._own(before):
            begins -= 1
        return (own, zone, begins)

    def _own(self, card: int) -> Hashable:
        return (self.program.entities[card].card, self._kept(card))

    def _is_named(self, card: int) -> bool:
        """Whether something that is kept speaks of this very card."""
        kind = ComponentType(self.program.entities[card].kind)
        for name, variable in self.program.variables.items():
            if _holds(variable.type, kind):
                for at in self.setting.indices(name):
                    value = self.view.seen.cells[self.setting.layout.places[name].at(at)]
                    if value.__class__ is not Unknown and (value == card or card in _all(value)):
                        return True
        return False

    def _kept(self, card: int) -> Hashable:
        """All that is kept of a component, of each place with an index of its kind."""
        kind = ComponentType(self.program.entities[card].kind)
        seen, layout = self.view.seen, self.setting.layout
        found: list[tuple[str, Indices, Hashable]] = []
        for name in (*layout.places, *layout.zones):
            dims = self.program.place(name).dims
            where = [at for at, dim in enumerate(dims) if dim.type == kind]
            for indices in self.setting.indices(name) if where else ():
                if not any(indices[at] == card for at in where):
                    continue
                others = tuple(i for at, i in enumerate(indices) if at not in where)
                if name in layout.zones:
                    found.append((name, others, tuple(map(_plain, seen.zones[layout.zones[name].at(indices)]))))
                    continue
                pool = self.program.pools.get(name)
                for kind_of in [(k,) for k in pool.kinds] if pool is not None else [()]:
                    found.append((name, others, _plain(seen.cells[layout.places[name].at((*indices, *kind_of))])))
        return tuple(found)


def _holds(type: Type, kind: ComponentType) -> bool:
    """Whether values of a type are components of a kind, or lists of them."""
    return kind.name in str(type)


def _all(value: Value) -> Sequence[Value]:
    return value if isinstance(value, list | tuple) else ()


def _plain(value: Value) -> Hashable:
    """A value to be compared; what is unknown is like all that is."""
    if value.__class__ is Unknown:
        return "?"
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else (type(value).__name__, value)


def last_seen(match: Match, seat: int | None) -> State | None:
    """The position that a seat compares with: what others left behind since it chose; where nobody else chose since,
    the one in which it did. None before its first choice."""
    number = next((at for at in reversed(range(len(match.turns))) if match.turns[at].seat == seat), None)
    if number is None:
        return None
    later = match.turns[number + 1 :]
    return later[0].before if later else match.turns[number].before


def marked(panels: Sequence[Panel], before: Sequence[Panel]) -> tuple[Panel, ...]:
    """The panels with what has changed in them. Panels are the same if they are of one kind, place and title."""
    old = {_key(panel): panel for panel in before}
    return tuple(panel if _key(panel) not in old else _panel(panel, old[_key(panel)]) for panel in panels)


def _key(panel: Panel) -> tuple[object, ...]:
    return type(panel), panel.place, panel.title


def _panel(now: Panel, old: Panel) -> Panel:
    match now, old:
        case Items(), Items():
            were = {item.title: item.cell for item in old.items}
            return replace(
                now, items=tuple(replace(item, cell=_cell(item.cell, were.get(item.title))) for item in now.items)
            )
        case Players(), Players():
            columns = {column.title: column.cells for column in old.columns}
            return replace(
                now,
                columns=tuple(replace(c, cells=_cells(c.cells, columns.get(c.title, ()))) for c in now.columns),
            )
        case Grid(), Grid():
            if len(now.rows) != len(old.rows) or len(now.heads) != len(old.heads):
                return now
            rows = zip(now.rows, old.rows, strict=True)
            return replace(now, rows=tuple(replace(row, cells=_cells(row.cells, was.cells)) for row, was in rows))
        case Map(), Map():
            there = {(node.across, node.down): node.cell for node in old.nodes}
            return replace(
                now,
                nodes=tuple(replace(n, cell=_cell(n.cell, there.get((n.across, n.down)))) for n in now.nodes),
            )
        case Dials(), Dials():
            stood = {plain(dial.head): dial for dial in old.dials}
            return replace(now, dials=tuple(_dial(dial, stood.get(plain(dial.head))) for dial in now.dials))
        case Hand(), Hand():
            held = {_words(card.cell): card.count for card in old.cards}
            return replace(
                now,
                cards=tuple(
                    replace(c, cell=_all_panels(c.cell)) if c.count > held.get(_words(c.cell), 0) else c
                    for c in now.cards
                ),
            )
        case Piles(), Piles():
            tops = {plain(pile.title): pile.top for pile in old.piles}
            return replace(
                now,
                piles=tuple(
                    replace(pile, top=None if pile.top is None else _cell(pile.top, tops.get(plain(pile.title))))
                    for pile in now.piles
                ),
            )
    return now


def _dial(now: Dial, old: Dial | None) -> Dial:
    """A dial that has turned shows its face as new."""
    if old is None or old.at == now.at or now.at is None:
        return now
    return replace(now, faces=tuple(_all_panels(face) if at == now.at else face for at, face in enumerate(now.faces)))


def _words(cell: Cell) -> str:
    return " ".join(map(plain, cell.lines))


def _all_panels(cell: Cell) -> Cell:
    """A place that is new as a whole."""
    return replace(
        cell,
        lines=tuple(styled(line, fresh=True) for line in cell.lines),
        short=tuple(styled(line, fresh=True) for line in cell.short),
    )


def _cells(now: Sequence[Cell | None], old: Sequence[Cell | None]) -> tuple[Cell | None, ...]:
    padded = [*old, *[None] * (len(now) - len(old))]
    return tuple(None if cell is None else _cell(cell, was) for cell, was in zip(now, padded, strict=False))


def _cell(now: Cell, old: Cell | None) -> Cell:
    if old is None:
        return _all_panels(now)
    return replace(now, lines=_lines(now.lines, old.lines), short=_lines(now.short, old.short))


def _lines(now: tuple[Line, ...], old: tuple[Line, ...]) -> tuple[Line, ...]:
    """Runs that are not as they were: one by one where there are as many, else those that were nowhere."""
    if [len(line) for line in now] == [len(line) for line in old]:
        pairs = (zip(line, was, strict=True) for line, was in zip(now, old, strict=True))
        return tuple(tuple(_run(run, was) for run, was in pair) for pair in pairs)
    were = Counter(_content(old))
    found = []
    for line in now:
        runs = []
        for run in line:
            key = (run.text, run.of)
            is_old = were[key] > 0 or not run.text.strip(" ,")
            were[key] -= 1
            runs.append(run if is_old else replace(run, fresh=True))
        found.append(tuple(runs))
    return tuple(found)


def _content(lines: Iterable[Line]) -> Iterable[tuple[str, str]]:
    return ((run.text, run.of) for line in lines for run in line)


def _run(now: Run, old: Run) -> Run:
    return now if (now.text, now.of, now.dim) == (old.text, old.of, old.dim) else replace(now, fresh=True)


MOST_NAMED = 12
"""So many cards of a place are named."""


def revealed(hidden: View, whole: View, names: Sequence[str]) -> tuple[Line, ...]:
    """Each place that a seat did not see, and what was there. ``hidden``: what the seat saw; ``whole``: everything."""
    setting = whole.setting
    lines: list[Line] = []
    for name in (*setting.program.variables, *setting.program.pools, *setting.program.zones):
        for at in setting.indices(name):
            if not hidden.sees(name, at) and (what := _revealed_content(whole, name, at, names)):
                lines.append((*said(place_label(setting, name, at), names), Run(": "), *what))
    return tuple(lines)


def _revealed_content(view: View, name: str, at: Indices, names: Sequence[str]) -> Line:
    """What lies in a place; nothing where that is nothing, or a variable without a label."""
    setting, program = view.setting, view.setting.program
    place = setting.layout.place(name)
    if name in program.zones:
        return joined(_cards(view, view.seen.zones[place.at(at)]))
    if name in program.pools:
        held = ((kind, view.seen.cells[place.at((*at, kind))]) for kind in program.pools[name].kinds)
        return joined((Run(f"{n} {counted(setting, name, kind, n)}"),) for kind, n in held if n)
    value = view.seen.cells[place.at(at)]
    if value is None or is_bookkeeping(setting, name):
        return ()
    return worded(view.asker, value, type_of_place(program, name), names)


def _cards(view: View, cards: Sequence[int]) -> Iterator[Line]:
    entities = view.setting.program.entities
    for card in cards[:MOST_NAMED]:
        yield said(entities[card].label, (), reference(view.setting, ComponentType(entities[card].kind), card))
    if len(cards) > MOST_NAMED:
        yield (Run(f"and {len(cards) - MOST_NAMED} more"),)


NO_REDO = "Nothing was taken back, or something else was decided since."
"""Why nothing can be decided once more."""


def screen_of(match: Match, seat: int | None, names: Sequence[str], start: int | None = None) -> Screen:
    """What a seat sees now, with what happened from the event numbered ``start`` on: if not said, since it last
    decided."""
    game, outcome = match.game, match.outcome
    start = _story_start(match, seat) if start is None else start
    view = game.view(match.state, seat) if outcome is None else game.turned_up(match.state, seat)
    panels = _panels(match, seat, view, names)
    question = foretold_question(match, view, names)
    return Screen(
        title=game.program.name,
        seat=seat,
        names=tuple(names),
        phase=said(view.phase_label, names),
        panels=panels,
        story=deeds(match, seat, names, start),
        question=None if question is None else with_neighbours(question, panels),
        waiting=view.waiting_for,
        ending=None
        if outcome is None
        else ending_of(outcome, names, revealed(game.view(match.state, seat), view, names)),
        about=joined([line for line in ((Run(game.program.about),), who_thinks(match, names)) if plain(line)], " "),
        new=outcome is None and not any(turn.seat == seat for turn in match.turns),
    )


def who_thinks(match: Match, names: Sequence[str]) -> Line:
    """Which seats bots have that think, in a sentence; nothing where none has."""
    bots: list[Line] = [(player(seat, names),) for seat, one in enumerate(match.players) if one.looks is True]
    if not bots:
        return ()
    return (*listed(bots), Run(" is a bot that thinks." if len(bots) == 1 else " are bots that think."))


def _panels(match: Match, seat: int | None, view: View, names: Sequence[str]) -> tuple[Panel, ...]:
    """The table, with what has changed since the seat chose."""
    panels = panels_of(view, names)
    before = last_seen(match, seat)
    return panels if before is None else marked(panels, panels_of(match.game.view(before, seat), names))


def _story_start(match: Match, seat: int | None) -> int:
    """Where what a screen tells begins: for a spectator with the latest choices that are told, as many as there are
    players; at the end with the game."""
    if seat is not None or match.decision is None:
        return since_turn(match, seat)
    told = events_told(match, None, reversed(range(len(match.log))))
    choices = (number for number, event in told if isinstance(event, ChoiceMade))
    return next(islice(choices, match.game.players - 1, None), 0)


def since_turn(match: Match, seat: int | None) -> int:
    """How long the log was when a seat last decided, of several picks the first; of one that never did, 0."""
    start = len(match.log)
    for turn in reversed(match.turns):
        if start < len(match.log) and not _goes_on(match, turn.logged, start):
            return start
        if turn.seat == seat:
            start = turn.logged
    return start if start < len(match.log) else 0


def _goes_on(match: Match, first: int, second: int) -> bool:
    """Whether two answers are picks of one choice of some, with nothing between them."""
    one, other = match.log[first], match.log[second]
    if not (isinstance(one, ChoiceMade) and isinstance(other, ChoiceMade)) or second != first + 1:
        return False
    several = isinstance(match.game.setting.sites[one.site], core.AskMany)
    return several and (one.seat, one.site) == (other.seat, other.site) and one.alternative == 0


# ---------------------------------------------------------------- the question


def question_of(match: Match, view: View, names: Sequence[str]) -> Question | None:
    """What the seat of a view is asked; None where it is not."""
    if view.decision is None:
        return None
    if isinstance(view.ask, core.AskMany):
        several = _several(match, view, view.ask, names)
        if several is not None:
            return several
    decision = view.decision
    ids = view.option_ids()
    options = tuple(_option(view, choice, id, names) for choice, id in zip(decision.options, ids, strict=True))
    if isinstance(view.ask, core.Ask):
        options = with_copies(view, decision.options, options)
    return Question(_prompt(view, names), options, _usual(view.setting, view.ask, decision))


def foretold_question(match: Match, view: View, names: Sequence[str]) -> Question | None:
    """The question of :func:`question_of` with what each option costs and what comes of it."""
    question = question_of(match, view, names)
    if question is None or question.several or view.decision is None:
        return question
    options: list[Option] = []
    for option, choice in zip(question.options, view.decision.options, strict=True):
        cost, result = foretold(match.game, view, choice, option.words, names)
        like = option.like if option.like >= 0 and _comes_alike(options[option.like], cost, result) else -1
        options.append(replace(option, cost=cost, result=result, like=like))
    return replace(question, options=tuple(options))


def _comes_alike(option: Option, cost: Line, result: Line) -> bool:
    return (plain(option.cost), plain(option.result)) == (plain(cost), plain(result))


def _prompt(view: View, names: Sequence[str]) -> Line:
    return filled(view.asker, view.ask.prompt, list(view.slots), names)


def _option(view: View, choice: Choice, id: str, names: Sequence[str], number: int | None = None) -> Option:
    label = closed(choice_words(view.asker, view.ask, choice, view.slots, names))
    return Option(choice.index if number is None else number, id, label, _path(view, choice, names))


def _path(view: View, choice: Choice, names: Sequence[str]) -> Line:
    """The steps to an option: a run for its alternative and for each of its values."""
    ask = view.ask
    if isinstance(ask, core.AskMany):
        return _step(worded(view.asker, choice.values[0], item_type(ask.source.type), names))
    alternative = ask.alternatives[choice.alternative]
    name = alternative.name or ""
    steps: list[Run] = [Run(name.replace("_", " "), of=f"{DO}{name}")]
    for variable, value in zip(alternative.vars, choice.values, strict=True):
        steps += _step(worded(view.asker, value, item_type(variable.domain.type), names))
    return tuple(steps)


def _step(line: Line) -> Line:
    """A value's words as one run."""
    return line if len(line) == 1 else (Run("".join(run.text for run in line)),)


def _usual(setting: Setting, ask: core.Ask | core.AskMany, decision: Decision) -> int | None:
    """The answer that declines: the only alternative without a value after which nothing happens, else the only one
    after which the rules only say something or keep something in mind, as that a turn is over."""
    if isinstance(ask, core.AskMany):
        return None
    offered = [(number, ask.alternatives[choice.alternative]) for number, choice in enumerate(decision.options)]
    plain_ones = [(number, alternative.body) for number, alternative in offered if not alternative.vars]
    for declining in (
        [number for number, body in plain_ones if not body],
        [number for number, body in plain_ones if all(_is_idle(setting, statement) for statement in body)],
    ):
        if declining:
            return declining[0] if len(declining) == 1 else None
    return None


def _is_idle(setting: Setting, statement: core.Stmt) -> bool:
    """Whether nothing comes of a statement at once that players see on the table."""
    match statement:
        case core.Announce():
            return True
        case core.SetCell(place=place):
            return is_bookkeeping(setting, place)
    return False


# ---------------------------------------------------------------- several


def _several(match: Match, view: View, ask: core.AskMany, names: Sequence[str]) -> Question | None:
    """A choice of some as one question about all that can be picked; None where the seat may not know what that is."""
    decision = view.decision
    assert decision is not None
    try:
        slots = list(view.slots)
        found = list(view.asker.items(ask.item_slot, ask.source, ask.condition, slots))
        low = min(view.asker.present(ask.low, slots), len(found))
        high = min(view.asker.present(ask.high, slots), len(found))
    except (Hidden, RulesetFault):
        return None
    offered = [choice for choice in decision.options if choice.alternative == 0]
    picked = _picked(match, ask, len(offered), found, low, high)
    left = _left(ask, found, len(picked), len(offered), low, decision)
    if left is None:
        return None
    least, most = max(low - len(picked), 0), high - len(picked)
    values = [HIDDEN if isinstance(value, Unknown) else value for value in left]
    choices = [Choice(-1, 0, (value,)) for value in values]
    ids = unique([option_id(view.setting, ask, choice) for choice in choices])
    done = len(decision.options) - len(offered)
    options = tuple(
        _option(view, choice, id, names, place + done if place < len(offered) else -1)
        for place, (choice, id) in enumerate(zip(choices, ids, strict=True))
    )
    words = tuple(choice_words(view.asker, ask, Choice(-1, 0, (value,)), view.slots, names) for value in picked)
    return Question(_prompt(view, names), options, None, True, ask.ordered, least, most, words)


def _picked(match: Match, ask: core.AskMany, offered: int, found: list[Value], low: int, high: int) -> list[Value]:
    """What was picked before of a choice of some, as the log tells: of its picks that stand last there those behind the
    last that ended one."""
    last: list[Value] = []
    for event in reversed(match.log):
        if not isinstance(event, ChoiceMade) or event.site != ask.site or event.alternative != 0:
            break
        last.append(event.values[0])
    if ask.ordered:
        return last[: len(found) - offered][::-1]
    if any(isinstance(value, Unknown) for value in found):  # where in the list something lay is not known
        return [] if offered == len(found) - max(low - 1, 0) else last[::-1]
    picks: list[Value] = []
    for value in reversed(last):
        picks.append(value)
        if value not in found or value == found[-1] or len(picks) == high:
            picks.clear()
    behind = len(found) - found.index(picks[-1]) - 1 if picks else len(found)
    return picks if offered == behind - max(low - len(picks) - 1, 0) else []


def _left(
    ask: core.AskMany, found: list[Value], picked: int, offered: int, low: int, decision: Decision
) -> list[Value] | None:
    """What of all candidates can still be picked; None where that can't be told."""
    if ask.ordered:
        return [choice.values[0] for choice in decision.options if choice.alternative == 0]
    behind = offered if low <= picked else offered + low - picked - 1
    return found[len(found) - behind :] if 0 < behind <= len(found) else None


def take(match: Match, question: Question, answer: Answer) -> None:
    """Decide as a person answered: take each option of the answer that the rules ask for, one after the other. Raises
    ValueError for an answer that does not fit the question, and what :meth:`lusory.play.match.Match.take` raises."""
    ids = [option.id for option in question.options]
    if not question.several:
        if len(answer) != 1:
            raise ValueError("exactly one option has to be chosen")
        match.take(question.options[ids.index(answer[0])].number)
        return
    asked = match.decision
    assert asked is not None, "the question is asked"
    picks = [ids.index(id) for id in answer if id != DONE or id in ids]
    _check(question, picks)
    for made in range(len(picks) + 1):
        options = _offered(question, picks[:made])
        has_end = made >= question.least
        if len(options) + has_end < 2 or not options:
            continue  # what alone is left is taken by the rules
        here = match.decision
        assert here is not None and (here.site, here.seat) == (asked.site, asked.seat), "the same choice goes on"
        if made == len(picks):
            match.take(0)
        else:
            match.take(options.index(picks[made]) + has_end)


def _check(question: Question, picks: Sequence[int]) -> None:
    if len(set(picks)) < len(picks) or not question.least <= len(picks) <= question.most:
        raise ValueError(f"{question.least} to {question.most} different options are to be picked")
    if not question.in_order and list(picks) != sorted(picks):
        raise ValueError("picks whose order does not count come in the order of the options")


def _offered(question: Question, picked: Sequence[int]) -> list[int]:
    """What the rules offer behind some picks, by number: see :class:`lusory_dsl.core.AskMany`."""
    every = range(len(question.options))
    if len(picked) >= question.most:
        return []
    if question.in_order:
        return [number for number in every if number not in picked]
    after = picked[-1] + 1 if picked else 0
    return [number for number in every[after:] if len(picked) + len(every) - number >= question.least]


def take_back(match: Match, seat: int) -> None:
    """Undo the latest choice of a seat, of several picks all that can be. Only where it can undo; raises NotKept."""
    match.undo(seat)
    while _is_picking(match, seat) and match.can_undo(seat):
        match.undo(seat)


def why_no_undo(match: Match, seat: int | None) -> str:
    """Why a seat can't take its latest choice back."""
    if not any(turn.seat == seat for turn in match.turns):
        return "There is nothing to take back yet."
    return "Your last decision stands: since then chance has decided something, or you have learned a secret."


def decide_again(match: Match, seat: int) -> None:
    """Decide once more what a seat took back last, of several picks all. Only where it can; raises NotKept."""
    match.redo(seat)
    while _is_picking(match, seat) and match.can_redo(seat):
        match.redo(seat)


def decided_last(match: Match, seat: int, sharing: Collection[int]) -> int:
    """Whose decision is taken back for a seat: its own; of several who share a keyboard and hide nothing from each
    other that of whoever of them decided last."""
    return next((turn.seat for turn in reversed(match.turns) if turn.seat in sharing), seat)


def decides_again(match: Match, seat: int, sharing: Collection[int]) -> int:
    """Whose decision is made once more for a seat: as :func:`decided_last`."""
    last = match.taken_back[-1][0].seat if match.taken_back else seat
    return last if last in sharing else seat


def latest_answer(match: Match, seat: int) -> list[Turn]:
    """The decisions that undoing takes back: the latest of a seat, or all picks of several."""
    at = max(at for at, turn in enumerate(match.turns) if turn.seat == seat)
    found = [match.turns[at]]
    while at and _are_picks(match, match.turns[at - 1], found[0]):
        at -= 1
        found.insert(0, match.turns[at])
    return found


def answer_taken_back(match: Match) -> list[Turn]:
    """The decisions that redoing makes once more."""
    found: list[Turn] = []
    for first, *_ in reversed(match.taken_back):
        if found and not _are_picks(match, found[-1], first):
            break
        found.append(first)
    return found


def ends_picking(match: Match, turn: Turn) -> bool:
    """Whether a decision was to pick no more of several."""
    decision = match.game.decision(turn.before)
    return decision is not None and match.game.takes_several(decision) and decision.options[turn.index].alternative != 0


def _are_picks(match: Match, first: Turn, second: Turn) -> bool:
    """Whether two decisions are picks of one choice of some, with nothing between them."""
    one, other = match.game.decision(first.before), match.game.decision(second.before)
    assert one is not None and other is not None, "a turn was a decision"
    return (
        match.game.takes_several(one)
        and not ends_picking(match, first)
        and (one.seat, one.site) == (other.seat, other.site)
        and second.logged == first.logged + 1
    )


def _is_picking(match: Match, seat: int) -> bool:
    """Whether a seat has picked some of several, and may pick more."""
    decision = match.decision
    if decision is None or decision.seat != seat or not match.game.takes_several(decision):
        return False
    question = question_of(match, match.game.view(match.state, seat), ())
    return question is not None and bool(question.picked)


# ---------------------------------------------------------------- the end


def ending_of(outcome: Outcome, names: Sequence[str], secrets: tuple[Line, ...] = ()) -> Ending:
    """How a game ended. ``secrets``: what the seat that looks could not see."""
    scores = tuple(ResultColumn(title, tuple(values)) for title, values in outcome.shown)
    steps = tuple(ResultColumn(title, tuple(values)) for title, values in outcome.steps)
    places, chart = outcome.places, outcome.chart or ""
    return Ending(verdict(outcome, names), outcome.winners, places, scores, chart, steps, secrets)


def verdict(outcome: Outcome, names: Sequence[str]) -> Line:
    """Why the game ended and who won, in a sentence; of a game for one, why it ended."""
    reason = said(outcome.reason, names) if outcome.reason else ()
    if reason and not reason[0].of:  # a name stays as it is
        reason = capital(reason)
    if len(names) == 1:
        return (*reason, Run(".")) if reason else (Run("The game is over."),)
    winners: list[Line] = [(player(seat, names),) for seat in outcome.winners]
    if not winners:
        won: Line = (Run("Nobody wins."),)
    elif len(winners) == len(names):
        won = (Run("A draw."),)
    elif len(winners) == 1:
        won = (*winners[0], Run(" wins."))
    else:
        won = (*joined(winners[:-1]), Run(" and "), *winners[-1], Run(" share the win."))
    return (*reason, Run(". "), *won) if reason else won
