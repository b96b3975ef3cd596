"""`gatepost` and `python -m gatepost`."""

import gc
import sys

_OBJECTS = 50_000
"""Imports create more objects than Python's own 700 and no garbage, so looking for some that often is wasted."""


def main() -> int:
    """Run the command line."""
    gc.set_threshold(_OBJECTS)
    from gatepost.surfaces.cli.main import run

    code = run(sys.argv[1:])
    gc.freeze()  # the process ends and frees everything: it need not look for garbage first
    return code


if __name__ == "__main__":
    sys.exit(main())
