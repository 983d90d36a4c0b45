"""Readers of YAML, JSON and CSV that keep the position of each value."""
