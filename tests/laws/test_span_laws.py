"""Law of spans: a span ends exactly when its condition fails, as checks after every event show."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from programs import build_program

from lusory.evaluator import statements_options_and_resumption
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event, VariableSet

TREE = Path(__file__).parents[1] / "conformance"
RULESET = (TREE / "spans.yaml").read_text(encoding="utf-8").split("\ncases:\n")[0]


@pytest.mark.parametrize("seed", range(20))
def test_a_span_lasts_until_its_condition_fails(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = build_program(RULESET)
    game = Game(program, engine="evaluator")
    full, rich = program.queries["full_Holds"], program.queries["rich_Holds"]
    lasting: dict[tuple[str, tuple[int, ...]], bool] = {}

    def holds(run: Any, name: str, at: tuple[int, ...]) -> bool:
        query = full if name == "full" else rich
        return bool(run.holds(query.value, [*at, *[None] * query.n_slots]))

    def tell(run: Any, event: Event) -> None:
        """Check every span after every event, whatever the event changed."""
        if not run.is_logging:
            return
        run.log.append(event)
        if isinstance(event, VariableSet) and event.variable in ("full", "rich"):
            lasting.setdefault((event.variable, event.indices), False)
            lasting[event.variable, event.indices] |= event.value
        for name, at in lasting:
            lasting[name, at] = lasting[name, at] and holds(run, name, at)

    monkeypatch.setattr(statements_options_and_resumption.Execution, "tell", tell)
    choices, n_ended = Random(seed), 0
    log: list[Any] = []
    state = game.start(seed, log)
    while (decision := game.decision(state)) is not None:
        for (name, at), lasts in lasting.items():
            assert state.cells[game.layout.places[name].at(at)] == lasts
            n_ended += not lasts
        options = [i for i, id in enumerate(game.option_ids(state, decision)) if id != "finish"]
        try:
            state = game.apply(state, choices.choice(options), log)
        except RulesetFault:  # the phase has reached its limit of repetitions
            break
    assert lasting and n_ended
