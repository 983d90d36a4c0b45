"""Read the case files of a ruleset and run the cases on the engines."""
