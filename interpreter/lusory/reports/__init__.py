"""Findings as other programs read them: JSON, GitHub's workflow commands, SARIF, JUnit. Used by the commands."""
