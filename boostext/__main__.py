"""`python -m boostext` is the `boostext` command."""

from boostext.cli import main

if __name__ == "__main__":
    main()
