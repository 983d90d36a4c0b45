"""Serve editors over the Language Server Protocol: diagnostics, completion, hover, navigation, rename and formatting.

- ``project``: finds the game of a file, and checks it with the unsaved buffers
- ``name_index``: records during a check what each name stands for
- ``cursor_context``: works out where a cursor is in a buffer, from indentation alone
- ``completion_hover_and_definition``: answers questions about a place
- ``quick_fixes_rename_and_formatting``: works out changes
- ``trial_fixes``: finds edits that cure a mistake, by trying them
- ``semantic_tokens_and_folding``: describes a whole buffer: colours, folding, hints and cases
- ``server``: speaks the protocol

The server checks a game after a pause in typing, on a thread of its own. All other requests are answered from the
buffer and from the last check, so they never wait for one.
"""
