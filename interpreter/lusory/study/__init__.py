"""Many games, counted."""
