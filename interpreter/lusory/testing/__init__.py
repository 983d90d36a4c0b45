"""Tools for testing rulesets: test cases, coverage, mutation tests, traces, and the comparison of engines."""

from __future__ import annotations
