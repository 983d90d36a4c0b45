"""How fast it is, as ratios within one run: see docs/develop/benchmarks.md. ``python -m benchmarks`` runs it."""
