"""What Kotlin's grammar takes for something else, or stumbles over, is read as what it is."""

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


BROKEN = [
    "class Name\nprivate constructor(val id: Int) {\n    fun charge() = id\n}\n",
    "class Name<T : Any>\n@Inject\ninternal constructor(val id: T) : Base() {\n    fun charge() = id\n}\n",
    'fun Name() {\n    val service by inject<Service>()\n    get("/cards") {\n        service.charge()\n    }\n}\n',
    "class Name<T> {\n    fun show(value: T & Any): String = value.toString()\n}\n",
    "context(session: Session)\nfun Name(): Int = 1\n",
    "fun Name() {\n    val work = suspend { 42 }\n}\n",
    'fun Name() {\n    check($$"A$b")\n}\n',
    "fun Name() {\n    zip(other, String?::plus)\n}\n",
    "fun Name(where: Op?) {\n    build {\n        where?.let { add(it) }\n    }\n}\n",
    "fun Name() {\n    val id = cards.insert { it.name } get cards.id\n    check(id)\n}\n",
    "open class Name(vararg data: Int) : Rule(of(*data))\n",
    "annotation class Name(val binds: Array<KClass<*>> = [])\n",
    "fun Name(it: Any) = when (it) {\n    is Card if it.valid -> 1\n    else -> 2\n}\n",
]


@pytest.mark.parametrize("source", BROKEN)
def test_what_the_grammar_does_not_know_is_read_all_the_same(source: str) -> None:
    known = parsed("kotlin")
    assert known is not None
    seen = outline(known, f"package pay\n\n{source}\nclass After\n".encode())

    assert not seen.problems
    assert [one.name for one in seen.definitions if one.name in ("Name", "After")] == ["Name", "After"]


def test_names_and_calls_are_told_as_they_are_written() -> None:
    known = parsed("kotlin")
    assert known is not None
    source = (
        'fun route() {\n    val service by inject<Service>()\n    get("/cards") {\n        service.charge()\n    }\n}\n'
    )
    seen = outline(known, source.encode())

    assert {"get", "service.charge"} <= {call.callee for call in seen.calls}
    assert not {call.callee for call in seen.calls} & {"ge_"}


def test_of_what_stays_broken_the_best_is_kept() -> None:
    known = parsed("kotlin")
    assert known is not None
    source = "class Card\nprivate constructor(val id: Int) {\n    fun charge() = id\n}\n\nfun broken( {\n"
    seen = outline(known, source.encode())

    assert seen.problems
    assert {"Card", "charge"} <= {one.name for one in seen.definitions}
