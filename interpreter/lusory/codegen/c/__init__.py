"""The C backend: prints the intermediate representation as C."""
