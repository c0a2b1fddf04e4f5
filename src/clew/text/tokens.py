"""How many tokens a text costs, estimated: no tokeniser can be had without a download.

Four characters of ASCII make a token (the rule of the field); any other character counts as one, since
tokenisers split what they saw little of into bytes.
"""

CHARACTERS_PER_TOKEN = 4


def estimate(text: str) -> int:
    """Tokens, rounded up."""
    if text.isascii():
        return estimate_ascii(text)
    ascii_count = len(text.encode("ascii", "ignore"))
    return -(-ascii_count // CHARACTERS_PER_TOKEN) + len(text) - ascii_count


def estimate_ascii(text: str | bytes) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
