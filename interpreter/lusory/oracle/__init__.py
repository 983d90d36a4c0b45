"""Plays by walking the core language: slow and plain."""
