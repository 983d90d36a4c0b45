"""Lints: warnings about rules that are valid but probably not intended."""
