"""A fresh process: import, open, the first search. Prints the seconds of each as JSON.

Started as a file, not as a module, so that nothing of the bench is imported with it.
"""

import json
import sys
import time
from pathlib import Path


def main() -> None:
    started = time.perf_counter()
    from clew.engine import Engine
    from clew.model.search import Query

    imported = time.perf_counter()
    with Engine.open(Path(sys.argv[1])) as engine:
        opened = time.perf_counter()
        engine.search(Query(sys.argv[2], int(sys.argv[3])))
        found = time.perf_counter()
    print(json.dumps({"import": imported - started, "open": opened - imported, "first search": found - opened}))


if __name__ == "__main__":
    main()
