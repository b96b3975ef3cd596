"""Exports or imports, and says how much memory that took at most, in KiB.

`python memory_program.py WHAT STORE FILE`
"""

import resource
import sys

from gatepost.surfaces.cli.main import run

if __name__ == "__main__":
    what, store, file = sys.argv[1:]
    code = run([what, file, "--store", store, "--quiet"])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    sys.exit(code)
