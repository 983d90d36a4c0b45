"""From lowered core to the text of a module."""
