"""Every route of `clew serve` answers generated requests as `/openapi.json` says: `make bench-fuzz` tries more."""

import sys
from pathlib import Path

from bench import fuzz

EXAMPLES = 2  # of each operation


def test_no_route_fails_or_answers_what_the_document_does_not_describe() -> None:
    assert fuzz.run(str(Path(sys.executable).with_name("schemathesis")), EXAMPLES) == 0
