"""Execute rules by walking their syntax tree. This is the reference engine."""

from __future__ import annotations
