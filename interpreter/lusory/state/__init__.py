"""Hold the state of a game: layout, phases, decisions, events, random streams and costs."""
