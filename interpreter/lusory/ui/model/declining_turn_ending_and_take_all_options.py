"""Find the option that declines or ends a turn, those that end the same thing as it does, and one that does all."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import SPLITS

from ...state.decisions_outcomes_and_faults import Decision, Option as Choice
from ...state.events_redaction_and_text import is_bookkeeping
from ...state.setting_value_limits_builtins_and_names import Setting


def find_end_option(setting: Setting, ask: core.Ask | core.AskMany, decision: Decision) -> int | None:
    """Return the index in ``decision.options`` of the option that declines, or None.

    It is the only option without values and with an empty body. If there is none, it is the only one without values
    whose body just announces texts and sets variables for which :func:`is_bookkeeping` is true. Two options of the
    first sort, or none of the first and two of the second, give None. An AskMany and a part of a split
    (``ask.origin.generator`` is ``SPLITS``) give None, too.
    """
    if isinstance(ask, core.AskMany) or ask.origin.generator == SPLITS:
        return None
    alternatives = [(number, ask.alternatives[choice.alternative]) for number, choice in enumerate(decision.options)]
    plain_bodies = [(number, alternative.body) for number, alternative in alternatives if not alternative.vars]
    for numbers in (
        [number for number, body in plain_bodies if not body],
        [number for number, body in plain_bodies if all(_is_idle(setting, statement) for statement in body)],
    ):
        if numbers:
            return numbers[0] if len(numbers) == 1 else None
    return None


def ends_turn(ask: core.Ask | core.AskMany, choice: Choice) -> bool:
    """Return whether the option that declines also notes that the turn is over: it sets exactly one variable.

    Without any, it only answers no. With several it does more, such as to send what the player has put together.
    """
    assert isinstance(ask, core.Ask), "one option declines"
    return sum(isinstance(statement, core.SetCell) for statement in ask.alternatives[choice.alternative].body) == 1


def find_option_of_all(ask: core.Ask, decision: Decision) -> int | None:
    """Return the index in ``decision.options`` of the first option for a whole list, such as ``Score all``, or None.

    It has no values. A statement of its body, not in a nested block, is a ``for each`` over a list in a variable (not a
    zone). Another option of ``decision``, such as ``Score Axe``, takes its first value from a variable with the same
    name: indices don't count, so that ``for each`` over ``prizes[me]`` fits a value from ``prizes[you]``.
    """
    alternatives = [(number, ask.alternatives[choice.alternative]) for number, choice in enumerate(decision.options)]
    variables = [alternative.vars[0] for _, alternative in alternatives if alternative.vars]
    lists = {variable.domain.place for variable in variables if isinstance(variable.domain, core.ReadCell)}
    numbers = (
        number
        for number, alternative in alternatives
        if not alternative.vars
        for statement in alternative.body
        if isinstance(statement, core.ForEach)
        and isinstance(statement.source, core.ReadCell)
        and statement.source.place in lists
    )
    return next(numbers, None)


def list_flags_set(program: core.Program, ask: core.Ask, choice: Choice) -> set[tuple[str, object]]:
    """Return (name, constant) for each statement with which the option ``choice`` sets a variable to a constant.

    ``choice`` must be an option of ``ask``. ``set``, ``increase`` and ``decrease`` count alike: ``decrease gold by 1``
    gives ``("gold", 1)``. The constant is the ``value`` of a ``core.Const``: 0 for the first value of an enum, None for
    ``none``. Calculations such as ``1 + 1`` and ``not true``, and lists such as ``[a1]``, are not constants.

    Only direct statements of this option count, and those of the effects that it calls and of these effects' rules.
    None inside a condition, a loop or a further effect counts. The conditions of rules and the variable's indices are
    ignored.
    """
    body = ask.alternatives[choice.alternative].body
    effects = [statement.effect for statement in body if isinstance(statement, core.CallEffect)]
    blocks = (block for name in effects for block in core.get_bodies(program.effects[name]))
    statements = (*body, *(statement for block in blocks for statement in block))
    sets = (statement for statement in statements if isinstance(statement, core.SetCell))
    return {(statement.place, statement.value.value) for statement in sets if isinstance(statement.value, core.Const)}


def _is_idle(setting: Setting, statement: core.Stmt) -> bool:
    """Return whether a statement has no immediate effect that players see on the table."""
    match statement:
        case core.Announce():
            return True
        case core.SetCell(place=place):
            return is_bookkeeping(setting, place)
    return False
