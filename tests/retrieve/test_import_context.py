"""A chunk of TypeScript is ranked with the imports that it uses."""

from pathlib import Path

from clew.engine import Engine
from clew.model.search import Query

SOURCE = """import { charge as take } from "stripe-sdk";
import { log } from "./log";

export function pay(amount: number) {
  return take(amount);
}

export function note(text: string) {
  log(text);
}
"""


def test_a_function_is_found_by_the_module_whose_import_it_uses(tmp_path: Path) -> None:
    (tmp_path / "pay.ts").write_text(SOURCE, "utf-8")
    (tmp_path / "log.ts").write_text("export function log(text: string) {}\n", "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
        found = [hit.symbol for hit in engine.search(Query("stripe", 5)).hits]

    assert found[0] == "pay.ts::pay"
    assert "pay.ts::note" not in found
