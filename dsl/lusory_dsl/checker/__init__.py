"""Resolve names and check types."""
