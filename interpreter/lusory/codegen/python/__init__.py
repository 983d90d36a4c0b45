"""The Python backend: prints the intermediate representation as Python."""
