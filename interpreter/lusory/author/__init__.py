"""What pins rules down: cases, coverage, mutants, laws, agreement of engines, traces."""
