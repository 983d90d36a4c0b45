"""From effect text to surface nodes and back: the only door to the parser library."""
