"""Commands that run selected tests: one table of runners, without an index."""

import pytest

from clew.tools.test_commands import RunnerProjects, addresses, commands

FILES = {
    "package.json": '{"devDependencies": {"mocha": "10"}}',
    "web/package.json": '{"devDependencies": {"vitest": "1"}}',
    "go/api/go.mod": "module api",
    "pom.xml": "<project/>",
    "Cargo.toml": "[workspace]",
    "kt/build.gradle.kts": "",
}


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (
            ["tests/test_a.py::TestA::test_b", "tests/test_a.py::test_c#2"],
            ["pytest tests/test_a.py::TestA::test_b tests/test_a.py::test_c"],
        ),
        (
            ["go/api/pay/a_test.go::TestA", "go/api/pay/a_test.go::TestB"],
            ["(cd go/api && go test ./pay -run '^(TestA|TestB)$')"],
        ),
        (["a_test.go::TestA", "a_test.go::BenchmarkB"], ["go test ./ -run '^(TestA)$' -bench '^(BenchmarkB)$'"]),
        (["pay/a_test.go::Suite::TestA", "pay/a_test.go::TestB"], ["go test ./pay"]),
        (
            ["pay/tests/it.rs", "pay/tests/deep/main.rs", "pay/src/card.rs"],
            [
                "cargo test --workspace --test deep",
                "cargo test --workspace --test it",
                "cargo test --workspace -- card::",
            ],
        ),
        (["src/lib.rs::tests::adds"], ["cargo test --workspace -- tests::adds"]),
        (["test/a.js"], ["npx mocha test/a.js"]),
        (["web/src/a.test.ts"], ["(cd web && npx vitest run src/a.test.ts)"]),
        (
            [
                "src/test/java/a/CardTest.java::CardTest::charges",
                "m/src/test/java/a/CardTest.java::CardTest::Nested::fails",
            ],
            [
                "mvn test '-Dtest=CardTest#charges,CardTest$Nested#fails' -Dsurefire.failIfNoSpecifiedTests=false",
            ],
        ),
        (
            ["spec/a_spec.rb", "test/a_test.rb"],
            ["bundle exec ruby -Itest -Ilib test/a_test.rb", "bundle exec rspec spec/a_spec.rb"],
        ),
        (["tests/ATest.php::ATest::testB"], ["phpunit --filter '(ATest::testB)'"]),
        (["A.Tests/CardTests.cs::CardTests::Charges"], ["dotnet test --filter 'FullyQualifiedName~CardTests.Charges'"]),
        (["Tests/ATests/CardTests.swift::CardTests::testB"], ["swift test --filter CardTests/testB"]),
        (["notes.txt"], []),
    ],
)
def test_each_runner_is_called_as_it_addresses_tests(ids: list[str], expected: list[str]) -> None:
    assert sorted(commands(ids, RunnerProjects(FILES.get))) == sorted(expected)


def test_gradle_takes_classes_with_their_packages() -> None:
    projects = RunnerProjects({"kt/settings.gradle.kts": ""}.get)

    assert commands(["kt/src/test/kotlin/a/b/CardTest.kt::CardTest::charges"], projects) == (
        "(cd kt && gradle test --tests a.b.CardTest.charges)",
    )
    assert commands(["a/T.java::T"], RunnerProjects(FILES.get), "gradle") == ("gradle test --tests '*T'",)


@pytest.mark.parametrize(
    ("runner", "ids", "expected"),
    [
        ("pytest", ["a.py::b", "a.py::b#2"], ["a.py::b"]),
        ("go", ["p/a_test.go::TestA", "q/b_test.go::TestB"], ["./p", "./q", "-run", "^(TestA|TestB)$"]),
        ("go", ["p/a_test.go"], ["./p"]),
        ("cargo", ["src/a.rs::tests::b"], ["--", "tests::b"]),
        ("cargo", ["tests/a.rs", "src/a.rs::tests::b"], []),
        ("vitest", ["b.test.ts", "a.test.ts"], ["a.test.ts", "b.test.ts"]),
        ("gradle", ["src/test/java/a/T.java::T"], ["--tests", "a.T"]),
        ("phpunit", ["T.php::T::b"], ["--filter", "(T::b)"]),
    ],
)
def test_a_configured_command_gets_tests_as_its_runner_takes_them(
    runner: str, ids: list[str], expected: list[str]
) -> None:
    assert addresses(ids, runner) == expected
