"""Test that each browser page plays its seat, and that no process outlives its tab or its host."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from lusory.ui.session.browser_page_server import _PageProcess
from lusory.ui.session.messages import LOCAL_HOST, Address

HOST = ("host", "tic-tac-toe", "--seats", "human,human", "--names", "Ann,Bob", "--port", "0", "--browser", "0")


@contextmanager
def host_match(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Start a host. Yield its process and the addresses of the pages of Ann, Bob and the spectators."""
    folders = {f"XDG_{kind}_HOME": str(folder) for kind in ("STATE", "DATA")}
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", *HOST], stdout=subprocess.PIPE, text=True, env={**os.environ, **folders}
    )
    assert process.stdout is not None
    pages: list[str] = []
    try:
        while len(pages) < 3:
            line = process.stdout.readline()
            assert line, "the host has ended"
            pages += re.findall(r"http://\S+", line)
        yield process, pages
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Tab:
    """Act as a browser: open a page and its socket, send keys, and collect what the page shows."""

    def __init__(self, session: aiohttp.ClientSession, page: str) -> None:
        self.session, self.page, self.text = session, page, ""

    async def open(self, has_touch: bool = False) -> Tab:
        """Open the page and check that the host serves every file that the page names."""
        async with self.session.get(self.page) as response:
            page = await response.text()
        paths = re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page)
        assert {"/own/keys.js", "/static/js/textual.js", f"/{self.page.rpartition('/')[2]}"} <= set(paths)
        for path in paths:
            async with self.session.get(self.page.rpartition("/")[0] + path) as response:
                assert response.status == 200, path
        address = re.search(r'data-session-websocket-url="([^"]+)"', page)
        assert address is not None and "://" not in address[1], "the page itself adds the host and the protocol"
        path = address[1].replace("/ws", "/touch") if has_touch else address[1]  # as the page's script does
        self.socket = await self.session.ws_connect(f"{self.page.rpartition('/')[0]}{path}?width=100&height=30")
        self.reader = asyncio.create_task(self.read())
        return self

    async def read(self) -> None:
        """Add what arrives to ``text``. Only a socket that is being read answers the host's heartbeat."""
        async for message in self.socket:
            if message.type == aiohttp.WSMsgType.BINARY:
                self.text += message.data.decode("utf-8", "replace")

    async def wait_for(self, text: str) -> None:
        """Wait until the words are shown."""
        async with asyncio.timeout(120):
            while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.text):
                assert not self.reader.done(), (self.socket.close_code, self.text[-500:])
                await asyncio.sleep(0.01)

    async def leave_start_page(self) -> None:
        await self.wait_for("Your aim")
        await self.press("\r")

    async def press(self, keys: str) -> None:
        self.text = ""
        await self.socket.send_json(["stdin", keys])


def list_children(process: int) -> list[int]:
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are counted in /proc")
def test_two_browsers_play_and_leave_no_process(tmp_path: Path) -> None:
    async def play(host: subprocess.Popen[str], pages: list[str]) -> None:
        async with aiohttp.ClientSession() as session:
            async with session.get(re.sub("/[^/]*$", "/no-such-token", pages[0])) as response:
                assert response.status == 404
            ann = await Tab(session, pages[0]).open()
            await ann.leave_start_page()
            await ann.wait_for("Mark a square")
            bob = await Tab(session, pages[1]).open(has_touch=True)
            await bob.wait_for("Tic-tac-toe")
            assert len(list_children(host.pid)) == 2
            for number in list_children(host.pid):
                command_line = Path(f"/proc/{number}/cmdline").read_text()
                assert not any(page.rpartition("/")[2] in command_line for page in pages)
            await bob.socket.send_str("[" * 5000)
            await bob.socket.send_json(["resize", {"width": -1, "height": "x"}])
            await ann.press("\r")
            await bob.leave_start_page()  # it opens when the seat is first asked
            await bob.wait_for(" Choose ")
            await bob.press("\r")
            await ann.wait_for("Mark a square")
            assert " Choose " not in ann.text
            await bob.socket.close()
            async with asyncio.timeout(60):
                while len(list_children(host.pid)) > 1:
                    await asyncio.sleep(0.1)
            bob = await Tab(session, pages[1]).open()
            await bob.wait_for("Tic-tac-toe")
            child_numbers = list_children(host.pid)
            host.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(host.wait, 60) == 128 + signal.SIGTERM
            assert not any(Path(f"/proc/{number}").exists() for number in child_numbers)

    with host_match(tmp_path) as (host, pages):
        asyncio.run(play(host, pages))


def test_ending_a_tab_leaves_the_exit_code_to_the_event_loop() -> None:
    """The code that started the process still waits for it, even if it ends at the same moment."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    class Unreported:
        """A process that has ended before the event loop noticed."""

        returncode, pid, kill = None, child.pid, child.kill

        async def wait(self) -> int:
            return os.waitpid(child.pid, 0)[1]

    async def end() -> None:
        tab = _PageProcess(Address(LOCAL_HOST, 1, "token"), web.WebSocketResponse(), False)
        tab._process = Unreported()
        await tab.end()

    asyncio.run(end())
    child.returncode = 0
