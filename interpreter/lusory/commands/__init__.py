"""The commands of the command line: their arguments and help, and in :mod:`lusory.commands.handlers` what they do."""
