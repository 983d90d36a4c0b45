"""Serve editors over the Language Server Protocol: diagnostics, completion, hover, navigation, rename and formatting.

    editor ⇄ server.py ─ project.py (files and unsaved buffers → check → index.py)
                       └ completion.py, hover.py, edits.py (questions about a position in a buffer)

The server checks a game after a pause in typing, on a thread of its own. All other requests are answered from the
buffer and from the last check, so they never wait for one.
"""
