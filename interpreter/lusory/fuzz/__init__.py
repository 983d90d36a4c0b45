"""Search rulesets for bugs by random play."""
