"""The `boostext` command, also as `python -m boostext`."""

import gc
import os
import sys

RARELY = 500_000
"""Number of new objects after which Python looks for unused cycles. Python's default of 700 takes a
tenth of the time of a short run, and documents and rules do not form cycles.
"""


def main() -> None:
    """Run the command. Ctrl-C outside of its work, such as during imports, also ends it shortly."""
    gc.set_threshold(RARELY)
    # numpy's library starts threads when it is imported, and ends the program where it may not;
    # boostext multiplies no large matrices, so that they would have nothing to do
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from boostext.cli import main as program

        program()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
