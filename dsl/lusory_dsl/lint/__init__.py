"""Lints: rules that are legal and probably not meant."""
