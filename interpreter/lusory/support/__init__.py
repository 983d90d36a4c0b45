"""Support code: cache and user folders, worker processes, and access to git revisions."""
