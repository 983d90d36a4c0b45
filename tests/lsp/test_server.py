"""Drive the server as an editor does, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

pytestmark = pytest.mark.slow

RULES = (Path(__file__).parents[1] / "fixtures" / "pond.yaml").read_text(encoding="utf-8")
WRONG = RULES.replace("label: Frog", 'label: "𝄞𝄞 Frog"').replace("by gain", "by gian")


class Editor(LanguageClient):
    """An editor with one open file. ``published`` holds the diagnostics that the server sent last."""

    def __init__(self, file: Path) -> None:
        super().__init__("editor", "1")
        self.uri = file.as_uri()
        self.version = 0
        self.published: asyncio.Queue[list[lsp.Diagnostic]] = asyncio.Queue()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def receive(params: lsp.PublishDiagnosticsParams) -> None:
            if params.uri == self.uri:
                self.published.put_nowait(list(params.diagnostics))

    async def start(self) -> None:
        await self.start_io(sys.executable, "-m", "lusory", "lsp")
        await self.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
        self.initialized(lsp.InitializedParams())

    async def type(self, text: str) -> list[lsp.Diagnostic]:
        """Replace the whole buffer, and return the diagnostics that follow."""
        self.version += 1
        if self.version == 1:
            document = lsp.TextDocumentItem(self.uri, "yaml", 1, text)
            self.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        else:
            self.text_document_did_change(
                lsp.DidChangeTextDocumentParams(
                    lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                    [lsp.TextDocumentContentChangeWholeDocument(text)],
                )
            )
        return await asyncio.wait_for(self.published.get(), 60)

    @property
    def document(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)


def edit(tmp_path: Path, steps: Callable[[Editor], Awaitable[None]]) -> None:
    """Start a server and an editor for a new file, take the steps, and end both."""
    file = tmp_path / "pond.yaml"
    file.write_text(RULES, newline="")

    async def run() -> None:
        editor = Editor(file)
        await editor.start()
        try:
            await steps(editor)
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()

    asyncio.run(run())


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_editor_types_a_game(line_end: str, tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        [found] = await editor.type(WRONG.replace("\n", line_end))
        line = WRONG[: WRONG.index("gian")].count("\n")
        assert found.code == "E0401"
        assert found.range.start == lsp.Position(line, WRONG.split("\n")[line].index("gian"))

        [action] = await editor.text_document_code_action_async(
            lsp.CodeActionParams(editor.document, found.range, lsp.CodeActionContext([]))
        ) or [None]
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None and action.edit.changes is not None
        [change] = action.edit.changes[editor.uri]
        assert change.new_text == "gain"

        assert await editor.type(RULES.replace("\n", line_end)) == []
        at = lsp.Position(RULES[: RULES.index("by gain")].count("\n"), 27)
        hover = await editor.text_document_hover_async(lsp.HoverParams(editor.document, at))
        assert hover is not None
        assert "gain: Int" in str(hover.contents)
        where = await editor.text_document_definition_async(lsp.DefinitionParams(editor.document, at))
        assert isinstance(where, lsp.Location)
        assert where.range.start == lsp.Position(at.line - 1, 12)
        completion = await editor.text_document_completion_async(lsp.CompletionParams(editor.document, at))
        assert isinstance(completion, lsp.CompletionList)
        assert "gain" in {item.label for item in completion.items}
        places = await editor.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), editor.document, at)
        )
        assert places is not None
        assert [place.range.start.line for place in places] == [at.line - 1, at.line]
        changes = await editor.text_document_rename_async(lsp.RenameParams(editor.document, at, "profit"))
        assert changes is not None and changes.changes is not None
        assert [edit.new_text for edit in changes.changes[editor.uri]] == ["profit", "profit"]
        symbols = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document))
        assert symbols is not None
        assert [symbol.name for symbol in symbols][:3] == ["game", "components", "cards"]
        hints = await editor.text_document_inlay_hint_async(
            lsp.InlayHintParams(editor.document, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0)))
        )
        assert hints is not None
        assert [hint.label for hint in hints] == [": Int"]
        formatting = lsp.DocumentFormattingParams(editor.document, lsp.FormattingOptions(2, True))
        assert await editor.text_document_formatting_async(formatting) == ()
        assert await editor.type(RULES.replace("{worth: 2}", "{ worth: 2 }")) == []
        changed = await editor.text_document_formatting_async(formatting)
        assert changed is not None
        assert changed[0].new_text == RULES

    edit(tmp_path, steps)


def test_positions_count_in_utf_16(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        text = RULES.replace("label: Frog, fields: {worth: 2}", 'label: "𝄞𝄞", fields: {wort: 2}')
        found = await editor.type(text)
        line = next(line for line in text.split("\n") if "wort:" in line)
        assert found[0].range.start.character == line.index("wort:") + 2

    edit(tmp_path, steps)
