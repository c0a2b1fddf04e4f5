"""Secrets in every form in which people write them. Each is put together here, so that no scanner reports this file."""

import ast
import json
import re

import pytest

from clew.text.secrets import REDACTED, Scrubber
from clew.text.secrets.providers import FORMATS

SCRUBBER = Scrubber(True)
WORD = "Tr0ub4" + "dor&3"  # as a person chooses
HEX = "9f86d081" + "884c7d65" + "9a2feaa0" + "c55ad015"
MIXED = "kX7pQ2mZ" + "9sVb4TnR" + "c8LwYd3F" + "hJ6gA1eU"
BASIC = "YWxhZGRp" + "bjpvcGVu" + "U2VzYW1l"


def scrubbed(text: str, path: str = "a.py") -> str:
    return SCRUBBER.scrub(text, path)[0]


CODE = (
    'user.setPassword("{word}")',
    'os.Setenv("API_TOKEN", "{mixed}")',
    'setattr(account, "password", "{word}")',
    "const p = process.env.PASSWORD || '{word}'",
    "const p = process.env.PASSWORD ?? '{word}'",
    'token = os.environ.get("API_TOKEN") or "{mixed}"',
    'password = os.getenv("DB_PASSWORD", "{word}")',
    'ENV.fetch("SECRET_KEY") {{ "{mixed}" }}',
    "ENV['API_KEY'] || '{mixed}'",
    'if password == "{word}":',
    'if (password.equals("{word}")) {{',
    "pwd = '{word}'",
    'PASSPHRASE = "{word}"',
    'encryption_key = "{hex}"',
    'passwords = ["{word}", "other1!x"]',
    'password = ("{word}")',
    'password = """{word}"""',
    "password = '''{word}'''",
    'login("bob", ("password", "{word}"))',
    'def connect(host, password="{word}"):',
    'function connect(password = "{word}") {{}}',
    'password := "{word}"',
    'var dbPassword string = "{word}"',
    'String dbPassword = "{word}";',
    "$password = '{word}';",
    "'password' => '{word}',",
    ":password => '{word}'",
    'password: Final[str] = "{word}"',
    'api_key = SecretStr("{mixed}")',
    'char[] password = "{word}".toCharArray();',
    'requests.get(url, auth=("bob", "{word}"))',
    'requests.get(url, auth=HTTPBasicAuth("bob", "{word}"))',
    'headers = {{"Authorization": "Basic {basic}"}}',
    'headers["Authorization"] = "Token {hex}"',
    'req.Header.Set("Authorization", "Bearer {mixed}")',
    'req.Header.Add("X-Api-Key", "{mixed}")',
    "password = 'x1' + '{word}'",
    'System.setProperty("DB_PASSWORD", "{word}")',
    'conn = "Server=db;User Id=sa;Password={word};"',
    'conn = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={base64}"',
    "url = 'https://example.com/x?access_token={mixed}&page=2'",
    "url = 'https://example.com/x?page=2&api_key={hex}'",
    "dsn = 'postgres://app:{word}@db.example/x'",
    '# curl -u admin:{word} https://example.com',
    "subprocess.run(['mysql', '--password={word}'])",
    '"DB_PASS": "{word}"',
    "db_pwd: '{word}',",
    "credentials = {{'bob': '{word}'}}",
    r'body = "{{\"password\": \"{word}\"}}"',
    "kwargs.setdefault('password', '{word}')",
    "@click.option('--token', default='{mixed}')",
    "cur.execute(\"ALTER USER bob WITH PASSWORD '{word}'\")",
    "cur.execute(\"CREATE USER bob IDENTIFIED BY '{word}'\")",
    '@Value("${{db.password:{word}}}")',
    "storePassword '{word}'",
    'public string Password {{ get; set; }} = "{word}";',
    'new NetworkCredential("bob", "{word}")',
    "const API_KEY: &'static str = \"{mixed}\";",
    'env::var("API_TOKEN").unwrap_or("{mixed}".to_string())',
    "set :password, '{word}'",
    "define('DB_PASSWORD', '{word}');",
    "# TODO: rotate the password {word}",
    "// api key = {mixed}",
    "url = 'https://x.blob.example/?sp=r&sig={mixed}'",
    'DriverManager.getConnection("jdbc:mysql://db/shop", "root", "{word}")',
    "$db = new mysqli('localhost', 'root', '{word}', 'shop');",
    'client.basic_auth("admin", Some("{word}"))',
    'smtp.login("bot", "{word}")',
    'jwt.encode(payload, "{mixed}", algorithm="HS256")',
    'hmac.new(b"{mixed}", message, sha256)',
    "app.use(cookieParser('{mixed}'))",
    'keys.load(stream, "{word}".toCharArray())',
    'dsn := "root:{word}@tcp(127.0.0.1:3306)/shop"',
    'password = "Blue$dFrRg7"',
    'SNYK_TOKEN = "{mixed}"',
)  # fmt: skip
SETTINGS = (
    (".env", "MYSQL_PWD={word}"),
    (".env", "export GITHUB_TOKEN={mixed}"),
    ("deploy.sh", "export TOKEN={mixed}"),
    ("deploy.sh", 'PGPASSWORD="{word}" psql -h db'),
    ("deploy.sh", "mysql -u root -p{word} shop"),
    ("deploy.sh", "sshpass -p '{word}' ssh host"),
    ("deploy.sh", "curl -u bob:{word} https://example.com"),
    ("deploy.sh", "curl -H 'Authorization: Bearer {mixed}' https://example.com"),
    ("deploy.sh", "curl -H 'X-Auth-Token: {hex}' https://example.com"),
    ("deploy.sh", 'DB_PASSWORD="${{DB_PASSWORD:-{word}}}"'),
    ("Dockerfile", "ENV DB_PASSWORD {word}"),
    ("Dockerfile", "ENV DB_PASSWORD={word}"),
    (".netrc", "machine example.com login bob password {word}"),
    (".netrc", "machine example.com\n  login bob\n  password {word}\n"),
    (".pgpass", "db.example:5432:shop:app:{word}"),
    ("a.yaml", "env:\n  - name: DB_PASSWORD\n    value: {word}\n"),
    ("a.yaml", 'env:\n  - name: "API_TOKEN"\n    value: "{mixed}"\n'),
    ("a.yaml", "password: >-\n  {word}\n"),
    ("a.yaml", "password: |\n  {word}\nother: 1\n"),
    ("a.yaml", "password: !!str {word}"),
    ("a.yaml", "db: {{user: app, password: {word}}}"),
    ("a.yml", "    MYSQL_ROOT_PASSWORD: {word}"),
    ("template.yaml", "  DbPassword:\n    Type: String\n    Default: {word}\n"),
    ("a.xml", "<password>{word}</password>"),
    ("a.xml", "<db:password>\n  {word}\n</db:password>"),
    ("web.config", '<add key="DbPassword" value="{word}" />'),
    ("a.xml", '<property name="password" value="{word}"/>'),
    ("a.xml", '<property name="password">{word}</property>'),
    ("a.xml", '<user name="bob" password="{word}"/>'),
    ("a.xml", "<entry key='secret_key'>{mixed}</entry>"),
    ("main.tf", 'variable "db_password" {{\n  type    = string\n  default = "{word}"\n}}'),
    ("main.tf", 'resource "x" "y" {{\n  password = "{word}"\n}}'),
    ("a.tfvars", 'db_password = "{word}"'),
    ("a.json", '{{"name": "DB_PASSWORD", "value": "{word}"}}'),
    ("a.json", '{{"client_secret": "{mixed}"}}'),
    ("a.toml", 'api_key = "{mixed}"'),
    ("a.ini", "password = {word}"),
    ("a.properties", "spring.datasource.password={word}"),
    ("application.yml", "password: ${{DB_PASSWORD:{word}}}"),
    ("a.yaml", "kind: Secret\ndata:\n  other: {basic}\n"),
    ("a.yaml", "kind: Secret\nstringData:\n  other: {word}\n"),
    ("a.yaml", "passwords:\n  - {word}\n"),
    ("deploy.sh", "docker login --username bob --password {word}"),
    ("deploy.sh", "docker run -e MYSQL_ROOT_PASSWORD={word} mysql"),
    ("deploy.sh", "redis-cli -a {word} ping"),
    ("a.xml", "<password><![CDATA[{word}]]></password>"),
    ("a.html", '<meta name="api-key" content="{mixed}">'),
    ("k.ppk", "Private-Lines: 1\n{base64}\nPrivate-MAC: 1\n"),
    ("deploy.sh", "htpasswd -b users bob {word}"),
    ("deploy.sh", "echo {word} | docker login -u bob --password-stdin"),
    ("deploy.sh", "echo 'root:{word}' | chpasswd"),
    ("deploy.sh", "openssl enc -aes-256-cbc -pass pass:{word} -in a"),
    ("deploy.sh", "aws configure set aws_secret_access_key {mixed}"),
    ("redis.conf", "requirepass {mixed}"),
    ("a.plist", "<key>APIKey</key>\n<string>{mixed}</string>"),
    ("a.csv", 'user,password\nbob,"{word}"\n'),
    ("a.sql", "INSERT INTO users (name, password) VALUES ('ann', 'None'), ('bob', '{word}');"),
    ("a.log", "Cookie: theme=dark; sessionid={mixed}"),
    (".htpasswd", "bob:$apr1$" + "x8Tz1Y2c" + "$9n4Kk3Jm2Lp0Qr5St6Uv7."),
)  # fmt: skip
PROSE = (
    "The password is `{word}`.",
    "Log in with password: `{word}`",
    "| user | password |\n|---|---|\n| password | {word} |",
    "| API token | `{mixed}` |",
    "Run `curl -u bob:{word} https://example.com`.",
    "Run `mysql -uroot -p{word} shop`.",
    "Set `export TOKEN={mixed}` first.",
    "Open https://example.com/?access_token={hex} in a browser.",
    "The API key is {mixed}.",
    "password: **{word}**",
    'Use the token "{mixed}" for now.',
    "The admin password is {word}.",
    "we use the password {word} for staging",
    "- Password: {word}",
    "Default credentials: admin / {word}",
    "The token ({mixed}) expires in May.",
)


def filled(text: str) -> tuple[str, str]:
    """A text with its secret, and the secret."""
    values = {"word": WORD, "hex": HEX, "mixed": MIXED, "basic": BASIC, "base64": (MIXED * 3)[:86] + "=="}
    (name,) = re.findall(r"(?<!\{)\{(\w+)\}", text) or [""]
    return (text.format(**values), values[name]) if name else (text, text.partition("$")[2])


@pytest.mark.parametrize("text", CODE)
@pytest.mark.parametrize("path", ["a.py", "a.js"])
def test_a_secret_in_code_is_replaced(text: str, path: str) -> None:
    text, secret = filled(text)

    assert secret not in scrubbed(text, path)


@pytest.mark.parametrize(("path", "text"), SETTINGS)
def test_a_secret_in_settings_is_replaced(path: str, text: str) -> None:
    text, secret = filled(text)

    assert secret not in scrubbed(text, path)


TABLE = "| user | password |\n|:---|---:|\n| ann | |\n| bob | `{word}` |"


@pytest.mark.parametrize("text", [*PROSE, TABLE])
@pytest.mark.parametrize("path", ["README.md", "NOTES", ""])
def test_a_secret_in_prose_is_replaced(text: str, path: str) -> None:
    text, secret = filled(text)

    assert secret not in scrubbed(text, path)


@pytest.mark.parametrize("text", [*CODE, *PROSE])
def test_a_secret_in_a_notebook_is_replaced(text: str) -> None:
    text, secret = filled(text)
    cell = {"cell_type": "code", "source": [f"{text}\n"], "outputs": [{"name": "stdout", "text": [f"{text}\n", "x\n"]}]}

    shown = json.loads(scrubbed(json.dumps({"cells": [cell]}, indent=1), "a.ipynb"))

    assert secret not in json.dumps(shown, ensure_ascii=False)


def sample(form: str) -> str:
    """A token of a format: its classes filled with characters that mix."""
    alphabets = {"h": "3f9a0c7e", "u": "Q7ZK2MX9", "l": "q7zk2mx9", "d": "48205917", "w": "kX7pQ2mZ9sVb4TnR"}

    def fill(part: re.Match[str]) -> str:
        alphabet = alphabets.get(part[1], alphabets["w"])
        return (alphabet * 30)[: int(part[2])]

    return re.sub(r"\{(\w)(\d+)(?:\+|-\d+)?\}", fill, form)


@pytest.mark.parametrize(("kind", "form"), [(kind, form) for kind, forms in FORMATS.items() for form in forms])
def test_a_token_of_each_format_is_replaced_wherever_it_stands(kind: str, form: str) -> None:
    token = sample(form)

    for text in (f"see {token} there", f'x("{token}")', f"a={token}\n", f"\\n{token}\\n", f"?t=1&u={token}&v=2"):
        assert token not in scrubbed(text), kind
        assert REDACTED in scrubbed(text)


WEBHOOKS = (
    "https://hooks.slack.com/services/" + "T02AB3CD4/B05EF6GH7/" + MIXED[:24],
    "https://discord.com/api/webhooks/" + "9876543210" + "12345678/" + MIXED * 2,
    "https://example.webhook.office.com/webhookb2/" + HEX + "@" + HEX + "/IncomingWebhook/" + HEX,
)


@pytest.mark.parametrize("address", WEBHOOKS)
def test_the_address_of_a_webhook_is_a_secret(address: str) -> None:
    assert address[-20:] not in scrubbed(f"post to {address} now", "README.md")


# Code between two literals, of which the first ends with a name that promises a secret; and the end of a last literal.
BETWEEN = (
    '_TABLE = ((b"dentified by ", _IDENTIFIED), (b"sig=", _SIGNATURE))',
    'url = "https://example.com?token=" + make_token(name) + "&page=" + page',
    'cases = ["<token>"+generated+"</token>", "other"]',
    'give("x password=\'y\'", path="a.py")',
)


@pytest.mark.parametrize("text", BETWEEN)
def test_code_between_two_literals_is_no_secret(text: str) -> None:
    ast.parse(scrubbed(text))


@pytest.mark.parametrize(
    "form",
    [
        'line = ("machine example.com login bob password {word}", "next")',
        "sql = (\"ALTER USER bob IDENTIFIED BY '{word}'\", 'next')",
        'command = ("curl -u bob:{word}", "next")',
        'both = "?token={mixed}" + name + "&page=1"',
    ],
)
def test_a_secret_ends_where_its_literal_ends(form: str) -> None:
    text, secret = filled(form)

    assert secret not in scrubbed(text)
    ast.parse(scrubbed(text))
