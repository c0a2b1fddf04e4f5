"""What paths tell of files, by habits that languages share."""

import re
from functools import lru_cache

_FOLDER = re.compile(r"(?:.*[._-])?(?:tests?|specs?)$|__tests?__$")
_CAMEL_FOLDER = re.compile(r".*[a-z](?:Tests?|Specs?)$")
_FILE = re.compile(
    r"(?:tests?|conftest)$|tests?_|.*[._-](?:tests?|specs?)$|Test[A-Z]|.*[a-z0-9](?:Tests?|TestCase|Spec|IT)$"
)
# Folders of code that shows or measures something, and logs of changes, by the names that are usual for them.
_SHOWN = re.compile(
    r"(?:examples?|samples?|demos?|playgrounds?|tutorials?|bench(?:es|marks?)?|docs?[_-]src)$", re.IGNORECASE
)
_DOCUMENTS = re.compile(r"(?:docs?|documentation|website|www)$", re.IGNORECASE)
_LOG = re.compile(
    r"(?:changes|change[-_]?logs?|history|news|releases?|release[-_]?notes?|whats[-_]?new|newsfragments|upgrading)$",
    re.IGNORECASE,
)


def is_test_path(path: str) -> bool:
    """Whether a file is a test, or stands among tests to help them."""
    return any(map(_is_test_folder, path.split("/")[:-1])) or is_test_file(path)


def is_test_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _FILE.match(name.rpartition(".")[0] or name) is not None


@lru_cache(maxsize=1 << 12)
def _is_test_folder(name: str) -> bool:
    return _FOLDER.match(name.lower()) is not None or _CAMEL_FOLDER.match(name) is not None


def is_shown(path: str) -> bool:
    """Whether code stands among examples, benchmarks or documentation."""
    return any(_SHOWN.match(part) or _DOCUMENTS.match(part) for part in path.split("/")[:-1])


def is_log(path: str) -> bool:
    """Whether a text is a log of changes: by its name, or its folder's."""
    *folders, name = path.split("/")
    return _LOG.match(name.partition(".")[0]) is not None or any(_LOG.match(part) for part in folders[-2:])
