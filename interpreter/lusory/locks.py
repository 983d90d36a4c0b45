"""Locks on open files, which end with whoever holds them, however that ends. One function a platform."""

from __future__ import annotations

import os
import sys

_FAR = 1 << 30  # where a lock lies on systems that keep others from reading what is locked

if sys.platform == "win32":
    import msvcrt

    def locked(handle: int) -> bool:
        """Lock an open file until it is closed; False: somebody else has."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def locked(handle: int) -> bool:
        """Lock an open file until it is closed; False: somebody else has."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
