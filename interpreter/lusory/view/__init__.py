"""Compute the view of each seat, and explain values and options."""
