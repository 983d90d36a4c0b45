"""People and bots at one table, and what is kept of a game."""
