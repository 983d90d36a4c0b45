"""Run ``lusory new``: create a small game from the template, or a pack for a game.

A pack starts with a copy of a simple card of the game and a test case, and both are checked before they are written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from lusory.commands.handlers.explain import load_ruleset
from lusory_dsl import core
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset import model
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics, RulesetError
from lusory_dsl.source.safe_files_and_bundled_data import (
    find_bundled_template,
    find_data_folder,
    list_files_under,
    read_bundled_text,
    write_atomically,
)
from lusory_dsl.source.source import Source, make_one_line
from lusory_dsl.yaml.likely_mistakes import find_misreading
from lusory_dsl.yaml.reader import read_file, to_plain_data

from ...testing.cases.suite_runner import run_cases
from ...ui.line.statistics_tables_and_game_lists import render_pairs
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ..errors import UsageError
from ..game_loading_seats_and_output import find_ruleset

PACK_FILE = "pack.yaml"
CASES_FILE = "cases/pack.yaml"
NEW_CARD_ID = "newcomer"
ENTRY_COMMENT = "# How the card comes into play: "
PLAIN_TEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*")
YAML_KEYWORDS = ("true", "false", "null")


def _draft_pack(id: str, title: str, base: str, path: Path) -> dict[str, str]:
    """Return file name -> text of the pack ``id`` for the game in ``path``. Nothing is written.

    ``base`` is the game as typed. The simplest card of the most frequent kind is copied. If there is none, or a copy
    doesn't fit the game, the pack has no card. Raises RulesetError if the game has errors.
    """
    ruleset = load_ruleset(base, ())
    draft = _PackDraft(ruleset, id, title, base)
    kinds = Counter(card.kind.text for card in ruleset.cards)
    most_frequent = max(kinds, key=kinds.__getitem__, default=None)
    cards = [card for card in ruleset.cards if card.kind.text == most_frequent]
    if cards and (files := draft._draft_with_card(min(cards, key=_count_members), path)) is not None:
        return files
    diagnostics = Diagnostics()
    check(path, diagnostics)
    if diagnostics.has_errors:
        raise RulesetError(diagnostics.list_sorted())
    return draft._draft_without_card()


def _count_members(card: model.CardDecl) -> int:
    return len(card.queries) + len(card.effects) + len(card.actions) + len(card.rules) + len(card.keywords)


class _PackDraft:
    """Write the files of one pack."""

    def __init__(self, ruleset: model.Ruleset, id: str, title: str, base: str) -> None:
        self.ruleset, self.id, self.title, self.base = ruleset, id, title, make_one_line(shlex.quote(base))
        self.game = make_one_line(ruleset.game.name)
        card_ids = {card.id.text for card in ruleset.cards}
        numbered_ids = (f"{NEW_CARD_ID}_{n}" for n in range(2, len(card_ids) + 3))
        self.card = next(name for name in (NEW_CARD_ID, *numbered_ids) if name not in card_ids)
        self.label = self.card.replace("_", " ").capitalize()

    def _draft_with_card(self, sample: model.CardDecl, path: Path) -> dict[str, str] | None:
        """Return file name -> text with a card modelled on ``sample``, or None if such a card does not fit the game.

        The files are ``pack.yaml``, ``cases/pack.yaml`` and ``README.md``. A card fits if its case passes, and the
        checker finds nothing in the pack, except that the card never comes into play. ``path`` is the game. Nothing is
        written there.
        """
        kind = sample.kind.text
        parts = [self._make_head(), self._make_card(sample)]
        with tempfile.TemporaryDirectory(prefix="lusory-new-") as scratch:
            file = Path(scratch) / PACK_FILE
            write_atomically(file, _join_parts(*parts))
            diagnostics = Diagnostics()
            program = check(path, diagnostics, [file])
            # Ignore the findings in the game itself.
            mistakes = [finding for finding in diagnostics.list_sorted() if finding.span.source.name == str(file)]
            if program is None or any(finding.code is not diagnostic_codes.NEVER_IN_PLAY for finding in mistakes):
                return None
        id = f"{self.card.replace('_', '-')}-in-the-game"
        case = self._write_case(id, f"{self.label} is in the game", f"count({kind} where it is {self.card}) = 1")
        # The evaluator needs no compilation, so it is faster here.
        if not all(result.passed for result in run_cases(program, [Source(CASES_FILE, case)], engine="evaluator")):
            return None
        note = f"# To see what else such a card can have, run `lusory explain {self.base} {kind}`."
        pack = _join_parts(*parts, self._write_entry(program, mistakes), [note])
        readme = self._write_readme(f"| {self.label} | {kind} | |")
        return {PACK_FILE: pack, CASES_FILE: case, "README.md": readme}

    def _draft_without_card(self) -> dict[str, str]:
        """Return file name -> text of a pack without a card.

        The files are ``pack.yaml``, ``README.md``, and ``cases/pack.yaml`` with a case about the players. The pack
        has a head but declares nothing. Nothing is written.
        """
        pack = _join_parts(self._make_head(), ["# Write here what the pack adds: docs/design/packs.md shows how."])
        case = self._write_case("the-game-begins", "The game begins", "count(players) > 0")
        return {PACK_FILE: pack, CASES_FILE: case, "README.md": self._write_readme("")}

    # ------------------------------------------------------------ pack file

    def _make_head(self) -> list[str]:
        return [
            f"# A pack for {self.game}. What you write here is added to the game; the game's own files don't change.",
            f"# Run `lusory check {self.base} --with {self.id}` after every change to find mistakes.",
            "",
            "pack:",
            f"  name: {self.title}",
            f"  for: {self.ruleset.game.id.text}",
            "  language: 2",
            "  about: What the pack adds, in one sentence.",
        ]

    def _make_card(self, sample: model.CardDecl) -> list[str]:
        """Return the lines of the card.

        They are the kind and fields of ``sample``, and its values for queries that the kind demands.
        """
        lines = [
            "cards:",
            f"  # This is a copy of {make_one_line(sample.label or sample.id.text)}. Change it into your own card.",
            f"  {self.card}:",
            f"    kind: {sample.kind.text}",
            f"    label: {self.label}",
        ]
        if sample.fields:
            lines += [
                "    fields:",
                *(f"      {_quote(name.text)}: {_format_yaml(value)}" for name, value in sample.fields),
            ]
        demands = {query.name.text for query in self._find_kind(sample.kind.text).queries if query.value is None}
        answers = [(name, value) for name, value in sample.queries if name.text in demands]
        if answers:
            lines += ["    queries:"]
            for name, value in answers:
                lines += [f"      {name.text}: |", *(f"        {line}" for line in value.text.strip().splitlines())]
        return lines

    def _write_entry(self, program: core.Program, warnings: list[Diagnostic]) -> list[str]:
        """Return comments about how the card comes into play. ``warnings`` holds the warning that it never does."""
        card = next((entity for entity in program.entities if entity.card == self.card), None)
        if card is None:
            return []
        zone = next((zone.name for zone in program.zones.values() if card.number in zone.start), None)
        if not warnings:
            explanation = f"it starts in `{zone}`" if zone else "the rules of the game bring it into play"
            return [f"{ENTRY_COMMENT}{explanation}."]
        hint = warnings[0].hint or ""
        lines = [f"{ENTRY_COMMENT}{hint}."]
        table = next((item for item in program.tables.values() if f"table `{item.name}`" in hint), None)
        enum = program.enums.get(str(table.dims[0].type)) if table is not None and len(table.dims) == 1 else None
        if table is not None and enum is not None:
            entry = f"#       {enum.values[0].name}: {{{self.card}: 1}}"
            lines += ["# extends:", "#   tables:", f"#     {table.name}:", entry]
        return lines

    def _find_kind(self, kind: str) -> model.ComponentDecl:
        return next(component for component in self.ruleset.components if component.name.text == kind)

    # ------------------------------------------------------------ cases and readme

    def _write_case(self, id: str, title: str, condition: str) -> str:
        """Return a case file that expects a condition at the start of the game."""
        command = f"lusory test {self.base} --with {self.id}"
        return _join_parts(
            [
                f"# What should happen in the game with the pack. `{command}` runs these cases.",
                "",
                "cases:",
                f"  - id: {id}",
                f"    title: {title}",
                "    steps:",
                "      - expect:",
                f"          - {condition}",
            ]
        )

    def _write_readme(self, row: str) -> str:
        table = ["| card | kind | what it does |", "|---|---|---|", row, ""] if row else []
        play = [f"lusory {command} {self.base} --with {self.id}" for command in ("play", "check", "test")]
        note = "`lusory new` wrote this page. Rewrite it when you change the pack."
        head = [f"# {self.title}", "", f"A pack for {self.game}.", "", note, "", *table]
        return _join_parts([*head, "```text", *play, "```"])


# ---------------------------------------------------------------- text


def _join_parts(*parts: list[str]) -> str:
    """Join parts with blank lines."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _format_yaml(value: model.Value) -> str:
    """Write plain data as one line of YAML."""
    if isinstance(value.data, tuple):
        if value.is_map:
            return "{" + ", ".join(f"{_quote(word.text)}: {_format_yaml(inner)}" for word, inner in value.data) + "}"
        return "[" + ", ".join(map(_format_yaml, value.data)) + "]"
    if isinstance(value.data, bool):
        return str(value.data).lower()
    if isinstance(value.data, str):
        return _quote(value.data)
    return "null" if value.data is None else str(value.data)


def _quote(text: str) -> str:
    """Return text as YAML, with quotes if a reader could take it for another type."""
    is_plain = PLAIN_TEXT.fullmatch(text) and text.lower() not in YAML_KEYWORDS and find_misreading(text, text) is None
    return text if is_plain else json.dumps(text, ensure_ascii=False)


NAME = re.compile(r"[a-z][a-z0-9_-]*")
FILE_DESCRIPTIONS = {
    "ruleset": "the rules, with a comment on each part",
    "pack": "what the pack adds to the game",
    "cases": "cases that say what should happen, for `lusory test`",
    "README": "a description for readers; rewrite it, too",
}
NEXT_COMMANDS = {
    "play": "play it against a bot",
    "check": "find mistakes after every change",
    "test": "run the cases",
    "explain": "read the rules in English",
}
ID_RULES = "small letters, digits and hyphens, starting with a letter"


def run(args: argparse.Namespace) -> int:
    """Create the game ``args.folder``, or the pack ``args.pack`` for the game ``args.base``. Returns 0.

    A game has ``ruleset.yaml``, ``cases/cards.yaml`` and ``README.md``, a pack ``pack.yaml``, ``cases/pack.yaml`` and
    ``README.md``. Prints them and the next commands. Unused arguments are None. Raises UsageError if all three are
    None, for ``pack`` with ``folder``, for one of ``pack`` and ``base`` without the other, and for an unknown ``base``.
    Also raises it if the new folder exists or its parent is no folder. The name of the folder must match ``NAME`` and
    not be one of ``YAML_KEYWORDS``: ``my-game_2`` is valid, but ``2-games``, ``My-game`` and ``true`` are not. Raises
    RulesetError if ``base`` has errors, and OSError if the new folder can't be written.
    """
    if args.pack is not None and args.folder is not None:
        raise UsageError(
            "--pack can't be combined with the folder of a game",
            f"for a pack: lusory new --pack {args.pack} --for GAME",
        )
    if args.pack is None and args.base is not None:
        raise UsageError("--for needs --pack", f"lusory new --pack {args.folder or 'my-cards'} --for {args.base}")
    if args.pack is not None:
        if args.base is None:
            hint = f"lusory new --pack {args.pack} --for GAME"
            raise UsageError("--pack needs --for: a pack belongs to a game", hint)
        folder = _check_target(args.pack, f"lusory new --pack {{}} --for {args.base}")
        files = _draft_pack(folder.name, make_game_title(folder.name), args.base, find_ruleset(args.base))
        _write_files(folder, files)
        _report_files(folder, files, f"a pack for {make_one_line(args.base)}", args.base, "--with", str(folder))
        entry = next((line for line in files[PACK_FILE].splitlines() if line.startswith(ENTRY_COMMENT)), None)
        if entry is not None:
            create_terminal().print("", entry.removeprefix("# "))
        return 0
    if args.folder is None:
        raise UsageError("the name of the new game is missing", "lusory new my-game")
    folder = _check_target(args.folder, "lusory new {}")
    # the bundled template, renamed
    source = find_bundled_template()
    root = read_file(source / "ruleset.yaml", Diagnostics())
    name = to_plain_data(root)["game"]["name"] if root is not None else source.name
    files = {}
    for path in list_files_under(source):
        text = read_bundled_text(path).replace(source.name, folder.name).replace(name, make_game_title(folder.name))
        files[path.relative_to(source).as_posix()] = text
    _write_files(folder, files)
    _report_files(folder, files, "a small complete game to change into your own", str(folder))
    return 0


# ---------------------------------------------------------------- names


def make_game_title(id: str) -> str:
    """Return the title for an id: ``my-game`` and ``my_game`` become ``My Game``."""
    return " ".join(word.capitalize() for word in re.split(r"[-_]+", id) if word)


def _check_target(target: str, command: str) -> Path:
    """Return the folder to create. Raises UsageError.

    ``command`` is the command line that the error suggests, with a placeholder for a valid name.
    """
    folder = Path(target)
    if not NAME.fullmatch(folder.name) or folder.name in YAML_KEYWORDS:
        # suggest the nearest valid name
        letters = unicodedata.normalize("NFKD", folder.name).encode("ascii", "ignore").decode().lower()
        suggestion = re.sub(r"[^a-z0-9]+", "-", letters).strip("-").lstrip("0123456789-")
        suggestion += "-game" if suggestion in YAML_KEYWORDS else ""
        hint = command.format(folder.parent / suggestion) if suggestion else None
        raise UsageError(f"`{folder.name or target}` can't be the name of a game or pack: use {ID_RULES}", hint)
    if not folder.parent.is_dir():
        raise UsageError(f"there is no folder `{folder.parent}`", f"create it first: mkdir -p {folder.parent}")
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"`{folder}` already exists", "choose another name")
    return folder


# ---------------------------------------------------------------- files


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files to a temporary folder, and move it to its place once it is complete."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".lusory-new-") as scratch:
        draft_folder = Path(scratch) / folder.name
        for name, text in files.items():
            file = draft_folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".yaml"):
                # The schema lets editors complete keys. The line is the last, so that the rules come first.
                kind = "cases" if name.startswith("cases/") else "ruleset"
                schema = (find_data_folder("schema") / f"{kind}.schema.json").as_uri()
                text += f"\n# yaml-language-server: $schema={schema}\n"
            write_atomically(file, text)
        draft_folder.rename(folder)


def _report_files(folder: Path, files: Mapping[str, str], kind: str, *game: str) -> None:
    """Print the created files and the next commands. ``game`` holds the arguments that name the game."""
    rows = [
        (str(folder / file), words)
        for start, words in FILE_DESCRIPTIONS.items()
        for file in files
        if file.startswith(start)
    ]
    next_commands = [(shlex.join(["lusory", command, *game]), words) for command, words in NEXT_COMMANDS.items()]
    create_terminal().print(
        f"Created {folder}{os.sep}, {kind}:", render_pairs(rows), "", "Next:", render_pairs(next_commands)
    )
