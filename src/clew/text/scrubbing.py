"""Removes secrets from texts of agents, and counts them."""

from clew.runtime.settings import Security
from clew.text.secrets import REDACTED, Scrubber

# What people paste of a shell, also in the middle of a sentence. Code has quotes there.
_IN_A_SHELL = (
    r"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|(?:API|SECRET|ACCESS)_?KEY)=(?P<value>[^\s\"'`$<>{}()\[\]%*]{4,})"
)
# And of addresses, settings and connections, in any letters: there, a name may well be the value, and has no digit.
_IN_A_SENTENCE = (
    r"(?i)\b\w*(?:password|passwd|pwd|secret|(?:api|secret|access)_?key|token)="
    r"(?P<value>(?=[^\s;&,\"'`]{0,60}\d)[^\s;&,\"'`$<>{}()\[\]%*]{6,})"
)


class Scrubbing:
    """For the texts of one call; `count` grows with it."""

    def __init__(self, security: Security) -> None:
        self._scrubber = Scrubber.configured(security, (_IN_A_SHELL, _IN_A_SENTENCE))
        self.count = 0

    def text(self, text: str) -> str:
        clean, found = self._scrubber.scrub(text)
        self.count += len(found)
        return clean

    def fields(self, fields: dict[str, object]) -> dict[str, object]:
        """Values as JSON has them; one with the name of a secret is replaced as a whole."""
        return {self.text(name): self._value(value, name) for name, value in fields.items()}

    def _value(self, value: object, name: str) -> object:
        if isinstance(value, dict):
            return self.fields(value)
        if isinstance(value, list | tuple):
            return [self._value(one, name) for one in value]
        if not isinstance(value, str):
            return value
        if self._is_named(name, value):
            self.count += 1
            return REDACTED
        return self.text(value)

    def _is_named(self, name: str, value: str) -> bool:
        """Whether the value would be a secret as the quoted value of that name in code."""
        shown = f'{name} = "'
        plain = value.replace("\\", "/").replace('"', "/").replace("\n", " ")
        _, found = self._scrubber.scrub(f'{shown}{plain}"')
        at = len(shown.encode("utf-8", "surrogatepass"))
        return any(one.start == at and one.end == at + len(plain.encode("utf-8", "surrogatepass")) for one in found)
