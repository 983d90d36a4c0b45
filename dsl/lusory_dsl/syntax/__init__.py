"""Grammar, parser and syntax tree of the effect language."""
