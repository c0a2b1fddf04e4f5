"""The service graph of a generated system: how long it takes to build, to follow an edit, and to answer.

Each figure is elapsed time, and in brackets the processor time of this process: they differ on a busy machine.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

FILES, FUNCTIONS = 8, 24  # of each service, beside its routes: about 200 symbols


@click.command()
@click.option("--services", "count", default=500, help="Services to generate.")
@click.option("--root", type=click.Path(path_type=Path), help="Where; by default, a temporary folder.")
def main(count: int, root: Path | None) -> None:
    """Generate a system, and measure."""
    with tempfile.TemporaryDirectory() as folder:
        place = root or Path(folder)
        if not (place / "compose.yaml").is_file():
            generate(place, count)
        measure(place)


def generate(root: Path, count: int) -> None:
    """Each service calls three others, publishes one event and consumes two."""
    rows = []
    for number in range(count):
        name = f"svc{number:03}"
        others = [(number * 7 + step) % count for step in (1, 5, 11)]
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        get = "def call_{0:03}(key):\n    return requests.get(f'{{{{SVC{0:03}_URL}}}}/items/{{{{key}}}}')"
        calls = "\n\n".join(get.format(other) for other in others)
        urls = "\n".join(f"SVC{other:03}_URL = os.environ['SVC{other:03}_URL']" for other in others)
        (folder / "app.py").write_text(
            "import os\n\nimport requests\nfrom fastapi import FastAPI\n"
            "from kafka import KafkaConsumer, KafkaProducer\n\nfrom part0 import step_0_0\n\n"
            f"app = FastAPI()\nproducer = KafkaProducer()\n"
            f"consumer = KafkaConsumer('event.{others[0]:03}', 'event.{others[1]:03}')\n{urls}\n\n\n{calls}\n\n\n"
            f"@app.get('/items/{{key}}')\ndef show(key):\n    return step_0_0(key)\n\n\n"
            f"@app.post('/items')\ndef add(item):\n    producer.send('event.{number:03}', item)\n    return item\n"
        )
        for part in range(FILES):
            following = f"from part{part + 1} import step_{part + 1}_0\n\n\n" if part + 1 < FILES else ""
            functions = "\n\n".join(
                f"def step_{part}_{step}(value):\n    return "
                + (
                    f"step_{part}_{step + 1}(value)"
                    if step + 1 < FUNCTIONS
                    else "value"
                    if not following
                    else f"step_{part + 1}_0(value)"
                )
                for step in range(FUNCTIONS)
            )
            (folder / f"part{part}.py").write_text(f"{following}{functions}\n")
        (folder / "Dockerfile").write_text("FROM python:3.13\n")
        environment = "".join(f"      SVC{other:03}_URL: http://svc{other:03}:8000\n" for other in others)
        rows.append(f"  {name}:\n    build: ./{name}\n    environment:\n{environment}")
    (root / "compose.yaml").write_text("services:\n" + "".join(rows))


def measure(root: Path) -> None:
    began = time.perf_counter()
    with Engine.open(root) as engine:
        engine.index()
        symbols = engine.files.totals()
        print(f"index: {time.perf_counter() - began:.1f} s ({symbols.files} files)")
    workspaces = Workspaces(root)
    try:
        caller = Caller(workspaces)

        def ask(tool: str, **arguments: object) -> tuple[tuple[float, float], dict[str, Any]]:
            start, worked = time.perf_counter(), time.process_time()
            reply = answer(caller, tool, {"profile": "balanced", **arguments})
            took = time.perf_counter() - start, time.process_time() - worked
            found: dict[str, Any] = json.loads(reply.body)
            if not reply.ok:
                sys.exit(found["summary"])
            return took, found

        built, found = ask("build_knowledge_graph")
        print(f"build: {built[0]:.1f} s ({built[1]:.1f}); {found['summary']}")
        engine = workspaces.get()
        system = engine.services.current().system
        print(f"{len(system.services)} services, {len(system.endpoints)} endpoints, {len(system.edges)} connections")
        edited = root / "svc042" / "app.py"
        edited.write_text(edited.read_text() + "\n\n@app.get('/again')\ndef again():\n    return 1\n")
        took, found = ask("get_service_context", service_name="svc042")
        print(f"edit of one service, with the answer: {took[0]:.2f} s ({took[1]:.2f})")
        for tool, arguments in (
            ("service_list", {}),
            ("service_edges", {"service_name": "svc042"}),
            ("get_service_context", {"service_name": "svc042"}),
            ("query_graph_neighborhood", {"node_id": "service::svc042"}),
            ("hybrid_search", {"query": "items of svc042", "node_types": "endpoint"}),
            ("find_cross_service_impact", {"node_id": "svc042/part3.py::step_3_3"}),
            ("validate_service_boundaries", {}),
            ("check_cross_service_events", {}),
            ("build_knowledge_graph", {"force_rebuild": False}),
        ):
            ask(tool, **arguments)
            times = sorted(ask(tool, **arguments)[0] for _ in range(3))
            print(f"{tool}: {times[1][0] * 1000:.0f} ms ({times[1][1] * 1000:.0f})")
    finally:
        workspaces.close()


if __name__ == "__main__":
    main()
