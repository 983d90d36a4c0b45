"""Grammar, parser, syntax tree and unparser of the effect language."""
