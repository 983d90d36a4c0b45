"""Edit bundled rulesets at random in the language server, and compare its diagnostics with those of `check`.

`python tests/random_edits.py GAME EDITS [SEED]` makes bursts of edits in all files of one game, including its cases.
After each burst the server's diagnostics must equal those of a fresh `check` of the same files on disk, and the server
must answer requests at random places. The suite tries a few edits of three games, or as many as ``LUSORY_RANDOM_EDITS``
says (tests/lsp/test_server.py).
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from editor import Editor
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from lusory.commands.game_loading_seats_and_output import check_rules
from lusory.commands.handlers.check_and_watch import find_case_mistakes
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

BURST = 12
"""Maximum number of edits between two pauses."""
FRAGMENTS = (
    "", "x", " ", "  ", "\n", "\n  ", ":", ": ", "{", "}", "[", "]", '"', "'", "- ", "#", "|", "\t", "é", "𝄞", "\x0c",
    "\u2028", "\r\n", "move ", "coins", "P1", "set x to 1\n", "cases:\n", "game:\n", "0", "&a ", "*a", "if true:\n",
)  # fmt: skip


def _edit_text(text: str, rnd: random.Random) -> str:
    """Return a text with one edit: a few characters inserted, deleted or replaced, or a line moved."""
    position = rnd.randrange(len(text) + 1)
    if rnd.random() < 0.1:
        lines = text.split("\n")
        lines.insert(rnd.randrange(len(lines)), lines.pop(rnd.randrange(len(lines))))
        return "\n".join(lines)
    return text[:position] + rnd.choice(FRAGMENTS) + text[position + rnd.choice((0, 0, 1, 1, 2, 5, 40)) :]


def _check_saved(folder: Path) -> dict[str, list[tuple[str, int, str]]]:
    """Return the diagnostics of `check`, by path in the folder: code, line (from 0) and message."""
    diagnostics = Diagnostics()
    with enable_cache():  # an empty cache, so that earlier checks have no influence
        program = check_rules(read_ruleset_files(folder), diagnostics)
        if program is not None:
            diagnostics.extend(find_case_mistakes(program, folder, ()))
    diagnostics_of_files: dict[str, list[tuple[str, int, str]]] = {}
    for report in diagnostics.list_sorted():
        file = Path(report.span.source.name).relative_to(folder).as_posix()
        diagnostics_of_files.setdefault(file, []).append((report.code.id, report.span.line - 1, report.message))
    return diagnostics_of_files


async def _send_requests(editor: Editor, file: Path, text: str, rnd: random.Random) -> None:
    """Send one request of each kind for a random place. Every one must be answered."""
    line = rnd.randrange(text.count("\n") + 2)
    document, position = lsp.TextDocumentIdentifier(file.as_uri()), lsp.Position(line, rnd.randrange(60))
    await editor.text_document_completion_async(lsp.CompletionParams(document, position))
    await editor.text_document_hover_async(lsp.HoverParams(document, position))
    await editor.text_document_signature_help_async(lsp.SignatureHelpParams(document, position))
    await editor.text_document_definition_async(lsp.DefinitionParams(document, position))
    await editor.text_document_references_async(lsp.ReferenceParams(lsp.ReferenceContext(True), document, position))
    await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    await editor.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
    await editor.text_document_folding_range_async(lsp.FoldingRangeParams(document))
    await editor.text_document_code_lens_async(lsp.CodeLensParams(document))
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(9999, 0))
    await editor.text_document_inlay_hint_async(lsp.InlayHintParams(document, whole))
    context = lsp.CodeActionContext([])
    await editor.text_document_code_action_async(lsp.CodeActionParams(document, lsp.Range(position, position), context))
    options = lsp.FormattingOptions(2, True)
    await editor.text_document_formatting_async(lsp.DocumentFormattingParams(document, options))
    if rnd.random() < 0.1:
        try:
            await editor.text_document_rename_async(lsp.RenameParams(document, position, "renamed"))
        except JsonRpcException as refusal:
            assert "renamed" in str(refusal) or "mend" in str(refusal) or "`" in str(refusal), refusal


async def _edit_and_compare(path: Path, edits: int, seed: int, folder: Path) -> int:
    """Make random edits in a copy of a game. Return the number of pauses. Raises AssertionError at a difference."""
    rnd = random.Random(seed)
    open_folder, disk_folder = folder / "opened" / path.name, folder / "saved" / path.name
    for copy in (open_folder, disk_folder):
        shutil.copytree(path, copy)
    files = [file for pattern in ("*.yaml", "cards/*", "cases/*.yaml") for file in sorted(open_folder.glob(pattern))]
    original = {file: file.read_text(encoding="utf-8") for file in files}
    texts = dict(original)
    editor, pauses = Editor(), 0
    await editor.start()
    with enable_cache() as cache:
        while edits > 0:
            burst = min(rnd.randint(1, BURST), edits)
            file = rnd.choice(files)
            for _ in range(burst):
                texts[file] = _edit_text(texts[file], rnd)
                editor.type(file, texts[file])
            edits, pauses = edits - burst, pauses + 1
            (disk_folder / file.relative_to(open_folder)).write_bytes(texts[file].encode())
            await editor.wait_for_findings(file)
            await _send_requests(editor, file, texts[file], rnd)
            expected = _check_saved(disk_folder)
            cache.start_round()
            for open_file in files:
                report = editor.reports.get(open_file.as_uri())
                actual = [] if report is None else [
                    (str(finding.code), finding.range.start.line, finding.message.split("\nhelp: ")[0])
                    for finding in report.diagnostics
                ]  # fmt: skip
                rows = expected.get(open_file.relative_to(open_folder).as_posix(), [])
                places = [row[:2] for row in actual]
                assert places == [row[:2] for row in rows], (open_file, actual[:3], rows[:3])
            assert not editor.errors, editor.errors
            if rnd.random() < 0.6:
                texts[file] = original[file]
                editor.type(file, texts[file])
                (disk_folder / file.relative_to(open_folder)).write_bytes(texts[file].encode())
    await editor.end()
    return pauses


def edit_at_random(path: Path, edits: int, seed: int, folder: Path) -> int:
    """Make random edits in a copy of the game at ``path``, below ``folder``. Return the number of comparisons.

    Raises AssertionError where the server's diagnostics differ from those of `check`, or where the server fails.
    """
    return asyncio.run(_edit_and_compare(path, edits, seed, folder))


def main() -> None:
    name, edits, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        pauses = edit_at_random(find_bundled_rulesets()[name], edits, seed, Path(folder).resolve())
    print(f"{name}: {edits:,} edits, {pauses:,} comparisons, {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
