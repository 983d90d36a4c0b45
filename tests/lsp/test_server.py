"""Drive the server as an editor does, over standard input and output."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from editor import Editor
from lsprotocol import types as lsp
from random_edits import edit_at_random

from lusory_dsl.source.safe_files import find_bundled_rulesets

pytestmark = pytest.mark.slow

RULES = (Path(__file__).parents[1] / "fixtures" / "pond.yaml").read_text(encoding="utf-8")
WRONG = RULES.replace("label: Frog", 'label: "𝄞𝄞 Frog"').replace("by gain", "by gian")


def edit(tmp_path: Path, steps: Callable[[Editor, Path], Awaitable[None]]) -> None:
    """Start a server and an editor for a new file, take the steps, and end both."""
    file = tmp_path / "pond.yaml"
    file.write_text(RULES, newline="")

    async def run() -> None:
        editor = Editor()
        await editor.start()
        try:
            await steps(editor, file)
            assert editor.errors == []
        finally:
            await editor.end()

    asyncio.run(run())


async def typed(editor: Editor, file: Path, text: str) -> list[lsp.Diagnostic]:
    """Replace the whole buffer, and return the diagnostics that follow."""
    editor.type(file, text)
    return await editor.findings(file)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_editor_types_a_game(line_end: str, tmp_path: Path) -> None:
    async def steps(editor: Editor, file: Path) -> None:
        document = lsp.TextDocumentIdentifier(file.as_uri())
        [found] = await typed(editor, file, WRONG.replace("\n", line_end))
        line = WRONG[: WRONG.index("gian")].count("\n")
        assert found.code == "E0401"
        assert found.range.start == lsp.Position(line, WRONG.split("\n")[line].index("gian"))

        action, *_ = await editor.text_document_code_action_async(
            lsp.CodeActionParams(document, found.range, lsp.CodeActionContext([]))
        ) or [None]
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None and action.edit.changes is not None
        [change] = action.edit.changes[file.as_uri()]
        assert change.new_text == "gain"

        assert await typed(editor, file, RULES.replace("\n", line_end)) == []
        at = lsp.Position(RULES[: RULES.index("by gain")].count("\n"), 27)
        hover = await editor.text_document_hover_async(lsp.HoverParams(document, at))
        assert hover is not None
        assert "gain: Int" in str(hover.contents)
        where = await editor.text_document_definition_async(lsp.DefinitionParams(document, at))
        assert isinstance(where, lsp.Location)
        assert where.range.start == lsp.Position(at.line - 1, 12)
        completion = await editor.text_document_completion_async(lsp.CompletionParams(document, at))
        assert isinstance(completion, lsp.CompletionList)
        assert "gain" in {item.label for item in completion.items}
        places = await editor.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), document, at)
        )
        assert places is not None
        assert [place.range.start.line for place in places] == [at.line - 1, at.line]
        changes = await editor.text_document_rename_async(lsp.RenameParams(document, at, "profit"))
        assert changes is not None and changes.changes is not None
        assert [edit.new_text for edit in changes.changes[file.as_uri()]] == ["profit", "profit"]
        symbols = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        assert symbols is not None
        assert [symbol.name for symbol in symbols][:3] == ["game", "components", "cards"]
        hints = await editor.text_document_inlay_hint_async(
            lsp.InlayHintParams(document, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0)))
        )
        assert hints is not None
        assert [hint.label for hint in hints] == [": Int"]
        formatting = lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
        assert await editor.text_document_formatting_async(formatting) == ()
        assert await typed(editor, file, RULES.replace("{worth: 2}", "{ worth: 2 }")) == []
        changed = await editor.text_document_formatting_async(formatting)
        assert changed is not None
        assert changed[0].new_text == RULES

    edit(tmp_path, steps)


def test_positions_count_in_utf_16(tmp_path: Path) -> None:
    async def steps(editor: Editor, file: Path) -> None:
        text = RULES.replace("label: Frog, fields: {worth: 2}", 'label: "𝄞𝄞", fields: {wort: 2}')
        found = await typed(editor, file, text)
        line = next(line for line in text.split("\n") if "wort:" in line)
        assert found[0].range.start.character == line.index("wort:") + 2

    edit(tmp_path, steps)


def test_diagnostics_equal_those_of_check_after_random_edits_in_all_files(tmp_path: Path) -> None:
    assert edit_at_random(find_bundled_rulesets()["tic-tac-toe"], 60, 2, tmp_path.resolve()) > 5


def test_files_outside_a_game_get_no_answer(tmp_path: Path) -> None:
    async def steps(editor: Editor, file: Path) -> None:
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        for other in (folder / "notes.yaml", folder / "missing" / "cards" / "a.csv", tmp_path / "pond.yaml.bak"):
            editor.type(other, "a:   1\nb: { c: 2 }\n")
            document, at = lsp.TextDocumentIdentifier(other.as_uri()), lsp.Position(1, 4)
            assert await editor.text_document_hover_async(lsp.HoverParams(document, at)) is None
            assert await editor.text_document_completion_async(lsp.CompletionParams(document, at)) is None
            assert await editor.text_document_rename_async(lsp.RenameParams(document, at, "d")) is None
            options = lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
            assert not await editor.text_document_formatting_async(options)
            assert not await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
            assert other.as_uri() not in editor.published
        unopened = lsp.TextDocumentIdentifier((tmp_path / "never.yaml").as_uri())
        assert await editor.text_document_hover_async(lsp.HoverParams(unopened, at)) is None
        untitled = lsp.TextDocumentIdentifier("untitled:Untitled-1")
        assert await editor.text_document_hover_async(lsp.HoverParams(untitled, at)) is None

    edit(tmp_path, steps)


def test_a_second_game_and_a_deleted_file_are_noticed(tmp_path: Path) -> None:
    """A change outside the editor is checked, too, and diagnostics of games that are no more are taken back."""

    async def steps(editor: Editor, file: Path) -> None:
        (tmp_path / "cards").mkdir()
        cards = tmp_path / "cards" / "more.yaml"
        cards.write_text("wrong: 1\n")
        assert await typed(editor, file, RULES) == []
        assert editor.published[cards.as_uri()].diagnostics

        cards.unlink()
        deleted = lsp.FileEvent(cards.as_uri(), lsp.FileChangeType.Deleted)
        editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([deleted]))
        async with asyncio.timeout(60):
            while editor.published[cards.as_uri()].diagnostics:
                await asyncio.sleep(0.05)

        other = tmp_path / "other.yaml"
        other.write_text(RULES)
        assert await typed(editor, other, WRONG) != []
        assert await typed(editor, file, RULES) == []

    edit(tmp_path, steps)


def test_a_pack_is_checked_with_its_bundled_game(tmp_path: Path) -> None:
    pack = tmp_path / "the-tide"
    shutil.copytree(find_bundled_rulesets()["kuhn-poker"].parents[1] / "packs" / "the-tide", pack)

    async def steps(editor: Editor, file: Path) -> None:
        rules = pack / "pack.yaml"
        text = rules.read_text(encoding="utf-8")
        assert await typed(editor, rules, text) == []
        assert [d.code for d in await typed(editor, rules, text + "\nnonsense: 1\n")] != []

    edit(tmp_path, steps)


def test_requests_are_answered_while_a_check_runs(tmp_path: Path) -> None:
    game = tmp_path / "empire-city"
    shutil.copytree(find_bundled_rulesets()["empire-city"], game)

    async def steps(editor: Editor, file: Path) -> None:
        rules = game / "ruleset.yaml"
        text = rules.read_text(encoding="utf-8")
        editor.type(rules, text)
        await asyncio.sleep(0.4)  # the check has begun, and takes seconds
        document = lsp.TextDocumentIdentifier(rules.as_uri())
        await editor.text_document_hover_async(lsp.HoverParams(document, lsp.Position(3, 3)))
        assert rules.as_uri() not in editor.published
        editor.type(rules, "game: {\n")
        editor.type(rules, text)
        assert await editor.findings(rules) == []

    edit(tmp_path, steps)


def test_the_server_listens_on_a_port(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "lusory", "lsp", "--port", str(port)])
    file = tmp_path / "pond.yaml"
    file.write_text(RULES)

    async def run() -> None:
        editor = Editor()
        async with asyncio.timeout(60):
            while True:
                try:
                    await editor.start_tcp("127.0.0.1", port)
                    break
                except OSError:
                    await asyncio.sleep(0.1)
        await editor.greet()
        assert [d.code for d in await typed(editor, file, WRONG)] == ["E0401"]
        await editor.end()

    try:
        asyncio.run(run())
    finally:
        server.kill()
        server.wait()
