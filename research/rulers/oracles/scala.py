"""Scala call targets by scalac's typer: `python -m research.rulers.oracles.scala --repo CHECKOUT --to CALLS FOLDER…`.

The folders' sources are read as one program (Debian: scala, a JDK); what lacks a library, or is of another version of
the language, is left out call by call. `scala.scala` tells what is written and what the compiler made of it: calls
that nobody wrote (conversions, what `for` stands for, getters) are not there, a case class stands for its `apply`.

Three files are written, by how a call is: `CALLS.brackets`, `CALLS.infix` (`a join b`) and `CALLS.bare` (`a.size`).
"""

import argparse
import json
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

SCALA = Path("/usr/share/scala/lib")
LEVEL = "8"  # the Java whose library this compiler can read
WAYS = ("brackets", "infix", "bare")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="research.rulers.oracles.scala", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="The checkout.")
    parser.add_argument("--to", type=Path, required=True, help="What the files that are written begin with.")
    parser.add_argument("--jars", default="", help="Libraries, with colons between.")
    parser.add_argument("folders", nargs="+", help="Where the sources lie, or a source; from the checkout's root.")
    given = parser.parse_args()
    root = given.repo.resolve()
    lines = told(sources(root, given.folders), given.jars)
    for way in WAYS:
        found = sorted({json.dumps(one) for one in calls(root, lines, way)})
        given.to.with_name(f"{given.to.name}.{way}").write_text("".join(f"{one}\n" for one in found))
        print(f"{way}: {len(found):,} calls")


def calls(root: Path, lines: list[str], way: str) -> Iterator[dict[str, object]]:
    for line in lines:
        path, at, name, how, to, first, named = line.split("\t")
        if how == way:
            inside = [[str(Path(to).relative_to(root)), int(first), named]] if to else []
            yield {"path": str(Path(path).relative_to(root)), "line": int(at), "name": name, "to": inside}


def sources(root: Path, folders: list[str]) -> list[str]:
    found = {one for folder in folders for kind in ("*.scala", "*.java") for one in (root / folder).rglob(kind)}
    found |= {root / one for one in folders if (root / one).is_file()}
    return [str(one) for one in sorted(found)]


def told(files: list[str], jars: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        java = Path(folder, "java.jar")
        _library(java)
        options = ["-classpath", f"{SCALA}/scala-library.jar:{jars}", "-javabootclasspath", str(java), "-nobootcp"]
        common = [*options, "-language:_", "-nowarn"]
        tools = ":".join(str(one) for one in SCALA.glob("*.jar"))
        compiler = ["java", "-Xss64m", "-Xmx3g", "-cp", f"{tools}:{folder}"]
        own = ["scala.tools.nsc.Main", "-d", folder, "-classpath", tools, str(Path(__file__).with_suffix(".scala"))]
        subprocess.run([*compiler, *own], check=True)
        Path(folder, "files").write_text("\n".join(files))
        given = [*compiler, "Calls", *common, f"{folder}/files"]
        run = subprocess.run(given, check=True, stdout=subprocess.PIPE, text=True)
        return sorted(set(run.stdout.splitlines()))


def _library(java: Path) -> None:
    """What an older Java's library has, as today's keeps it."""
    home = Path(os.path.realpath(_which("javac"))).parents[1]
    with zipfile.ZipFile(home / "lib/ct.sym") as kept, zipfile.ZipFile(java, "w") as made:
        for name in kept.namelist():
            levels, _, rest = name.partition("/")
            if LEVEL in levels and name.endswith(".sig"):
                made.writestr(rest.partition("/")[2].removesuffix(".sig") + ".class", kept.read(name))


def _which(program: str) -> str:
    return subprocess.run(["which", program], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
