"""Packs by hand, to be kept."""

from clew.pack.artifact import BudgetsResolved, ContextPack, ContextPackStats
from clew.pack.request import Options, normalise


def an_id(number: int) -> str:
    return f"{number:064x}"


def a_pack(number: int, query: str = "login") -> ContextPack:
    budgets = BudgetsResolved(*([1] * len(BudgetsResolved.__struct_fields__)))
    stats = ContextPackStats(0, {}, 0, {}, 0)
    request = normalise(Options(query)).request
    return ContextPack(1, "ContextPack", "1.0.0", "sig", an_id(number), request, budgets, (), (), stats)
