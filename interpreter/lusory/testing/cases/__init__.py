"""Read case files of a ruleset and run them on the engines."""
