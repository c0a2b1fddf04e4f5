"""Classes that are handed to what finds or makes an object of them: `beans.getBean(Card.class)`, `box.Get<Card>()`."""

import re

from clew.index.syntax.chains import elements

_NAME = r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)"
_LARGE = re.compile(r"(?<![\w.])[A-Z]\w*[a-z]\w*")  # no constant is written so
_PASSED = {
    "java": rf"{_NAME}\.class",
    "scala": rf"{_NAME}\.class",
    "kotlin": rf"{_NAME}::class(?:\.java\w*)?",
    "csharp": rf"typeof\(\s*{_NAME}\s*\)",
    "swift": rf"{_NAME}\.self",
    "php": r"([^\W\d][\w\\]*)::class",
}
_TYPED = {"csharp": "<", "kotlin": "<", "typescript": "<", "tsx": "<", "rust": "<", "go": "["}
_ONE_TYPE = re.compile(r"(?:::)?[<\[]\s*[*&]?\s*([^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*)\s*\??\s*[>\]]")


class Asks:
    """How a call of one language names such a class."""

    def __init__(self, language: str) -> None:
        self._passed = re.compile(_PASSED[language]) if language in _PASSED else None
        self._is_bare = language in ("javascript", "typescript", "tsx")
        self.opens = _TYPED.get(language, "")  # the bracket of type arguments

    def kind(self, types: str, given: str) -> str:
        """What type arguments and what is passed tell; "" if nothing."""
        if types and self.opens and (one := _ONE_TYPE.fullmatch(types.strip())):
            return one[1]
        if self._is_bare:
            return next((part for _, part in self._parts(given) if _LARGE.fullmatch(part)), "")
        if self._passed is None or not self._passed.search(given):
            return ""
        found = [self._passed.fullmatch(part) for _, part in self._parts(given)]
        return next((one[1] for one in found if one), "")

    def _parts(self, given: str) -> list[tuple[str, str]]:
        return elements(f"({given})") if not self._is_bare or _LARGE.search(given) else []
