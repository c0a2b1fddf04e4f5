"""That an edit of one file does not wait for its language's query."""

import pytest
from bench.queries import seconds

from clew.index.languages import LANGUAGES
from clew.index.languages.language import Language


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one.queries], ids=lambda language: language.name)
def test_a_query_is_compiled_before_anybody_waits_for_it(language: Language) -> None:
    assert seconds(language) < 0.7, "which kinds of nodes that have children could be `_`? swift.scm says why"
