"""How long each language's query takes to compile, which every process pays that reads a file of it. Prints CPU ms."""

import time

from clew.languages import LANGUAGES
from clew.languages.grammars import compile_query, grammar, query_text
from clew.languages.profile import Language


def seconds(language: Language) -> float:
    """CPU time, the least of two."""
    text = query_text(language)
    grammar(language)
    return min(_once(language, text), _once(language, text))


def _once(language: Language, text: str) -> float:
    started = time.process_time()
    compile_query(language, text)
    return time.process_time() - started


def main() -> None:
    for took, name in sorted(((seconds(one), one.name) for one in LANGUAGES if one.queries), reverse=True):
        print(f"{name:12} {took * 1000:6.0f}")


if __name__ == "__main__":
    main()
