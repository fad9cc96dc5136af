#!/usr/bin/env bash
# beside.sh FOLDER TENURE SOURCES: beside.js, with the packages of package.json, which are installed into FOLDER when
# they are not there yet. Nothing else is left behind. Exit 77: they cannot be installed here (no npm, or no registry).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
mkdir -p "$folder"
if ! cmp -s "$here/package.json" "$folder/installed"; then
  command -v npm >/dev/null || { echo "skipped: npm is missing; ./dev setup installs it" >&2; exit 77; }
  cp "$here/package.json" "$folder/"
  (cd "$folder" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund) >"$folder/npm.log" 2>&1 ||
    { echo "skipped: npm cannot install redlock and ioredis:" >&2; tail -n 5 "$folder/npm.log" >&2; exit 77; }
  cp "$here/package.json" "$folder/installed"
fi
command -v redis-server >/dev/null || { echo "redis-server is missing: ./dev setup installs it" >&2; exit 1; }
NODE_PATH=$folder/node_modules exec node "$here/beside.js" "$2" "$3"
