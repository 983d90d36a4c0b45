"""Generate the mutation corpus: bundled rulesets with one mistake each, to measure how well `check` finds mistakes.

`python tests/quick_fixes.py` tries the corpus and prints a table of the results. The suite tries a sample
(test_mutation_corpus.py). The seeds are fixed, so the same rulesets give the same corpus.

A mutant changes one place of one file. The corpus leaves out changes that aren't mistakes, or have an intention that
nobody can tell. They are changes of words with fewer than three letters, to other known words, and of names that
nothing else refers to. Texts for people (labels, prompts, docs) stay unchanged.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from zlib import crc32

from lusory_dsl.core import Program
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset import loader_and_merging_of_files_and_packs, model
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import ResultCache
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import list_ruleset_files
from lusory_dsl.source.source import EmbeddedText, Source, Span
from lusory_dsl.syntax import ast, keywords_operators_and_mistaken_words, parser
from lusory_dsl.types.builtin_functions_members_and_statements import FUNCTIONS, MEMBERS
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlSequence, make_source, read_text

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MIN_LENGTH = 3
NONSENSE = "qwxyzzy"

TEMPLATES = {"because", "label", "note", "phrase", "prompt", "reminder", "says", "short", "sign", "text"}
"""Fields of the model that hold text for people, with expressions in braces."""

PARSERS: list[Callable[[EmbeddedText, Diagnostics], object]] = [
    parser.parse_block,
    parser.parse_expression,
    parser.parse_rule,
    parser.parse_choice_vars,
]

DECLARING = {("ComponentDecl", "fields.key"), ("OptionDecl", "values"), ("EnumValueDecl", "plural")}
BINDERS = ast.Let | ast.LetExpr | ast.ForEach | ast.ChoiceVar | ast.Comprehension

NAMES_FOR_PEOPLE = {
    ("GameDecl", "id"),
    ("PhaseDecl", "id"),
    ("InvariantDecl", "id"),
    ("RuleDecl", "name"),
    ("OptionDecl", "values"),
}
"""Names that people use and that no rule needs to refer to."""


@dataclass(frozen=True)
class Mutant:
    """One mistake in a ruleset.

    ``kind`` is the row of the table. ``word`` is the right word if the mistake is a misspelling. ``declares`` is set if
    the misspelt word is a declaration, so that its uses become wrong. ``cure`` is the key that a slip deleted.
    """

    ruleset: str
    kind: str
    span: Span
    text: str
    word: str = ""
    declares: bool = False
    cure: str = ""

    @property
    def is_misspelt(self) -> bool:
        return bool(self.word)

    @property
    def key(self) -> str:
        """Return an identifier that is the same on every machine."""
        return f"{Path(self.span.source.name).name} {self.span.start} {self.span.end} {self.text}"

    def __str__(self) -> str:
        old_text = self.span.source.text[self.span.start : self.span.end]
        return f"{self.span}: {self.kind}: `{old_text}` → `{self.text}`"


@dataclass(frozen=True)
class Site:
    """One place of a ruleset where a word can be misspelt."""

    where: str
    span: Span
    word: str
    declares: bool = False
    is_for_people: bool = False


# ---------------------------------------------------------------- places to mutate


class Corpus:
    """Everything that can be mutated in one ruleset."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        ruleset = loader_and_merging_of_files_and_packs.load(path, Diagnostics())
        assert ruleset is not None
        self.sources: dict[Path, Source] = {
            file: make_source(str(file), file.read_text(encoding="utf-8")) for file in list_ruleset_files(path)
        }
        self.texts: list[tuple[str, EmbeddedText]] = []
        self.words: list[tuple[str, str, model.Word]] = []  # record, field, word
        self.values: list[model.Value] = []
        fields_of_kinds = [field for kind in ruleset.components for field in kind.fields]
        self.for_people = {name.text for name, type in fields_of_kinds if type.text == "Text"}
        for field in fields(ruleset):
            self._collect("Ruleset", field.name, getattr(ruleset, field.name))
        self.sites = list(self._list_sites())
        self.uses = Counter(site.word for site in self.sites)
        self.known_words = {site.word for site in self.sites} | {
            *FUNCTIONS,
            *MEMBERS,
            *keywords_operators_and_mistaken_words.KEYWORDS,
            *keywords_operators_and_mistaken_words.SOFT_KEYWORDS,
        }

    def _collect(self, record: str, field: str, value: object) -> None:
        match value:
            case model.Word():
                self.words.append((record, field, value))
            case EmbeddedText():
                self.texts.append((field, value))
            case model.Value():
                self.values.append(value)
                for inner in value.data if isinstance(value.data, tuple) else ():
                    self._collect("Value", field, inner)
            case model.TableDecl(type=of) if of.text == "Text":
                pass
            case tuple() if len(value) == 2 and isinstance(value[0], model.Word):
                self.words.append((record, f"{field}.key", value[0]))
                if field != "signs" and (record != "CardDecl" or value[0].text not in self.for_people):
                    self._collect(record, field, value[1])
            case tuple():
                for inner in value:
                    self._collect(record, field, inner)
            case _ if is_dataclass(value) and type(value).__module__.startswith("lusory_dsl.ruleset."):
                for inner_field in fields(value):
                    self._collect(type(value).__name__, inner_field.name, getattr(value, inner_field.name))

    def _list_sites(self) -> Iterator[Site]:
        for field, embedded in self.texts:
            bound = {node.name_span for node in _list_nodes(field, embedded) if isinstance(node, BINDERS)}
            places = {(span.source.name, span.start) for span in bound}
            for site in _list_text_words(embedded, field in TEMPLATES):
                is_bound = (site.span.source.name, site.span.start) in places
                yield replace(site, declares=True, where="name where it is declared") if is_bound else site
        seen_places: set[tuple[str, int]] = set()
        for record, field, word in self.words:
            seen_places.add((word.span.source.name, word.span.start))
            declares = field in ("name", "id", "params.key") or (record, field) in DECLARING
            for span, part in _list_words(word.span, word.text):
                if part not in ("Int", "Bool", "Text", "List") or not declares:
                    where = "name where it is declared" if declares else "name elsewhere in YAML"
                    yield Site(where, span, part, declares, (record, field) in NAMES_FOR_PEOPLE)
        for value in self.values:
            seen_places.add((value.span.source.name, value.span.start))
            if isinstance(value.data, str) and _get_source_text(value.span) == value.data:
                for span, part in _list_words(value.span, value.data):
                    yield Site("name elsewhere in YAML", span, part)
        for source in self.sources.values():
            root = read_text(source, Diagnostics())
            for key in _list_keys(root):
                # A key of several words is a text for people, such as the name of a recommended setup.
                if (source.name, key.start) not in seen_places and " " not in _get_source_text(key):
                    yield Site("key of YAML", key, _get_source_text(key))

    # ------------------------------------------------------------ mutants

    def list_mutants(self, seed: str = "") -> list[Mutant]:
        """Return all mutants of this ruleset, in a fixed pseudorandom order."""
        rnd = random.Random(f"{self.name} {seed}")
        mutants = [mutant for site in self.sites for mutant in self._misspell(site, rnd)]
        mutants += [mutant for text in self.texts for mutant in self._mutate_nodes(*text)]
        mutants += list(self._mutate_values())
        spans = [(mutant.span, mutant) for mutant in mutants]
        unique = {(span.source.name, span.start, span.end, mutant.text): mutant for span, mutant in spans}
        return sorted(unique.values(), key=lambda mutant: crc32(f"{seed} {mutant.key}".encode()))

    def _misspell(self, site: Site, rnd: random.Random) -> Iterator[Mutant]:
        """Yield up to four misspellings: swapped letters, a missing letter, an extra letter and a wrong letter."""
        if len(site.word) < MIN_LENGTH or site.is_for_people or (site.declares and self.uses[site.word] == 1):
            return
        for misspell in (_swap_letters, _drop_letter, _add_letter, _replace_letter):
            text = misspell(site.word, rnd)
            if text not in self.known_words and text != site.word:
                yield Mutant(self.name, f"misspelt {site.where}", site.span, text, site.word, site.declares)

    def _mutate_nodes(self, field: str, embedded: EmbeddedText) -> Iterator[Mutant]:
        """Yield mutants with wrong arguments, types and references in effect text."""
        for node in _list_nodes(field, embedded):
            yield from self._mutate_node(node)

    def _mutate_node(self, node: ast.Node) -> Iterator[Mutant]:
        make = self._make_mutant
        match node:
            case ast.Call(args=args) if args:
                last = args[-1]
                start = args[-2].span.end if len(args) > 1 else last.span.start
                if not has_optional_last_argument(node):
                    yield from make("argument missing", Span(last.span.source, start, last.span.end), "")
                if not accepts_another_argument(node):
                    yield from make("argument too many", Span(last.span.source, last.span.end, last.span.end), ", 1")
                for arg in args:
                    yield from make("argument of another type", arg.value.span, '"wrong"')
            case ast.Index(indices=indices):
                last_index = indices[-1].span
                yield from make("index too many", Span(last_index.source, last_index.end, last_index.end), ", 1")
                yield from make("index of another type", last_index, '"wrong"')
            case ast.If(branches=branches):
                for condition, _ in branches:
                    yield from make("condition that is none", condition.span, "7")
            case ast.IfExpr(condition=condition) | ast.Where(condition=condition):
                yield from make("condition that is none", condition.span, "7")
            case ast.SetTo(value=value, until=None):
                yield from make("value of another type", value.span, '"wrong"')
            case ast.MoveCount(amount=ast.Expr() as amount):
                yield from make("value of another type", amount.span, "(true)")
            case ast.Binary(op=("+" | "-" | "*" | "<" | "<=" | ">" | ">="), right=right):
                yield from make("value of another type", right.span, '"wrong"')
            case ast.Binary(op=("and" | "or"), right=right):
                yield from make("value of another type", right.span, "7")
            case ast.Name(name=name) if name not in ("me", "it", "this"):
                yield from make("undefined reference", node.span, NONSENSE)
            case ast.Member(name_span=name_span):
                yield from make("undefined reference", name_span, NONSENSE)

    def _mutate_values(self) -> Iterator[Mutant]:
        """Yield mutants of plain data with a wrong type, and of references in YAML to undefined names."""
        for value in self.values:
            if type(value.data) in (int, bool):
                yield from self._make_mutant("data of another type", value.span, '"wrong"')
        for _, field, word in self.words:
            if field in ("type", "kind", "holds", "per", "start_kind") and _get_source_text(word.span) == word.text:
                yield from self._make_mutant("undefined reference", word.span, NONSENSE.capitalize())

    def _make_mutant(self, kind: str, span: Span, text: str) -> Iterator[Mutant]:
        if span.end >= span.start and span.source.text[span.start : span.end] != text:
            yield Mutant(self.name, kind, span, text)


def has_optional_last_argument(call: ast.Call) -> bool:
    """Return whether the last argument is optional: the distance of `away`, `corners` or `among`."""
    return (_is_away(call) and len(call.args) > 1) or call.args[-1].name in ("corners", "among")


def accepts_another_argument(call: ast.Call) -> bool:
    """Return whether a call accepts one more number: `away` takes an optional distance."""
    return _is_away(call) and len(call.args) == 1


def _is_away(call: ast.Call) -> bool:
    return isinstance(call.callee, ast.Member) and call.callee.name == "away"


def _list_nodes(field: str, embedded: EmbeddedText) -> Iterator[ast.Node]:
    """Yield all syntax nodes of an embedded text. Tries each parser until one accepts the text."""
    parsers = [parser.parse_template] if field in TEMPLATES else PARSERS
    node_or_nodes = next((tree for parse in parsers if (tree := parse(embedded, Diagnostics())) is not None), None)
    todo = list(node_or_nodes) if isinstance(node_or_nodes, tuple) else [node_or_nodes]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Node):
            yield node
            todo += ast.iterate_children(node)


def _get_source_text(span: Span) -> str:
    return span.source.text[span.start : span.end]


def _list_words(span: Span, text: str) -> Iterator[tuple[Span, str]]:
    """Yield the words in a scalar. Yields nothing if the file writes its text differently, with escapes for example."""
    source_text = _get_source_text(span)
    if text in source_text:
        shift = span.start + source_text.index(text)
        for match in WORD.finditer(text):
            yield Span(span.source, shift + match.start(), shift + match.end()), match[0]


def _list_keys(node: YamlNode | None) -> Iterator[Span]:
    todo = [node]
    while todo:
        yaml_node = todo.pop()
        if isinstance(yaml_node, YamlMapping):
            yield from (key.span for key, _ in yaml_node.entries)
            todo += [value for _, value in yaml_node.entries]
        elif isinstance(yaml_node, YamlSequence):
            todo += yaml_node.items


def _list_text_words(embedded: EmbeddedText, is_template: bool) -> Iterator[Site]:
    """Yield the words of effect text, without comments and text for people."""
    text, offset = embedded.text, 0
    modes = ["words" if is_template else "code"]
    while offset < len(text):
        letter = text[offset]
        if modes[-1] == "words":
            if letter == "\\":
                offset += 1
            elif letter == "{":
                modes.append("code")
            elif letter == '"' and len(modes) > 1:
                modes.pop()
        elif letter == "#":
            offset = text.find("\n", offset) % (len(text) + 1)
        elif letter == '"':
            modes.append("words")
        elif letter == "}" and len(modes) > 1:
            modes.pop()
        elif match := WORD.match(text, offset):
            span = embedded.make_span(match.start(), match.end())
            if _get_source_text(span) == match[0]:
                is_word = (
                    match[0]
                    in keywords_operators_and_mistaken_words.KEYWORDS
                    | keywords_operators_and_mistaken_words.SOFT_KEYWORDS
                )
                where = "word of the language" if is_word else "name in effect text"
                yield Site(where, span, match[0], is_for_people=text[:offset].endswith("option "))
            offset = match.end()
            continue
        elif letter.isdigit():
            offset = re.compile(r"\w+").match(text, offset).end()  # type: ignore[union-attr]
            continue
        offset += 1


# ---------------------------------------------------------------- misspellings


def _swap_letters(word: str, rnd: random.Random) -> str:
    places = [i for i in range(len(word) - 1) if word[i] != word[i + 1]]
    if not places:
        return word
    i = rnd.choice(places)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _drop_letter(word: str, rnd: random.Random) -> str:
    i = rnd.randrange(len(word))
    return word[:i] + word[i + 1 :]


def _add_letter(word: str, rnd: random.Random) -> str:
    i = rnd.randrange(1, len(word) + 1)
    return word[:i] + rnd.choice(LETTERS) + word[i:]


def _replace_letter(word: str, rnd: random.Random) -> str:
    i = rnd.randrange(len(word))
    return word[:i] + rnd.choice(LETTERS.replace(word[i].lower(), "")) + word[i + 1 :]


# ---------------------------------------------------------------- the trial


class Trial:
    """Checks mutants in a copy of one ruleset. ``memory`` caches the parts that no mutant changes."""

    def __init__(self, corpus: Corpus, folder: Path, memory: ResultCache) -> None:
        self.memory = memory
        self.files: dict[str, Path] = {}
        self.folder = folder / corpus.name
        for file, source in corpus.sources.items():
            target = self.files[source.name] = self.folder / file.relative_to(corpus.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source.text, encoding="utf-8")

    def list_diagnostics(self, mutant: Mutant) -> list[Diagnostic]:
        """Return the diagnostics of `check` for a mutant."""
        return self.check_mutant(mutant)[1]

    def check_mutant(self, mutant: Mutant) -> tuple[Program | None, list[Diagnostic]]:
        """Return the program of a mutant, or None if it has errors, and the diagnostics of `check`."""
        span, target = mutant.span, self.files[mutant.span.source.name]
        text = span.source.text
        target.write_text(text[: span.start] + mutant.text + text[span.end :], encoding="utf-8")
        diagnostics = Diagnostics()
        program = check(self.folder, diagnostics)
        self.memory.start_round()
        target.write_text(text, encoding="utf-8")
        return program, diagnostics.list_sorted()


def names_right_word(mutant: Mutant, diagnostics: list[Diagnostic]) -> bool:
    """Return whether a hint names the right word. For a misspelt declaration, the spelling there counts too."""
    right_words = [mutant.word, *([mutant.text] if mutant.declares else [])]
    hints = [diagnostic.hint or "" for diagnostic in diagnostics]
    return any(re.search(rf"`[^`]*\b{re.escape(word)}\b[^`]*`", hint) for word in right_words for hint in hints)
