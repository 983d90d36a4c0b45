"""Test that ``lusory host`` and ``lusory join`` report each failure in one line and with an exit code."""

from __future__ import annotations

import errno
import socket

import pytest

from lusory.cli import main
from lusory.commands.handlers.host import find_own_address
from lusory.play.match import DecisionNotSaved
from lusory.ui.line.line_session import FAILED
from lusory.ui.textual.terminal_and_signal_handling import TableResult

pytestmark = pytest.mark.usefixtures("user_folders")


def test_host_reports_that_the_game_cannot_be_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail_to_save(*_: object) -> None:
        raise DecisionNotSaved("the disk is full")

    monkeypatch.setattr("lusory.commands.handlers.host._serve", fail_to_save)
    assert main(["host", "tic-tac-toe", "--seats", "human,human"]) == FAILED
    assert "the game stops, because it can't be saved: the disk is full" in capsys.readouterr().err


def test_host_reports_that_the_port_is_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail_to_listen(*_: object) -> None:
        raise OSError(errno.EADDRINUSE, "error while attempting to bind on address ('127.0.0.1', 4653): in use")

    monkeypatch.setattr("lusory.commands.handlers.host._serve", fail_to_listen)
    assert main(["host", "tic-tac-toe", "--seats", "human,human"]) == 2
    assert "port 4653 can't be opened at 127.0.0.1: Address already in use\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "problem", "words"),
    [
        ("a..b:1/x", None, "label"),
        ("127.0.0.1:1/x", TimeoutError(), "no answer"),
        ("a.b:1/x", socket.gaierror(socket.EAI_NONAME, "no such name"), "no such name"),
        (
            "127.0.0.1:1/x",
            OSError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"),
            "port 1: Connection refused",
        ),
    ],
)
def test_join_reports_that_nobody_hosts(
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
    errors = capsys.readouterr().err
    assert "nobody hosts a game at" in errors
    assert words in errors


def test_join_fails_with_the_reason_for_refusal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def connect(address: object) -> None:
        """Connect successfully."""

    monkeypatch.setattr("lusory.ui.line.plain_output_and_terminal_checks.can_show_full_screen", lambda: True)
    monkeypatch.setattr("lusory.commands.handlers.join._check_connection", connect)
    monkeypatch.setattr(
        "lusory.ui.textual.replay_local_and_remote_sessions._run_table",
        lambda app: TableResult("refused", words="No such token."),
    )
    assert main(["join", "127.0.0.1:1/x"]) == FAILED
    assert capsys.readouterr().err == "lusory: No such token.\n"


def test_lusory_without_arguments_explains_a_missing_menu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lusory.ui.line.plain_output_and_terminal_checks.is_interactive", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    assert main([]) == 2
    errors = capsys.readouterr().err
    assert "the menu needs a full screen: TERM is `dumb`" in errors
    assert "lusory play GAME" in errors


def test_host_at_all_addresses_names_a_reachable_address(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_host_without_network_names_the_given_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(family: int, kind: int) -> None:
        raise OSError

    monkeypatch.setattr("socket.socket", refuse)

    assert find_own_address("0.0.0.0") == "0.0.0.0"
