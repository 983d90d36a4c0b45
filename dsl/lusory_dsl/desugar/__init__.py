"""Passes that rewrite surface constructs as simpler core constructs."""
