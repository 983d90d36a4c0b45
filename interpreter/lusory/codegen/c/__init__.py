"""Print the intermediate representation as C, together with a runtime library, and marshal states and results."""
