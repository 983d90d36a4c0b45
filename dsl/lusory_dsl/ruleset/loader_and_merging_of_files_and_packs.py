"""Read and merge the files of a ruleset and its packs into a :class:`~lusory_dsl.ruleset.model.Ruleset`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, field, replace
from ..source.diagnostics import Diagnostic, Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import find_cached, get_cached, store_cached
from ..source.ruleset_files_fingerprints_and_text_lock import (
    SHEET_EXTENSION,
    RulesetFiles,
    compute_digest,
    find_text_lock,
    make_relative_key,
    parse_text_lock,
    read_ruleset_files,
)
from ..source.safe_files_and_bundled_data import FileRefused, find_bundled_rulesets
from ..source.source import EmbeddedText, Sheet, Source, Span
from ..source.spelling_suggestions import suggest_name
from ..syntax.parser import MAX_CHARACTERS
from ..yaml.reader import (
    MAX_NODES,
    Entry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    decode_source,
    iterate_named_entries,
    make_source,
    read_text,
    report_refusal,
    share_declarations,
    walk_nodes,
)
from . import model
from .constant_evaluator_and_card_families import expand_families
from .model_from_yaml import RESOURCE, build_ruleset
from .pack_application import (
    Extension,
    Sections,
    build_pack_decl,
    get_id,
    refuse_misfit,
    refuse_pack_as_game,
    replace_item,
    walk_items,
)
from .schema_validation import validate
from .spreadsheets import KEYWORDS, MEMBER_COLUMNS, SheetCard, convert_sheet_cards, read_sheet
from .yaml_repairs import add_fix

SINGLE = ("game", "setup", "scoring", "view", "bots", "balance")
"""Sections that may occur only once in a ruleset."""

PACKS_ONLY = ("pack", "replaces", "extends")
"""Sections that only a pack may have. They refer to the ruleset that it extends."""


@dataclass(eq=False)
class File:
    """A file of a ruleset or pack.

    Attributes:
        key: Its name within the ruleset, which is part of the digest. In a pack, it begins with the pack's number.
        root: Its parsed content. None before parsing, and if it is faulty or no mapping.
    """

    source: Source
    key: str
    root: YamlMapping | None = None


@dataclass(eq=False)
class _Layer:
    """The files of the ruleset itself, or of a pack that extends the layers before it.

    ``number`` is 0 for the ruleset. ``replaces`` lists what a pack redefines.
    """

    files: list[File]
    number: int = 0
    replaces: dict[str, YamlScalar] = field(default_factory=dict)
    used_names: set[str] = field(default_factory=set)  # the entries of ``replaces`` that redefined something

    @property
    def is_pack(self) -> bool:
        """True if this is not the ruleset itself."""
        return self.number > 0

    @property
    def roots(self) -> list[YamlMapping]:
        """The contents of the files that have any."""
        return [file.root for file in self.files if file.root is not None]

    @property
    def pack_section(self) -> YamlNode | None:
        """The section ``pack`` of the first file that has one, or None."""
        return next((head for root in self.roots if (head := root.get("pack")) is not None), None)

    @property
    def name(self) -> str:
        """The name of the layer in messages: ``the game`` if ``number`` is 0, otherwise ``the pack NAME``.

        NAME is the text at ``name`` in ``pack_section``. Without it, the result is ``the pack without a name``.
        """
        if not self.is_pack:
            return "the game"
        title = build_pack_decl(self.pack_section).name
        return f"the pack {title}" if title else "the pack without a name"


class _Merger:
    """Merge the sections of parsed files, one layer after the other.

    A section that is a mapping or list may be spread over files, and its entries are in the order of the files. A
    declaration may occur once, unless a pack lists it under ``replaces``. Reports what conflicts; the first declaration
    is then kept.
    """

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.is_well_formed = not diagnostics.has_errors  # the schema accepted all files
        self.sections = Sections()
        self.layers: list[_Layer] = []
        self.layer_of: dict[str, _Layer] = {}  # file name -> its layer
        self.replacements: dict[str, tuple[_Layer, Span]] = {}  # declarations that a pack redefined

    def _add_layer(self, layer: _Layer) -> None:
        """Add the sections of a layer. A layer that doesn't fit here is reported and left out.

        Lists are joined, and so are the row of a card in a sheet and its YAML entry. Any other second declaration of a
        name replaces the first if it is in another layer and this layer's ``replaces`` has the name. A list item with
        the id of an earlier one replaces it in the same way. Otherwise the declaration is reported, and the first
        stays. Sections that only packs may have are reported in the ruleset itself, and not added.
        """
        game = self.sections.single.get("game")
        refusal = (
            refuse_misfit(layer.roots, layer.pack_section, game)
            if layer.is_pack
            else refuse_pack_as_game(layer.roots, layer.pack_section)
        )
        if refusal is not None:
            self.diagnostics.add(*refusal)
            return
        self.layers.append(layer)
        for root in layer.roots:
            self.layer_of[root.span.source.name] = layer
            for name, _ in iterate_named_entries(root.get("replaces")):
                layer.replaces[name.text] = name
        for root in layer.roots:
            for key, value in root.entries:
                if key.text not in PACKS_ONLY:
                    self._add_section(key, value, layer)
                elif not layer.is_pack:
                    message = f"`{key.text}` is allowed only in a pack, which you add to a game with `--with`"
                    self.diagnostics.add(codes.KEYS_EXCLUDE, message, key.span, "delete it")

    def finish(self) -> Sections:
        """Return ``self.sections``, after the packs' extensions are applied in order and cards of spreadsheets are
        converted.

        For each pack that fits the game, ``packs`` gets a PackDecl(name, about, replaces) with a tuple of Words for the
        entries of ``replaces``. Reports entries that redefine nothing, cards of YAML files without a kind, and an enum
        ``Resource`` beside ``resources``. Ids of phases, invariants and layers that occur twice are reported, too.
        Unless ``is_well_formed``, extensions are not applied, and cards not converted or checked. Errors since the
        merger was created don't count for this.
        """
        for layer in self.layers:
            if layer.is_pack:
                for root in layer.roots if self.is_well_formed else ():
                    Extension(self.sections, self.diagnostics).add(root.get("extends"))
                self._report_unused(layer)
                replaced_names = tuple(model.Word(name, node.span) for name, node in layer.replaces.items())
                self.sections.packs.append(build_pack_decl(layer.pack_section, replaced_names))
        self._write_out_sheets()
        self._report_duplicate_ids("phase", walk_items(self.sections.lists.get("phases", ())))
        self._report_duplicate_ids("invariant", self.sections.lists.get("invariants", ()))
        self._report_duplicate_ids("layer", self.sections.lists.get("layers", ()))
        enum = self.sections.declarations.get("enums", {}).get(RESOURCE)
        if enum and "resources" in self.sections.keys:
            self._report_twice(f"the enum `{RESOURCE}`", enum[0].span, self.sections.keys["resources"].span)
        return self.sections

    # ------------------------------------------------------------ one section of one file

    def _add_section(self, section: YamlScalar, value: YamlNode, layer: _Layer) -> None:
        """Merge a section into those of earlier files.

        Lists are joined, and declarations gathered by name. It is an error if a single section, or a name, exists
        already, unless the layer may replace it. A card of a sheet and its entry in a YAML file are joined.
        """
        name = section.text
        first = self.sections.keys.setdefault(name, section)
        if name in SINGLE:
            if first is section or self._may_replace(name, first.span, section.span, layer):
                self.sections.single[name] = value
                self.sections.keys[name] = section
            else:
                self._report_twice(f"the section `{name}`", section.span, first.span)
        elif isinstance(value, YamlSequence) and name != "resources":
            self._add_items(name, value.items, layer)
        else:
            declarations = self.sections.declarations.setdefault(name, {})
            for key, declaration in iterate_named_entries(value):
                old_entry = declarations.get(key.text)
                if old_entry is None or self._may_replace(key.text, old_entry[0].span, key.span, layer):
                    declarations[key.text] = (key, declaration)
                elif (joined_entry := self._join_with_sheet(old_entry, (key, declaration))) is not None:
                    declarations[key.text] = joined_entry
                else:
                    self._report_twice(f"`{key.text}`", key.span, old_entry[0].span)

    def _join_with_sheet(self, first: Entry, second: Entry) -> Entry | None:
        """Combine a card of a spreadsheet with its entry in a YAML file of the same layer.

        Return None for anything else.
        """
        sheet, details = (first, second) if isinstance(first[1], SheetCard) else (second, first)
        if self.layer_of[first[0].span.source.name] is not self.layer_of[second[0].span.source.name]:
            return None
        if not isinstance(sheet[1], SheetCard) or sheet[1].details is not None or type(details[1]) is not YamlMapping:
            return None
        return first[0], replace(sheet[1], details=details[1])

    def _add_items(self, section: str, items: Iterable[YamlNode], layer: _Layer) -> None:
        """Add the items of a list section. An item replaces the one with the same id if ``replaces`` names it."""
        section_items = self.sections.lists.setdefault(section, [])
        for item in items:
            id = get_id(item)
            if id is not None and id.text in layer.replaces:
                existing_ids = {
                    existing_id.text: existing_id for node in walk_items(section_items) if (existing_id := get_id(node))
                }
                if id.text in existing_ids and self._may_replace(id.text, existing_ids[id.text].span, id.span, layer):
                    section_items[:] = replace_item(section_items, id.text, [item])
                    continue
            section_items.append(item)

    def _may_replace(self, name: str, first: Span, second: Span, layer: _Layer) -> bool:
        """Return whether a layer may redefine what is declared at ``first``.

        Report a conflict of two packs, and return True.
        """
        if name not in layer.replaces or self.layer_of[first.source.name] is layer:
            return False
        layer.used_names.add(name)
        owner, place = self.replacements.setdefault(name, (layer, second))
        if owner is not layer:
            message = f"{layer.name} and {owner.name} both replace `{name}`"
            notes = [(place, "the other one")]
            self.diagnostics.add(codes.DECLARED_TWICE, message, second, "add only one of them to the game", notes)
        return True

    def _write_out_sheets(self) -> None:
        """Convert the cards of spreadsheets to YAML, now that all fields are known. Report cards without a kind."""
        cards = self.sections.declarations.get("cards", {})
        if self.is_well_formed and any(isinstance(node, SheetCard) for _, node in cards.values()):
            kinds = {
                name: {
                    key.text: type.text if isinstance(type, YamlScalar) else ""
                    for key, type in iterate_named_entries(_get_value(node, "fields"))
                }
                for name, (_, node) in self.sections.declarations.get("components", {}).items()
            }
            convert_sheet_cards(cards, kinds, self._list_members(), self.diagnostics)
        in_sheets = [name for name, (key, _) in cards.items() if isinstance(key.span.source, Sheet)]
        for name, (key, node) in cards.items() if self.is_well_formed else ():
            if isinstance(node, YamlMapping) and node.get("kind") is None and not isinstance(key.span.source, Sheet):
                message = f"`cards.{name}`: `kind` is missing"
                of_sheet = (
                    f"no sheet has a card `{name}`: {suggest_name(name, in_sheets) or 'name one, or say its kind'}"
                )
                hint = of_sheet if in_sheets else "its component kind"
                self.diagnostics.add(codes.MISSING_KEY, message, key.span, hint)

    def _list_members(self) -> dict[str, str]:
        """Return what cards can declare besides fields: the name of each member and keyword, with its section."""
        kinds = [node for _, node in self.sections.declarations.get("components", {}).values()]
        keywords = dict.fromkeys(self.sections.declarations.get("keywords", {}), KEYWORDS)
        return keywords | {
            key.text: section
            for section in MEMBER_COLUMNS
            for kind in kinds
            for key, _ in iterate_named_entries(_get_value(kind, section))
        }

    # ------------------------------------------------------------ what is wrong

    def _report_unused(self, layer: _Layer) -> None:
        """Report entries of ``replaces`` that redefine nothing."""
        for name, node in layer.replaces.items():
            if name not in layer.used_names:
                declared_names = (name for names in self.sections.declarations.values() for name in names)
                listed_ids = (
                    id.text
                    for nodes in self.sections.lists.values()
                    for item in walk_items(nodes)
                    if (id := get_id(item))
                )
                hint = suggest_name(name, [*SINGLE, *declared_names, *listed_ids])
                message = f"`{name}` is under `replaces`, but the pack and the ruleset do not both declare it"
                self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, node.span, hint)

    def _report_duplicate_ids(self, kind: str, nodes: Iterable[YamlNode]) -> None:
        first: dict[str, Span] = {}
        for node in nodes:
            id = get_id(node)
            if id is not None:
                if id.text in first:
                    self._report_twice(f"the {kind} `{id.text}`", id.span, first[id.text])
                first.setdefault(id.text, id.span)

    def _report_twice(self, subject: str, span: Span, first: Span) -> None:
        own_layer, first_layer = (self.layer_of[place.source.name] for place in (span, first))
        message, hint = f"{subject} is declared twice", "keep or rename one"
        if own_layer is not first_layer:
            message += f", by {first_layer.name} and by {own_layer.name}"
            hint = "rename one, or list it under `replaces` if the pack changes it"
            if first_layer.is_pack:
                hint = "rename one, or add only one of them to the game"
        self.diagnostics.add(codes.DECLARED_TWICE, message, span, hint, [(first, "first declared here")])


def _get_value(node: YamlNode, key: str) -> YamlNode | None:
    return node.get(key) if isinstance(node, YamlMapping) else None


MAX_TEXT = 500_000
"""Maximum number of characters of all effect texts of a ruleset with its packs, because effect text is slow to check.
"""


def load(path: Path, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> model.Ruleset | None:
    """Load a ruleset from a folder or a single file, with the packs applied in order.

    Adds errors and warnings as :func:`load_files` does. Returns None if there is an error among them, also if a file
    can't be read.
    """
    return load_files(read_ruleset_files(path, packs), diagnostics)


def load_files(places: Sequence[RulesetFiles], diagnostics: Diagnostics) -> model.Ruleset | None:
    """Build a ruleset from files that have been read: its own in ``places[0]``, then those of its packs in order.

    Appends the errors and warnings that it finds, which are sorted by file and position. Mistakes in types and in code,
    such as ``type: Foo``, are found later. Returns None if it finds an error; errors that ``diagnostics`` already held
    don't count.
    """
    findings = Diagnostics()
    layers = [_Layer(list(_decode_files(place, findings, number)), number) for number, place in enumerate(places)]
    path = places[0].path
    ruleset = _build(layers, str(path if path.is_dir() else path.parent), findings)
    # missing cards are easy to overlook, so sheets that are not read are reported
    for sheet in (sheet for place in places for sheet in place.unread_sheets):
        hint = "move it to `cards/` and save it as `.csv`" if sheet.suffix == SHEET_EXTENSION else "save it as `.csv`"
        message = f"lusory doesn't read the sheet `{sheet.name}`"
        findings.add(codes.UNREAD_SHEET, message, Span(Source(str(sheet), ""), 0, 0), hint)
    locks = tuple(_read_lock(place, findings) for place in places)
    diagnostics.extend(findings.list_sorted())
    return None if ruleset is None or findings.has_errors else replace(ruleset, text_locks=locks)


def _read_lock(place: RulesetFiles, diagnostics: Diagnostics) -> model.TextLock:
    """Return the accepted texts of a ruleset or pack."""
    if isinstance(place.text_lock, FileRefused):
        report_refusal(place.text_lock, diagnostics, str(find_text_lock(place.path)))
        return model.TextLock(str(place.path))
    return model.TextLock(str(place.path), parse_text_lock(place.text_lock or b""))


def read_place(place: RulesetFiles, diagnostics: Diagnostics) -> list[File]:
    """Read and parse the files of one ruleset or pack, and check them against the schema.

    Returns every file that can be decoded, in order. Others are reported, and so are ``misnamed_files`` and a place
    without any file. If ``place.refusal`` is not None, it is reported instead, and the result is []. ``root`` of a file
    is None if its YAML is faulty, empty or no mapping. YAML that is a list or a single value is reported, too, but an
    empty file is not. Parsing ends with a report at the file that brings the number of values in all files above
    ``MAX_NODES``. From it on, files have no root. Mappings are then not checked against the schema, not even those of
    earlier files.
    """
    files = list(_decode_files(place, diagnostics))
    _parse_files(files, diagnostics)
    return files


def load_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> model.Ruleset | None:
    """Build a ruleset from a text, for tests and documents.

    Reports only what the loader checks, with ``name`` as the name of the file. This is YAML, unknown and missing keys,
    the form of names (a variable ``Gold``), duplicates in a section, and the form of plain values, such as
    ``players: abc`` in ``game`` or a number in place of a mapping. It doesn't report what the checker finds: an unknown
    type (``type: Nonsense``), wrong code (even its syntax), wrong boards, names that two sections declare, and names
    that are words of the language (a variable ``if``). Returns None if it reports an error. Errors that are already in
    ``diagnostics`` don't count.
    """
    findings = Diagnostics()
    ruleset = _build([_Layer([File(make_source(name, text), name)])], None, findings)
    diagnostics.extend(findings.list_sorted())
    return ruleset


# ---------------------------------------------------------------- files


def _decode_files(place: RulesetFiles, diagnostics: Diagnostics, number: int = 0) -> Iterator[File]:
    """Yield the files of a ruleset, or of the pack with this number, that can be decoded.

    Report if there are none. Report each misnamed file too, because its author may expect that it is read. A path that
    no longer exists is only reported if none of its files was read.
    """
    path = place.path

    def refuse(message: str, hint: str, faulty_path: Path = path) -> None:
        diagnostics.add(codes.NOTHING_TO_READ, message, Span(Source(str(faulty_path), ""), 0, 0), hint)

    if all(isinstance(content, FileRefused) for _, content in place.files) and not path.exists():
        suggestion = suggest_name(path.name, find_bundled_rulesets()) if path.parent == Path() else None
        return refuse(f"there is no file or folder `{path}`", suggestion or "give a ruleset's folder or its .yaml file")
    if place.refusal is not None:
        return report_refusal(place.refusal, diagnostics)
    for file in place.misnamed_files:
        refuse(f"`{file.name}` is not read: a file of a ruleset must end with `.yaml`", "rename it", file)
    if not place.files and not place.misnamed_files:
        refuse(f"the folder `{path}` holds no .yaml file", "put them in the folder itself or in `cards/`")
    for file, content in place.files:
        if isinstance(content, FileRefused):
            report_refusal(content, diagnostics, str(file))
        elif (source := decode_source(str(file), content, diagnostics)) is not None:
            if file.suffix == SHEET_EXTENSION and file != path:
                source = Sheet(source.name, source.text)
            key = make_relative_key(file, path)
            yield File(source, f"{number}/{key}" if number else key)


def _build(layers: Sequence[_Layer], directory: str | None, diagnostics: Diagnostics) -> model.Ruleset | None:
    """Build the ruleset from the files of its layers. Return None if there is any fault."""
    files = [file for layer in layers for file in layer.files]
    _parse_files(files, diagnostics)
    layers = [layer for layer in layers if layer.roots]
    if not layers and not diagnostics.has_errors:
        hint = "a ruleset begins with the section `game`"
        diagnostics.add(codes.NOTHING_TO_READ, "the file is empty", Span(files[0].source, 0, 0), hint)
    merger = _Merger(diagnostics)
    for layer in layers:
        merger._add_layer(layer)
    sections = merger.finish()
    if diagnostics.has_errors:
        return None
    if "game" not in sections.single:
        hint = "write `game:` with `id`, `name`, `version`, `language` and `players`"
        place = Span(layers[0].roots[0].span.source, 0, 1)
        diagnostics.add(codes.MISSING_KEY, "the section `game` is missing", place, hint)
        return None
    ruleset = build_ruleset(
        sections.make_root(),
        diagnostics,
        sources=tuple(file.source for file in files),
        directory=directory,
        digest=compute_digest((file.key, file.source.text.encode("utf-8", "replace")) for file in files),
        packs=tuple(sections.packs),
        more_setups=tuple(sections.more_setups),
        read_by_families=frozenset(),
    )
    ruleset = expand_families(ruleset, diagnostics)
    _check_length(ruleset, diagnostics)
    return None if diagnostics.has_errors else ruleset


def _parse_files(files: Sequence[File], diagnostics: Diagnostics) -> None:
    """Parse the YAML of all files and check it against the schema. Stops where they hold too many values together."""
    nodes = 0
    for file in files:
        source = file.source
        key = ("file", source.name, source.text)
        file.source, root, n_nodes, findings = get_cached(key, partial(_parse_file, source))
        file.source.move_fragments()
        store_cached(("last", source.name), (file.source, root))
        diagnostics.extend(findings)
        nodes += n_nodes
        if nodes > MAX_NODES:
            message = f"up to here, the files of the ruleset have more than {MAX_NODES:,} values"
            hint = "replace cards that are alike by a family"
            diagnostics.add(codes.TOO_LARGE, message, Span(file.source, 0, 0), hint)
            return
        file.root = root if isinstance(root, YamlMapping) else None
        if root is not None and file.root is None:
            validate(root, "ruleset", diagnostics)
    for file in files:
        if file.root is not None:
            key = ("shape", file.source.name, file.source.text)
            diagnostics.extend(get_cached(key, partial(_validate_file, file.root)))


def _check_length(ruleset: model.Ruleset, diagnostics: Diagnostics) -> None:
    """Report the first effect text that exceeds the total limit.

    A text that is too long by itself is reported later.
    """
    families = dict.fromkeys(card.family for card in ruleset.cards if card.family is not None)
    records = (ruleset, *(getattr(family, name) for family in families for name in family.__match_args__))
    total = 0
    for text in sorted(_iterate_texts(records), key=lambda text: (text.source.name, text.base.start + text.offsets[0])):
        total += len(text.text) if len(text.text) <= MAX_CHARACTERS else 0
        if total > MAX_TEXT:
            message = f"up to here, the texts of the rules have more than {MAX_TEXT:,} characters"
            hint = "move what they repeat to a query, an effect, an action of a kind of card or a keyword"
            diagnostics.add(codes.TOO_LARGE, message, text.whole_span, hint)
            return


def _iterate_texts(record: object) -> Iterator[EmbeddedText]:
    """Yield the effect texts in a record, without those of families, which all their cards share."""
    if isinstance(record, EmbeddedText):
        yield record
    elif isinstance(record, tuple):
        for item in record:
            yield from _iterate_texts(item)
    elif not isinstance(record, Source | Span | model.Word | model.Value | model.FamilyDecl | str):
        for name in getattr(record, "__match_args__", ()):
            yield from _iterate_texts(getattr(record, name))


def _parse_file(source: Source) -> tuple[Source, YamlNode | None, int, list[Diagnostic]]:
    """Parse a file. Return its source, its root node, the number of its nodes, and the YAML faults.

    The root is None if the file isn't YAML or contains only comments. The latter is no fault.
    """
    diagnostics = Diagnostics()
    old_source, old_root = find_cached(("last", source.name)) or (None, None)
    if old_source is not None:
        source.reuse_fragments(old_source)
        source.move_fragments()
    if isinstance(source, Sheet):
        root: YamlNode | None = read_sheet(source, diagnostics)
        findings = diagnostics.list_sorted()
    else:
        root = read_text(source, diagnostics)
        findings = add_fix(source, diagnostics.list_sorted())
        if isinstance(root, YamlScalar) and root.value is None:
            root = None
        if isinstance(root, YamlMapping) and old_root is not None:
            root = share_declarations(root, old_root)
    return source, root, 0 if root is None else sum(1 for _ in walk_nodes(root)), findings


def _validate_file(root: YamlMapping) -> list[Diagnostic]:
    """Return the faults that the schema finds in the sections of a file."""
    diagnostics = Diagnostics()
    if not isinstance(root.span.source, Sheet):
        validate(root, "ruleset", diagnostics)
    return add_fix(root.span.source, diagnostics.list_sorted())
