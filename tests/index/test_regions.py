"""What is told of a place in a file is told of all places up to the next edge."""

import pytest

from clew.index.extract.regions import places_of
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_named, language_of

SOURCES = {
    "a.ts": """\
const pay = (card: Card) => { const found = card.find(); return () => { const found = 1; return found } }
class Gate { open() { for (const card of this.cards) { const gate = card.gate; gate.open() } } }
function run() { function inner() { const pay = 2; return pay } return inner() }
""",
    "a.go": """\
package pay

func Run(config Config) error {
	if config, err := Load(); err != nil {
		return config.Fail(err)
	}
	for _, card := range config.Cards { card := card.Gate; card.Open() }
	return config.Close()
}
""",
    "a.java": """\
class Card {
    void pay(Gate gate) { if (gate.open()) { Card found = find(); found.pay(gate); } { int found = 1; use(found); }
    }
    class Inner { int count = 1; Runnable run = () -> { int found = 2; use(found); }; }
}
""",
    "a.rs": """\
fn run(card: Card) { if let Some(card) = card.next() { card.pay(); } let card = card.gate(); card.open(); }
fn stop() {}
""",
}


@pytest.mark.parametrize("path", SOURCES)
def test_asked_for_one_by_one_or_from_the_end_the_regions_of_a_file_are_the_same(path: str) -> None:
    source = SOURCES[path].encode()
    language = language_named(language_of(path))
    assert language is not None
    seen = outline(language, source)

    def regions(order: range) -> dict[int, str]:
        return {
            at: places.region(at)
            for at in order
            for places in [places_of(language, units.nest_definitions(seen), seen)]
        }

    each = regions(range(len(source)))
    kept = places_of(language, units.nest_definitions(seen), seen)

    assert len(set(each.values())) > 2
    assert {at: kept.region(at) for at in reversed(range(len(source)))} == each
