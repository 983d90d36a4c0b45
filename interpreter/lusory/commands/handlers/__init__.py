"""Carry out the commands, one module for each. Their arguments are declared in :mod:`lusory.commands.command_table`."""
