"""The intermediate form as C: a printer beside that of Python, for whole games."""
