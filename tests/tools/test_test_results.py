"""Results of test runners, from JUnit XML and from what they print."""

import pytest

from clew.tools.test_results import parse_junit, parse_output

PYTEST = """\
=================================== FAILURES ===================================
__________________________________ test_charge _________________________________

    def test_charge():
>       assert charge(1) == 2

tests/test_card.py:5:
pay/card.py:3: AssertionError
=========================== short test summary info ============================
FAILED tests/test_card.py::test_charge - assert 1 == 2
========================= 1 failed, 3 passed, 1 skipped in 0.03s ==============
"""
UNITTEST = """\
======================================================================
FAIL: test_charge (tests.test_card.CardTest.test_charge)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/x/pay/card.py", line 3, in charge
    raise ValueError
ValueError

----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1)
"""
GO = """\
=== RUN   TestCharge
--- FAIL: TestCharge (0.00s)
    card_test.go:12: got 1, want 2
--- PASS: TestName (0.00s)
FAIL
FAIL\texample.org/pay\t0.002s
"""
CARGO = """\
test tests::charge ... FAILED
test tests::name ... ok

failures:

---- tests::charge stdout ----
thread 'tests::charge' panicked at src/card.rs:14:9:
assertion failed

failures:
    tests::charge

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
"""
JEST = """\
FAIL src/card.test.ts
  \u25cf card \u203a charges

    expect(received).toBe(expected)

      at Object.<anonymous> (src/card.test.ts:5:20)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 2 passed, 3 total
"""
RSPEC = "2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/card_spec.rb:7 # Card charges\n"
PHPUNIT = """\
1) CardTest::testCharge
Failed asserting that 1 matches expected 2.

/app/tests/CardTest.php:12

FAILURES!
Tests: 3, Assertions: 4, Failures: 1.
"""
DOTNET = """\
  Failed Pay.CardTests.Charges [12 ms]
  Error Message:
   Assert.Equal() Failure
  Stack Trace:
     at Pay.CardTests.Charges() in /src/CardTests.cs:line 12
Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3
"""
MAVEN = "[ERROR]   CardTest.charges:12 expected: <2>\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n"
GRADLE = "CardTest > charges() FAILED\n    at CardTest.java:12\nCardTest > name() PASSED\nCardTest > other() PASSED\n"
TAP = "1..3\nok 1 - name\nnot ok 2 - charges\nok 3 - other\n"


@pytest.mark.parametrize(
    ("output", "passed", "name", "place"),
    [
        (PYTEST, 3, "tests/test_card.py::test_charge", ("pay/card.py", 3)),
        (UNITTEST, 3, "tests.test_card.CardTest.test_charge", ("/home/x/pay/card.py", 3)),
        (GO, 1, "TestCharge", ("card_test.go", 12)),
        (CARGO, 1, "tests::charge", ("src/card.rs", 14)),
        (JEST, 2, "card \u203a charges", ("src/card.test.ts", 5)),
        (RSPEC, 1, "./spec/card_spec.rb:7 Card charges", ("spec/card_spec.rb", 7)),
        (PHPUNIT, 2, "CardTest::testCharge", ("/app/tests/CardTest.php", 12)),
        (DOTNET, 2, "Pay.CardTests.Charges", ("/src/CardTests.cs", 12)),
        (MAVEN, 2, "CardTest.charges:12", ("CardTest.java", 12)),
        (GRADLE, 2, "CardTest.charges", None),
        (TAP, 2, "charges", None),
    ],
    ids="pytest unittest go cargo jest rspec phpunit dotnet maven gradle tap".split(),
)
def test_the_output_of_a_runner_gives_counts_and_failures(
    output: str, passed: int, name: str, place: tuple[str, int] | None
) -> None:
    results = parse_output(output)

    assert (results.passed, results.failed) == (passed, 1)
    assert [one.name for one in results.failures] == [name]
    assert place is None or place in results.failures[0].places


def test_unknown_output_gives_no_counts() -> None:
    assert not parse_output("make: *** [test] Error 2\n").are_known


def test_a_junit_report_gives_counts_and_failures() -> None:
    report = (
        b'<testsuites><testsuite><testcase classname="tests.test_card" name="test_charge[1]">'
        b'<failure message="assert 1 == 2">pay/card.py:3: AssertionError</failure></testcase>'
        b'<testcase classname="tests.test_card" name="test_name"/>'
        b'<testcase classname="tests.test_card" name="test_other"><skipped/></testcase></testsuite></testsuites>'
    )
    results = parse_junit(report)

    assert results is not None
    assert (results.passed, results.failed, results.skipped) == (1, 1, 1)
    assert results.failures[0].name == "tests.test_card::test_charge[1]"
    assert results.failures[0].message == "assert 1 == 2"
    assert results.failures[0].places == (("pay/card.py", 3),)


@pytest.mark.parametrize("text", [b"<html/>", b"no xml", b'<!DOCTYPE a [<!ENTITY b "c">]><testsuite>&b;</testsuite>'])
def test_what_is_no_report_or_declares_entities_is_refused(text: bytes) -> None:
    assert parse_junit(text) is None
