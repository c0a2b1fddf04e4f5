"""What JavaScript and TypeScript import leads to the file it means."""

import pytest

from clew.index.modules.source_tree import SourceTree
from clew.languages.javascript.imports import files_of

WORLD = SourceTree.of(
    {
        "web/app.ts", "web/view.tsx", "web/old.js", "web/types.d.ts", "web/parts/index.ts", "web/esm.mts",
        "web/page.vue", "web/data.json", "web/src/deep/tool.ts", "web/src/lib/log.ts", "web/shared/log.ts",
        "packages/bank/src/index.ts", "packages/bank/src/adapters/http.ts", "packages/bank/src/inner.ts",
        "packages/bank/test/bank.ts", "packages/gate/lib/main.js", "packages/gate/extra.js",
        "packages/bank/package.json", "packages/view/dom.ts", "packages/view/lib/tree.ts", "packages/view/cli/run.js",
        "packages/view/package.json",
    },
    settings={
        "tsconfig.base.json": {"paths ~/*": "web/src/*"},
        "web/tsconfig.json": {
            "extends": "../tsconfig.base.json",
            "baseUrl": ".",
            "paths @/*": "missing/*\nsrc/*",
            "paths @/log": "shared/log.ts",
        },
        "packages/bank/package.json": {
            "name": "@pay/bank",
            "main": "dist/index.js",
            "exports .": "./dist/index.d.ts\n./dist/index.mjs",
            "exports ./adapters/*": "./dist/adapters/*.mjs",
            "imports #inner": "./src/inner.ts",
        },
        "packages/gate/package.json": {"name": "gate", "main": "lib/main"},
        "packages/view/package.json": {
            "name": "view",
            "main": "./build/node/tree.cjs",
            "exports ./dom": "./dist/production/dom.d.ts\n./dist/development/dom.js",
            "exports ./tree": "./dist/lib/tree.js",
        },
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("web/app.ts", "./view", "web/view.tsx"),
        ("web/app.ts", "./view.js", "web/view.tsx"),
        ("web/app.ts", "./old.js", "web/old.js"),
        ("web/app.ts", "./types", "web/types.d.ts"),
        ("web/app.ts", "./parts", "web/parts/index.ts"),
        ("web/app.ts", "./parts/", "web/parts/index.ts"),
        ("web/app.ts", "./esm.mjs", "web/esm.mts"),
        ("web/app.ts", "./page.vue", "web/page.vue"),
        ("web/app.ts", "./data.json?raw", "web/data.json"),
        ("web/parts/index.ts", "../app", "web/app.ts"),
        ("web/app.ts", "@/deep/tool", "web/src/deep/tool.ts"),
        ("web/app.ts", "@/log", "web/shared/log.ts"),
        ("web/app.ts", "~/lib/log", "web/src/lib/log.ts"),
        ("web/app.ts", "src/deep/tool", "web/src/deep/tool.ts"),
        ("web/app.ts", "@pay/bank", "packages/bank/src/index.ts"),
        ("web/app.ts", "@pay/bank/adapters/http", "packages/bank/src/adapters/http.ts"),
        ("web/app.ts", "@pay/bank/test/bank", "packages/bank/test/bank.ts"),
        ("packages/bank/src/index.ts", "#inner", "packages/bank/src/inner.ts"),
        ("web/app.ts", "gate", "packages/gate/lib/main.js"),
        ("web/app.ts", "gate/extra", "packages/gate/extra.js"),
        ("web/app.ts", "view/dom", "packages/view/dom.ts"),
        ("web/app.ts", "view/tree", "packages/view/lib/tree.ts"),
        ("web/app.ts", "../packages/gate", "packages/gate/lib/main.js"),
        ("packages/bank/test/bank.ts", "..", "packages/bank/src/index.ts"),
        ("packages/bank/test/bank.ts", "../dist/esm/adapters/http.js", "packages/bank/src/adapters/http.ts"),
    ],
)
def test_an_import_leads_to_its_file(path: str, module: str, expected: str) -> None:
    assert files_of(WORLD, path, module) == [expected]


@pytest.mark.parametrize("module", ["react", "node:fs", "@pay/other", "./none", "@/none", "#none", "gate/none", "/abs"])
def test_what_is_outside_leads_nowhere(module: str) -> None:
    assert files_of(WORLD, "web/app.ts", module) == []


def test_what_is_built_is_not_made_from_the_file_that_names_it() -> None:
    assert files_of(WORLD, "packages/view/cli/run.js", "../dist/cli/run.js") == []


def test_configurations_that_stand_on_each_other_come_to_an_end() -> None:
    world = SourceTree.of({"a.ts"}, settings={"tsconfig.json": {"extends": "./tsconfig.json", "baseUrl": "."}})

    assert files_of(world, "a.ts", "none") == []


CALLED_LIKE = SourceTree.of(
    {
        "package.json", "src/Card.js", "src/Bank.react.js", "src/pay/Purse.js", "src/__mocks__/Purse.js",
        "src/a/Gate.js", "src/b/Gate.js", "src/react.js", "spec/CardSpec.js",
    },
    settings={"package.json": {"name": "@pay/card", "main": "dist/card-src.js"}},
)  # fmt: skip


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("@pay/card", ["src/Card.js"]),  # which is built from it
        ("@pay/card/none", []),
        ("Purse", ["src/pay/Purse.js"]),  # by its name alone, which is no package's
        ("Bank.react", ["src/Bank.react.js"]),
        ("Gate", []),
        ("react", []),
    ],
)
def test_what_is_called_like_a_package_or_a_module(module: str, expected: list[str]) -> None:
    assert files_of(CALLED_LIKE, "spec/CardSpec.js", module) == expected
