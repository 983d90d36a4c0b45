"""Compute the view of each seat, and write its table, options and values as text."""
