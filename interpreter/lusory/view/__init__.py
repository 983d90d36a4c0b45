"""What each seat sees of a game, and explanations of values and options."""
