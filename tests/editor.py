"""An editor for tests of the language server: it starts `lusory lsp` and talks to it over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

MOST_SECONDS = 60
"""The longest time that an editor waits for diagnostics."""


class Editor(LanguageClient):
    """An editor with open files. ``reports`` holds the diagnostics that the server sent last for each file.

    ``errors`` are the messages of the server about its own failures, and ``messages`` those that a user sees.
    ``n_refreshes`` counts how often the server asked to show code lenses again.
    """

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.reports: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.errors: list[str] = []
        self.messages: list[str] = []
        self.n_refreshes = 0
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def receive(params: lsp.PublishDiagnosticsParams) -> None:
            self.reports[params.uri] = params
            self._news.set()

        @self.feature(lsp.WINDOW_LOG_MESSAGE)
        def log(params: lsp.LogMessageParams) -> None:
            if params.type is lsp.MessageType.Error:
                self.errors.append(params.message)
                self._news.set()

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def show(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @self.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(_params: None) -> None:
            self.n_refreshes += 1

    async def start(self, *command: str) -> None:
        await self.start_io(sys.executable, "-m", "lusory", "lsp", *command)
        await self.greet()

    async def greet(self) -> None:
        edits = lsp.WorkspaceEditClientCapabilities(True, [lsp.ResourceOperationKind.Create])
        workspace = lsp.WorkspaceClientCapabilities(workspace_edit=edits)
        await self.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities(workspace)))
        self.initialized(lsp.InitializedParams())

    async def end(self) -> None:
        await self.shutdown_async(None)
        self.exit(None)
        await self.stop()
        assert self._server is None or self._server.returncode == 0

    def type(self, file: Path, text: str) -> None:
        """Replace the whole buffer of a file. Opens the file if it is not open."""
        uri = file.as_uri()
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        if version == 1:
            self.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "yaml", 1, text)))
            return
        identifier = lsp.VersionedTextDocumentIdentifier(version, uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))

    async def wait_for_findings(self, file: Path) -> list[lsp.Diagnostic]:
        """Return the diagnostics of the present text of an open file. By then ``reports`` has those of all files.

        Raises AssertionError if the server reports a failure of its own.
        """
        uri = file.as_uri()
        async with asyncio.timeout(MOST_SECONDS):
            while uri not in self.reports or self.reports[uri].version != self._versions[uri]:
                assert not self.errors, self.errors
                self._news.clear()
                await self._news.wait()
        # the server answers after it has sent the diagnostics of all files
        await self.text_document_document_symbol_async(lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri)))
        return list(self.reports[uri].diagnostics)
