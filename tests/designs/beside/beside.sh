#!/usr/bin/env bash
# beside.sh DESIGN FOLDER TENURE SOURCES: beside.js, with what the design's client needs put into FOLDER when it is not
# there yet: the packages of package.json, or the client built with Debian's etcd. Nothing else is left behind. Exit 77:
# the packages cannot be installed here (no npm, or no registry).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
design=$1 folder=$2
mkdir -p "$folder"
needs() { command -v "$1" >/dev/null || [ -d "$1" ] || { echo "$1 is missing: ./dev setup installs it" >&2; exit 1; }; }
case $design in
node-redlock)
  needs redis-server
  if ! cmp -s "$here/package.json" "$folder/installed"; then
    command -v npm >/dev/null || { echo "skipped: npm is missing; ./dev setup installs it" >&2; exit 77; }
    cp "$here/package.json" "$folder/"
    (cd "$folder" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund) >"$folder/npm.log" 2>&1 ||
      { echo "skipped: npm cannot install redlock and ioredis:" >&2; tail -n 5 "$folder/npm.log" >&2; exit 77; }
    cp "$here/package.json" "$folder/installed"
  fi
  ;;
etcd-election)
  needs etcd && needs go && needs /usr/share/gocode/src/go.etcd.io/etcd/clientv3
  [ "$folder/etcd-election" -nt "$here/etcd-election.go" ] ||
    GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$folder/cache go build -o "$folder/etcd-election" "$here/etcd-election.go"
  ;;
esac
NODE_PATH=$folder/node_modules exec node "$here/beside.js" "$design" "$3" "$4" "$folder"
