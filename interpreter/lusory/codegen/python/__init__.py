"""Print the intermediate representation as Python, and provide its runtime library."""
