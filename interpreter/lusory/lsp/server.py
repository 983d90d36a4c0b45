"""Serve the Language Server Protocol with pygls. The only module that knows the protocol."""

from __future__ import annotations

import asyncio
import gc
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from lusory_dsl.core import Program
from lusory_dsl.source.diagnostics import Diagnostic, Fix
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import ResultCache, enable_cache
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import SHEET_EXTENSION
from lusory_dsl.source.safe_files_and_bundled_data import CASES, find_data_folder
from lusory_dsl.source.source import Source, Span, make_one_line, make_printable
from lusory_dsl.syntax.lark_parse_trees_and_indentation import get_terminal_spellings
from lusory_dsl.yaml.reader import YamlMapping, make_source

from . import (
    completion_hover_and_definition as answers,
    quick_fixes_rename_and_formatting as edits,
    semantic_tokens_folding_inlay_hints_and_cases,
)
from .cursor_context import Cursor, find_cursor_context
from .name_index import FileIndex, Index, Outdated
from .project_lookup_and_checks import (
    CheckResult,
    Project,
    check_cases,
    check_data,
    check_fix,
    check_rules,
    count_reaching_cases,
    find_project,
    index_correct_lines,
    run_case,
)
from .trial_fixes import list_fixes

PAUSE = 0.1
"""Seconds without typing after which a game is checked."""

PATIENCE = 2.0
"""Seconds after which no more quick fixes are tried for a finding."""

GARBAGE_THRESHOLD = 1_000_000
"""How many new objects start a search for garbage. A check makes fewer, so that it isn't interrupted.

The server searches the new objects when it has shown the findings of a check.
"""

RUN_CASE, COUNT_CASES = "lusory.runCase", "lusory.countCases"
"""The commands that code lenses run."""

_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "statement": lsp.CompletionItemKind.Snippet,
    "keyword": lsp.CompletionItemKind.Keyword,
    "function": lsp.CompletionItemKind.Function,
    "query": lsp.CompletionItemKind.Function,
    "effect": lsp.CompletionItemKind.Method,
    "member": lsp.CompletionItemKind.Field,
    "field": lsp.CompletionItemKind.Field,
    "value": lsp.CompletionItemKind.EnumMember,
    "card": lsp.CompletionItemKind.Constant,
    "constant": lsp.CompletionItemKind.Constant,
    "type": lsp.CompletionItemKind.Class,
}
_UNKNOWN = CheckResult({}, Index())
T = TypeVar("T")


@dataclass(frozen=True)
class Buffer:
    """An open file as it was at one time. ``text`` has ``\\n`` at the ends of lines."""

    uri: str
    version: int | None
    text: str


class Server(LanguageServer):
    """The language server. It holds the open buffers, and the last check of each project.

    Editors send the whole text with each change. With ranges, editor and server would have to agree on what ends a
    line. But pygls also splits lines at form feeds and other rare characters.

    All parsing of effect texts happens on the one thread of ``checker``, because ``cache`` is not made for several.
    Only completion and hover parse the text at the cursor themselves, without the cache.
    """

    def __init__(self, cache: ResultCache) -> None:
        super().__init__("lusory", "0.1.0", text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.last_checks: dict[Project, CheckResult] = {}
        self.checker = ThreadPoolExecutor(1)
        self._cache = cache
        self.case_counts: dict[Project, tuple[Program, dict[str, dict[int, int]]]] = {}
        """How many cases reach a rule, by file and offset, with the program that was counted."""
        self._rules: dict[Project, CheckResult] = {}
        self._projects: dict[str, Project | None] = {}
        self._published_files: dict[Project, set[Path]] = {}
        self._pending_checks: dict[Project, asyncio.Task[None]] = {}
        self._fixes: tuple[CheckResult, dict[int, list[Fix]]] = (_UNKNOWN, {})
        """The fixes that were found for findings of one check, by ``id``."""

    def open_buffers(self) -> dict[Path, Buffer]:
        """Return path -> buffer, for each open file that has a path on this machine."""
        return {
            path: Buffer(uri, document.version, make_source("", document.source).text)
            for uri, document in self.workspace.text_documents.items()
            if (path := _parse_uri(uri)) is not None
        }

    def get_buffer_texts(self) -> dict[Path, str]:
        """Return path -> text, for each open file that has a path on this machine."""
        return {path: buffer.text for path, buffer in self.open_buffers().items()}

    def find_project_of(self, uri: str) -> Project | None:
        """Return the project of a file, as it was when the file last changed."""
        if uri not in self._projects:
            path = _parse_uri(uri)
            self._projects[uri] = None if path is None else find_project(path, self.get_buffer_texts())
        return self._projects[uri]

    def get_last_check(self, uri: str) -> CheckResult:
        """Return the last check of the game that a file belongs to. It is empty until the first one shows findings."""
        project = self.find_project_of(uri)
        return _UNKNOWN if project is None else self.last_checks.get(project, _UNKNOWN)

    # ------------------------------------------------------------ checks

    async def run_on_checker(self, work: Callable[..., T], *args: object) -> T:
        """Call ``work`` on the thread of ``checker``. Returns its result, or raises its exception."""
        return await asyncio.get_running_loop().run_in_executor(self.checker, work, *args)

    def check_soon(self, uri: str) -> None:
        """Check the game of a file after a pause of ``PAUSE`` (0.1) seconds. Without a game there is no check.

        A further call for the same game stops this check, even if it has begun, and the pause starts again.

        If the file has left a project, all findings of that project are withdrawn, and its other open files are checked
        again.
        """
        previous_project = self._projects.pop(uri, None)
        project = self.find_project_of(uri)
        if previous_project is not None and previous_project != project:
            self._forget(previous_project)
        if project is None:
            return
        pending_check = self._pending_checks.get(project)
        if pending_check is not None:
            pending_check.cancel()
        self._pending_checks[project] = asyncio.ensure_future(self._check(project))

    def _forget(self, project: Project) -> None:
        """Take back the diagnostics of a project that a file no longer belongs to, and check its other open files."""
        pending_check = self._pending_checks.pop(project, None)
        if pending_check is not None:
            pending_check.cancel()
        self._publish(project, {})
        self.last_checks.pop(project, None)
        self._rules.pop(project, None)
        other_uris = [uri for uri, owner in self._projects.items() if owner == project]
        self._projects = {uri: owner for uri, owner in self._projects.items() if owner != project}
        for uri in other_uris:
            if uri in self.workspace.text_documents:
                self.check_soon(uri)

    async def _check(self, project: Project) -> None:
        """Check a project after a pause. Publish the findings in its rules, then those in its data and cases, too."""
        await asyncio.sleep(PAUSE)
        buffers, last_check, task = self.open_buffers(), self.last_checks.get(project, _UNKNOWN), asyncio.current_task()
        texts = {path: buffer.text for path, buffer in buffers.items()}

        try:
            known_rules = self._rules.get(project)
            rules = await self.run_on_checker(
                check_rules, project, texts, known_rules, lambda: self._pending_checks.get(project) is not task
            )
            if rules is not known_rules and rules.program is not None:
                cases = {path: items for path, items in last_check.diagnostics.items() if path.parent.name == CASES}
                self.last_checks[project] = replace(rules, diagnostics=cases | rules.diagnostics)
                self._publish(project, self.last_checks[project].diagnostics, buffers, is_final=False)
                await self.run_on_checker(answers.read_docs, rules.index)
                rules = await self.run_on_checker(check_data, rules)
            self._rules[project] = rules
            check = await self.run_on_checker(check_cases, project, texts, rules)
            if not check.index.has_names:  # a mistake has hidden all names: keep those of the last check
                check = replace(check, index=last_check.index, program=last_check.program)
            if not check.index.has_names:
                check = await self.run_on_checker(index_correct_lines, project, texts, check)
        except Exception as error:
            message = make_one_line(f"the check of {project.path} failed: {type(error).__name__}: {error}")
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))
            return
        self.last_checks[project] = check
        self._publish(project, check.diagnostics, buffers)
        with suppress(RuntimeError):  # the server ends
            self.checker.submit(self._end_round)

    def _end_round(self) -> None:
        """Drop results that checks no longer use, and garbage among the new objects. Load the parser for completion.

        A check whose texts are all in the cache needs no parser, and loading it takes half a second.
        """
        get_terminal_spellings()
        self._cache.start_round()
        gc.collect(1)
        if gc.get_freeze_count() == 0:
            gc.freeze()  # most of this stays in memory: searching it for garbage would hold up requests

    async def list_fixes(self, diagnostic: Diagnostic, uri: str) -> list[Fix]:
        """Return the fixes of a finding of the last check. Trying them ends after ``PATIENCE``, or at the next key."""
        last_check, project, end = self.get_last_check(uri), self.find_project_of(uri), time.monotonic() + PATIENCE
        if self._fixes[0] is not last_check:
            self._fixes = last_check, {}
        known_fixes = self._fixes[1]

        def is_over() -> bool:
            pending_check = None if project is None else self._pending_checks.get(project)
            return time.monotonic() > end or (pending_check is not None and not pending_check.done())

        if id(diagnostic) in known_fixes:
            return known_fixes[id(diagnostic)]
        all_findings = [finding for findings in last_check.diagnostics.values() for finding in findings]
        fixes = await self.run_on_checker(
            list_fixes, diagnostic, all_findings, last_check.index, partial(check_fix, last_check), is_over
        )
        if not is_over():
            known_fixes[id(diagnostic)] = fixes
        return fixes

    def _publish(
        self,
        project: Project,
        findings: Mapping[Path, list[Diagnostic]],
        buffers: Mapping[Path, Buffer] | None = None,
        is_final: bool = True,
    ) -> None:
        """Show the findings in the files of a project. Only the final ones have the versions of the checked buffers.

        A buffer that has changed since is left out. Its own check follows, or has even ended if it is in another
        project, and older findings must not replace newer ones.
        """
        buffers = buffers or {}
        open_paths = {path for path, buffer in buffers.items() if self.find_project_of(buffer.uri) == project}
        for path in findings.keys() | open_paths | self._published_files.get(project, set()):
            buffer = buffers.get(path)
            uri, version = (_format_uri(path), None) if buffer is None else (buffer.uri, buffer.version)
            document = self.workspace.text_documents.get(uri)
            if buffer is not None and document is not None and document.version != version:
                continue
            diagnostics = [_convert_diagnostic(diagnostic) for diagnostic in findings.get(path, ())]
            version = version if is_final else None
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, version))
        self._published_files[project] = set(findings)

    # ------------------------------------------------------------ places

    def _find_source(self, uri: str) -> Source | None:
        """Return the text of an open file of a game, or None for any other file.

        It is the same object until the file changes, so that its YAML tree is read only once.
        """
        document = self.workspace.text_documents.get(uri)
        if document is None or self.find_project_of(uri) is None:
            return None
        return _make_source_once(document.path, document.source)

    def _find_place(self, params: _WithPosition) -> Place | None:
        """Return the place of a cursor, with the text of its buffer and the last check of its game.

        None if the file is not open, or belongs to no game.
        """
        uri = params.text_document.uri
        source = self._find_source(uri)
        return None if source is None else Place(source, params.position, self.get_last_check(uri))


class _WithPosition(Protocol):
    """A request about a place in a file."""

    @property
    def text_document(self) -> lsp.TextDocumentIdentifier: ...
    @property
    def position(self) -> lsp.Position: ...


class Place:
    """The place of a cursor in a buffer, with the last check of its game."""

    def __init__(self, source: Source, position: lsp.Position, last_check: CheckResult) -> None:
        self.last_check = last_check
        self.source = source
        lines = self.source.text.split("\n")
        self.line = min(position.line, len(lines) - 1)
        self.column = _count_characters(lines[self.line], position.character)
        self.cursor: Cursor = find_cursor_context(lines, self.line, self.column)
        self.offset = self.source.line_starts[self.line] + self.column
        self.file = last_check.index.files.get(str(Path(source.name)), FileIndex())

    @property
    def word(self) -> str:
        """The whole name under or just before the cursor, or "" if there is none.

        A name consists of letters, digits and underscores.
        """
        words = re.finditer(r"\w+", self.source.get_line(self.line + 1))
        return next((word[0] for word in words if word.start() <= self.column <= word.end()), "")

    @property
    def definition(self) -> Span | None:
        """The span of the declaration of the word at the cursor, or None."""
        return answers.find_definition(self.word, self.file, self.offset, self.last_check.index, self.cursor.is_code)


@lru_cache(maxsize=64)
def _make_source_once(name: str, text: str) -> Source:
    return make_source(name, text)


def _parse_uri(uri: str) -> Path | None:
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None


def _format_uri(path: Path) -> str:
    return from_fs_path(str(path)) or ""


# ---------------------------------------------------------------- positions: UTF-16 in the protocol, characters here


def _count_characters(text: str, width: int) -> int:
    """Return how many characters the first ``width`` 16-bit units of a line hold."""
    if text.isascii():
        return min(width, len(text))
    for column, character in enumerate(text):
        if width <= 0:
            return column
        width -= 2 if ord(character) > 0xFFFF else 1
    return len(text)


def _make_position(source: Source, offset: int) -> lsp.Position:
    line, column = source.locate(offset)
    prefix = source.get_line(line)[: column - 1]
    return lsp.Position(line - 1, len(prefix) + sum(ord(character) > 0xFFFF for character in prefix))


def _make_range(source: Source, start: int, end: int) -> lsp.Range:
    return lsp.Range(_make_position(source, start), _make_position(source, end))


def _make_location(span: Span) -> lsp.Location:
    return lsp.Location(_format_uri(Path(span.source.name)), _make_range(span.source, span.start, span.end))


def _convert_diagnostic(diagnostic: Diagnostic) -> lsp.Diagnostic:
    span, code = diagnostic.span, diagnostic.code.id
    message = make_printable(diagnostic.message) + (
        f"\nhelp: {make_printable(diagnostic.hint)}" if diagnostic.hint else ""
    )
    related_places = [
        lsp.DiagnosticRelatedInformation(_make_location(place), make_one_line(text)) for place, text in diagnostic.notes
    ]
    return lsp.Diagnostic(
        _make_range(span.source, span.start, max(span.end, span.start + 1)),
        message,
        lsp.DiagnosticSeverity.Error if diagnostic.severity == "error" else lsp.DiagnosticSeverity.Warning,
        code,
        source="lusory",
        related_information=related_places,
        code_description=lsp.CodeDescription(_format_uri(find_data_folder("diagnostics") / f"{code}.md")),
    )


def _convert_fix(fix: Fix, buffers: Mapping[Path, Buffer]) -> lsp.WorkspaceEdit | None:
    """Return the edits of a fix for the editor, or None if one of its files was typed in since the check."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in fix.edits:
        source, file = edit.span.source, Path(edit.span.source.name)
        if file in buffers and buffers[file].text != source.text:
            return None
        target = buffers[file].uri if file in buffers else _format_uri(file)
        place = _make_range(source, edit.span.start, edit.span.end)
        changes.setdefault(target, []).append(lsp.TextEdit(place, edit.text))
    return lsp.WorkspaceEdit(changes)


def _can_create_files(server: Server) -> bool:
    """Return whether the editor says that it carries out edits that create a file."""
    workspace = server.client_capabilities.workspace
    edit = None if workspace is None else workspace.workspace_edit
    return edit is not None and lsp.ResourceOperationKind.Create in (edit.resource_operations or ())


def _create_file(file: Path, text: str) -> lsp.WorkspaceEdit:
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    document = lsp.OptionalVersionedTextDocumentIdentifier(_format_uri(file))
    content = lsp.TextDocumentEdit(document, [lsp.TextEdit(start, text)])
    return lsp.WorkspaceEdit(document_changes=[lsp.CreateFile(_format_uri(file)), content])


# ---------------------------------------------------------------- features


def make_server(cache: ResultCache) -> Server:
    """Return a server with all features registered, whose checks reuse the results of parsing in ``cache``.

    Make and run it inside ``with enable_cache() as cache``.
    """
    server = Server(cache)
    _register_changes(server)
    _register_questions(server)
    _register_navigation(server)
    _register_outline(server)
    _register_lenses(server)
    _register_edits(server)
    return server


def _register_changes(server: Server) -> None:
    @server.feature(lsp.INITIALIZED)
    def _request_file_events(server: Server, _params: Any) -> None:
        """Ask the editor to report changes to ``**/*.yaml`` and ``**/*.csv`` on disk, if it can register for them."""
        workspace = server.client_capabilities.workspace
        capability = None if workspace is None else workspace.did_change_watched_files
        if capability is not None and capability.dynamic_registration:
            patterns = [lsp.FileSystemWatcher(f"**/*.{ending}") for ending in ("yaml", "csv")]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(patterns)
            name = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
            server.client_register_capability(lsp.RegistrationParams([lsp.Registration(name, name, options)]))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def check_changed(server: Server, params: Any) -> None:
        server.check_soon(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def check_changed_on_disk(server: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            server.check_soon(change.uri)

    @server.feature(lsp.SHUTDOWN)
    def shut_down(server: Server, _params: Any) -> None:
        server.checker.shutdown(wait=False, cancel_futures=True)


def _register_questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
    def complete_word(server: Server, params: lsp.CompletionParams) -> lsp.CompletionList | None:
        place = server._find_place(params)
        if place is None or place.source.name.endswith(SHEET_EXTENSION):
            return None
        completions = answers.complete(place.cursor, place.file, place.offset, place.last_check)
        word_range = _make_range(place.source, place.offset - len(place.cursor.word), place.offset)
        items = [_convert_item(item, number, word_range) for number, item in enumerate(completions)]
        return lsp.CompletionList(len(completions) == answers.MOST_ITEMS, items)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def show_hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        place = server._find_place(params)
        if place is None or not place.word:
            return None
        text = answers.describe(place.word, place.file, place.offset, place.last_check.index, place.cursor)
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, make_printable(text)))

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def show_signature(server: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        place = server._find_place(params)
        call = None if place is None else answers.find_call(place.cursor, place.last_check.index)
        if call is None:
            return None
        label, parameters, number, doc = call
        information = [lsp.ParameterInformation(parameter) for parameter in parameters]
        return lsp.SignatureHelp([lsp.SignatureInformation(label, doc, information)], 0, number)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def list_inlay_hints(server: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        uri = params.text_document.uri
        source, last_check = server._find_source(uri), server.get_last_check(uri)
        if source is None:
            return []
        types = [
            lsp.InlayHint(_make_position(source, span.end), f": {local.type}", lsp.InlayHintKind.Type)
            for span, local in last_check.index.locals.items()
            if span.source.name == source.name and span.source.text == source.text
            if source.text.endswith("let ", 0, span.start)
        ]
        kind = lsp.InlayHintKind.Parameter
        return types + [
            lsp.InlayHint(_make_position(source, offset), f"{name}:", kind, padding_right=True)
            for offset, name in semantic_tokens_folding_inlay_hints_and_cases.list_argument_hints(
                source, last_check.index.names
            )
            if params.range.start.line <= source.locate(offset)[0] - 1 <= params.range.end.line
        ]


def _convert_item(item: answers.Item, number: int, word_range: lsp.Range) -> lsp.CompletionItem:
    text = item.label if item.insert is None else item.insert
    is_snippet = item.insert is not None and "$" in item.insert
    return lsp.CompletionItem(
        item.label,
        kind=_KINDS.get(item.kind, lsp.CompletionItemKind.Variable),
        detail=item.detail or item.kind,
        documentation=item.doc or None,
        sort_text=f"{number:04}",
        insert_text_format=lsp.InsertTextFormat.Snippet if is_snippet else lsp.InsertTextFormat.PlainText,
        text_edit=lsp.TextEdit(word_range, text),
    )


def _register_navigation(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def go_to_definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        place = server._find_place(params)
        definition = None if place is None else place.definition
        return None if definition is None else _make_location(definition)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def find_references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
        place, project = server._find_place(params), server.find_project_of(params.text_document.uri)
        definition = None if place is None else place.definition
        if place is None or definition is None or project is None:
            return []
        sources = edits.find_sources(project, server.get_buffer_texts())
        places = edits.list_references(definition, place.word, place.last_check, sources)
        return [
            lsp.Location(_format_uri(path), _make_range(sources[path], start, end))
            for path, found_places in places.items()
            for start, end in found_places
            if path in sources and sources[path].text[start:end] == place.word
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def list_document_symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        source = server._find_source(params.text_document.uri)
        root = None if source is None else answers.read_tree(source)
        return _list_symbols(root, source, 2) if source is not None and isinstance(root, YamlMapping) else []

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def list_workspace_symbols(server: Server, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        query = params.query.casefold()
        return [
            lsp.WorkspaceSymbol(_make_location(symbol.span), name, lsp.SymbolKind.Variable)
            for check in server.last_checks.values()
            for name, symbol in check.index.names.symbols.items()
            if query in name.casefold() and symbol.span.end
        ]


def _register_outline(server: Server) -> None:
    legend = lsp.SemanticTokensLegend(list(semantic_tokens_folding_inlay_hints_and_cases.TOKEN_KINDS), [])

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def encode_tokens(server: Server, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens | None:
        uri = params.text_document.uri
        source, index = server._find_source(uri), server.get_last_check(uri).index
        if source is None:
            return None
        data: list[int] = []
        previous = lsp.Position(0, 0)
        for token in semantic_tokens_folding_inlay_hints_and_cases.list_tokens(source, index):
            start, end = _make_position(source, token.start), _make_position(source, token.end)
            column = start.character - (previous.character if start.line == previous.line else 0)
            kind = semantic_tokens_folding_inlay_hints_and_cases.TOKEN_KINDS.index(token.kind)
            data += [start.line - previous.line, column, end.character - start.character, kind, 0]
            previous = start
        return lsp.SemanticTokens(data)

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def list_folding_ranges(server: Server, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        source = server._find_source(params.text_document.uri)
        lines = [] if source is None else semantic_tokens_folding_inlay_hints_and_cases.list_folds(source)
        return [lsp.FoldingRange(first, last) for first, last in lines]


def _register_lenses(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def list_lenses(server: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        source, project = server._find_source(uri), server.find_project_of(uri)
        if source is None or project is None:
            return []
        lenses = []
        for offset, id in semantic_tokens_folding_inlay_hints_and_cases.list_cases(source):
            command = lsp.Command("Run this case", RUN_CASE, None, [uri, id])
            lenses.append(lsp.CodeLens(_make_range(source, offset, offset), command))
        if not lenses:
            program, case_counts = server.case_counts.get(project, (None, {}))
            if program is server.get_last_check(uri).program:
                for offset, cases in sorted(case_counts.get(source.name, {}).items()):
                    title = "1 case reaches this" if cases == 1 else f"{cases or 'no'} cases reach this"
                    lenses.append(lsp.CodeLens(_make_range(source, offset, offset), lsp.Command(title, "")))
            command = lsp.Command("Count the cases that reach each rule", COUNT_CASES, None, [uri])
            lenses.append(lsp.CodeLens(_make_range(source, 0, 0), command))
        return lenses

    @server.command(RUN_CASE)
    async def run_one_case(server: Server, uri: str, id: str) -> None:
        source, program = server._find_source(uri), server.get_last_check(uri).program
        if source is None or program is None:
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, "the rules have errors"))
            return
        problem = await server.run_on_checker(run_case, program, source, id)
        kind = lsp.MessageType.Info if problem is None else lsp.MessageType.Error
        message = make_one_line(f"case {id}: {'passes' if problem is None else problem}")
        server.window_show_message(lsp.ShowMessageParams(kind, message))

    @server.command(COUNT_CASES)
    async def count_cases(server: Server, uri: str) -> None:
        project, last_check = server.find_project_of(uri), server.get_last_check(uri)
        if project is None or last_check.program is None:
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, "the rules have errors"))
            return

        def is_outdated() -> bool:
            return server.get_last_check(uri) is not last_check

        program, buffers = last_check.program, server.get_buffer_texts()
        with suppress(Outdated):
            counts = await server.run_on_checker(count_reaching_cases, program, project, buffers, is_outdated)
            server.case_counts[project] = program, counts
        server.workspace_code_lens_refresh(None)


def _list_symbols(node: YamlMapping, source: Source, depth: int) -> list[lsp.DocumentSymbol]:
    symbols = []
    for key, value in node.entries:
        full_range = _make_range(source, key.span.start, max(key.span.end, value.span.end))
        children = _list_symbols(value, source, depth - 1) if isinstance(value, YamlMapping) and depth > 1 else []
        kind = lsp.SymbolKind.Namespace if depth > 1 else lsp.SymbolKind.Field
        name_range = _make_range(source, key.span.start, key.span.end)
        name = make_one_line(key.text) or "?"
        symbols.append(lsp.DocumentSymbol(name, kind, full_range, name_range, children=children))
    return symbols


def _register_edits(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    async def list_code_actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, path = params.text_document.uri, _parse_uri(params.text_document.uri)
        buffers, last_check = server.open_buffers(), server.get_last_check(uri)
        actions = []
        for diagnostic in last_check.diagnostics.get(path or Path(), ()):
            lsp_diagnostic = _convert_diagnostic(diagnostic)
            if not lsp_diagnostic.range.start.line <= params.range.start.line <= lsp_diagnostic.range.end.line:
                continue
            fixes = await server.list_fixes(diagnostic, uri)
            for number, fix in enumerate((*fixes, *edits.list_further_fixes(diagnostic))):
                change = _convert_fix(fix, buffers)
                if change is not None:
                    is_preferred = number == 0 and fix in fixes
                    kind = lsp.CodeActionKind.QuickFix
                    actions.append(lsp.CodeAction(fix.title, kind, [lsp_diagnostic], is_preferred, edit=change))
        source = server._find_source(uri)
        if source is not None and not source.name.endswith(SHEET_EXTENSION) and _can_create_files(server):
            case = edits.draft_case(source, params.range.start.line + 1)
            if case is not None:
                title, file, text = case
                actions.append(lsp.CodeAction(title, lsp.CodeActionKind.Refactor, edit=_create_file(file, text)))
        return actions

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def format_document(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        source = server._find_source(params.text_document.uri)
        if source is None or source.name.endswith(SHEET_EXTENSION):
            return []
        text = await server.run_on_checker(edits.format_buffer, source.text)
        if text is None or text == source.text:
            return []
        return [lsp.TextEdit(_make_range(source, 0, len(source.text)), text)]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    async def rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        place, project = server._find_place(params), server.find_project_of(params.text_document.uri)
        if place is None or project is None:
            return None
        definition, buffers = place.definition, server.get_buffer_texts()
        if definition is None:
            raise JsonRpcException(f"`{place.word}` is no name that this game declares")
        try:
            places, sources = await server.run_on_checker(
                edits.rename, definition, place.word, params.new_name, project, buffers
            )
        except edits.CannotRename as refusal:
            raise JsonRpcException(str(refusal)) from refusal
        changes = {
            _format_uri(path): [
                lsp.TextEdit(_make_range(sources[path], start, end), params.new_name) for start, end in pairs
            ]
            for path, pairs in places.items()
        }
        return lsp.WorkspaceEdit(changes)


def serve(port: int | None = None) -> None:
    """Serve one editor until it ends the connection: over standard input and output, or a TCP port of this machine."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    with enable_cache() as cache:
        server = make_server(cache)
        if port is None:
            server.start_io()
        else:
            server.start_tcp("127.0.0.1", port)
