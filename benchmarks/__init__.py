"""Measure speed as ratios within one run, with ``python -m benchmarks``: see docs/develop/benchmarks.md."""
