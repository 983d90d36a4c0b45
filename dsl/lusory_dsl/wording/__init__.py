"""The rules in words, and rulebooks."""
