"""Play games: matches, players and bots, saved games, transcripts and undo."""
