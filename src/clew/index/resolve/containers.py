"""Methods of containers, by family: those that give an element, and those that give a container of the same."""

from collections.abc import Mapping

GIVING: Mapping[str, frozenset[str]] = {
    "ecma": frozenset("get pop shift at find findLast".split()),
    "rust": frozenset(
        "get get_mut first first_mut last last_mut pop pop_front pop_back front back next next_back nth peek remove "
        "find min max min_by_key max_by_key swap_remove get_unchecked or_insert or_insert_with or_default entry "
        "unwrap expect".split()
    ),
    "ruby": frozenset("first last pop shift find detect sample fetch dig min_by max_by min max delete_at".split()),
}
SAME: Mapping[str, frozenset[str]] = {
    "ecma": frozenset("filter slice concat reverse sort splice values toSorted toReversed flat".split()),
    "rust": frozenset(
        "iter iter_mut into_iter values values_mut drain filter rev skip take chain peekable collect as_slice "
        "as_mut_slice to_vec step_by skip_while take_while cycle as_ref as_mut by_ref inspect split_off".split()
    ),
    "ruby": frozenset("select reject sort sort_by reverse compact uniq to_a filter take drop shuffle values".split()),
}
