"""What class files say of calls, held against sources: `research.rulers.oracles.jvm`."""

from pathlib import Path

from research.rulers.oracles.classfile import ClassFile, Invoke, Method
from research.rulers.oracles.jvm import Program
from research.rulers.oracles.jvm_sources import read

SOURCE = """package pay

interface Gate {
    fun open(key: Int)
}

class Card(val id: Int) {
    fun charge(amount: Int = 1) {
        println(amount)
    }
}

inline fun twice(block: () -> Unit) {
    block()
}

fun run(gate: Gate) {
    val card = Card(1)
    card.charge()
    gate
        .open(card.id)
    twice { card.charge(2) }
}
"""
LINES = """SMAP
Card.kt
Kotlin
*S Kotlin
*F
+ 1 Card.kt
pay/CardKt
*L
1#1,23:1
14#1:24
*E
*S KotlinDebug
*F
+ 1 Card.kt
pay/CardKt
*L
22#1,1:24
*E
"""


def program(root: Path) -> Program:
    path = root / "Card.kt"
    path.write_text(SOURCE)
    card = ClassFile(
        "pay/Card",
        ["java/lang/Object"],
        [Method("<init>", "(I)V", 1, [7]), Method("charge", "(I)V", 1, [9])],
        "Card.kt",
    )
    gate = ClassFile("pay/Gate", ["java/lang/Object"], [Method("open", "(I)V", 1)], "Card.kt")
    invoked = [
        Invoke(18, "pay/Card", "<init>", "(I)V"),
        Invoke(19, "pay/Card", "charge$default", "(Lpay/Card;IILjava/lang/Object;)V"),
        Invoke(20, "pay/Gate", "open", "(I)V"),
        Invoke(20, "pay/Card", "getId", "()I"),
        Invoke(22, "pay/Card", "charge", "(I)V"),
        Invoke(24, "pay/Card", "charge", "(I)V"),  # behind the end: of what was inlined
    ]
    other = ClassFile("pay/CardKt", [], [Method("run", "(Lpay/Gate;)V", 9, [18], invoked)], "Card.kt", LINES)
    return Program([card, gate, other], [read(root, path)])


def test_calls_are_those_that_are_written(tmp_path: Path) -> None:
    assert sorted(program(tmp_path).calls()) == [
        ("Card.kt", 18, "Card", (("Card.kt", 7, "Card"),)),
        ("Card.kt", 19, "charge", (("Card.kt", 8, "charge"),)),
        ("Card.kt", 21, "open", (("Card.kt", 4, "open"),)),
        ("Card.kt", 22, "charge", (("Card.kt", 8, "charge"),)),
        ("Card.kt", 22, "twice", (("Card.kt", 13, "twice"),)),
    ]


def test_a_call_out_of_the_tree_leads_nowhere_in_it(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A {\n    void run(String s) {\n        s.trim();\n    }\n}\n")
    invoked = [Invoke(3, "java/lang/String", "trim", "()Ljava/lang/String;")]
    one = ClassFile("A", ["java/lang/Object"], [Method("run", "(Ljava/lang/String;)V", 0, [3], invoked)], "A.java")
    assert Program([one], [read(tmp_path, tmp_path / "A.java")]).calls() == {("A.java", 3, "trim", ())}
