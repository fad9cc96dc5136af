#!/bin/sh
# As adapters/process/shims/go/tenure/run.sh, with client-go to import.
#   run.sh FILE.go…
set -eu

root=$(cd "$(dirname "$0")/../../../.." && pwd)
GOPATH=$root/.cache/client-go
[ -d "$GOPATH/src" ] || {
  echo "client-go is not part of this project; \`sh scenarios/designs/go/client_go/fetch.sh\` brings it" >&2
  exit 1
}
# In a GOPATH a package is where its name says, and nobody asks a network for its version.
export GOPATH GO111MODULE=off
exec sh "$root/adapters/process/shims/go/tenure/run.sh" "$@"
