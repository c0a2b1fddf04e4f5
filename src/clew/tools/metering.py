"""The costs of ever longer versions of an answer: only the parts that are new in one are counted."""

from collections.abc import Iterable, Mapping
from typing import Any

from clew.text.escaping import json_text
from clew.text.tokens import Cost, measure

_COMMA, _OPEN, _CLOSE = measure(","), measure("["), measure("]")


class Rows(list[Any]):
    """A list that knows what it costs: a row is counted when it comes, or comes in another form."""

    def __init__(self) -> None:
        super().__init__()
        self._costs: list[Cost] = []
        self._inside = 0
        self._without_letters = False

    def put(self, place: int, row: Any) -> None:
        """In the place of another, or behind the last."""
        cost = _COMMA.then(_measure_value(row)) if place else _measure_value(row)
        self._without_letters |= cost.tail is None
        if place == len(self):
            self.append(row)
            self._costs.append(cost)
        else:
            self._inside -= self._around(place)
            self[place], self._costs[place] = row, cost
        self._inside += self._around(place)

    def _around(self, place: int) -> int:
        """Of a row and its seams, what is between the first letter and the last of the list."""
        nearby = self._costs[max(0, place - 1) : place + 2]
        if any(one.tail is None for one in nearby):
            return 0
        others = sum(one.inside for at, one in enumerate(nearby, max(0, place - 1)) if at != place)
        return _join_costs(nearby).inside - others

    def cost(self) -> Cost:
        if self._without_letters or not self:
            return _join_costs([_OPEN, *self._costs, _CLOSE])
        return _join_costs([_OPEN, Cost(self._costs[0].head, self._inside, self._costs[-1].tail), _CLOSE])


class Meter:
    """Prices an answer's versions, one after another; what is the same object as in the last one is not read again."""

    def __init__(self, envelope: Mapping[str, Any]) -> None:
        before, name, after = _encode({**envelope, "_tokenEstimate": 0, "data": {}}).partition('"data":{')
        self._before, self._after = measure(before + name), measure(after)
        self._last: dict[str, tuple[Any, Cost]] = {}

    def tokens(self, data: Mapping[str, Any]) -> int:
        """As `render` counts them."""
        whole = self._before
        for number, (name, value) in enumerate(data.items()):
            whole = (whole.then(_COMMA) if number else whole).then(self._field(name, value))
        return with_own_size(whole.then(self._after).tokens)

    def _field(self, name: str, value: Any) -> Cost:
        if isinstance(value, Rows):
            return measure(f"{_encode(name)}:").then(value.cost())
        known = self._last.get(name)
        if known is None or known[0] is not value:
            known = self._last[name] = (value, measure(f"{_encode(name)}:{_encode(value)}"))
        return known[1]


def with_own_size(tokens: int) -> int:
    """With the estimate itself: the zero in the answer becomes a number of so many digits, or of one more."""
    return tokens + len(str(tokens)) + 1


def _join_costs(costs: Iterable[Cost]) -> Cost:
    whole = Cost()
    for cost in costs:
        whole = whole.then(cost)
    return whole


def _measure_value(value: Any) -> Cost:
    return measure(_encode(value))


def _encode(value: Any) -> str:
    return json_text(value).decode()
