"""Print the intermediate representation as Python, verify the code, and provide its runtime library."""
