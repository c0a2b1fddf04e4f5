"""What Kotlin's grammar takes for a call in between is read as the declaration that it is."""

import pytest

from clew.index.languages import parsed
from clew.index.syntax.parse import outline

MISREAD = [
    "@Retention(AnnotationRetention.BINARY)\n@Target(\n    AnnotationTarget.CLASS,\n)\nannotation class Name\n",
    "@Old annotation class Name\n",
    '@Deprecated("use total()", ReplaceWith("total(x)"))\nconst val Name = 1\n',
    "@Serializable\ndata object Name\n",
    "@Old expect class Name {\n    fun charge(): Int\n}\n",
    "@kotlin.Old\nactual class Name {}\n",
    "@Old operator fun Name() {}\n",
    "@Old enum class Name { ONE }\n",
    '@Says(") (") const val Name = 2\n',
]


@pytest.mark.parametrize("source", MISREAD)
def test_what_is_annotated_at_the_top_of_a_file_is_defined(source: str) -> None:
    known = parsed("kotlin")
    assert known is not None
    seen = outline(known, f"package pay\n\n/** Of money. */\n{source}\nclass After\n".encode())

    assert not seen.problems
    assert [one.name for one in seen.definitions if one.name in ("Name", "After")] == ["Name", "After"]


def test_an_annotated_expression_stays_one() -> None:
    known = parsed("kotlin")
    assert known is not None
    seen = outline(known, b'fun f() {\n    @Suppress("x") data shl other\n}\n')

    assert [one.name for one in seen.definitions] == ["f"]
