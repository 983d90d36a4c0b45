"""Translate rules to English text, and build the rulebook."""
