"""The tree-walking evaluator: the reference engine."""

from __future__ import annotations
