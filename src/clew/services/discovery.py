"""Finds the services of a project: from Compose, Kubernetes and Helm, Dockerfiles, manifests and application names.

Names in a deployment take precedence over the form of a folder. Each service has the folder of its source, its
aliases, its ports, and the variables of its environment.
"""

import json
import posixpath
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from clew.languages import LANGUAGES
from clew.languages.service_forms import forms_of
from clew.model.services import Service, Sighting
from clew.services.documents import DocumentNode, read_properties, read_yaml
from clew.services.frameworks import DEPENDENCY_ROLES, IMAGE_ROLES

COMPOSE = re.compile(r"(^|/)(?:docker-)?(?:compose|stack)[\w.-]*\.ya?ml$")
_YAML = re.compile(r"\.ya?ml$")
_DOCKERFILE = re.compile(r"(^|/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.Dockerfile$")
_MANIFEST = re.compile(
    r"(^|/)(package\.json|pom\.xml|build\.gradle(?:\.kts)?|go\.mod|Cargo\.toml|pyproject\.toml|requirements\.txt|setup\.py|Pipfile|Gemfile|"
    r"composer\.json|mix\.exs|build\.sbt|Package\.swift|[\w.-]+\.csproj|deno\.json)$"
)
_APPLICATION = re.compile(
    r"(^|/)src/main/resources/(?:config/)?(application|bootstrap)(?:-[\w-]+)?\.(ya?ml|properties)$"
)
_LIBRARIES = (
    ("spring-boot", "spring boot"),
    ("micronaut", "micronaut"),
    ("quarkus", "quarkus"),
    ("express", "express"),
    ("@nestjs/core", "nestjs"),
    ("fastify", "fastify"),
    ("next", "next.js"),
    ("react", "react"),
    ("@angular/core", "angular"),
    ("vue", "vue"),
    ("hono", "hono"),
    ("flask", "flask"),
    ("django", "django"),
    ("fastapi", "fastapi"),
    ("gin-gonic/gin", "gin"),
    ("labstack/echo", "echo"),
    ("go-chi/chi", "chi"),
    ("gorilla/mux", "gorilla"),
    ("actix-web", "actix"),
    ("axum", "axum"),
    ("tonic", "grpc"),
    ("google.golang.org/grpc", "grpc"),
    ("grpcio", "grpc"),
    ("@grpc/grpc-js", "grpc"),
    ("Grpc.AspNetCore", "grpc"),
    ("rails", "rails"),
    ("sinatra", "sinatra"),
    ("laravel/framework", "laravel"),
    ("symfony/framework-bundle", "symfony"),
    ("slim/slim", "slim"),
    ("phoenix", "phoenix"),
    ("ktor", "ktor"),
    ("Microsoft.NET.Sdk.Web", "asp.net core"),
    ("kafka", "kafka"),
    ("amqp", "rabbitmq"),
    ("celery", "celery"),
)
_ASPIRE = re.compile(
    r"(\w+)\s*\.\s*(Add(?:Project|Container|Database|[A-Z]\w+))\s*(?:<Projects\.(\w+)>)?\(\s*\"([\w.-]+)\""
)
_DOCKER_VARIABLE = re.compile(r"(\w+)(?:=\"([^\"]*)\"|=(\S*)|[ \t]+([^\n]+))")
_DEPENDENCY = re.compile(r"<artifactId>([\w.-]+)</artifactId>|['\"][\w.-]+:([\w.-]+)(?::[^'\"]*)?['\"]")
_WORKLOADS = frozenset(
    {"Deployment", "StatefulSet", "DaemonSet", "Rollout", "Pod", "ReplicaSet", "DeploymentConfig", "CronJob", "Job"}
)
ROOT = "."  # the path of a service whose source is the whole project
_NOT_SOURCE = re.compile(
    r"(^|/)(node_modules|vendor|third_party|examples?|docs?|tests?|e2e|testdata|fixtures|\.github|samples?|benchmarks?|templates?)(/|$)"
)


class Variable(Struct, frozen=True):
    """A variable or property of a service, and where it is set."""

    name: str
    value: str
    evidence: Sighting


class Found(Struct, frozen=True):
    """A service with the variables and properties that are needed to resolve the addresses that it uses."""

    service: Service
    environment: tuple[Variable, ...] = ()
    properties: tuple[Variable, ...] = ()
    needs: tuple[tuple[str, Sighting], ...] = ()  # names of services that it is deployed to depend on
    files: tuple[str, ...] = ()  # configuration that is mounted into it
    dependencies: tuple[tuple[str, Sighting], ...] = ()  # libraries, as its manifest names them


class DeclaredService(Struct, frozen=True):
    """A service that `[services]` of the settings declares."""

    name: str
    path: str
    description: str = ""


class _Deployed(Struct, frozen=True):
    """A service as a deployment describes it; `folder` is None if the location of its source is not known."""

    name: str
    evidence: Sighting
    image: str = ""
    folder: str | None = None
    aliases: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    environment: tuple[Variable, ...] = ()
    needs: tuple[tuple[str, Sighting], ...] = ()
    files: tuple[str, ...] = ()
    command: str = ""


class Discovery:
    """Reads the files of a project that tell of its services. `read` gives a file's text; `outside` names what a path
    out of the project leads to, if it is known."""

    def __init__(
        self,
        files: Sequence[tuple[str, str]],
        read: Callable[[str], str],
        project: str = "",
        outside: Callable[[str], str] = lambda path: "",
    ) -> None:
        self.paths = [path for path, _ in files]
        self._languages = dict(files)
        self._read = read
        self._outside = outside
        self._project = project
        self._sorted = sorted(self.paths)
        self._direct: dict[str, list[str]] = {}
        for path in self.paths:
            self._direct.setdefault(path.rpartition("/")[0], []).append(path)
        self._folders = set(self._direct)
        self._folders |= {
            "/".join(folder.split("/")[:end])
            for folder in list(self._folders)
            for end in range(1, len(folder.split("/")))
        }
        self._charts: dict[str, dict[str, str]] = {}
        self._names: dict[str, str] = {}
        self._parsed: dict[str, list[tuple[str, str, int]]] = {}
        self.problems: list[str] = []

    def _under(self, folder: str) -> list[str]:
        """The files in a folder and below it."""
        if not folder:
            return self._sorted
        first, last = (bisect_left(self._sorted, f"{folder}{end}") for end in ("/", "0"))  # "0" follows "/"
        return self._sorted[first:last]

    def discover(
        self, declared: Iterable[DeclaredService] = (), programs: Iterable[tuple[str, int]] = ()
    ) -> list[Found]:
        """All services, by name. `programs` are files that start a program, with the line at which they do."""
        manifests = self._manifests()
        deployed = self._merge_deployments([*self._compose(), *self._kubernetes(), *self._aspire()])
        folders: dict[str, list[_Deployed]] = {}
        images = []
        for one in deployed:
            source = one.folder if one.folder is not None else self._folder_named(one, manifests)
            if source is None or (source not in self._folders and source != ""):
                images.append(one)
            else:
                folders.setdefault(source, []).append(one)
        found: dict[str, Found] = {}
        for setting in declared:
            evidence = Sighting("context.toml", 1, "settings")
            folder = setting.path.strip("/")
            self._add(
                found, self._from_folder(setting.name, folder, evidence, manifests, description=setting.description)
            )
        for folder, services in sorted(folders.items()):
            for one in sorted(
                services, key=lambda one: (_plain(one.name) != _plain(folder.rpartition("/")[2]), one.name)
            ):
                self._add(found, self._from_folder(one.name, folder, one.evidence, manifests, one))
        for folder, name, evidence in self._find_undeployed(manifests, dict(programs)):
            if not self._is_covered(folder, name, found, folders):
                self._add(found, self._from_folder(name, folder, evidence, manifests))
        for one in images:
            if one.image or one.name not in found:
                self._add(found, self._from_image(one))
        return [found[name] for name in sorted(found)]

    @staticmethod
    def _add(found: dict[str, Found], one: Found) -> None:
        known = found.get(one.service.name)
        if known is None:
            found[one.service.name] = one
        elif not known.service.path and one.service.path:
            found[one.service.name] = replace(
                one, environment=(*known.environment, *one.environment), needs=(*known.needs, *one.needs)
            )

    # Compose

    def _compose(self) -> Iterator[_Deployed]:
        for path in self.paths:
            if COMPOSE.search(path) and not re.search(r"(^|/)(tests?|examples?|node_modules|vendor)/", path):
                yield from self._compose_file(path)

    def _compose_file(self, path: str) -> Iterator[_Deployed]:
        documents = read_yaml(self._read(path))
        if not documents:
            if re.search(r"^\s*[^#\s]", self._read(path), re.MULTILINE):
                self.problems.append(f"{path} is not readable as YAML.")
            return
        folder = path.rpartition("/")[0]
        variables = self._dotenv(folder)
        services = documents[0].get("services")
        for name, line, node in services.pairs():
            if not node.keys:
                continue
            base = node
            if (extended := node.get("extends", "service").value() or node.get("extends").value()) and not node.get(
                "extends", "file"
            ):
                base = services.get(extended)
            evidence = Sighting(path, line, "compose")
            build = node.get("build") or base.get("build")
            source: str | None = None
            beyond = ""
            if build:
                context = _interpolate(build.get("context").value() if build.keys else build.value(), variables) or "."
                dockerfile = _interpolate(build.get("dockerfile").value(), variables) if build.keys else ""
                where = posixpath.normpath(posixpath.join(folder, context))
                beyond = self._outside(where) if where.startswith("..") else ""
                source = None if beyond else self._source_of(folder, context, dockerfile)
            image = beyond or _interpolate((node.get("image") or base.get("image")).value(), variables)
            yield _Deployed(
                name,
                evidence,
                image,
                source,
                tuple(dict.fromkeys(alias for alias in self._compose_aliases(node) if alias)),
                tuple(
                    dict.fromkeys(_ports([*node.get("ports").elements(), *node.get("expose").elements()], variables))
                ),
                tuple(
                    chain(
                        self._compose_environment(path, base, variables) if base is not node else (),
                        self._compose_environment(path, node, variables),
                    )
                ),
                tuple(self._compose_needs(path, node)),
                tuple(self._mounted_folders(folder, node, variables)),
                node.get("command").value(),
            )

    def _dotenv(self, folder: str) -> dict[str, str]:
        path = posixpath.join(folder, ".env")
        found: dict[str, str] = {}
        if path in self._languages:
            for name, value, _ in read_properties(self._read(path)):
                found[name] = _interpolate(_strip_comment(value), found)
        return found

    def _source_of(self, folder: str, context: str, dockerfile: str) -> str | None:
        if "://" in context or posixpath.normpath(posixpath.join(folder, context)).startswith("../"):
            return None
        base = posixpath.normpath(posixpath.join(folder, context))
        base = "" if base in (".", "..") else base.strip("/")
        if dockerfile and "/" in dockerfile.removeprefix("./"):
            inner = posixpath.normpath(posixpath.join(base, posixpath.dirname(dockerfile)))
            if not re.search(r"(^|/)\.?(docker|build|deploy|ci|dockerfiles)(/|$)", inner[len(base) :]):
                return inner.strip("/")
            named = posixpath.basename(inner)
            return next(
                (one for one in sorted(self._folders) if one.endswith(f"/{named}") and not one.startswith(inner)), base
            )
        return base

    @staticmethod
    def _compose_aliases(node: DocumentNode) -> Iterator[str]:
        yield node.get("container_name").value()
        yield node.get("hostname").value()
        for _, _, network in node.get("networks").pairs():
            yield from (alias.value() for alias in network.get("aliases").elements())
        for _one in node.get("links").elements():
            yield ""

    def _compose_environment(self, path: str, node: DocumentNode, variables: dict[str, str]) -> Iterator[Variable]:
        folder = path.rpartition("/")[0]
        files = node.get("env_file")
        for one in files.elements() or ([files] if files.value() else []):
            name = posixpath.normpath(posixpath.join(folder, one.value() or one.get("path").value()))
            if name in self._languages:
                yield from (
                    Variable(key, _interpolate(_strip_comment(value), variables), Sighting(name, line, "environment"))
                    for key, value, line in read_properties(self._read(name))
                )
        labels = node.get("labels") or node.get("deploy", "labels")
        rows = [(name, value.value(), line) for name, line, value in labels.pairs()]
        rows += [(*one.value().partition("=")[::2], one.line) for one in labels.elements()]
        for name, text, line in rows:
            if name.startswith("traefik.http.routers."):
                yield Variable(name, text, Sighting(path, line, "compose"))
        environment = node.get("environment")
        for name, line, value in environment.pairs():
            yield Variable(
                name,
                _interpolate(value.value(), variables) or variables.get(name, ""),
                Sighting(path, line, "compose"),
            )
        for one in environment.elements():
            name, _, text = one.value().partition("=")
            yield Variable(
                name,
                _interpolate(text, variables) if text else variables.get(name, ""),
                Sighting(path, one.line, "compose"),
            )

    @staticmethod
    def _compose_needs(path: str, node: DocumentNode) -> Iterator[tuple[str, Sighting]]:
        needs = node.get("depends_on")
        for name, line, _ in needs.pairs():
            yield name, Sighting(path, line, "compose")
        for one in [*needs.elements(), *node.get("links").elements()]:
            yield one.value().partition(":")[0], Sighting(path, one.line, "compose")

    def _mounted_folders(self, folder: str, node: DocumentNode, variables: dict[str, str]) -> Iterator[str]:
        for one in node.get("volumes").elements():
            source = _interpolate(one.value().partition(":")[0] or one.get("source").value(), variables)
            name = posixpath.normpath(posixpath.join(folder, source)) if source.startswith(".") else ""
            if name in self._languages:
                yield name
            elif name and name in self._folders:
                yield from [path for path in self.paths if path.startswith(f"{name}/")][:50]

    # Kubernetes and Helm

    def _kubernetes(self) -> Iterator[_Deployed]:
        maps: dict[str, dict[str, str]] = {}
        contexts: dict[str, str] = {}
        services: list[tuple[str, tuple[str, ...], tuple[int, ...]]] = []
        workloads: list[tuple[str, DocumentNode]] = []
        for path in self.paths:
            if not _YAML.search(path) or COMPOSE.search(path) or "/node_modules/" in path:
                continue
            text = self._read(path)
            if path.endswith(("skaffold.yaml", "skaffold.yml")):
                contexts.update(self._skaffold(path, text))
            if "kind:" not in text or "apiVersion" not in text:
                continue
            values = self._values(path) if "{{" in text else {}
            for document in read_yaml(text):
                kind = document.get("kind").value()
                name = _insert_values(document.get("metadata", "name").value(), values)
                if kind == "ConfigMap":
                    maps[name] = {
                        key: _insert_values(node.value(), values) for key, _, node in document.get("data").pairs()
                    }
                elif kind == "Service":
                    selector = tuple(
                        _insert_values(node.value(), values) for _, _, node in document.get("spec", "selector").pairs()
                    )
                    ports = tuple(
                        int(one.get("port").value())
                        for one in document.get("spec", "ports").elements()
                        if one.get("port").value().isdigit()
                    )
                    services.append((name, selector, ports))
                elif kind in _WORKLOADS:
                    workloads.append((path, document))
        for path, document in workloads:
            yield from self._workload(path, document, maps, contexts, services)

    def _workload(
        self,
        path: str,
        document: DocumentNode,
        maps: dict[str, dict[str, str]],
        contexts: dict[str, str],
        services: list[tuple[str, tuple[str, ...], tuple[int, ...]]],
    ) -> Iterator[_Deployed]:
        values = self._values(path)
        name = _insert_values(document.get("metadata", "name").value(), values)
        template = (
            document.get("spec", "template") or document.get("spec", "jobTemplate", "spec", "template") or document
        )
        labels = {
            _insert_values(node.value(), values)
            for _, _, node in (template.get("metadata", "labels") or document.get("metadata", "labels")).pairs()
        }
        containers = template.get("spec", "containers").elements()
        if not name or "<" in name or not containers:
            return
        main = next(
            (one for one in containers if one.get("name").value() in (name, "server", "app", "main")), containers[0]
        )
        image = _insert_values(main.get("image").value(), values)
        environment: list[Variable] = []
        for one in main.get("env").elements():
            value = _insert_values(one.get("value").value(), values)
            reference = one.get("valueFrom", "configMapKeyRef")
            value = value or maps.get(reference.get("name").value(), {}).get(reference.get("key").value(), "")
            value = re.sub(
                r"\$\((\w+)\)",
                lambda found: next((known.value for known in environment if known.name == found[1]), ""),
                value,
            )
            environment.append(Variable(one.get("name").value(), value, Sighting(path, one.line, "kubernetes")))
        for one in main.get("envFrom").elements():
            reference_name = one.get("configMapRef", "name").value()
            environment += [
                Variable(key, value, Sighting(path, one.line, "kubernetes"))
                for key, value in maps.get(reference_name, {}).items()
            ]
        known = [one for one in services if one[1] and set(one[1]) <= labels] or [
            one for one in services if one[0] == name
        ]
        ports = [
            int(one.get("containerPort").value())
            for one in main.get("ports").elements()
            if one.get("containerPort").value().isdigit()
        ]
        folder = next(
            (context for key, context in contexts.items() if key.rpartition("/")[2] == _image_name(image)), None
        )
        line = document.get("metadata").line_of("name")
        yield _Deployed(
            name,
            Sighting(path, line, "kubernetes"),
            image,
            folder,
            tuple(one[0] for one in known),
            tuple(dict.fromkeys([*ports, *(port for one in known for port in one[2])])),
            tuple(environment),
        )

    def _skaffold(self, path: str, text: str) -> dict[str, str]:
        folder = path.rpartition("/")[0]
        found = {}
        for document in read_yaml(text):
            for one in document.get("build", "artifacts").elements():
                if context := one.get("context").value():
                    found[one.get("image").value()] = (
                        self._source_of(folder, context, one.get("docker", "dockerfile").value()) or ""
                    )
        return found

    def _values(self, path: str) -> dict[str, str]:
        """The values of the chart that holds a template."""
        if "/templates/" not in path:
            return {}
        chart = path.partition("/templates/")[0]
        if chart not in self._charts:
            name = f"{chart}/values.yaml"
            documents = read_yaml(self._read(name)) if name in self._languages else ()
            self._charts[chart] = {key: value for key, value, _ in documents[0].scalars()} if documents else {}
            self._charts[chart].setdefault("Chart.Name", chart.rpartition("/")[2])
        return self._charts[chart]

    # .NET Aspire

    def _aspire(self) -> Iterator[_Deployed]:
        """The resources of an app host: projects, containers and databases, with their references."""
        for path, language in self._languages.items():
            if _has_app_hosts(language) and "DistributedApplication.CreateBuilder" in (text := self._read(path)):
                yield from self._app_host(path, re.sub(r"//[^\n]*", "", text))

    def _app_host(self, path: str, text: str) -> Iterator[_Deployed]:
        names: dict[str, str] = {}
        for statement in re.finditer(r"[^;]+;", text):
            found = _ASPIRE.search(statement[0])
            if found is None:
                continue
            kind, project, name = found[2], found[3] or "", found[4]
            line = text.count("\n", 0, statement.start() + found.start(2)) + 1
            evidence = Sighting(path, line, "aspire")
            owner = names.get(found[1], name)
            if variable := re.match(r"\s*(?:var|[\w<>.]+)\s+(\w+)\s*=", statement[0]):
                names[variable[1]] = owner if kind == "AddDatabase" else name
            if kind == "AddDatabase":
                continue
            needs = []
            for used in re.finditer(r"\.With(?:Reference|Environment)\((?:\"[^\"]*\",\s*)?(\w+)", statement[0]):
                place = text.count("\n", 0, statement.start() + used.start()) + 1
                if used[1] in names:
                    needs.append((names[used[1]], Sighting(path, place, "aspire")))
            environment = tuple(Variable(f"services__{target}", f"http://{target}", place) for target, place in needs)
            folder = next(
                (one for one in sorted(self._folders) if project and one.endswith(f"/{project.replace('_', '.')}")),
                None,
            )
            folder = folder or next(
                (one for one in sorted(self._folders) if project and one.endswith(f"/{project}")), None
            )
            image = "" if kind == "AddProject" else kind.removeprefix("Add").lower()
            yield _Deployed(name, evidence, image, folder, (name,), (), environment, tuple(needs))

    # Folders

    def _manifests(self) -> dict[str, list[str]]:
        """The manifests of each folder."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            if _MANIFEST.search(path) and not _NOT_SOURCE.search(path.rpartition("/")[0]):
                found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def _folder_named(self, one: _Deployed, manifests: dict[str, list[str]]) -> str | None:
        """The folder that has the name, or a manifest with the name, of an image or of a service."""
        wanted = [_plain(_image_name(one.image)), _plain(one.name)] if one.image else [_plain(one.name)]
        dockerfiles = self._docker_folders
        is_part = one.image != "" and _role(_image_name(one.image)) != "service"  # of the infrastructure
        folders = dockerfiles if is_part else {*manifests, *dockerfiles}
        candidates = sorted(folders, key=lambda folder: (folder.count("/"), folder))
        for name in filter(None, wanted):
            for folder in candidates:
                if name in self._names_of(folder, manifests):
                    return folder
        stem = wanted[-1].removesuffix("service")
        if is_part or not stem:
            return None
        alike = (one for one in candidates if _plain(one.rpartition("/")[2]).removesuffix("service") == stem)
        return next(alike, None)

    @cached_property
    def _docker_folders(self) -> set[str]:
        return {path.rpartition("/")[0] for path in self.paths if _DOCKERFILE.search(path)}

    def _names_of(self, folder: str, manifests: dict[str, list[str]]) -> set[str]:
        """The names that a folder may be meant by."""
        parent, _, own = folder.rpartition("/")
        names = {
            _plain(own or self._project),
            *(_plain(self._manifest_name(path)) for path in manifests.get(folder, ())),
        }
        if own in ("src", "app", "server"):
            names.add(_plain(parent.rpartition("/")[2]))
        return names

    def _manifest_name(self, path: str) -> str:
        if path not in self._names:
            self._names[path] = _manifest_name(path, self._read(path))
        return self._names[path]

    def _find_undeployed(
        self, manifests: dict[str, list[str]], programs: dict[str, int]
    ) -> Iterator[tuple[str, str, Sighting]]:
        """Folders that look like services, though no deployment names them."""
        named: dict[str, tuple[str, Sighting]] = {}
        for path in self.paths:
            if (found := _APPLICATION.search(path)) and not _NOT_SOURCE.search(path[: found.start()]):
                for key, value, line in self._settings(path):
                    if key == "spring.application.name" and value and "$" not in value:
                        named.setdefault(path[: found.start()], (value, Sighting(path, line, "application name")))
        for folder, (name, evidence) in sorted(named.items()):
            yield folder, name, evidence
        dockerfiles: dict[str, str] = {}
        for path in self.paths:
            if _DOCKERFILE.search(path) and not _NOT_SOURCE.search(path.rpartition("/")[0]):
                dockerfiles.setdefault(path.rpartition("/")[0], path)
        for folder, paths in sorted(manifests.items()):
            if folder in named or any(self._is_parent(path) for path in paths):
                continue
            starts = sorted(
                path
                for path in programs
                if _is_under(path, folder)
                and not any(_is_under(path, other) and len(other) > len(folder) for other in manifests)
            )
            if folder in dockerfiles and (starts or self._has_source(folder)):
                yield folder, self._name_of(folder, paths), Sighting(dockerfiles[folder], 1, "dockerfile")
            elif starts and not re.search(
                r"(^|/)(tools?|scripts?|cmd|hack|ci|benchmarks?|packages/(?!.*(service|server|api)))(/|$)", folder
            ):
                yield folder, self._name_of(folder, paths), Sighting(starts[0], programs[starts[0]], "program")
        for folder, path in sorted(dockerfiles.items()):
            if folder not in manifests and self._has_source(folder):
                yield folder, folder.rpartition("/")[2] or self._project, Sighting(path, 1, "dockerfile")

    def _name_of(self, folder: str, paths: list[str]) -> str:
        base = folder.rpartition("/")[2]
        name = next((name for path in paths if (name := self._manifest_name(path)) and "." not in name), "")
        return (name.rpartition("/")[2] if name else "") or base or self._project

    def _has_source(self, folder: str) -> bool:
        return any(_is_source(self._languages[path]) for path in self._under(folder))

    def _is_parent(self, path: str) -> bool:
        """Whether a manifest only lists modules."""
        text = self._read(path)
        if path.endswith("pom.xml"):
            return "<modules>" in text
        if path.endswith("package.json"):
            return '"workspaces"' in text
        if path.endswith("Cargo.toml"):
            return "[workspace]" in text and "[package]" not in text
        return False

    @staticmethod
    def _is_covered(folder: str, name: str, found: dict[str, Found], folders: dict[str, list[_Deployed]]) -> bool:
        """Whether a deployed service has this folder already, or one around it."""
        if name in found and found[name].service.path:
            return True
        for other in found.values():
            path = other.service.path
            if path == (folder or ROOT) or (not folder and path):
                return True
            if (
                path
                and other.service.role != "broker"
                and (folder.startswith(f"{path}/") or (path.startswith(f"{folder}/") and folders))
            ):
                return True
        return False

    def _from_folder(
        self,
        name: str,
        folder: str,
        evidence: Sighting,
        manifests: dict[str, list[str]],
        deployed: _Deployed | None = None,
        description: str = "",
    ) -> Found:
        paths = (
            manifests.get(folder)
            or [path for other, found in sorted(manifests.items()) if _is_under(other, folder) for path in found][:3]
        )
        stack, dependencies = self._stack(folder, paths)
        settings = [
            Variable(key, value, Sighting(path, line, "configuration"))
            for path in self._under(folder)
            if (_APPLICATION.search(path) or re.search(r"/appsettings[\w.]*\.json$", path))
            and not re.search(r"/test/", path)
            for key, value, line in self._settings(path)
        ]
        application = next(
            (one.value for one in settings if one.name == "spring.application.name" and "$" not in one.value), ""
        )
        aliases = [
            name,
            folder.rpartition("/")[2],
            application,
            *(self._manifest_name(path) for path in paths[:2]),
            *(deployed.aliases if deployed else ()),
        ]
        ports = [
            *(deployed.ports if deployed else ()),
            *(int(one.value) for one in settings if one.name == "server.port" and one.value.isdigit()),
            *self._exposed_ports(folder),
        ]
        role = next((DEPENDENCY_ROLES[one] for one, _ in dependencies if one in DEPENDENCY_ROLES), "service")
        if not manifests.get(folder):
            role = next(
                (
                    found
                    for name in (_image_name(deployed.image) if deployed else "", *self._bases(folder), name)
                    if (found := _role(name)) != "service"
                ),
                role,
            )
        environment = [*self._docker_environment(folder), *(deployed.environment if deployed else ())]
        service = Service(
            name,
            folder or ROOT,
            role,
            stack,
            evidence,
            tuple(dict.fromkeys(one for one in aliases if one)),
            tuple(dict.fromkeys(ports)),
            description or self._description(folder, paths),
        )
        return Found(
            service,
            tuple(environment),
            tuple(settings),
            deployed.needs if deployed else (),
            deployed.files if deployed else (),
            tuple(dependencies),
        )

    @staticmethod
    def _from_image(one: _Deployed) -> Found:
        role = _role(_image_name(one.image))
        role = role if role != "service" else _role(one.name)
        stack = (_image_name(one.image),) if one.image else ()
        service = Service(one.name, "", role, stack, one.evidence, (one.name, *one.aliases), one.ports, confidence=0.9)
        return Found(service, one.environment, (), one.needs, one.files)

    def _settings(self, path: str) -> Iterator[tuple[str, str, int]]:
        if path not in self._parsed:
            text = self._read(path)
            if path.endswith(".properties"):
                self._parsed[path] = read_properties(text)
            else:
                self._parsed[path] = [one for document in read_yaml(text) for one in document.scalars()]
        return iter(self._parsed[path])

    def settings(self, path: str) -> list[tuple[str, str, int]]:
        """The keys of a configuration file with their values and lines."""
        return list(self._settings(path))

    def _stack(self, folder: str, paths: list[str]) -> tuple[tuple[str, ...], list[tuple[str, Sighting]]]:
        stack, dependencies = [], []
        for path in paths:
            file = path.rpartition("/")[2]
            text = self._read(path)
            stack.append(_language_of_manifest(file))
            stack += [
                name
                for needle, name in _LIBRARIES
                if re.search(rf"[\"'>/:\s=]{re.escape(needle)}[\w-]*[\"'<:@\s=\[,>]", text)
            ]
            dependencies += [
                (found[1] or found[2], Sighting(path, text.count("\n", 0, found.start()) + 1, "dependency"))
                for found in _DEPENDENCY.finditer(text)
            ]
        if not stack:
            languages = sorted(
                {language for path in self._under(folder) if _is_source(language := self._languages[path])}
            )
            stack = languages[:3]
        if folder and "javascript" in stack and any(path.endswith((".ts", ".tsx")) for path in self._under(folder)):
            stack[stack.index("javascript")] = "typescript"
        return tuple(dict.fromkeys(one for one in stack if one)), dependencies

    def _exposed_ports(self, folder: str) -> Iterator[int]:
        for path in self._direct.get(folder, ()):
            if _DOCKERFILE.search(path):
                yield from (
                    int(port)
                    for port in re.findall(r"^\s*EXPOSE\s+(\d+)", self._read(path), re.MULTILINE | re.IGNORECASE)
                )

    def _bases(self, folder: str) -> list[str]:
        """The images that a folder's Dockerfile builds upon, the last stage first."""
        paths = [path for path in self._direct.get(folder, ()) if _DOCKERFILE.search(path)]
        return [
            _image_name(image)
            for path in paths
            for image in reversed(re.findall(r"^\s*FROM\s+(\S+)", self._read(path), re.MULTILINE | re.IGNORECASE))
        ]

    def _docker_environment(self, folder: str) -> Iterator[Variable]:
        for path in self._direct.get(folder, ()):
            if _DOCKERFILE.search(path):
                text = self._read(path)
                for block in re.finditer(r"^\s*(?:ENV|ARG)\s+((?:[^\\\n]|\\.|\\\n)*)", text, re.MULTILINE):
                    for found in _DOCKER_VARIABLE.finditer(block[1]):
                        line = text.count("\n", 0, block.start(1) + found.start()) + 1
                        value = (found[2] or found[3] or found[4] or "").strip("\"'")
                        yield Variable(found[1], value, Sighting(path, line, "dockerfile"))

    def _description(self, folder: str, paths: list[str]) -> str:
        for path in paths:
            text = self._read(path)
            if found := re.search(
                r'"description"\s*:\s*"([^"\n]{3,200})"|<description>([^<]{3,200})</description>|^description\s*=\s*"([^"\n]{3,200})"',
                text,
                re.MULTILINE,
            ):
                return " ".join((found[1] or found[2] or found[3]).split())
        readme = next(
            (path for path in self._direct.get(folder, ()) if path.lower().endswith("readme.md")),
            "",
        )
        if readme and folder:
            for line in self._read(readme).split("\n")[:30]:
                row = line.strip()
                if row and row[0] not in "#![<->|`=" and len(row) > 20:
                    return row[:200]
        return ""

    @staticmethod
    def _merge_deployments(deployed: list[_Deployed]) -> list[_Deployed]:
        """One record for each name, merged from all deployments; the first and those that build take precedence."""
        by_name: dict[str, _Deployed] = {}
        for one in deployed:
            known = by_name.get(one.name)
            if known is None:
                by_name[one.name] = one
                continue
            first, second = (known, one) if known.folder is not None or one.folder is None else (one, known)
            by_name[one.name] = replace(
                first,
                image=first.image or second.image,
                aliases=tuple(dict.fromkeys((*first.aliases, *second.aliases))),
                ports=tuple(dict.fromkeys((*first.ports, *second.ports))),
                environment=tuple(
                    {
                        two.name: two for two in (*second.environment, *first.environment) if two.value or two.name
                    }.values()
                ),
                needs=(*first.needs, *second.needs),
                files=tuple(dict.fromkeys((*first.files, *second.files))),
            )
        return list(by_name.values())


def _is_under(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/") or path == folder


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _image_name(image: str) -> str:
    return re.sub(r"<[^>]*>", "", image).partition("@")[0].rpartition("/")[2].partition(":")[0]


def _role(name: str) -> str:
    lowered = name.lower()
    return next((role for pattern, role in IMAGE_ROLES if lowered and re.search(pattern, lowered)), "service")


def _strip_comment(value: str) -> str:
    """A value of an environment file without the comment behind it."""
    return re.sub(r"\s+#.*$", "", value)


def looks_like_services(paths: Iterable[str]) -> bool:
    """Whether a project may hold several services, by the names of its files alone."""
    dockerfiles = 0
    for path in paths:
        dockerfiles += _DOCKERFILE.search(path) is not None
        if dockerfiles > 1 or COMPOSE.search(path) or path.endswith(("Chart.yaml", "skaffold.yaml")):
            return True
    return False


def _interpolate(text: str, variables: dict[str, str]) -> str:
    """Compose's interpolation: `$A`, `${A}`, `${A:-default}`."""
    return re.sub(
        r"\$(?:\{(\w+)(?::?[-+?]([^}]*))?\}|(\w+))",
        lambda found: variables.get(found[1] or found[3], "") or found[2] or "",
        text,
    )


def _insert_values(text: str, values: dict[str, str]) -> str:
    return re.sub(r"<([\w.]*)>", lambda found: values.get(found[1], f"<{found[1]}>"), text)


def _ports(nodes: Iterable[DocumentNode], variables: dict[str, str]) -> Iterator[int]:
    for one in nodes:
        text = one.get("target").value() if one.keys else _interpolate(one.value(), variables)
        for part in text.partition("/")[0].split(":"):
            if part.isdigit():
                yield int(part)


def _manifest_name(path: str, text: str) -> str:
    file = path.rpartition("/")[2]
    if file in ("package.json", "composer.json"):
        try:
            name = json.loads(text).get("name", "")
        except (ValueError, AttributeError):
            return ""
        return str(name).rpartition("/")[2] if isinstance(name, str) else ""
    if file == "pom.xml":
        body = re.sub(
            r"<parent>.*?</parent>|<dependencies>.*?</dependencies>|<build>.*?</build>|<!--.*?-->",
            "",
            text,
            flags=re.DOTALL,
        )
        return found[1] if (found := re.search(r"<artifactId>\s*([\w.-]+)", body)) else ""
    if file in ("Cargo.toml", "pyproject.toml"):
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return ""
        table = data.get("package") or data.get("project") or data.get("tool", {}).get("poetry") or {}
        return str(table.get("name", "")) if isinstance(table, dict) else ""
    if file == "go.mod":
        name = found[1].rstrip("/") if (found := re.search(r"^module\s+(\S+)", text, re.MULTILINE)) else ""
        return re.sub(r"/v\d+$", "", name).rpartition("/")[2]
    if file.endswith(".csproj"):
        return file.removesuffix(".csproj")
    if file == "mix.exs":
        return found[1] if (found := re.search(r"app:\s*:(\w+)", text)) else ""
    return ""


def _language_of_manifest(file: str) -> str:
    """The language of the projects whose dependencies a file states."""
    return next((one.name for one in LANGUAGES for name in one.manifests if _is_named(file, name)), "")


def _is_named(file: str, name: str) -> bool:
    return file.endswith(name) if name.startswith(".") else file == name


def _is_source(language: str) -> bool:
    forms = forms_of(language)
    return forms is not None and forms.is_source


def _has_app_hosts(language: str) -> bool:
    forms = forms_of(language)
    return forms is not None and forms.app_hosts
