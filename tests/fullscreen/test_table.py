"""The table at a full screen, driven as a person does: keys, mouse, sizes, nonsense."""

from __future__ import annotations

from full_table import AtTable, sit


def test_a_whole_game_is_played_with_enter_alone() -> None:
    async def steps(at: AtTable) -> None:
        while at.match.decision is not None:
            await at.press("enter")
        assert "wins" in at.text("asked") or "draw" in at.text("asked")
        await at.press("q")

    at = sit(steps, "tic-tac-toe")
    assert at.app.return_value is not None
    assert at.app.return_value.how == "over"
