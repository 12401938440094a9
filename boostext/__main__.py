"""The `boostext` command, also as `python -m boostext`."""

import gc
import sys

RARELY = 500_000
"""New objects after which Python looks for unused cycles: 700, its own, costs a tenth of the time
of a short run, and documents and rules make no cycles.
"""


def main() -> None:
    """Run the command. Ctrl-C while its modules load ends it with a word, too."""
    gc.set_threshold(RARELY)
    try:
        from boostext.cli import main as program
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    program()


if __name__ == "__main__":
    main()
