"""Builders and passes that lower convenient constructs to simpler core constructs."""
