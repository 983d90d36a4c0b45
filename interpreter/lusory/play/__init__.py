"""Matches: players, bots, saves, records and undo."""
