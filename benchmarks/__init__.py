"""How fast it is, as ratios within one run: see docs/benchmarks.md. ``python -m benchmarks`` runs it."""
