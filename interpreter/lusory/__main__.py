"""Run the command line: ``python -m lusory``, and the script ``lusory``.

Ctrl-C while Python still loads modules ends the program without a traceback.
"""

import sys


def main() -> int:
    """Run a command and return its exit code."""
    try:
        # The import is slow, so it is inside the ``try``.
        from .cli import main as run_command

        return run_command()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
