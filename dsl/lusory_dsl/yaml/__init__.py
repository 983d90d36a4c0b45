"""Readers of YAML and JSON that keep the position of each value."""
