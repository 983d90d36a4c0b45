"""Find mistakes in rules by random play. Behind ``lusory fuzz``; prints nothing.

The rules are given; only the decisions are random. Mutated files are a matter of ``tests/fuzz``.
"""
