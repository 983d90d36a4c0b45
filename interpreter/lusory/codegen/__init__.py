"""Compile a ruleset to Python or C for one number of players and one set of options."""
