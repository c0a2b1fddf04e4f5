"""A briefing to the byte, in every rendering: rewritten only on purpose, with CLEW_REWRITE=1."""

import json
import os
from pathlib import Path
from typing import get_args

import clew
from clew.pack.render import Format
from tests.conftest import Repository
from tests.pack import shop

REWRITE = bool(os.environ.get("CLEW_REWRITE"))
GOLDEN = Path(__file__).parents[1] / "golden" / "briefing_v1.json"
TASK = "charge the card with the total"


def test_a_briefing_without_memory_is_the_golden_one(repository: Repository) -> None:
    shop.build(repository)
    with clew.open(repository.root) as workspace:
        workspace.index()
        made = {
            f"{form} {budget}": workspace.context_pack(task=TASK, format=form, max_tokens=budget).text
            for form in get_args(Format)
            for budget in (120, 400, 2000)
        }

    if REWRITE:
        GOLDEN.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert made == json.loads(GOLDEN.read_text("utf-8"))
