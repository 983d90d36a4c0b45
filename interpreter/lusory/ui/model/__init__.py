"""The screen as plain data, which every user interface draws."""
