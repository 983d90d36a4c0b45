"""Resolve names and check types: parsed rulesets become typed core programs."""
