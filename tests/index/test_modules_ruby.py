"""What Ruby and Bash load leads to the file it means."""

import pytest

from clew.index.modules.source_tree import SourceTree
from clew.languages.bash import imports as bash
from clew.languages.ruby import imports as ruby

WORLD = SourceTree.of({
    "lib/pay.rb", "lib/pay/card.rb", "app/models/user.rb", "test/helper.rb", "test/card_test.rb", "gems/log/lib/log.rb",
    "gems/log/lib/log/line.rb", "bin/run.sh", "lib/common.sh", "bin/parts/one.sh",
})  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("lib/pay.rb", "./pay/card", ["lib/pay/card.rb"]),
        ("test/card_test.rb", "../lib/pay.rb", ["lib/pay.rb"]),
        ("test/card_test.rb", "pay/card", ["lib/pay/card.rb"]),
        ("test/card_test.rb", "helper", ["test/helper.rb"]),
        ("lib/pay.rb", "models/user", ["app/models/user.rb"]),
        ("gems/log/lib/log.rb", "log/line", ["gems/log/lib/log/line.rb"]),
        ("lib/pay.rb", "json", []),
        ("lib/pay.rb", "./missing", []),
    ],
)
def test_ruby_finds_what_is_required(path: str, module: str, expected: list[str]) -> None:
    assert ruby.files_of(WORLD, path, module) == expected


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("bin/run.sh", "./parts/one.sh", ["bin/parts/one.sh"]),
        ("bin/run.sh", '$(dirname "$0")/parts/one.sh', ["bin/parts/one.sh"]),
        ("bin/run.sh", "${ROOT}/lib/common.sh", ["lib/common.sh"]),
        ("bin/run.sh", "$DIR/../lib/common.sh", ["lib/common.sh"]),
        ("bin/run.sh", "lib/$name.sh", []),
        ("bin/run.sh", "/etc/profile", []),
    ],
)
def test_bash_finds_what_is_sourced(path: str, module: str, expected: list[str]) -> None:
    assert bash.files_of(WORLD, path, module) == expected
