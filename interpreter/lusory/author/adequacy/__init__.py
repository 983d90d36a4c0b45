"""How much of a ruleset its cases test: coverage, and mutants that are noticed."""
