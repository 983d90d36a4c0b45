"""Types, and the table of built-in functions, members and statements."""
