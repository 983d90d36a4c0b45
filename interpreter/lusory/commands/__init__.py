"""What each command does: a module a command, with ``run(args) -> int``, the exit code. Imported by name when asked for."""
