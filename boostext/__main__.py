"""The `boostext` command, also as `python -m boostext`."""

import sys


def main() -> None:
    """Run the command. Ctrl-C while its modules load ends it with a word, too."""
    try:
        from boostext.cli import main as program
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    program()


if __name__ == "__main__":
    main()
