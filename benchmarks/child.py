"""Runs one piece of work in this process and prints its figures: child.py NAME JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from measure import MISSING, NotInstalledError


def main() -> None:
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    try:
        print(json.dumps(_works()[name](**arguments)))
    except NotInstalledError as error:
        print(error, file=sys.stderr)
        sys.exit(MISSING)


def _works() -> dict[str, Any]:
    from ours import OURS
    from peers import PEERS

    return {**OURS, **PEERS}


if __name__ == "__main__":
    main()
