"""Further hits in a file, and hits in its submodules, support its best one."""

from pathlib import Path

from clew.engine import Engine
from clew.model.search import Query

FILES = {
    "retry.py": (
        "def decide_retry(response):\n    return response\n\n\n"
        "def retry_delay(attempt):\n    return attempt\n\n\n"
        "def is_retry_allowed(method):\n    return method\n"
    ),
    "client.py": "def send_with_retry(request):\n    return request\n",
}


def test_the_best_hit_of_a_file_gains_by_the_others_and_says_so(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    with Engine.open(tmp_path, create=True) as engine:
        engine.index()
        hits = engine.search(Query("where is a retry decided", 10)).hits
    supported = [hit for hit in hits if any(reason.retriever == "file" for reason in hit.reasons)]

    assert [hit.path for hit in supported] == ["retry.py"]
    reason = next(one for one in supported[0].reasons if one.retriever == "file")
    assert reason.share > 0
    assert reason.detail == "2 more hits in its file"


def test_a_report_has_words_of_every_file_and_none_gains(tmp_path: Path) -> None:
    report = (
        "where is a retry decided\n\nSince yesterday customers who pay with several coupons see twice as much on the "
        "final page. Neither browser nor country matters, restarting helps nobody, older releases behaved properly."
    )
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    with Engine.open(tmp_path, create=True) as engine:
        engine.index()
        hits = engine.search(Query(report, 10)).hits

    assert hits
    assert not [reason for hit in hits for reason in hit.reasons if reason.retriever == "file"]


def test_a_module_gains_by_hits_in_its_submodules_and_they_do_not(tmp_path: Path) -> None:
    for name in ("retry/__init__.py", "retry/decide.py", "retry/delay.py", "client.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        stem = name.replace("/", "_").partition(".")[0].strip("_")
        (tmp_path / name).write_text(f"def {stem}_retry(response):\n    return response\n", "utf-8")
    with Engine.open(tmp_path, create=True) as engine:
        engine.index()
        hits = engine.search(Query("where is a retry decided", 10)).hits
    reasons = {hit.path: one.detail for hit in hits for one in hit.reasons if one.retriever == "file"}

    assert reasons == {"retry/__init__.py": "hits in 2 submodules"}
