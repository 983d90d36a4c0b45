"""Show the menu of ``lusory`` without a command: new, unfinished, saved and recorded games, and rulebooks."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from lusory.commands.handlers.explain import explain_rules, load_ruleset
from lusory.commands.handlers.list_games_or_cards_of_a_game import describe_games
from lusory.commands.handlers.list_unfinished_saved_and_finished_games import (
    describe_saved_game,
    list_saved_games,
    summarize_finished_games,
)
from lusory.commands.handlers.play_and_resume import describe_unfinished
from lusory.commands.handlers.replay_and_rules_of_recorded_games import make_permanent_name
from lusory_dsl import core
from lusory_dsl.source.safe_files_and_bundled_data import PLAYTHROUGHS, find_bundled_rulesets, list_files
from lusory_dsl.source.source import humanise, make_title
from lusory_dsl.types.types import BoolType, IntType

from ...explain.styled_text_wrapping_and_values import Line, Run
from ...game import format_option_value, parse_option_value
from ...play import stored_results_settings_and_dataclass_json as stored
from ...play.bot_kinds_python_players_and_recordings import RANDOM, require_kind
from ...play.saves_and_journals import find_unfinished_games
from ...ui.line.line_session import SIGNALLED, ProgramEnded
from ...ui.textual.generic_menu_app import INTERRUPTS, Entry, MenuApp, Page, make_page
from ..game_loading_seats_and_output import HUMAN, load_cached_program

WIDTH = 92
KIND_LABELS = {
    HUMAN: "a person",
    "easy": "a bot, easy to beat",
    "fair": "a bot that plays a fair game",
    "strong": "a bot that plays as well as it can",
    RANDOM: "a bot that plays at random",
}
"""Players offered for a seat."""

DEFAULT_KIND = "strong"
"""The default player of a seat."""

MAX_OPTION_VALUES = 12
"""Maximum number of steps through the values of a numeric option. Longer ranges use larger steps."""


def run(args: argparse.Namespace) -> int:
    """Run the commands that a person picks until they leave. Returns the exit code of the last, 0 if none was picked.

    ``args.then`` is the function that runs a pick. It takes the words of the command line as a list, such as ``["play",
    "--load", file]``, and returns the exit code. A signal that ends the program gives SIGNALLED plus its number. Raises
    KeyboardInterrupt for Ctrl-C in the menu itself.
    """
    code: int = 0
    try:
        while words := MenuApp(_show_main).run_to_end(INTERRUPTS, None):
            if words == INTERRUPTS:
                raise KeyboardInterrupt
            code = args.then(list(words))
    except ProgramEnded as end:
        return SIGNALLED + end.signal
    return code


def _show_main() -> Page:
    unfinished_games = _list_unfinished()
    entries = [Entry(_label("New game"), _write("Choose a game, its players and its options."), _show_games)]
    if unfinished_games:
        continue_page = Page("Continue", tuple(unfinished_games))
        entries.insert(0, Entry(_label("Continue"), _write("Games that you left unfinished."), lambda: continue_page))
    saves_page = _show_saves()
    if saves_page:
        entries.append(Entry(_label("Saved games"), _write("Continue a game that you saved."), lambda: saves_page))
    entries += [
        Entry(_label("Replays"), _write("Step through recorded games."), _show_replays),
        Entry(_label("My games"), _write("Your finished games: how many you won, and against whom."), _show_statistics),
        Entry(_label("Rulebooks"), _write("The rules of each game in English."), _show_rulebooks),
        Entry(_label("Leave"), gives=()),
    ]
    return Page("lusory", tuple(entries))


def _label(text: str, detail: str = "") -> Line:
    return (Run(text), Run(f"  {detail}", dim=True)) if detail else (Run(text),)


def _write(*lines: str) -> tuple[Line, ...]:
    return tuple((Run(line),) for line in lines)


# ---------------------------------------------------------------- unfinished games


def _list_unfinished() -> list[Entry]:
    """Return the latest unfinished game of each ruleset."""
    entries: dict[tuple[str, ...], Entry] = {}
    for game in find_unfinished_games([]):
        packs = [word for pack in game.save.packs for word in ("--with", pack)]
        command = ("play", game.save.ruleset, *packs, "--continue")
        entries.setdefault(
            command, Entry(_label(game.save.transcript.program), _write(describe_unfinished(game)), gives=command)
        )
    return list(entries.values())


def _show_saves() -> Page | None:
    entries = [
        Entry(
            _label(file.stem),
            _write(describe_saved_game(file) or "This is not a saved game.", "", str(file)),
            gives=("play", "--load", str(file)),
        )
        for file in list_saved_games()
    ]
    return Page("Saved games", tuple(entries)) if entries else None


def _show_replays() -> Page:
    folders = [folder / PLAYTHROUGHS for folder in find_bundled_rulesets().values()]
    files = [*list_saved_games(), *(file for folder in folders for file in list_files(folder, ".txt", ".json"))]
    entries = [
        Entry(_label(file.stem, file.parent.parent.name), _write(str(file)), gives=("replay", str(file)))
        for file in files
    ]
    return Page("Replays", tuple(entries)) if entries else make_page("Replays", ["There are no recorded games yet."])


def _show_statistics() -> Page:
    try:
        lines = summarize_finished_games()
    except OSError as problem:
        return make_page("My games", [f"{problem.filename} can't be read: {problem.strerror}"])
    return Page("My games", text=lines or _write("You haven't finished a game yet."))


def _show_rulebooks() -> Page:
    def make_opener(game: str, name: str) -> Callable[[], Page]:
        return lambda: make_page(name, explain_rules(load_ruleset(game, ()), None, WIDTH).splitlines())

    rows = describe_games()
    entries = [Entry(_label(row["name"]), _write(row["about"]), make_opener(row["id"], row["name"])) for row in rows]
    return Page("Rulebooks", tuple(entries))


# ---------------------------------------------------------------- a new game


@dataclass(frozen=True)
class _Setup:
    """Hold the settings of a new game.

    Attributes:
        packs: The id and name of each available pack.
        kinds: The player of each seat.
        options: The options that were set, each with its name and value.
        selected_packs: The ids of the selected packs.
        player_names: The names of the players by seat, "" for those without one. Further names are not used.
        note: A message about saved settings that no longer fit the game, or "".
    """

    game: str
    program: core.Program
    packs: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    selected_packs: tuple[str, ...] = ()
    player_names: tuple[str, ...] = ()
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players by seat, "" for those without one, or ``()``."""
        return self.player_names[: len(self.kinds)]

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command line that starts the game, without ``lusory``.

        They are ``play GAME --seats human,bot,bot,bot``, then ``--names Ann,,Bob`` if any player has a name (without
        empty ones at the end). An ``--option NAME=VALUE`` follows for each of ``options``, and a ``--with PACK`` for
        each selected pack, in order.
        """
        words = ["play", self.game, "--seats", ",".join(self.kinds)]
        words += ["--names", ",".join(self.names).rstrip(",")] if any(self.names) else []
        words += [word for name, value in self.options for word in ("--option", f"{name}={value}")]
        return (*words, *(word for pack in self.selected_packs for word in ("--with", pack)))


def _show_games() -> Page:
    def make_opener(game: str, packs: Iterable[tuple[str, str]]) -> Callable[[], Page]:
        def open_setup() -> Page:
            return _show_setup(_restore_setup(_create_setup(game, load_cached_program(game, ()), tuple(packs))))

        return open_setup

    entries = [
        Entry(
            _label(row["name"], row["players"]),
            _write(row["about"], *([""] if row["packs"] else []), *(f"Pack: {pack['name']}" for pack in row["packs"])),
            make_opener(row["id"], [(pack["id"], pack["name"]) for pack in row["packs"]]),
        )
        for row in describe_games()
    ]
    return Page("New game", tuple(entries))


def _create_setup(game: str, program: core.Program, packs: tuple[tuple[str, str], ...]) -> _Setup:
    """Return the default settings: one person, and the minimum number of bots."""
    return _Setup(game, program, packs, (HUMAN, *[DEFAULT_KIND] * (program.min_players - 1)))


def _restore_setup(setup: _Setup) -> _Setup:
    """Return the settings of the last time, or ``setup`` with a note if they no longer fit the game."""
    try:
        settings = stored.read_settings(setup.game)
        return setup if settings is None else _apply_settings(setup, settings)
    except (OSError, KeyError, ValueError):
        return replace(setup, note="The settings of your last game can't be used any more.")


def _apply_settings(setup: _Setup, settings: stored.Settings) -> _Setup:
    """Return a setup with saved settings. Raises ValueError or KeyError if they no longer fit the game."""
    pack_ids = {name: pack for pack, _ in setup.packs for name in (pack, make_permanent_name(pack, is_pack=True))}
    packs = tuple(pack_ids[pack] for pack in settings.packs)
    program = load_cached_program(setup.game, packs) if packs else setup.program
    options = {option.name: option for option in program.options}
    for name, value in settings.options:
        parse_option_value(options[name], value)
    for kind in settings.kinds:
        require_kind(kind, (HUMAN,))
    if not program.min_players <= len(settings.kinds) <= program.max_players:
        raise ValueError("the number of players is wrong")
    return replace(
        setup,
        program=program,
        kinds=settings.kinds,
        options=settings.options,
        selected_packs=packs,
        player_names=settings.names,
    )


def _show_setup(setup: _Setup) -> Page:
    program = setup.program
    line = shlex.join(("lusory", *setup.command))
    entries = [Entry(_label("Begin"), _write(line, *(("", setup.note) if setup.note else ())), gives=setup.command)]
    if program.min_players < program.max_players:
        number = f"{len(setup.kinds)} of {program.min_players} to {program.max_players}"
        entries.append(Entry(_label("Players", number), turns=partial(_change_players, setup)))
    for seat, kind in enumerate(setup.kinds):
        player_label = KIND_LABELS.get(kind, kind)
        player_label += f", {name}" if (name := next(iter(setup.names[seat : seat + 1]), "")) else ""
        entries.append(Entry(_label(f"Seat {seat + 1}", player_label), turns=partial(_change_seat, setup, seat)))
    for option in program.options:
        entries.append(_make_option_entry(setup, option))
    for id, name in setup.packs:
        state = "added" if id in setup.selected_packs else "not used"
        entries.append(Entry(_label(f"Pack {name}", state), turns=partial(_toggle_pack, setup, id)))

    def reset(step: int) -> Page:
        own_program = load_cached_program(setup.game, ()) if setup.selected_packs else program
        return _show_setup(_create_setup(setup.game, own_program, setup.packs))

    if replace(setup, note="") != _create_setup(setup.game, program, setup.packs):
        about = _write("Reset seats, names, options and packs. Otherwise they are as in your last game.")
        entries.append(Entry(_label("Reset to defaults"), about, turns=reset))
    return Page(program.name, tuple(entries))


def _change_players(setup: _Setup, step: int) -> Page:
    low, high = setup.program.min_players, setup.program.max_players
    number = low + (len(setup.kinds) - low + step) % (high - low + 1)
    return _show_setup(replace(setup, kinds=(setup.kinds + (DEFAULT_KIND,) * number)[:number]))


def _change_seat(setup: _Setup, seat: int, step: int) -> Page:
    kinds = list(setup.kinds)
    order = [*KIND_LABELS]
    position = order.index(kinds[seat]) if kinds[seat] in order else 0
    kinds[seat] = order[(position + step) % len(order)]
    return _show_setup(replace(setup, kinds=tuple(kinds)))


def _toggle_pack(setup: _Setup, pack: str, step: int) -> Page:
    other_packs = tuple(pack_id for pack_id in setup.selected_packs if pack_id != pack)
    selected_packs = other_packs if pack in setup.selected_packs else (*other_packs, pack)
    # A pack can change the number of players and the options.
    program = load_cached_program(setup.game, selected_packs)
    number = min(max(len(setup.kinds), program.min_players), program.max_players)
    kinds = (setup.kinds + (DEFAULT_KIND,) * number)[:number]
    option_names = {option.name for option in program.options}
    options = tuple((name, value) for name, value in setup.options if name in option_names)
    return _show_setup(replace(setup, program=program, selected_packs=selected_packs, kinds=kinds, options=options))


def _make_option_entry(setup: _Setup, option: core.Option) -> Entry:
    values = _list_values(option)
    default = option.values[option.default] if option.values else format_option_value(option.default)
    current_value = dict(setup.options).get(option.name, default)
    position = values.index(current_value) if current_value in values else 0

    def change(step: int) -> Page:
        value = values[(position + step) % len(values)]
        other_options = [(name, other_value) for name, other_value in setup.options if name != option.name]
        return _show_setup(replace(setup, options=(*other_options, (option.name, value))))

    label = humanise(current_value) if current_value in option.values else current_value
    label_text = {"true": "yes", "false": "no"}.get(label, label)
    return Entry(_label(make_title(option.name), label_text), _write(option.doc), turns=change)


def _list_values(option: core.Option) -> list[str]:
    """Return the values that the menu offers, as they are typed: in declared order, or numbers in ascending order.

    A long range of numbers goes in larger steps, and includes both ends and the default.
    """
    if option.values:
        return list(option.values)
    if isinstance(option.type, BoolType):
        return ["false", "true"]
    assert isinstance(option.type, IntType)
    low = option.default if option.low is None else option.low
    high = max(option.default, low) + MAX_OPTION_VALUES if option.high is None else option.high
    step = max((high - low) // MAX_OPTION_VALUES, 1)
    return [str(value) for value in sorted({*range(low, high + 1, step), high, int(option.default)})]
