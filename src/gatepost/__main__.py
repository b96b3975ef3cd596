"""`gatepost` and `python -m gatepost`."""

import gc
import os
import sys

_OBJECTS = 50_000
"""Imports create more objects than Python's own 700 and no garbage, so looking for some that often is wasted."""


def main() -> int:
    """Run the command line."""
    if os.name != "posix" and sys.argv[1:2] not in (["--version"], ["-V"]):
        from gatepost.wire.platforms import UNSUPPORTED

        sys.stderr.write(f"gatepost: {UNSUPPORTED}\n")
        return 1
    gc.set_threshold(_OBJECTS)
    from gatepost.surfaces.cli.main import leaves_nothing, run

    code = run(sys.argv[1:])
    if leaves_nothing(sys.argv[1:]) and _is_flushed():
        os._exit(code)  # the system frees everything at once, Python object by object
    gc.freeze()  # the process ends and frees everything: it need not look for garbage first
    return code


def _is_flushed() -> bool:
    """Flush what was printed. If that fails, Python's own exit decides what to say."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
