"""Run the command line: ``python -m lusory``, and the script ``lusory``.

Ctrl-C while Python still loads modules ends the program without a traceback.
"""

import sys


def main() -> int:
    """Run one command and return the exit code."""
    try:
        from .cli import main as run_command  # within the try: loading it takes a noticeable time

        return run_command()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
