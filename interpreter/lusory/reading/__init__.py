"""The values of expressions and conditions in a position."""
