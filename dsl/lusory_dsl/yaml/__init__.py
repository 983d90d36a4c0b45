"""YAML and JSON with places: the only door to the YAML library."""
