"""The terminal shell: everything that people read and type. The only door to ``rich``."""
