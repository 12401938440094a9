"""fastText's predict as a program: MODEL TEXTS OUTPUT. It imports no more than it needs."""

import pathlib
import sys

MISSING = 69
"""As `measure` has it, which takes longer to import than this is to take."""


def main(model: str, path: str, output: str) -> None:
    """A label for each line. By lists: single texts fail under NumPy 2."""
    try:
        import fasttext
    except ImportError:
        print("fasttext-wheel", file=sys.stderr)
        sys.exit(MISSING)
    loaded = fasttext.load_model(model)
    with pathlib.Path(path).open(encoding="utf-8", newline="\n") as lines:
        found, _ = loaded.predict([line.rstrip("\n") for line in lines])
    with pathlib.Path(output).open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{names[0]}\n" for names in found)


if __name__ == "__main__":
    main(*sys.argv[1:])
