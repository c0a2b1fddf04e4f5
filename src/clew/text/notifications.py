"""Progress messages of the first index of a project. The time is passed in."""

USABLE_FILES = 1000  # from so many on, questions about the project are worth asking


def count_files(files: int) -> str:
    return f"{files:,} file{'s' * (files != 1)}"


def starts(files: int) -> str:
    return f"Initial indexing of {count_files(files)} has started."


def advances(done: int, total: int, seconds_left: float | None) -> str:
    left = f" Estimated {duration(seconds_left)} remaining." if seconds_left is not None else ""
    return f"Indexed {done:,} / {total:,} files ({100 * done // max(total, 1)}%).{left}"


def usable(done: int) -> str:
    return f"Basic context is available ({done:,} files indexed). Continuing in the background."


def completes(files: int, chunks: int, database_bytes: int) -> str:
    size = f"{database_bytes / 1e6:,.0f} MB"
    return f"Initial indexing is complete: {count_files(files)}, {chunks:,} chunks, {size} database."


def seconds_left(done: int, total: int, seconds: float) -> float | None:
    """As the files so far took; None if that says nothing yet."""
    return seconds * (total - done) / done if done > 0 and seconds > 0 else None


def duration(seconds: float) -> str:
    if seconds < 90:
        whole = max(round(seconds), 1)
        return f"{whole} second{'s' * (whole != 1)}"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{round(minutes / 60)} hours"
