#!/usr/bin/env bash
# Build everything that a release publishes into dist/, and check it: wheel, sdist, bundle, registry entry, plug-ins.
# NAMESPACE=io.github.OWNER scripts/release.sh
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python

rm -rf dist
$python -m build --outdir dist . >/dev/null
$python scripts/packages.py --release dist ${NAMESPACE:+--namespace "$NAMESPACE"}
git diff --exit-code --stat -- .claude-plugin .cursor-plugin .agents plugins llms.txt

wheel=$(ls dist/*.whl)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/project" && git init -q "$home/project"
export HOME="$home" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" XDG_CONFIG_HOME="$home/config"

check() {  # the installed program answers, and a client finds its tools
  "$@" --version
  (cd "$home/project" && "$@" init --target claude-code --yes -q && "$@" uninstall --yes -q)
  test -z "$(ls -A "$home/project" | grep -v '^.git$')"
}

python3 -m venv "$home/plain" && "$home/plain/bin/pip" install -q "$wheel"
check "$home/plain/bin/clew"
for shell in bash zsh fish; do "$home/plain/bin/clew" completion "$shell" | grep -q clew; done
if command -v uv >/dev/null; then
  UV_TOOL_DIR="$home/tools" UV_TOOL_BIN_DIR="$home/bin" uv tool install -q "$wheel" && check "$home/bin/clew"
  check uvx -q --from "$wheel" clew
else
  echo "skipped: uv is not installed"
fi
if command -v pipx >/dev/null; then
  PIPX_HOME="$home/pipx" PIPX_BIN_DIR="$home/pipx-bin" pipx install -q "$wheel" && check "$home/pipx-bin/clew"
else
  echo "skipped: pipx is not installed"
fi
$python - dist/*.mcpb <<'EOF'
import json, sys, zipfile

bundle = zipfile.ZipFile(sys.argv[1])
manifest = json.loads(bundle.read("manifest.json"))
assert bundle.testzip() is None and manifest["server"]["entry_point"] in bundle.namelist(), manifest
EOF
ls -l dist
