"""Serve editors over the Language Server Protocol: diagnostics, completion, hover, navigation, rename and formatting.

Read the modules in this order:

1. ``project`` finds the game of a file, and checks it with the unsaved buffers.
2. ``name_index`` records during a check what each name stands for.
3. ``cursor_context`` works out where a cursor is in a buffer, from indentation alone.
4. ``completion_hover_and_definition`` answers questions about a place.
5. ``quick_fixes_rename_and_formatting`` works out changes.
6. ``trial_fixes`` finds edits that cure a mistake, by trying them.
7. ``semantic_tokens_folding_inlay_hints_and_cases`` describes a whole buffer: colours, folding, hints and cases.
8. ``server`` speaks the protocol.

The server checks a game after a pause in typing, on a thread of its own. All other requests are answered from the
buffer and from the last check, so they never wait for one.
"""
