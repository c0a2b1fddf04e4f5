"""Categories of tests by their paths, markers, imports, fixtures and text, in many languages."""

import pytest

from clew.graph.test_categories import CaseFacts, categorize


@pytest.mark.parametrize(
    ("facts", "category", "reason"),
    [
        (CaseFacts("tests/test_card.py", imports=("pay/card.py",)), "unit", "nothing in its path"),
        (CaseFacts("tests/integration/test_card.py"), "integration", "below integration/"),
        (CaseFacts("tests/test_db.py", imports=("external::psycopg",)), "integration", "imports psycopg"),
        (CaseFacts("tests/test_a.py", "test_a", parameters=("client",)), "integration", "uses the fixture client"),
        (CaseFacts("tests/test_a.py", "test_a", ("pytest.mark.django_db",)), "integration", "marked"),
        (CaseFacts("tests/test_a.py", "test_speed", parameters=("benchmark",)), "benchmark", "uses the fixture"),
        (CaseFacts("tests/conftest.py", has_tests=False), "fixture", "set-up for other tests"),
        (CaseFacts("tests/fixtures/users.py", has_tests=False), "fixture", "below"),
        (CaseFacts("tests/test_a.py", "card", ("pytest.fixture",)), "fixture", "marked pytest.fixture"),
        (CaseFacts("cypress/login.cy.ts"), "e2e", "login.cy.ts"),
        (CaseFacts("web/e2e/login.spec.ts", imports=("external::@playwright/test",)), "e2e", "below e2e/"),
        (CaseFacts("src/card.test.ts", imports=("external::supertest",)), "integration", "supertest"),
        (CaseFacts("card_test.go", "BenchmarkCharge"), "benchmark", "named BenchmarkCharge"),
        (CaseFacts("card_test.go", text="func BenchmarkCharge(b *testing.B) {"), "unit", "nothing"),
        (CaseFacts("test/helper.rb"), "fixture", "set-up for other tests"),
        (CaseFacts("card_test.go", text="//go:build integration\n\npackage card"), "integration", "go:build"),
        (CaseFacts("benches/card.rs", imports=("external::criterion",)), "benchmark", "below benches/"),
        (CaseFacts("src/test/java/CardIT.java"), "integration", "named CardIT.java"),
        (CaseFacts("src/test/java/CardTest.java", markers=("SpringBootTest",)), "integration", "SpringBootTest"),
        (CaseFacts("src/test/java/CardTest.java", "setUp", ("BeforeEach",)), "fixture", "marked BeforeEach"),
        (CaseFacts("src/jmh/java/CardBenchmark.java", imports=("external::org.openjdk.jmh",)), "benchmark", "named"),
        (CaseFacts("spec/features/login_spec.rb", imports=("external::capybara",)), "e2e", "capybara"),
        (CaseFacts("tests/CardTest.php"), "unit", "nothing"),
        (
            CaseFacts("Tests/CardTests.cs", imports=("external::Microsoft.AspNetCore.Mvc.Testing",)),
            "integration",
            "Mvc",
        ),
    ],
    ids=lambda one: one.path + one.name if isinstance(one, CaseFacts) else "",
)
def test_a_test_is_categorized_with_a_reason(facts: CaseFacts, category: str, reason: str) -> None:
    verdict = categorize(facts)

    assert verdict.category == category
    assert any(reason in one for one in verdict.reasons)
