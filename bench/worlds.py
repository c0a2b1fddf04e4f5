"""Repositories made from a seed: Python, TypeScript and Markdown that import, document and mention each other."""

import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

WORDS = (
    *("account", "address", "archive", "balance", "basket", "billing", "budget", "cache", "calendar", "card"),
    *("channel", "charge", "checkout", "claim", "client", "cluster", "contract", "coupon", "currency", "customer"),
    *("delivery", "discount", "document", "endpoint", "event", "export", "filter", "folder", "gateway", "history"),
    *("import", "index", "invoice", "journal", "ledger", "license", "locale", "login", "message", "metric"),
    *("notice", "offer", "order", "parcel", "password", "payment", "permission", "pipeline", "policy", "price"),
    *("profile", "project", "quota", "receipt", "refund", "region", "report", "request", "role", "route"),
    *("schedule", "schema", "search", "session", "shipment", "signal", "snapshot", "stock", "storage", "tariff"),
    *("tenant", "ticket", "token", "transfer", "upload", "vendor", "voucher", "wallet", "warehouse", "webhook"),
)
VERBS = ("apply", "build", "check", "close", "collect", "decode", "find", "load", "merge", "open", "render", "send")
FOLDERS = ("billing", "catalog", "identity", "shipping", "support", "tools")
EXTENSIONS = (".py", ".ts", ".py", ".md")  # half of it is Python
FUNCTIONS = 7  # of a file, about: some 4 kB of text
MOST_LINES = 12  # of a function


@dataclass(frozen=True, slots=True)
class World:
    """A repository on disk. Edits take their chance from outside, so that many editors do not repeat each other."""

    root: Path
    size: int

    def path(self, number: int) -> Path:
        """Where the file of this number stands, while it exists."""
        return self.root / _folder(number) / f"{_word(number)}_{number}{EXTENSIONS[number % len(EXTENSIONS)]}"

    def write(self, number: int, chance: random.Random) -> None:
        """Give a file new content; it comes to exist if it did not."""
        path = self.path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_WRITERS[path.suffix](number, self.size, chance), encoding="utf-8")

    def edit(self, number: int, chance: random.Random) -> None:
        """What happens to files: most are changed in one place, some written anew, some removed."""
        path, what = self.path(number), chance.random()
        if what < 0.1:
            path.unlink(missing_ok=True)
        elif what < 0.3 or not path.exists():
            self.write(number, chance)
        else:
            path.write_text(path.read_text(encoding="utf-8") + _addition(path, chance), encoding="utf-8")

    def commit(self) -> None:
        """Record the tree in git; where others change it meanwhile, git may refuse, and that is no fault."""
        for command in (["add", "--all"], ["commit", "--quiet", "--message", "Go on"]):
            subprocess.run(["git", "-C", self.root, *command], capture_output=True, check=False)


def build(root: Path, size: int, seed: int) -> World:
    """A committed repository of `size` files; the same seed makes the same bytes."""
    world = World(root, size)
    root.mkdir(parents=True)
    chance = random.Random(seed)
    for number in range(size):
        world.write(number, chance)
    for command in (["init", "--quiet"], ["config", "user.name", "Bench"], ["config", "user.email", "bench@localhost"]):
        subprocess.run(["git", "-C", root, *command], check=True)
    world.commit()
    return world


def questions(count: int, seed: int) -> list[str]:
    """What one might ask such a repository: names, words and sentences."""
    chance = random.Random(seed)
    kinds: tuple[Callable[[random.Random], str], ...] = (_name, _sentence, lambda chance: chance.choice(WORDS))
    return [kinds[number % len(kinds)](chance) for number in range(count)]


def _python(number: int, size: int, chance: random.Random) -> str:
    imports = "\n".join(_python_import(other) for other in _neighbours(number, size, chance, ".py"))
    functions = "\n\n".join(_python_function(chance, "") for _ in range(FUNCTIONS // 2))
    methods = "\n".join(_python_function(chance, "    ") for _ in range(FUNCTIONS // 2))
    title = f'class {_class(number, chance)}:\n    """{_sentence(chance)}"""'
    return f'"""{_sentence(chance)}"""\n\n{imports}\n\n\n{functions}\n\n{title}\n\n{methods}'


def _python_import(number: int) -> str:
    return f"from {_folder(number)}.{_word(number)}_{number} import {VERBS[number % len(VERBS)]}"


def _python_function(chance: random.Random, indent: str) -> str:
    argument = chance.choice(WORDS)
    first = "self, " if indent else ""
    body = [f"{_variable(chance)} = {_name(chance)}({argument})" for _ in _lines(chance)]
    lines = [f'"""{_sentence(chance)}"""', *body, f"return {argument}"]
    inner = "\n".join(f"{indent}    {line}" for line in lines)
    return f"{indent}def {_name(chance)}({first}{argument}):\n{inner}\n"


def _typescript(number: int, size: int, chance: random.Random) -> str:
    imports = "\n".join(_typescript_import(other) for other in _neighbours(number, size, chance, ".ts"))
    functions = "\n\n".join(_typescript_function(chance) for _ in range(FUNCTIONS))
    interface = f"export interface {_class(number, chance)} {{\n  {chance.choice(WORDS)}: string;\n}}"
    return f"{imports}\n\n{interface}\n\n{functions}\n"


def _typescript_import(number: int) -> str:
    return f'import {{ {VERBS[number % len(VERBS)]} }} from "../{_folder(number)}/{_word(number)}_{number}";'


def _typescript_function(chance: random.Random) -> str:
    argument = chance.choice(WORDS)
    body = "\n".join(f"  const {_variable(chance)} = {_name(chance)}({argument});" for _ in _lines(chance))
    head = f"/** {_sentence(chance)} */\nexport function {_name(chance)}({argument}: string): string {{"
    return f"{head}\n{body}\n  return {argument};\n}}"


def _markdown(number: int, size: int, chance: random.Random) -> str:
    sections = (f"## {_sentence(chance)}\n\n{_paragraph(chance)}\n\n{_fence(chance)}" for _ in range(FUNCTIONS))
    return f"# {_word(number).title()} {number} of {size}\n\n{_paragraph(chance)}\n\n" + "\n\n".join(sections) + "\n"


def _fence(chance: random.Random) -> str:
    return f"```python\n{_python_function(chance, '')}```"


def _addition(path: Path, chance: random.Random) -> str:
    if path.suffix == ".py":
        return f"\n\n{_python_function(chance, '')}"
    return f"\n{_typescript_function(chance)}\n" if path.suffix == ".ts" else f"\n## {_sentence(chance)}\n"


def _neighbours(number: int, size: int, chance: random.Random, extension: str) -> list[int]:
    """Other files of the same language; some imports lead nowhere, as in life."""
    step, first = len(EXTENSIONS), EXTENSIONS.index(extension)
    return sorted({first + step * chance.randrange(max(size // step, 1)) for _ in range(4)} - {number})


def _lines(chance: random.Random) -> range:
    return range(chance.randrange(2, MOST_LINES))


def _variable(chance: random.Random) -> str:
    return f"{chance.choice(WORDS)}_{chance.choice(WORDS)}"


def _name(chance: random.Random) -> str:
    return f"{chance.choice(VERBS)}_{chance.choice(WORDS)}_{chance.choice(WORDS)}"


def _sentence(chance: random.Random) -> str:
    one, other, third = (chance.choice(WORDS) for _ in range(3))
    return f"{chance.choice(VERBS).title()} the {one} of a {other} before its {third}"


def _paragraph(chance: random.Random) -> str:
    return ".\n".join(_sentence(chance) for _ in range(chance.randrange(3, 8))) + "."


def _class(number: int, chance: random.Random) -> str:
    return f"{_word(number).title()}{chance.choice(WORDS).title()}"


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _folder(number: int) -> str:
    return FOLDERS[number % len(FOLDERS)]


_WRITERS: dict[str, Callable[[int, int, random.Random], str]] = {".py": _python, ".ts": _typescript, ".md": _markdown}
