"""A position and what it is made of: data, without rules."""
