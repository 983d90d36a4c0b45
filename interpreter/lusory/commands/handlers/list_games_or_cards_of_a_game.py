"""Run ``lusory list``: list the bundled games, or the cards of one game (``lusory list GAME --cards``)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lusory.commands.handlers.explain import load_ruleset
from lusory_dsl.ruleset import model
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_packs, find_bundled_rulesets, list_files
from lusory_dsl.source.source import format_json, make_one_line
from lusory_dsl.yaml.reader import read_file, to_plain_data

from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.statistics_tables_and_game_lists import render_cards, render_catalogue
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ..errors import UsageError


def run(args: argparse.Namespace) -> int:
    """Print the bundled games, or with ``args.game`` and ``args.cards`` the cards of a game. Returns 0.

    With ``args.format`` ``"json"`` it prints JSON, otherwise text. ``args.packs`` are the packs from ``--with``. The
    JSON of the games is the list of :func:`describe_games`. The JSON of the cards is a list of objects with ``id``,
    ``label`` (or ``""``), ``kind`` and ``number`` (of copies, such as ``"4"``). A family of cards is one object: its id
    is as written, such as ``n_{suit}``. It has the label ``FIRST … LAST``, with ids in place of missing labels, and for
    20 copies in all the number ``20, of 5 cards``. A game without cards gives
    ``Trial has no cards.`` with its ``name``, in JSON ``[]``. Raises UsageError for a game or ``--with`` without
    ``--cards``, for ``--cards`` without a game, and for an unknown game or pack, and RulesetError for a faulty ruleset.
    """
    if args.game is not None or args.cards or args.packs:
        return _list_cards(args)
    games = describe_games()
    if args.format == "json":
        plain_output.write_lines(format_json(games))
    else:
        create_terminal().print(render_catalogue(games))
    return 0


def describe_games() -> list[dict[str, Any]]:
    """Return a description of each bundled game, sorted by ``id``.

    Its keys are ``id``, ``name``, ``players``, ``about``, ``packs`` and ``path``. ``packs`` lists its packs with
    ``id``, ``name``, ``for``, ``about`` and ``replaces``, a list of names. All other values are texts, such as
    ``"2–4"`` for ``players``.
    """
    packs = []
    for name, folder in find_bundled_packs().items():
        section = _read_section("pack", folder)
        lists_of_names = [names for names in _read_sections("replaces", folder) if isinstance(names, list)]
        packs.append(
            {
                "id": name,
                "name": str(section.get("name", name)),
                "for": str(section.get("for", "")),
                "about": " ".join(str(section.get("about", "")).split()),
                "replaces": [str(item) for names in lists_of_names for item in names],
            }
        )
    games = []
    for name, folder in find_bundled_rulesets().items():
        # only the section `game` is read
        section = _read_section("game", folder)
        games.append(
            {
                "id": name,
                "name": str(section.get("name", name)),
                "players": str(section.get("players", "?")).replace("..", "–"),
                "about": " ".join(str(section.get("about", "")).split()),
                "packs": [pack for pack in packs if pack["for"] == name],
                "path": str(folder),
            }
        )
    return games


def _list_cards(args: argparse.Namespace) -> int:
    """Print the cards of a game with its packs. Returns 0. Raises UsageError without a game or without ``--cards``."""
    if args.game is None or not args.cards:
        missing_argument = "the name of a game" if args.game is None else "`--cards`"
        raise UsageError(f"{missing_argument} is missing", "`lusory list GAME --cards` lists the cards of a game")
    ruleset = load_ruleset(args.game, args.packs)
    rows = _list_card_rows(ruleset.cards)
    if args.format == "json":
        plain_output.write_lines(
            format_json([dict(zip(("id", "label", "kind", "number"), row, strict=True)) for row in rows])
        )
    elif rows:
        create_terminal().print(render_cards(rows))
    else:
        create_terminal().print(f"{make_one_line(ruleset.game.name)} has no cards.")
    return 0


def _list_card_rows(cards: Sequence[model.CardDecl]) -> list[tuple[str, str, str, str]]:
    """Return the id, label, kind and number of each card, in declared order.

    A family has one row, under its id as written, with its first and last label and the total number.
    """
    rows: list[tuple[str, str, str, str]] = []
    families: set[model.FamilyDecl] = set()
    for card in cards:
        if card.family is None:
            rows.append((card.id.text, card.label or "", card.kind.text, str(card.copies)))
        elif card.family not in families:
            families.add(card.family)
            members = [member for member in cards if member.family is card.family]
            label = f"{members[0].label or members[0].id.text} … {members[-1].label or members[-1].id.text}"
            number = f"{sum(member.copies for member in members)}, of {len(members)} cards"
            rows.append((card.family.id.text, label, card.kind.text, number))
    return rows


def _read_section(name: str, folder: Path) -> dict[str, Any]:
    """Return a section of a ruleset or pack. Returns an empty section if it is missing."""
    sections: list[dict[str, Any]] = [section for section in _read_sections(name, folder) if isinstance(section, dict)]
    return sections[0] if sections else {}


def _read_sections(name: str, folder: Path) -> Iterator[Any]:
    """Yield a section from each file that has it."""
    for file in list_files(folder, ".yaml"):
        node = read_file(file, Diagnostics())
        data = to_plain_data(node) if node is not None else None
        if isinstance(data, dict) and name in data:
            yield data[name]
