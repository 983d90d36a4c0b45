"""Test that docs/reference/commands.md describes every command and argument as ``--help`` does."""

from __future__ import annotations

from lusory.commands import commands_page_generator
from lusory.commands.command_table import COMMANDS
from lusory_dsl.types.builtins_reference_generator import update


def test_the_page_is_up_to_date() -> None:
    files = {commands_page_generator.PAGE: commands_page_generator.make_page()}
    assert update(files, commands_page_generator.COMMAND, ["--check"]) == 0


def test_the_page_has_every_command() -> None:
    page = commands_page_generator.make_page()
    assert [command.name for command in COMMANDS if f"\n### `lusory {command.name}" not in page] == []
