"""Write English about a game: its rules, why something is impossible, and what happened."""
