"""What a seat asks in words, answered in lines: why something can't be chosen, what could be done with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lusory_dsl import core
from lusory_dsl.text.source import Span
from lusory_dsl.text.spelling import humanised

from ..game import Game
from ..table.state import State
from .model import Question
from .options import by_reference, details, matching
from .text import Line, Run
from .words import capital, said

RULES = "--rules"
"""What is typed behind a question by who wants the places in the rules, too."""


def with_rules(wanted: str) -> tuple[str, bool]:
    """What is asked about, and whether with places in the rules."""
    words = wanted.split()
    return " ".join(word for word in words if word != RULES), RULES in words


def file_to_save(words: str) -> str:
    """Returns the file that a person named behind ``save``, "" for none.

    Raises ValueError for an option, with words for people: the game must not land in a file of that name."""
    if words.startswith("--"):
        raise ValueError(f"There is no option {words.split()[0]}; save FILE says where the game is saved.")
    return words.strip()


def asked_why(
    wanted: str,
    game: Game,
    state: State,
    question: Question,
    names: Sequence[str],
    place: Callable[[Span], str] | None = None,
) -> tuple[Line, ...]:
    """Why the seat that decides can't choose something now: what it would take and what there is. ``place``: how a
    place in the rules is told; then it is told in the author's words."""
    wanted = wanted.strip()
    if not wanted:
        return (said("Say which option: why OPTION."),)
    is_open = () if _is_closed_action(wanted, game, state) else matching(question.options, wanted)
    for seat, name in enumerate(names, 1):
        wanted = re.sub(rf"\b{re.escape(name)}\b", f"P{seat}", wanted)
    if is_open:
        told: Line = (Run("“"), *question.options[is_open[0]].label, Run("” is open to you."))
        return (told, *_other_ways(wanted, game, state, names))
    lines: list[Line] = []
    for reason in game.why_not(state, wanted, plainly=place is None):
        facts = [capital(said(_ended(fact), names)) for fact in reason.facts]
        if place is None and facts and reason.message.startswith("it "):
            lines += facts
            continue
        lines += [capital(said(_ended(reason.message), names)), *((Run("  "), *fact) for fact in facts)]
        if place is not None and reason.span is not None:
            lines.append((Run(f"  {place(reason.span)}", dim=True),))
    return tuple(lines)


def _is_closed_action(wanted: str, game: Game, state: State) -> bool:
    """Whether an action is called so that stands beside those which are open, and is not."""
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    if decision is None or not isinstance(ask, core.Ask):
        return False
    names = [humanised(str(alternative.name)).casefold() for alternative in ask.alternatives]
    there = {option.alternative for option in decision.options}
    return any(name == wanted.casefold() and number not in there for number, name in enumerate(names))


def _other_ways(wanted: str, game: Game, state: State, names: Sequence[str]) -> Iterator[Line]:
    """What stands against other actions with a thing with which something can be done."""
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    named = [one for one in ask.alternatives if one.name is not None] if isinstance(ask, core.Ask) else []
    if any(wanted.casefold().startswith(f"{humanised(str(one.name))} ".casefold()) for one in named):
        return  # one of them is meant
    for alternative in named:
        if not alternative.vars:
            continue
        action = str(alternative.name)
        of_action = game.why_not(state, action, plainly=True)  # not a matter of this thing
        for reason in game.why_not(state, f"{action} {wanted}", plainly=True):
            if reason not in of_action and reason.message.startswith("it needs") and reason.facts:
                facts = "; ".join(reason.facts)
                yield capital(said(f"{humanised(action)} is not open: {_ended(facts)}", names))


def _ended(sentence: str) -> str:
    """A sentence with one mark at its end."""
    return sentence if sentence.endswith(("?", "!", ".")) else f"{sentence}."


FEW = 4
"""Of so many options about a thing it is told what they cost and what comes of them."""


def offered(wanted: str, question: Question | None) -> tuple[Line, ...]:
    """What can be chosen now that is about a name, or a reference: with what it costs and what comes of it. Nothing
    where that is known of none."""
    if question is None or question.several:
        return ()
    about = by_reference(question.options).get(wanted) or matching(question.options, wanted)
    told = [question.options[number] for number in about]
    if len(told) > FEW or not any(map(details, told)):
        return ()
    return ((), *((Run("Now: ", bold=True), *option.label, *details(option)) for option in told))
