"""Test the server as an editor uses it, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp
from programs import read_data, run_with
from pygls.exceptions import JsonRpcException
from pygls.workspace import Workspace
from random_edits import BURST, edit_at_random

from lusory.lsp.project_lookup_and_checks import CheckResult, Project, check_fix, check_rules
from lusory.lsp.semantic_tokens_folding_inlay_hints_and_cases import TOKEN_KINDS
from lusory.lsp.server import PAUSE, make_server
from lusory_dsl.source.diagnostics import Edit, Fix
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.source.source import Span

DATA = read_data(__file__)

pytestmark = pytest.mark.slow

RULES = (Path(__file__).parents[1] / "fixtures" / "pond.yaml").read_text(encoding="utf-8")
WRONG = RULES.replace("label: Frog", 'label: "𝄞𝄞 Frog"').replace("by gain", "by gian")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write the rules to a file."""
    (tmp_path / "pond.yaml").write_text(RULES, newline="")
    return tmp_path / "pond.yaml"


def edit(steps: Callable[[Editor], Awaitable[None]]) -> None:
    """Start a server and an editor, take the steps, and end both."""

    async def run() -> None:
        editor = Editor()
        await editor.start()
        try:
            await steps(editor)
            assert editor.errors == []
        finally:
            await editor.end()

    asyncio.run(run())


async def replace_text(editor: Editor, file: Path, text: str) -> list[lsp.Diagnostic]:
    """Replace the whole text, and return the diagnostics that follow."""
    editor.type(file, text)
    return await editor.wait_for_findings(file)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@run_with(edit)
async def test_editing_a_game(editor: Editor, file: Path, line_end: str, tmp_path: Path) -> None:
    document = lsp.TextDocumentIdentifier(file.as_uri())
    [error] = await replace_text(editor, file, WRONG.replace("\n", line_end))
    line = WRONG[: WRONG.index("gian")].count("\n")
    assert error.code == "E0401"
    assert error.range.start == lsp.Position(line, WRONG.split("\n")[line].index("gian"))

    action, *_ = await editor.text_document_code_action_async(
        lsp.CodeActionParams(document, error.range, lsp.CodeActionContext([]))
    ) or [None]
    assert isinstance(action, lsp.CodeAction)
    assert action.edit is not None and action.edit.changes is not None
    [change] = action.edit.changes[file.as_uri()]
    assert change.new_text == "gain"

    assert await replace_text(editor, file, RULES.replace("\n", line_end)) == []
    position = lsp.Position(RULES[: RULES.index("by gain")].count("\n"), 27)
    hover = await editor.text_document_hover_async(lsp.HoverParams(document, position))
    assert hover is not None and "gain: Int" in str(hover.contents)
    location = await editor.text_document_definition_async(lsp.DefinitionParams(document, position))
    assert isinstance(location, lsp.Location)
    assert location.range.start == lsp.Position(position.line - 1, 12)
    completion = await editor.text_document_completion_async(lsp.CompletionParams(document, position))
    assert isinstance(completion, lsp.CompletionList)
    assert "gain" in {item.label for item in completion.items}
    params = lsp.ReferenceParams(lsp.ReferenceContext(True), document, position)
    places = await editor.text_document_references_async(params)
    assert places is not None
    assert [place.range.start.line for place in places] == [position.line - 1, position.line]
    changes = await editor.text_document_rename_async(lsp.RenameParams(document, position, "profit"))
    assert changes is not None and changes.changes is not None
    assert [edit.new_text for edit in changes.changes[file.as_uri()]] == ["profit", "profit"]
    symbols = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    assert symbols is not None and [symbol.name for symbol in symbols][:3] == ["game", "components", "cards"]
    hints = await editor.text_document_inlay_hint_async(
        lsp.InlayHintParams(document, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0)))
    )
    assert hints is not None and [hint.label for hint in hints] == [": Int", "price:"]
    formatting = lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
    assert await editor.text_document_formatting_async(formatting) == ()
    assert await replace_text(editor, file, RULES.replace("{worth: 2}", "{ worth: 2 }")) == []
    edits = await editor.text_document_formatting_async(formatting)
    assert edits is not None and edits[0].new_text == RULES
    frog = lsp.Position(RULES[: RULES.index("frog:")].count("\n"), 2)
    [action] = await editor.text_document_code_action_async(
        lsp.CodeActionParams(document, lsp.Range(frog, frog), lsp.CodeActionContext([]))
    ) or [None]
    assert isinstance(action, lsp.CodeAction) and action.edit is not None
    creation, insertion = action.edit.document_changes or (None, None)
    assert isinstance(creation, lsp.CreateFile) and isinstance(insertion, lsp.TextDocumentEdit)
    assert creation.uri == insertion.text_document.uri == (tmp_path / "cases" / "frog.yaml").as_uri()


@run_with(edit)
async def test_file_opened_with_a_mistake_has_names(editor: Editor, file: Path) -> None:
    text = RULES.replace("variables:", "variables:\n  gold:").replace("by gain", "by co")
    await replace_text(editor, file, text)
    position = lsp.Position(text[: text.index("by co")].count("\n"), len("        increase coins by co"))
    params = lsp.CompletionParams(lsp.TextDocumentIdentifier(file.as_uri()), position)
    completion = await editor.text_document_completion_async(params)
    assert isinstance(completion, lsp.CompletionList)
    assert "coins" in {item.label for item in completion.items}


CASES = DATA["cases"]


@run_with(edit)
async def test_a_game_typed_key_by_key(editor: Editor, file: Path) -> None:
    document = lsp.TextDocumentIdentifier(file.as_uri())
    for end in range(1, len(RULES) + 1):
        editor.type(file, RULES[:end])
        if end % 7 == 0 or RULES[end - 1] == ".":
            lines = RULES[:end].split("\n")
            position = lsp.Position(len(lines) - 1, len(lines[-1]))
            await editor.text_document_completion_async(lsp.CompletionParams(document, position))
            await editor.text_document_hover_async(lsp.HoverParams(document, position))
            await editor.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
            await editor.text_document_folding_range_async(lsp.FoldingRangeParams(document))
    assert await editor.wait_for_findings(file) == []


@run_with(edit)
async def test_colours_folds_and_hints(editor: Editor, file: Path) -> None:
    document = lsp.TextDocumentIdentifier(file.as_uri())
    text = RULES.replace("label: Frog", 'label: "𝄞"').replace('"Which, {me}?"', '"𝄞 {me}?"')
    assert await replace_text(editor, file, text) == []
    tokens = await editor.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
    assert tokens is not None
    pairs, line, column = [], 0, 0
    rows = [line.encode("utf-16-le") for line in text.split("\n")]
    for line_delta, column_delta, length, kind, _ in zip(*[iter(tokens.data)] * 5, strict=True):
        line, column = line + line_delta, column_delta + (0 if line_delta else column)
        word = rows[line][2 * column : 2 * (column + length)].decode("utf-16-le")
        pairs.append((word, TOKEN_KINDS[kind]))
    assert {
        ("choose", "keyword"), ("pay", "method"), ("coins", "variable"), ("worth", "property"), ("sum", "function")
    } <= set(pairs)  # fmt: skip
    pond = max(place for place, word in enumerate(pairs) if word[0] == "pond")
    assert pairs[pond + 1 : pond + 4] == [('"𝄞 {', "string"), ("me", "variable"), ('}?"', "string")]
    folds = await editor.text_document_folding_range_async(lsp.FoldingRangeParams(document))
    assert folds is not None
    first = text[: text.index("effects:")].count("\n")
    assert (first, first + 4) in {(fold.start_line, fold.end_line) for fold in folds}
    file_range = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    hints = await editor.text_document_inlay_hint_async(lsp.InlayHintParams(document, file_range))
    assert hints is not None
    sign = next(hint.position for hint in hints if hint.label == "price:")
    assert text.split("\n")[sign.line][: sign.character].endswith("pay(")
    params = lsp.SignatureHelpParams(document, sign)
    signature = await editor.text_document_signature_help_async(params)
    assert signature is not None and signature.signatures[0].label == "pay(price: Int)"
    symbols = await editor.workspace_symbol_async(lsp.WorkspaceSymbolParams("coin"))
    assert symbols is not None and [symbol.name for symbol in symbols] == ["coins"]


async def run_lens(editor: Editor, lens: lsp.CodeLens) -> None:
    assert lens.command is not None
    params = lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    await editor.workspace_execute_command_async(params)


@run_with(edit)
async def test_lenses_run_cases_and_count_them(editor: Editor, file: Path, tmp_path: Path) -> None:
    game = tmp_path / "game"
    (game / "cases").mkdir(parents=True)
    rules, cases = game / "ruleset.yaml", game / "cases" / "rich.yaml"
    rules.write_text(RULES)
    cases.write_text(CASES)
    assert await replace_text(editor, rules, RULES) == []
    assert await replace_text(editor, cases, CASES) == []
    in_cases = lsp.CodeLensParams(lsp.TextDocumentIdentifier(cases.as_uri()))
    lenses = await editor.text_document_code_lens_async(in_cases) or []
    assert [lens.range.start.line for lens in lenses] == [1, 6]
    for lens in lenses:
        await run_lens(editor, lens)
    success, failure = editor.messages
    assert success == "case rich: passes"
    assert failure.startswith("case poor: ")
    assert "rich.yaml:11" in failure

    in_rules = lsp.CodeLensParams(lsp.TextDocumentIdentifier(rules.as_uri()))
    [lens] = await editor.text_document_code_lens_async(in_rules) or []
    await run_lens(editor, lens)
    assert editor.n_refreshes == 1
    titles = {
        lens.range.start.line: lens.command.title
        for lens in await editor.text_document_code_lens_async(in_rules) or []
        if lens.command is not None
    }
    assert titles[RULES[: RULES.index("decrease coins")].count("\n")] == "2 cases reach this"
    assert titles[RULES[: RULES.index("coins + sum")].count("\n")] == "no cases reach this"


@run_with(edit)
async def test_rename_changes_packs_and_no_bundled_game(editor: Editor, file: Path, tmp_path: Path) -> None:
    rules, cards = tmp_path / "pond" / "ruleset.yaml", tmp_path / "packs" / "reeds" / "pack.yaml"
    effect = "  win: {per: Player, do: increase coins by 1}"
    pack = f"pack: {{language: 2, name: Reeds, for: pond}}\neffects:\n{effect}\n"
    for path, text in ((rules, RULES), (cards, pack)):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    bundled_pack = tmp_path / "the-tide" / "pack.yaml"
    shutil.copytree(find_bundled_rulesets()["kuhn-poker"].parents[1] / "packs" / "the-tide", bundled_pack.parent)
    await replace_text(editor, rules, RULES)
    await replace_text(editor, cards, pack)
    for path, place in ((cards, lsp.Position(2, effect.index("coins"))), (rules, lsp.Position(10, 3))):
        document = lsp.TextDocumentIdentifier(path.as_uri())
        changes = await editor.text_document_rename_async(lsp.RenameParams(document, place, "gold"))
        assert changes is not None and changes.changes is not None
        assert {uri: len(edits) for uri, edits in changes.changes.items()} == {rules.as_uri(): 4, cards.as_uri(): 1}
    text = bundled_pack.read_text(encoding="utf-8")
    await replace_text(editor, bundled_pack, text)
    line = next(n for n, line in enumerate(text.split("\n")) if line.startswith("    Faction:"))
    params = lsp.RenameParams(lsp.TextDocumentIdentifier(bundled_pack.as_uri()), lsp.Position(line, 6), "clans")
    with pytest.raises(JsonRpcException, match="belongs to the bundled game"):
        await editor.text_document_rename_async(params)


@run_with(edit)
async def test_positions_count_in_utf_16(editor: Editor, file: Path) -> None:
    text = RULES.replace("label: Frog, fields: {worth: 2}", 'label: "𝄞𝄞", fields: {wort: 2}')
    errors = await replace_text(editor, file, text)
    line = next(line for line in text.split("\n") if "wort:" in line)
    assert errors[0].range.start.character == line.index("wort:") + 2


@pytest.mark.parametrize(("game", "edits"), [("tic-tac-toe", 40), ("empire-city", 8)])
def test_diagnostics_equal_those_of_check_after_random_edits_in_all_files(
    game: str, edits: int, tmp_path: Path
) -> None:
    """Set ``LUSORY_RANDOM_EDITS`` to 2000 for a thorough search in each game."""
    edits = int(os.environ.get("LUSORY_RANDOM_EDITS", edits))
    assert edit_at_random(find_bundled_rulesets()[game], edits, 2, tmp_path.resolve()) >= edits // BURST


def test_positions_stay_right_after_checks_of_other_texts(tmp_path: Path) -> None:
    file, project = tmp_path / "pond.yaml", Project(tmp_path)
    file.write_text(RULES.replace("queries:", "queries:\n  idle: {value: 1 + 1}"))
    other_text = "# above\n" + file.read_text()
    with enable_cache():
        result = check_rules(project, {})
        [finding] = result.diagnostics[file]
        line = finding.span.line
        start = Span(finding.span.source, 0, 0)
        assert len(check_fix(result, Fix("Comment", (Edit(start, "# above\n"),)))) == 1
        assert finding.span.line == line
        check_rules(project, {file: other_text})
        assert check_rules(project, {}, result) is result
        assert finding.span.line == line


@run_with(edit)
async def test_files_outside_a_game_get_no_answer(editor: Editor, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for path in (folder / "notes.yaml", folder / "missing" / "cards" / "a.csv", tmp_path / "pond.yaml.bak"):
        editor.type(path, "a:   1\nb: { c: 2 }\n")
        document, position = lsp.TextDocumentIdentifier(path.as_uri()), lsp.Position(1, 4)
        assert await editor.text_document_hover_async(lsp.HoverParams(document, position)) is None
        assert await editor.text_document_completion_async(lsp.CompletionParams(document, position)) is None
        assert await editor.text_document_rename_async(lsp.RenameParams(document, position, "d")) is None
        options = lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
        assert not await editor.text_document_formatting_async(options)
        assert not await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        assert path.as_uri() not in editor.reports
    missing = lsp.TextDocumentIdentifier((tmp_path / "never.yaml").as_uri())
    assert await editor.text_document_hover_async(lsp.HoverParams(missing, position)) is None
    new_document = lsp.TextDocumentIdentifier("untitled:Untitled-1")
    assert await editor.text_document_hover_async(lsp.HoverParams(new_document, position)) is None


@run_with(edit)
async def test_new_games_and_deleted_files_are_noticed(editor: Editor, file: Path, tmp_path: Path) -> None:
    """Changes outside the editor are checked, and diagnostics of deleted games are cleared."""
    (tmp_path / "cards").mkdir()
    cards = tmp_path / "cards" / "more.yaml"
    cards.write_text("wrong: 1\n")
    assert await replace_text(editor, file, RULES) == []
    assert editor.reports[cards.as_uri()].diagnostics

    cards.unlink()
    deletion = lsp.FileEvent(cards.as_uri(), lsp.FileChangeType.Deleted)
    editor.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([deletion]))
    async with asyncio.timeout(60):
        while editor.reports[cards.as_uri()].diagnostics:
            await asyncio.sleep(0.05)

    other_file = tmp_path / "other.yaml"
    other_file.write_text(RULES)
    assert await replace_text(editor, other_file, WRONG) != []
    assert await replace_text(editor, file, RULES) == []


@run_with(edit)
async def test_game_is_checked_again_when_its_file_becomes_a_game(editor: Editor, file: Path, tmp_path: Path) -> None:
    other_file = tmp_path / "other.yaml"
    other_file.write_text("queries: {}\n")
    assert await replace_text(editor, other_file, "queries: {}\n") == []
    assert [error.code for error in await replace_text(editor, file, WRONG)] == ["E0401"]
    assert await replace_text(editor, other_file, RULES) == []
    async with asyncio.timeout(60):
        while not editor.reports[file.as_uri()].diagnostics:
            await asyncio.sleep(0.05)


@run_with(edit)
async def test_a_pack_is_checked_with_its_bundled_game(editor: Editor, file: Path, tmp_path: Path) -> None:
    pack = tmp_path / "the-tide"
    shutil.copytree(find_bundled_rulesets()["kuhn-poker"].parents[1] / "packs" / "the-tide", pack)
    rules = pack / "pack.yaml"
    text = rules.read_text(encoding="utf-8")
    assert await replace_text(editor, rules, text) == []
    assert [error.code for error in await replace_text(editor, rules, text + "\nnonsense: 1\n")] != []


@run_with(edit)
async def test_requests_are_answered_while_a_check_runs(editor: Editor, file: Path, tmp_path: Path) -> None:
    game = tmp_path / "empire-city"
    shutil.copytree(find_bundled_rulesets()["empire-city"], game)
    rules = game / "ruleset.yaml"
    text = rules.read_text(encoding="utf-8")
    editor.type(rules, text)
    await asyncio.sleep(0.4)  # the check is running for some seconds
    document = lsp.TextDocumentIdentifier(rules.as_uri())
    await editor.text_document_hover_async(lsp.HoverParams(document, lsp.Position(3, 3)))
    assert rules.as_uri() not in editor.reports
    editor.type(rules, "game: {\n")
    editor.type(rules, text)
    assert await editor.wait_for_findings(rules) == []


def test_check_of_a_pack_keeps_newer_findings_of_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the pack starts before the edit of the game, and ends after the check of that edit."""
    rules, cards = tmp_path / "pond" / "ruleset.yaml", tmp_path / "packs" / "reeds" / "pack.yaml"
    pack = "pack: {language: 2, name: Reeds, for: pond}\neffects:\n  win: {per: Player, do: increase coins by 1}\n"
    for path, text in ((rules, RULES), (cards, pack)):
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def check_slowly(project: Project, *args: Any) -> CheckResult:
        time.sleep(0.5 if project.packs else 0)
        return check_rules(project, *args)

    async def run() -> list[lsp.PublishDiagnosticsParams]:
        with enable_cache() as cache:
            server = make_server(cache)
            server.protocol._workspace = Workspace(None)
            params_list: list[lsp.PublishDiagnosticsParams] = []
            monkeypatch.setattr(server, "text_document_publish_diagnostics", params_list.append)
            monkeypatch.setattr("lusory.lsp.server.check_rules", check_slowly)
            warned_rules = RULES.replace("queries:", "queries:\n  idle: {value: 1 + 1}")
            for path, version, text in ((cards, 1, pack), (rules, 1, warned_rules)):
                server.workspace.put_text_document(lsp.TextDocumentItem(path.as_uri(), "yaml", version, text))
            server.check_soon(cards.as_uri())
            await asyncio.sleep(PAUSE + 0.1)  # the check is running
            server.workspace.put_text_document(lsp.TextDocumentItem(rules.as_uri(), "yaml", 2, WRONG))
            server.check_soon(rules.as_uri())
            await asyncio.gather(*server._pending_checks.values())
            server.checker.shutdown(wait=False, cancel_futures=True)
            return params_list

    params_list = asyncio.run(run())
    *_, last = (params for params in params_list if params.uri == rules.as_uri())
    assert (last.version, [error.code for error in last.diagnostics]) == (2, ["E0401"])


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
        assert [error.code for error in await replace_text(editor, file, WRONG)] == ["E0401"]
        await editor.end()

    try:
        asyncio.run(run())
    finally:
        server.kill()
        server.wait()
