"""What each command does: a module a command, imported when asked for; its ``run(args)`` returns the exit code."""
