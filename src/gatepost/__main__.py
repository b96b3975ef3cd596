"""`gatepost` and `python -m gatepost`."""

import sys


def main() -> int:
    """Run the command line."""
    from gatepost.surfaces.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
