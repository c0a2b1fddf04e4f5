"""What Kotlin's grammar takes for something else, or stumbles over, is read as what it is."""

import pytest

from clew.index.syntax.parse import Outline, outline
from clew.languages import language_named

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


def seen_in(source: str) -> Outline:
    known = language_named("kotlin")
    assert known is not None
    return outline(known, source.encode())


@pytest.mark.parametrize("source", [*MISREAD, *BROKEN])
def test_it_is_defined_and_so_is_what_follows(source: str) -> None:
    seen = seen_in(f"package pay\n\n/** Of money. */\n{source}\nclass After\n")

    assert not seen.problems
    assert [one.name for one in seen.definitions if one.name in ("Name", "After")] == ["Name", "After"]


def test_an_annotated_expression_stays_one() -> None:
    seen = seen_in('fun f() {\n    @Suppress("x") data shl other\n}\n')

    assert [one.name for one in seen.definitions] == ["f"]


def test_names_and_calls_are_told_as_they_are_written() -> None:
    source = (
        'fun route() {\n    val service by inject<Service>()\n    get("/cards") {\n        service.charge()\n    }}\n'
    )
    called = {call.callee for call in seen_in(source).calls}

    assert {"get", "service.charge"} <= called
    assert "ge_" not in called


def test_of_what_stays_broken_the_best_is_kept() -> None:
    seen = seen_in("class Card\nprivate constructor(val id: Int) {\n    fun charge() = id\n}\n\nfun broken( {\n")

    assert seen.problems
    assert {"Card", "charge"} <= {one.name for one in seen.definitions}
