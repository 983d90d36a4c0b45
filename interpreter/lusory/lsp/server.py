"""Serve the Language Server Protocol with pygls. The only module that knows the protocol."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.memo import enable_cache
from lusory_dsl.source.source import Source, Span, make_one_line, make_printable
from lusory_dsl.yaml.reader import YamlMapping, make_source

from . import answers, edits
from .cursor import Cursor, cursor_at
from .index import FileIndex, Index
from .project import Checked, Project, check_project, find_project

PAUSE = 0.1
"""Seconds without typing after which a game is checked."""

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
_UNKNOWN = Checked({}, Index())


class Server(LanguageServer):
    """The language server. It holds the open buffers, and the last check of each project."""

    def __init__(self) -> None:
        super().__init__("lusory", "0.1.0")
        self.checked: dict[Project, Checked] = {}
        self._projects: dict[str, Project | None] = {}
        self._published: dict[Project, set[Path]] = {}
        self._waiting: dict[Project, asyncio.Task[None]] = {}
        self._checker = ThreadPoolExecutor(1)

    @property
    def buffers(self) -> dict[Path, str]:
        """Return the text of each open file, with ``\\n`` at the ends of lines."""
        documents = self.workspace.text_documents.values()
        return {path: make_source("", d.source).text for d in documents if (path := _path(d.uri)) is not None}

    def project_of(self, uri: str) -> Project | None:
        """Return the project of a file, as it was when the file last changed."""
        if uri not in self._projects:
            path = _path(uri)
            self._projects[uri] = None if path is None else find_project(path, self.buffers)
        return self._projects[uri]

    def last_check(self, uri: str) -> Checked:
        """Return the last check of the game that a file belongs to. It is empty before the first one has ended."""
        project = self.project_of(uri)
        return _UNKNOWN if project is None else self.checked.get(project, _UNKNOWN)

    # ------------------------------------------------------------ checks

    def check_soon(self, uri: str) -> None:
        """Check the game of a file after a pause, unless it changes again before."""
        self._projects.pop(uri, None)
        project = self.project_of(uri)
        if project is None:
            return
        waiting = self._waiting.get(project)
        if waiting is not None:
            waiting.cancel()
        self._waiting[project] = asyncio.ensure_future(self._check(project))

    async def _check(self, project: Project) -> None:
        await asyncio.sleep(PAUSE)
        checked = await asyncio.get_running_loop().run_in_executor(self._checker, _check, project, self.buffers)
        before = self.checked.get(project, _UNKNOWN)
        if checked.index.names is None:  # a mistake has hidden all names: keep those of the last check
            checked = Checked(checked.diagnostics, before.index, checked.program, checked.sources)
        self.checked[project] = checked
        files = set(checked.diagnostics)
        opened = {path for uri, own in self._projects.items() if own == project and (path := _path(uri)) is not None}
        for path in files | opened | self._published.get(project, set()):
            found = [_diagnostic(d) for d in checked.diagnostics.get(path, ())]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(from_fs_path(str(path)) or "", found))
        self._published[project] = files

    def shut_down(self) -> None:
        self._checker.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------ places

    def place(self, uri: str, position: lsp.Position) -> Place:
        """Return the place of a cursor in a buffer."""
        return Place(self.workspace.get_text_document(uri), position, self.last_check(uri))


class Place:
    """The place of a cursor in a buffer, with the last check of its game."""

    def __init__(self, document: TextDocument, position: lsp.Position, checked: Checked) -> None:
        self.checked = checked
        self.path = _path(document.uri) or Path()
        self.source = make_source(str(self.path), document.source)
        lines = self.source.text.split("\n")
        self.line = min(position.line, len(lines) - 1)
        self.column = _column(lines[self.line], position.character)
        self.cursor: Cursor = cursor_at(lines, self.line, self.column)
        self.offset = self.source.line_starts[self.line] + self.column
        self.file = checked.index.files.get(str(self.path), FileIndex())

    @property
    def word(self) -> str:
        """Return the whole name under the cursor, or ""."""
        text = self.source.get_line(self.line + 1)
        start = end = self.column
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        return text[start:end]

    @property
    def definition(self) -> Span | None:
        return answers.find_definition(self.word, self.file, self.offset, self.checked.index, self.cursor.is_code)


def _check(project: Project, buffers: dict[Path, str]) -> Checked:
    return check_project(project, buffers)


def _path(uri: str) -> Path | None:
    path = to_fs_path(uri)
    return None if path is None else Path(path)


# ---------------------------------------------------------------- positions: UTF-16 in the protocol, characters here


def _column(text: str, width: int) -> int:
    """Return how many characters the first ``width`` 16-bit units of a line hold."""
    if text.isascii():
        return min(width, len(text))
    for column, character in enumerate(text):
        if width <= 0:
            return column
        width -= 2 if ord(character) > 0xFFFF else 1
    return len(text)


def _position(source: Source, offset: int) -> lsp.Position:
    line, column = source.locate(offset)
    before = source.get_line(line)[: column - 1]
    return lsp.Position(line - 1, len(before) + sum(ord(character) > 0xFFFF for character in before))


def _range(source: Source, start: int, end: int) -> lsp.Range:
    return lsp.Range(_position(source, start), _position(source, end))


def _location(span: Span) -> lsp.Location:
    return lsp.Location(from_fs_path(span.source.name) or "", _range(span.source, span.start, span.end))


def _diagnostic(diagnostic: Diagnostic) -> lsp.Diagnostic:
    span, code = diagnostic.span, diagnostic.code.id
    message = make_printable(diagnostic.message) + (
        f"\nhelp: {make_printable(diagnostic.hint)}" if diagnostic.hint else ""
    )
    related = [
        lsp.DiagnosticRelatedInformation(_location(place), make_one_line(text)) for place, text in diagnostic.notes
    ]
    return lsp.Diagnostic(
        _range(span.source, span.start, max(span.end, span.start + 1)),
        message,
        lsp.DiagnosticSeverity.Error if diagnostic.severity == "error" else lsp.DiagnosticSeverity.Warning,
        code,
        source="lusory",
        related_information=related,
    )


def _text_edits(source: Source, changes: list[edits.Edit]) -> list[lsp.TextEdit]:
    return [lsp.TextEdit(_range(source, change.start, change.end), change.text) for change in changes]


# ---------------------------------------------------------------- features


def make_server() -> Server:
    """Return a server with all features registered."""
    server = Server()
    for register in (_register_changes, _register_questions, _register_navigation, _register_edits):
        register(server)
    return server


def _register_changes(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def changed(server: Server, params: Any) -> None:
        server.check_soon(params.text_document.uri)

    @server.feature(lsp.SHUTDOWN)
    def ended(server: Server, _params: Any) -> None:
        server.shut_down()


def _register_questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
    def completion(server: Server, params: lsp.CompletionParams) -> lsp.CompletionList:
        place = server.place(params.text_document.uri, params.position)
        found = answers.complete(place.cursor, place.file, place.offset, place.checked.index)
        return lsp.CompletionList(False, [_completion(item, place) for item in found])

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        place = server.place(params.text_document.uri, params.position)
        word = place.word
        if not word:
            return None
        text = answers.describe(word, place.file, place.offset, place.checked.index, place.cursor)
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, make_printable(text)))

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(server: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        place = server.place(params.text_document.uri, params.position)
        found = answers.call_at(place.cursor, place.checked.index)
        if found is None:
            return None
        label, parameters, number, doc = found
        information = [lsp.ParameterInformation(parameter) for parameter in parameters]
        return lsp.SignatureHelp([lsp.SignatureInformation(label, doc, information)], 0, number)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(server: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        path, checked = _path(params.text_document.uri), server.last_check(params.text_document.uri)
        return [
            lsp.InlayHint(_position(span.source, span.end), f": {local.type}", lsp.InlayHintKind.Type)
            for span, local in checked.index.locals.items()
            if span.source.name == str(path) and span.source.text[: span.start].endswith("let ")
        ]


def _completion(item: answers.Item, place: Place) -> lsp.CompletionItem:
    start = place.offset - len(place.cursor.word)
    text = item.label if item.insert is None else item.insert
    is_snippet = item.insert is not None and "$" in item.insert
    return lsp.CompletionItem(
        item.label,
        kind=_KINDS.get(item.kind, lsp.CompletionItemKind.Variable),
        detail=item.detail or item.kind,
        documentation=item.doc or None,
        insert_text_format=lsp.InsertTextFormat.Snippet if is_snippet else lsp.InsertTextFormat.PlainText,
        text_edit=lsp.TextEdit(_range(place.source, start, place.offset), text),
    )


def _register_navigation(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        found = server.place(params.text_document.uri, params.position).definition
        return None if found is None else _location(found)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
        place, project = (
            server.place(params.text_document.uri, params.position),
            server.project_of(params.text_document.uri),
        )
        found = place.definition
        if found is None or project is None:
            return []
        sources = edits.sources_of(project, server.buffers)
        places = edits.references(found, place.word, place.checked, sources)
        return [
            lsp.Location(from_fs_path(str(path)) or "", _range(sources[path], edit.start, edit.end))
            for path, changes in places.items()
            if path in sources
            for edit in changes
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = server.workspace.get_text_document(params.text_document.uri)
        source = make_source("buffer.yaml", document.source)
        root = answers.tree_of(source)
        return _symbols(root, source, 2) if isinstance(root, YamlMapping) else []

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def workspace_symbols(server: Server, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        wanted = params.query.casefold()
        return [
            lsp.WorkspaceSymbol(_location(symbol.span), name, lsp.SymbolKind.Variable)
            for checked in server.checked.values()
            if checked.index.names is not None
            for name, symbol in checked.index.names.symbols.items()
            if wanted in name.casefold() and symbol.span.end
        ]


def _symbols(node: YamlMapping, source: Source, depth: int) -> list[lsp.DocumentSymbol]:
    found = []
    for key, value in node.entries:
        whole = _range(source, key.span.start, max(key.span.end, value.span.end))
        inner = _symbols(value, source, depth - 1) if isinstance(value, YamlMapping) and depth > 1 else []
        kind = lsp.SymbolKind.Namespace if depth > 1 else lsp.SymbolKind.Field
        own = _range(source, key.span.start, key.span.end)
        found.append(lsp.DocumentSymbol(make_one_line(key.text) or "?", kind, whole, own, children=inner))
    return found


def _register_edits(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def code_actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, path = params.text_document.uri, _path(params.text_document.uri)
        found = []
        for diagnostic in server.last_check(uri).diagnostics.get(path or Path(), ()):
            shown = _diagnostic(diagnostic)
            if not shown.range.start.line <= params.range.start.line <= shown.range.end.line:
                continue
            for fix in edits.fixes_of(diagnostic):
                change = lsp.WorkspaceEdit({uri: _text_edits(diagnostic.span.source, [fix.edit])})
                found.append(lsp.CodeAction(fix.title, lsp.CodeActionKind.QuickFix, [shown], edit=change))
        return found

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        document = server.workspace.get_text_document(params.text_document.uri)
        source = make_source("buffer.yaml", document.source)
        text = edits.formatted(source.text)
        if text is None or text == source.text:
            return []
        return _text_edits(source, [edits.Edit(0, len(source.text), text)])

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        place, project = (
            server.place(params.text_document.uri, params.position),
            server.project_of(params.text_document.uri),
        )
        found = place.definition
        if found is None or project is None:
            raise JsonRpcException(f"`{place.word}` is no name that this game declares")
        buffers = server.buffers
        sources = edits.sources_of(project, buffers)
        try:
            changes = edits.rename(found, place.word, params.new_name, project, buffers, sources)
        except edits.CannotRename as refusal:
            raise JsonRpcException(str(refusal)) from refusal
        return lsp.WorkspaceEdit(
            {from_fs_path(str(path)) or "": _text_edits(sources[path], found) for path, found in changes.items()}
        )


def serve(port: int | None = None) -> None:
    """Serve one editor until it ends the connection: over standard input and output, or a TCP port of this machine."""
    server = make_server()
    with enable_cache():
        if port is None:
            server.start_io()
        else:
            server.start_tcp("127.0.0.1", port)
