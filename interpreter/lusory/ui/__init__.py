"""User interfaces: a screen model, line mode, the full screen, and sessions on several machines."""
