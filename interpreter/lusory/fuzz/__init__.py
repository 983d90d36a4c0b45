"""Search rulesets for bugs by random play: dead ends, broken invariants, leaks and differences between engines."""
