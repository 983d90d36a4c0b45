"""Names and types: from surface nodes to the core language."""
