"""What is replaced, what is not, and the laws of replacing."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.model.errors import ConfigError
from clew.text.secrets import REDACTED, Scrubber

SCRUBBER = Scrubber(True)
# Put together here, so that no scanner takes this file for a leak.
GITHUB = "ghp_" + "a1B2" * 9
AMAZON = "AKIA" + "IOSFODNN7EXAMPLE"
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxMjM0In0", "s5X_abc-DEF123456"))
KEY_LINES = ["MIIEowIBAAKCAQEA" * 4, "b3BlbnNzaC1rZXkt" * 4, "AAAAB3NzaC1yc2E="]
PRIVATE_KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----"])


def scrubbed(text: str, path: str = "a.py") -> str:
    return SCRUBBER.scrub(text, path)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('password = "super_secret_123"', 'password = "[REDACTED]"'),
        ("password: 'hunter2'", "password: '[REDACTED]'"),
        ('{"apiKey": "abc123", "n": 1}', '{"apiKey": "[REDACTED]", "n": 1}'),
        ('api_key="k"', 'api_key="[REDACTED]"'),
        ('token = "abc1"', 'token = "[REDACTED]"'),
        ('access_token: "abc"', 'access_token: "[REDACTED]"'),
        ('DB_PASSWD = "x1"', 'DB_PASSWD = "[REDACTED]"'),
        ('SECRET_KEY = "x1"', 'SECRET_KEY = "[REDACTED]"'),
        ('os.environ["API_KEY"] = "x1"', 'os.environ["API_KEY"] = "[REDACTED]"'),
        ('password: str = "x1"', 'password: str = "[REDACTED]"'),
        ("const token: string = `abc1`;", "const token: string = `[REDACTED]`;"),
        ('secret := "abc"', 'secret := "[REDACTED]"'),
        ("'token' => 'abc1',", "'token' => '[REDACTED]',"),
        (r'password = "a\"b"', 'password = "[REDACTED]"'),
        (r'"{\"password\": \"abc\"}"', r'"{\"password\": \"[REDACTED]\"}"'),
        ('password = b"abc"', 'password = b"[REDACTED]"'),
        ('connect(user="u", password="größe")', 'connect(user="u", password="[REDACTED]")'),
        ("postgres://app:s3cr3t@db/x", "postgres://app:[REDACTED]@db/x"),
        ("redis://:s3cr3t@cache:6379", "redis://:[REDACTED]@cache:6379"),
        (f"key {AMAZON}.", "key [REDACTED]."),
        (f"x = '{GITHUB}'", "x = '[REDACTED]'"),
        ("github_pat_" + "A1_b" * 8, REDACTED),
        ("xoxb-" + "123456789012-abc", REDACTED),
        ("sk-" + "proj-abcdefghijklmnop1234", REDACTED),
        ("AIza" + "x1Y2z" * 7, REDACTED),
        (f"Bearer {JWT}", f"Bearer {REDACTED}"),
    ],
)
def test_a_secret_is_replaced_and_its_surroundings_stay(text: str, expected: str) -> None:
    assert scrubbed(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "token = get_token()",
        'token = "identifier"',
        'tokens = ["a"]',
        "password: str",
        'password = request.POST["password"]',
        'if password == "x": pass',
        'assert token != "x"',
        'password = ""',
        'password = "${DB_PASSWORD}"',
        'password = "$PASSWORD"',
        'token="$(sign "$key" "$text")"',
        'token = "{{ token }}"',
        'token = f"{user.token}"',
        'password = "%s"',
        'password = "%(password)s"',
        'token = "<your-token>"',
        'token = "("',
        'token = "****"',
        'token = "[REDACTED]"',
        'keyboard = "qwerty"',
        'primary_key = "id"',
        '<input type="password" name="p">',
        "https://example.org:8080/a@b",
        "postgres://user:${PASSWORD}@db",
        "https://user@example.org/x",
        "the task-based-approach-with-1-step",
        "sk-folding-cube-animation-class",
        "password: hunter2",
        '"targetClassToken": "DependencyService"',
        "provider = {token: 'PROVIDER_2'}",
        'password = "$dbPassword-prefix"',
        '"node_modules/@inquirer/password": {"resolved": "https://registry.example/@inquirer/password/-/p-4.0.23.tgz"}',
        '"integrity": "sha512-zREJHjhT5vJBMZX/IUbyI9zVtVfOLiTO66MrF/3GFZYZ7T4YILW5MSkEYHceSiiKtRk4i3RE7EUXA2jHcA=="',
        "| option | password |\n|---|---|\n| where | in the file |",
        "INSERT INTO users (name, password) VALUES ('bob', NULL)",
        'OPEN = "-----BEGIN PRIVATE KEY-----"\nCLOSE = "-----END PRIVATE KEY-----"',
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert SCRUBBER.scrub(text, "a.py") == (text, ())


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("conf/app.yaml", "db:\n  password: hunter2  # old\n", "db:\n  password: [REDACTED]  # old\n"),
        (".env", "DB_PASSWORD=hunter2\nPORT=1\n", "DB_PASSWORD=[REDACTED]\nPORT=1\n"),
        (".env.local", "export API_KEY=a#b c", "export API_KEY=[REDACTED]"),
        ("a.ini", "password = two words\r\n", "password = [REDACTED]\r\n"),
        ("a.properties", "spring.db.password=x1", "spring.db.password=[REDACTED]"),
        ("a.yml", "- token: 12345", "- token: [REDACTED]"),
        (".npmrc", "//npm.example.org/:_authToken=abc", "//npm.example.org/:_authToken=[REDACTED]"),
        ("a.yaml", 'password: "x1" # why', 'password: "[REDACTED]" # why'),
    ],
)
def test_settings_need_no_quotes(path: str, text: str, expected: str) -> None:
    assert scrubbed(text, path) == expected


@pytest.mark.parametrize(
    "text",
    [
        "password:",
        "password: ${DB_PASSWORD}",
        "password: {{ vault }}",
        "token: null",
        "password: string",
        "password: !vault |",
        "token: [a, b]",
        "# the password: is long",
        "say password: never",
        "password_file: /run/x",
    ],
)
def test_settings_without_a_secret_stay(text: str) -> None:
    assert scrubbed(text, "a.yaml") == text


def test_a_private_key_keeps_its_marks_and_its_lines() -> None:
    lines = scrubbed(f"before\n{PRIVATE_KEY}\nafter").split("\n")

    assert lines == [
        "before",
        "-----BEGIN RSA PRIVATE KEY-----",
        *[REDACTED] * 3,
        "-----END RSA PRIVATE KEY-----",
        "after",
    ]


def test_a_private_key_inside_a_string_is_found() -> None:
    one_line = PRIVATE_KEY.replace("\n", r"\n")

    assert KEY_LINES[0][:20] not in scrubbed(f'key = "{one_line}"')


def test_places_are_bytes_of_the_original() -> None:
    text = 'é = 1\npassword = "größe"\n'

    result, (redaction,) = SCRUBBER.scrub(text)

    assert text.encode()[redaction.start : redaction.end].decode() == "größe"
    assert redaction.stand_in == len(REDACTED)
    assert result == 'é = 1\npassword = "[REDACTED]"\n'


def test_bytes_are_scrubbed_as_their_text_is() -> None:
    scrubber = Scrubber(True, ["größe=(\\w+)"])
    text = 'größe=abc password = "geheim123" ü'

    clean, redactions = scrubber.scrub(text)

    assert scrubber.scrub_bytes(text.encode(), "") == (clean.encode(), redactions)
    assert clean.count("[REDACTED]") == len(redactions) == 2


def test_overlapping_finds_are_one() -> None:
    text = f'token = "{GITHUB}"'

    result, redactions = SCRUBBER.scrub(text)

    assert result == 'token = "[REDACTED]"'
    assert len(redactions) == 1


def test_switched_off_it_changes_nothing() -> None:
    assert Scrubber(False, ("a",)).scrub('password = "x"') == ('password = "x"', ())


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"internal-\d+", "é id [REDACTED] end"),
        (r"internal-(\d+)", "é id internal-[REDACTED] end"),
        (r"(id) internal-(?P<value>\d+)", "é id internal-[REDACTED] end"),
        (r"internal-(x)?\d+", "é id [REDACTED] end"),
        (r"x*", "é id internal-42 end"),
    ],
)
def test_the_users_patterns_say_what_the_secret_is(pattern: str, expected: str) -> None:
    assert Scrubber(True, (pattern,)).scrub("é id internal-42 end")[0] == expected


def test_a_users_pattern_over_several_lines_keeps_their_number() -> None:
    result, _ = Scrubber(True, (r"(?s)<<.*>>",)).scrub("a\n<<x\ny\nz>>\nb")

    assert result == "a\n[REDACTED]\n\n\nb"


def test_a_users_pattern_finds_every_secret_of_a_long_line_of_letters_and_marks() -> None:
    text = "é".join(f"{'x' * 500}internal-{n:04}" for n in range(50))
    result, found = Scrubber(True, (r"internal-\d{4}",)).scrub(text)

    assert len(found) == 50 and result == "é".join(["x" * 500 + "[REDACTED]"] * 50)


def test_a_value_that_is_allowed_stays() -> None:
    text = 'password = "letmein-42"\npassword = "letmein-43x"\n'
    found = SCRUBBER.scrub(text)[1]

    by_pattern = Scrubber(True, (), (r"letmein-\d+",)).scrub(text)[0]
    by_digest = Scrubber(True, (), (f"digest:{found[1].digest}",)).scrub(text)[0]
    too_short = Scrubber(True, (), ("digest:", f"digest:{found[1].digest[:4]}")).scrub(text)[0]

    assert by_pattern == 'password = "letmein-42"\npassword = "[REDACTED]"\n'
    assert by_digest == 'password = "[REDACTED]"\npassword = "letmein-43x"\n'
    assert too_short.count(REDACTED) == 2


def test_each_redaction_has_its_line_kind_and_digest() -> None:
    text = f'\n\nx = "{GITHUB}"\n{PRIVATE_KEY}\npassword = "hunter2"\ny = "{GITHUB}"\n'

    found = SCRUBBER.scrub(text)[1]

    kinds = [(one.line, one.kind) for one in found]
    assert kinds == [(3, "github"), *((line, "private-key") for line in (5, 6, 7)), (9, "password"), (10, "github")]
    assert found[0].digest == found[-1].digest != found[1].digest
    assert not any(part in GITHUB for one in found for part in (one.digest,))


def test_a_secret_that_has_a_name_once_is_found_wherever_the_text_repeats_it() -> None:
    value = "kX7pQ2mZ" + "9sVb4TnR"

    assert value not in scrubbed(f'api_key = "{value}"\ncall({value!r})\n# was {value}\n')


def test_a_users_pattern_that_cannot_be_read_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="secret_patterns"):
        Scrubber(True, ("(",))


PIECES = (
    *("password", "token", "api_key", "SECRET", " = ", ": ", "=", '"', "'", "`", "\\", "\n", " ", "str", "é", "x1"),
    *(
        "://",
        "u:p@h",
        "${V}",
        "[",
        "]",
        REDACTED,
        GITHUB,
        AMAZON,
        JWT,
        "sk-" + "a1" * 12,
        "AIza" + "y1Z2a" * 7,
        "xoxb-123456789ab",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", KEY_LINES[0], "#", "- ", "export "),
)
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60)
somewhere = st.sampled_from(("a.py", "a.yaml"))


@given(text=texts, path=somewhere)
def test_lines_keep_their_numbers(text: str, path: str) -> None:
    assert SCRUBBER.scrub(text, path)[0].count("\n") == text.count("\n")


@given(text=texts, path=somewhere)
@example(text="x\ud800 password='a1'", path="a.py")
def test_redactions_rebuild_the_result(text: str, path: str) -> None:
    result, redactions = SCRUBBER.scrub(text, path)
    data, shown = text.encode("utf-8", "surrogatepass"), result.encode("utf-8", "surrogatepass")

    at = shift = 0
    for start, end, stand_in, *_ in redactions:
        assert data[at:start] == shown[at + shift : start + shift]
        assert shown[start + shift :].startswith(REDACTED.encode())
        shift += stand_in - (end - start)
        at = end
    assert data[at:] == shown[at + shift :]


@given(text=texts, path=somewhere)
def test_a_second_pass_changes_nothing_more(text: str, path: str) -> None:
    once = scrubbed(text, path)

    assert scrubbed(once, path) == once


@pytest.mark.parametrize(
    "unit",
    [
        *("x", "function(a){return a.token+1}", "eyJ-", "://a:", "token: ", "-----BEGIN PRIVATE KEY-----", "pass|"),
        *("curl ", "  password: |\n", "key:\n a:", 'token="', AMAZON, f"{AMAZON} ", "secret {\n"),
    ],
)
def test_the_time_for_one_long_line_grows_with_its_length_only(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        began = time.process_time()
        SCRUBBER.scrub(text, "a.yaml")
        return time.process_time() - began

    assert seconds(800_000) < 0.2 + 20 * seconds(100_000)
