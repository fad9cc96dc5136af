#!/bin/sh
# Builds the program around client-go, and becomes it: `node = { command = ["sh", "client_go/run.sh"] }`.
# The library is not part of this project: fetch.sh brings it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
GOPATH=$root/.cache/client-go
[ -d "$GOPATH/src" ] || {
  echo "client-go is not here; \`sh designs/go/client_go/fetch.sh\` brings it" >&2
  exit 1
}
# In a GOPATH, a package is where its name says: no versions are asked for on any network.
export GOPATH GO111MODULE=off
exec sh "$root/shims/go/tenure/run.sh" "$here"
