"""``lusory host`` and ``lusory join`` where something is wrong: said in a line, with a code."""

from __future__ import annotations

import pytest

from lusory.cli import main
from lusory.commands.handlers.host import find_own_address
from lusory.play.match import DecisionNotSaved
from lusory.ui.line.line_session import FAILED
from lusory.ui.textual.terminal_and_signal_handling import Went

pytestmark = pytest.mark.usefixtures("user_folders")


def test_a_host_that_cannot_keep_the_game_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def hold(*_: object) -> None:
        raise DecisionNotSaved("the disk is full")

    monkeypatch.setattr("lusory.commands.handlers.host._serve", hold)
    assert main(["host", "tic-tac-toe", "--seats", "human,human"]) == FAILED
    assert "the game stops, because it can't be saved: the disk is full" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "problem", "words"),
    [
        ("a..b:1/x", None, "label"),
        ("127.0.0.1:1/x", TimeoutError(), "no answer"),
        ("127.0.0.1:1/x", OSError(111, "Connection refused"), "Connection refused"),
    ],
)
def test_who_finds_nobody_is_told(
    address: str,
    problem: Exception | None,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("lusory.ui.line.plain_output_and_terminal_checks.can_show_full_screen", lambda: True)
    if problem is not None:

        async def open_connection(*_: object) -> None:
            raise problem

        monkeypatch.setattr("asyncio.open_connection", open_connection)
    assert main(["join", address]) == 2
    said = capsys.readouterr().err
    assert "nobody hosts a game at" in said
    assert words in said


def test_who_is_not_let_in_is_told_and_it_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def found(address: object) -> None:
        """Somebody listens."""

    monkeypatch.setattr("lusory.ui.line.plain_output_and_terminal_checks.can_show_full_screen", lambda: True)
    monkeypatch.setattr("lusory.commands.handlers.join._check_connection", found)
    monkeypatch.setattr(
        "lusory.ui.textual.replay_local_and_remote_sessions._run_table",
        lambda app: Went("refused", words="No such token."),
    )
    assert main(["join", "127.0.0.1:1/x"]) == FAILED
    assert capsys.readouterr().err == "lusory: No such token.\n"


def test_bare_lusory_where_no_menu_can_be_shown_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lusory.ui.line.plain_output_and_terminal_checks.is_interactive", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    assert main([]) == 2
    said = capsys.readouterr().err
    assert "the menu needs a full screen: TERM is `dumb`" in said
    assert "lusory play GAME" in said


def test_a_host_at_all_addresses_names_one_that_others_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    class Probe:
        def __enter__(self) -> Probe:
            return self

        def __exit__(self, *exception: object) -> None:
            pass

        def connect(self, target: tuple[str, int]) -> None:
            assert target == ("192.0.2.1", 9)

        def getsockname(self) -> tuple[str, int]:
            return "203.0.113.7", 1

    monkeypatch.setattr("socket.socket", lambda family, kind: Probe())

    assert find_own_address("0.0.0.0") == "203.0.113.7"
    assert find_own_address("127.0.0.1") == "127.0.0.1"


def test_without_a_network_a_host_names_the_address_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(family: int, kind: int) -> None:
        raise OSError

    monkeypatch.setattr("socket.socket", refuse)

    assert find_own_address("0.0.0.0") == "0.0.0.0"
