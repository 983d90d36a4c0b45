"""Source texts, spans, diagnostics and file access."""
