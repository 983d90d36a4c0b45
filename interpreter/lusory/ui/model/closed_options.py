"""Name the cards of a player that an open question is about but that can't be chosen now, each with what it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lusory_dsl import core
from lusory_dsl.types.types import ComponentType

from ...game import Game
from ...state.setting_and_builtin_functions import unwrap_list_type
from ...state.state import State
from ...view.seat_view import View
from .screen import Hand, Option, Panel
from .sentence_grammar import address_viewer
from .styled_text import DO, Line, Run, capital, plain, said

MOST_CLOSED = 4
"""Maximum number of cards that are named."""
MOST_TRIED = 12
"""Maximum number of pairs of an action and a card for which reasons are looked for."""
LONGEST = 70
"""Maximum length of a reason. Longer ones are left to `why`."""


def closed_options(
    game: Game, state: State, view: View, panels: Sequence[Panel], options: Sequence[Option], names: Sequence[str]
) -> tuple[Line, ...]:
    """Return a line for each card of the viewer's hand that an open action can't take, with the reason.

    A line reads ``CARD: REASON``, or only the reason if it begins with the card. The reasons are those of `why`, and
    read nothing but what the viewer sees. Only those of a condition on the card count; those longer than ``LONGEST``
    are left out, and so are actions that are closed for every card. A card has the reason of one action only. There are
    at most ``MOST_CLOSED`` lines, from the first ``MOST_TRIED`` pairs of action and card, and none for a spectator or
    without a named alternative.
    """
    if not isinstance(view.ask, core.Ask) or view.seat is None:
        return ()
    found: dict[str, Line] = {}
    for action, card in list(_pairs(view.ask, panels, options))[:MOST_TRIED]:
        label = plain((card,))
        if len(found) == MOST_CLOSED or label in found:
            continue
        reasons = game.explain_impossible(state, f"{action} {label}", plainly=True)
        whole = game.explain_impossible(state, action, plainly=True)
        told = next((one.message for one in reasons if one.cause == "condition" and one not in whole), "")
        told = told.replace(f" for {label},", ",")
        if told and len(told) <= LONGEST:
            reason = address_viewer(said(told, names), view.seat)
            is_named = told.startswith(f"{label} ")
            found[label] = capital(reason) if is_named else capital((Run(label, of=card.of), Run(": "), *reason))
    return tuple(found.values())


def _pairs(ask: core.Ask, panels: Sequence[Panel], options: Sequence[Option]) -> Iterator[tuple[str, Run]]:
    """Yield each action that some card can take part in, with each card of a hand that it does not offer."""
    cards = [
        run for panel in panels if isinstance(panel, Hand) for held in panel.cards if (run := _card(held.cell.lines))
    ]
    for alternative in ask.alternatives:
        if alternative.name is None or not alternative.vars or alternative.original is not None:
            continue
        type = unwrap_list_type(alternative.vars[0].domain.type)
        offered = {step.text for one in options if one.path[0].of == f"{DO}{alternative.name}" for step in one.path[1:]}
        for card in cards:
            if isinstance(type, ComponentType) and card.of.startswith(f"{type.name}:") and card.text not in offered:
                yield str(alternative.name), card


def _card(lines: Sequence[Line]) -> Run | None:
    return next((run for line in lines for run in line if run.of), None)
