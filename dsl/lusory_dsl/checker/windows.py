"""The section `windows`: who is asked what, and which actions answer. A part of the checker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import core
from ..core.sugar import Answer, Round, Window
from ..effect.parser import parse_offer
from ..language.types import PLAYER, ListType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import replace
from ..text.source import Embedded
from ..text.spelling import humanised
from .actions import answering
from .call_graph import Owner
from .names import WindowSymbol
from .notes import Notes
from .offers import offered
from .routine import Routine
from .rules import Rules
from .templates import words
from .texts import Texts, template_in, value_in


def claim_answers(decls: Iterable[model.WindowDecl], notes: Notes, report: Diagnostics) -> None:
    """Notes which actions of the ruleset answer which window; each can answer one. Actions of cards follow when their
    window is read."""
    for decl in decls:
        for text in (*decl.forced, *decl.actions):
            offer = parse_offer(text, Diagnostics())
            if offer is None or offer.cards is not None:
                continue
            name = offer.name
            if name in notes.answers:
                first, span = notes.answers[name]
                message = f"`{name}` already answers the window `{first}`"
                hint = "let it stand in one list; make an effect of what two actions have in common"
                report.add(codes.WRONG_ANSWER, message, offer.span, hint, [(span, "here")])
            else:
                notes.answers[name] = (decl.name.text, offer.span)


class Windows:
    """Checks declared windows. ``found``: those that are, as written; what opens one is an effect without a body."""

    def __init__(self, texts: Texts, rules: Rules, most_players: int) -> None:
        self.texts = texts
        self.rules = rules
        self.most_players = most_players
        self.found: list[Window] = []

    def effect(self, decl: model.WindowDecl) -> core.Effect | None:
        """The effect that a window is; None where its name is faulty."""
        name, span = decl.name.text, decl.name.span
        symbol = self.texts.names.symbols.get(name)
        if not isinstance(symbol, WindowSymbol):
            return None
        routine = self.texts.routine(Owner("window", name))
        with routine.frame():
            params = [core.Param(routine.bind_me(span), "me", PLAYER)]
            for (parameter, type), (word, _) in zip(symbol.params, decl.params, strict=True):
                slot = routine.bind(parameter, type, word.span, "parameter", exempt=True)
                params.append(core.Param(slot, parameter, type))
            routine.window = symbol
            self.found.append(self._window(decl, routine))
        effect = core.Effect(name, True, tuple(params), routine.locals.n_slots, (), is_window=True)
        instead, when = self.rules.answers(effect)
        return replace(effect, instead=instead, when=when)

    def _window(self, decl: model.WindowDecl, routine: Routine) -> Window:
        name, span = decl.name.text, decl.name.span
        me, players, number = (routine.locals.slot() for _ in range(3))
        who = value_in(routine, decl.who, ListType(PLAYER), "as the players who are asked")
        with answering(routine, me, span):
            prompt = template_in(routine, decl.prompt)
        prompt = prompt or words(f"Answer {humanised(name)}?", span)
        before, answers = self._answers(decl.forced, decl, routine, me)
        forced = Round(self.texts.notes.site(), before, answers) if answers else None
        before, answers = self._answers(decl.actions, decl, routine, me)
        free = Round(self.texts.notes.site(), before, answers)
        room = decl.at_most or self.most_players * (2 if decl.forced else 1)
        ways = decl.last_first, decl.until_all_pass
        return Window(name, who, prompt, forced, free, room, *ways, me, players, number, span)

    def _answers(
        self, texts: Sequence[Embedded], decl: model.WindowDecl, routine: Routine, me: int
    ) -> tuple[tuple[core.Stmt, ...], tuple[Answer, ...]]:
        """What is done before the actions of a list are offered, and those as answers."""
        before: list[core.Stmt] = []
        answers: list[Answer] = []
        for text in texts:
            offer = parse_offer(text, self.texts.report)
            if offer is not None:
                with answering(routine, me, decl.name.span):
                    first, laid = offered(routine, offer, me, decl.name.text)
                before += first
                answers += (Answer(action.alternative, action.cost) for action in laid)
        return tuple(before), tuple(answers)
