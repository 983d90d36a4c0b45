"""Run ``lusory fuzz``: search for bugs in the rules by random play, and list what no game reached."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import monotonic

from lusory.commands.handlers.replay_and_rules_of_recorded_games import add_file_name
from lusory_dsl.core import Program
from lusory_dsl.source.safe_files_and_bundled_data import explain_unwritable_folder, write_atomically
from lusory_dsl.source.source import format_json

from ...fuzz.campaign_and_finding_file_contents import Campaign, read_script
from ...fuzz.game_scripts_and_shrinking import Script, Variants
from ...play import saves_and_journals as saves
from ...play.recorded_game_data_and_replay import TranscriptError
from ...support.cache import find_default_cache
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.terminal_output_and_line_editing import create_terminal
from ..errors import UsageError
from ..game_loading_seats_and_output import Interruption, create_game, load_cached_program, show_progress

DEFAULT_SECONDS = 60


def run(args: argparse.Namespace) -> int:
    """Search for faults by random games, report the findings, and write their files if they have any.

    Returns 0 if nothing was found, 1 if something was, 130 if Ctrl-C ended the search. The findings so far are still
    reported and written then; so they are if a worker dies, before WorkerDied is raised again. The folder is
    ``--output``, or ``found-nim`` for rules with the id ``nim``. It is made with the first file. UsageError is raised
    before the first game if it can't be written.
    """
    program = load_cached_program(args.game, args.packs)
    game = create_game(program, args.players, args.options, None, args.budgets)
    options = {name.strip(): value.strip() for name, _, value in (option.partition("=") for option in args.options)}
    folder = Path(args.output or f"found-{program.id}")
    if obstacle := explain_unwritable_folder(folder):
        raise UsageError(f"--output: {obstacle}", "write the name of a folder; lusory creates it if needed")
    variants = Variants(program, args.players, options)
    seconds = args.seconds if args.seconds or args.games else DEFAULT_SECONDS
    campaign = Campaign(
        program,
        variants,
        args.games,
        seconds,
        args.seed,
        args.jobs,
        game.setting.limits,
        find_default_cache(),
        [_read_start(program, variants, Path(name)) for name in args.starts],
    )
    start, stop = monotonic(), Interruption()
    with show_progress("games" if args.games else "seconds", args.games or seconds) as show, stop:
        campaign.run(lambda count: show(count if args.games else int(monotonic() - start)))
    if args.format == "json":
        plain_output.write_lines(format_json(campaign.to_json()))
    else:
        from ...ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_campaign

        create_terminal().print(*render_campaign(campaign, folder))
    for finding in campaign.findings:
        if finding.file is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / finding.file.name, finding.file.text)
    return stop.choose_code(1 if campaign.findings else 0)


def _read_start(program: Program, variants: Variants, path: Path) -> Script:
    """Read a recorded game. Raises UsageError if it can't be read or is a game of another ruleset."""
    try:
        return read_script(program, variants, saves.read_save(path).transcript)
    except TranscriptError as problem:
        raise add_file_name(path, problem) from None
    except OSError as problem:
        hint = "write a recorded game or a saved one; `lusory games` lists your saved games"
        raise UsageError(f"--from: {path} can't be read: {problem.strerror}", hint) from None
