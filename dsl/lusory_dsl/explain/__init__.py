"""Rules as English text, and the rulebook."""
