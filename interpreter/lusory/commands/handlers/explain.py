"""Run ``lusory explain``: print the rules in English, write the rulebook, or explain a diagnostic."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.source.diagnostic_codes import CODES
from lusory_dsl.source.diagnostics import Diagnostics, RulesetError
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder, read_bundled_text, write_atomically
from lusory_dsl.source.source import make_one_line
from lusory_dsl.source.spelling_suggestions import suggest_name

if TYPE_CHECKING:
    from lusory_dsl.ruleset.model import Ruleset

from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from ..errors import UsageError
from ..game_loading_seats_and_output import find_packs, find_ruleset

UNLIMITED_WIDTH = 1_000_000
# Maximum line width for comfortable reading.
MAX_TEXT_WIDTH = 92
CODE = re.compile(r"[EW]\d{4}", re.IGNORECASE)


def run(args: argparse.Namespace) -> int:
    """Explain a diagnostic, or the rules of a game. Returns 0.

    The first that holds counts:

    - With ``args.rulebook``, write the rulebook to that file (.md, .html or .htm), and print ``Wrote the rulebook of
      …``. Any other ending of its name raises UsageError.
    - With ``args.events``, print the events that rules and packs can react to.
    - If ``args.game`` is a code such as ``e0401``, print its page, and the pages of the codes in ``args.names``.
    - Otherwise print the rules of the game, or only what each of ``args.names`` means.

    The first two raise UsageError if there are ``args.names``, and take a code for the name of a game. An unknown game,
    name or code raises UsageError; what those before it mean is already printed.
    """
    screen = create_terminal()
    if args.names and (args.rulebook is not None or args.events):
        purpose = "--events lists the events of" if args.rulebook is None else "--rulebook writes"
        raise UsageError(f"{purpose} the whole game, so it can't be combined with names", "leave out the names")
    if args.rulebook is not None:
        screen.print_raw(_write_rulebook(args.game, args.packs, Path(args.rulebook), is_for_authors=args.rules))
    elif args.events:
        from ...explain.trigger_heads_and_phases_offering_actions import format_triggers

        screen.print_raw(format_triggers(load_ruleset(args.game, args.packs)))
    elif CODE.fullmatch(args.game):
        for code in (args.game, *args.names):
            _explain_code(code.upper(), screen)
    else:
        ruleset = load_ruleset(args.game, args.packs)
        for name in args.names or [None]:
            screen.print_raw(explain_rules(ruleset, name, screen.width, shows_rules=args.rules))
    return 0


def _write_rulebook(game: str, packs: Sequence[str], path: Path, is_for_authors: bool) -> str:
    """Write the rulebook to a file, and return a message about it. Raises UsageError or RulesetError.

    The edition for authors has all rules, and the clauses with their cases. For the one for players, the message also
    counts the actions that it leaves out because they have no text.
    """
    from lusory_dsl.pipeline import check_files
    from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_files

    from ...explain.rulebook import build_players_rulebook, build_rulebook, render_html, render_markdown

    # This import is slow, and only needed here.
    from ...testing.cases.suite_runner import list_covered_clauses

    formats = {".md": render_markdown, ".html": render_html, ".htm": render_html}
    if path.suffix.lower() not in formats:
        raise UsageError(f"--rulebook {path}: the name of the file must end in .md or .html")
    diagnostics = Diagnostics()
    pack_paths = find_packs(packs)
    files = read_ruleset_files(find_ruleset(game), pack_paths)
    ruleset = load_files(files, diagnostics)
    if ruleset is None:
        raise RulesetError(diagnostics.list_sorted())
    remark = ""
    if is_for_authors:
        program = check_files(files, Diagnostics())
        remark = "" if program is not None else " without examples from its cases, because the rules have errors"
        book = build_rulebook(ruleset, None if program is None else list_covered_clauses(program, pack_paths))
    else:
        book = build_players_rulebook(ruleset)
    try:
        write_atomically(path, formats[path.suffix.lower()](book))
    except OSError as problem:
        raise UsageError(f"--rulebook {path}: {problem.strerror or problem}") from None
    message = make_one_line(f"Wrote the rulebook of {ruleset.game.name} to {path}{remark}")
    left_out = sum(not action.text for action in ruleset.actions)
    if is_for_authors or ruleset.game.start_page is None or not left_out:
        return message
    return f"{message}\nLeft out: {left_out} action{'s' * (left_out > 1)} without a `text`; `--rules` adds all rules"


def _explain_code(code: str, screen: Terminal) -> None:
    if code not in CODES:
        raise UsageError(
            f"there is no diagnostic {code}", suggest_name(code, CODES) or "codes look like E0401 or W0702"
        )
    page = find_data_folder("diagnostics") / f"{code}.md"
    if page.is_file():
        screen.print_markdown(read_bundled_text(page))
    else:
        screen.print_raw(f"{code} {CODES[code].name}\n{CODES[code].meaning}")


def explain_rules(
    ruleset: Ruleset, name: str | None, width: int | None, is_at_table: bool = False, shows_rules: bool = False
) -> str:
    """Return the text of the rules, or of the thing called ``name``; None means all rules.

    Lines are broken to at most ``width`` columns, or ``MAX_TEXT_WIDTH`` if that is less. The width None breaks none.
    The text ends with a line break. ``is_at_table`` selects the text for players. ``shows_rules`` describes rules also
    where they have a printed text, except in all rules for players. Raises UsageError for an unknown name, with a
    similar name as the hint if there is one.
    """
    from ...explain.declarations_in_english import explain, list_names_and_labels
    from ...explain.rulebook import explain_ruleset

    width = UNLIMITED_WIDTH if width is None else min(width, MAX_TEXT_WIDTH)
    if name is None:
        return explain_ruleset(ruleset, width, is_at_table, shows_rules)
    try:
        return explain(ruleset, name, width, is_at_table, shows_rules)
    except KeyError:
        hint = suggest_name(name, list_names_and_labels(ruleset))
        raise UsageError(f"nothing in {ruleset.game.name} is called `{name}`", hint) from None


def load_ruleset(game: str, packs: Sequence[str]) -> Ruleset:
    """Return a ruleset with its packs. Expressions and statements are not checked, not even for syntax errors.

    ``game`` and ``packs`` are existing paths, or else names of bundled ones. The type of a variable isn't checked
    either: ``type: Foo`` raises nothing. Raises RulesetError if a file can't be read, if an existing folder has no
    ``.yaml`` file, or if YAML, keys, the form of names (a variable ``Gold``) or plain values have errors. Raises
    UsageError if there is no such path or bundled name, or if a pack is named twice.
    """
    from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load

    diagnostics = Diagnostics()
    ruleset = load(find_ruleset(game), diagnostics, find_packs(packs))
    if ruleset is None:
        raise RulesetError(diagnostics.list_sorted())
    return ruleset
