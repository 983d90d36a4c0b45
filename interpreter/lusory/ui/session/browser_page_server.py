"""Serve a match to browsers: each page starts a ``lusory join`` process and shows its terminal over a websocket.

Needs the extra ``browser`` (textual-serve). That package carries a terminal over a websocket. This module adds tokens,
pages for several seats, and the end of processes.
"""

from __future__ import annotations

import asyncio
import html
import os
import secrets
import shlex
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from string import Template
from typing import Any

from aiohttp import WSMsgType, web
from textual_serve import server
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from lusory_dsl.source.safe_files_and_bundled_data import read_package_text

from .messages import TOKEN_VARIABLE, TOUCH_VARIABLE, Address

MAX_TABS = 16
"""Maximum number of open pages. Each has one process."""
MAX_MESSAGE_BYTES = 1 << 16
"""Maximum size of a message from a browser, in bytes."""
FAREWELL_SECONDS = 0.5
"""Seconds that a process has to end before it is killed."""
SIZES = range(10, 500)
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'",
}
_PAGE = Template(read_package_text(__package__, "browser_page.html"))
_SCRIPT = read_package_text(__package__, "browser_page.js")


class _PageProcess(AppService):  # type: ignore[misc]
    """Run ``lusory join`` in a process for one page."""

    def __init__(self, address: Address, socket: web.WebSocketResponse, has_touch: bool) -> None:
        command = shlex.join([sys.executable, "-m", "lusory", "join", str(address._replace(token=""))])
        downloads = DownloadManager()
        super().__init__(
            f"exec {command}",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,
            download_manager=downloads,
        )
        self.token, self.has_touch = address.token, has_touch

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        environment: dict[str, str] = super()._build_environment(width, height)
        return {**environment, TOKEN_VARIABLE: self.token, TOUCH_VARIABLE: "1" if self.has_touch else ""}

    async def end(self) -> None:
        """Stop the process, and kill it if it does not end within ``FAREWELL_SECONDS``. Returns once it has ended."""
        with suppress(TimeoutError, OSError, ConnectionError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self.stop()
        process = self._process
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                # ``process.kill`` would take the exit code away from the event loop.
                os.kill(process.pid, signal.SIGKILL)
            await process.wait()


class PageServer:
    """Serve the pages of a match.

    Attributes:
        tokens: The token of each seat. None is the key for spectators.
        match: The address of the match server.
        port: The port of the pages.
        tabs: The open pages.
    """

    def __init__(self, tokens: Mapping[int | None, str], title: str) -> None:
        self.tokens, self.title = dict(tokens), title
        self.match = Address("", 0, "")
        self.port = 0
        self.tabs: set[_PageProcess] = set()
        self._runner: web.AppRunner | None = None

    async def listen(self, host: str, port: int) -> None:
        """Start listening, and set ``port``. Port 0 picks any free one. Raises OSError if the port is not available."""
        app = web.Application(client_max_size=MAX_MESSAGE_BYTES)
        app.add_routes([web.get("/{token}", self._serve_page), web.get("/own/keys.js", _serve_script)])
        app.add_routes([web.get("/{token}/{input:ws|touch}", self._serve_socket)])
        app.router.add_static("/static", os.path.join(os.path.dirname(server.__file__), "static"))
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.3)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        """Stop all processes, and stop listening."""
        await asyncio.gather(*(tab.end() for tab in list(self.tabs)), return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()

    async def _find_token(self, request: web.Request) -> str:
        """Return the token in a path. Raises ``HTTPNotFound``, after a delay, if it is unknown."""
        token_bytes = request.match_info["token"].encode()
        tokens = [token for token in self.tokens.values() if secrets.compare_digest(token.encode(), token_bytes)]
        if not tokens:
            # Slow down attempts to guess a token.
            await asyncio.sleep(1.0)
            raise web.HTTPNotFound(headers=_HEADERS)
        return tokens[0]

    async def _serve_page(self, request: web.Request) -> web.Response:
        token = await self._find_token(request)
        text = _PAGE.substitute(title=html.escape(self.title), token=token)
        return web.Response(text=text, content_type="text/html", headers=_HEADERS)

    async def _serve_socket(self, request: web.Request) -> web.WebSocketResponse:
        """Run a process for a page until the page closes. Unknown tokens and too many pages get an error."""
        token = await self._find_token(request)
        if len(self.tabs) >= MAX_TABS:
            raise web.HTTPServiceUnavailable(headers=_HEADERS)
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=MAX_MESSAGE_BYTES)
        await socket.prepare(request)
        tab = _PageProcess(self.match._replace(token=token), socket, request.match_info["input"] == "touch")
        self.tabs.add(tab)
        try:
            await tab.start(_parse_size(request.query.get("width"), 80), _parse_size(request.query.get("height"), 24))
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    await _handle_message(tab, socket, message)
        finally:
            await tab.end()
            self.tabs.discard(tab)
        return socket


async def _serve_script(request: web.Request) -> web.Response:
    return web.Response(text=_SCRIPT, content_type="text/javascript", headers=_HEADERS)


async def _handle_message(tab: _PageProcess, socket: web.WebSocketResponse, message: Any) -> None:
    """Process a message from a browser. Invalid messages are ignored."""
    try:
        match message.json():
            case ["stdin", str(typed)]:
                await tab.send_bytes(typed.encode("utf-8", "replace"))
            case ["resize", {"width": int(width), "height": int(height)}] if width in SIZES and height in SIZES:
                await tab.set_terminal_size(width, height)
            case ["ping", str() | int() | float() as data]:
                await socket.send_json(["pong", data])
            case ["blur"]:
                await tab.blur()
            case ["focus"]:
                await tab.focus()
    except (ValueError, RecursionError):
        return


def _parse_size(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 4 and int(text) in SIZES else default
