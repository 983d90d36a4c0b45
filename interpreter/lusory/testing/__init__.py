"""Tools that test rulesets: cases, coverage, mutation, traces and the comparison of engines."""

from __future__ import annotations
