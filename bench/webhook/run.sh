#!/usr/bin/env bash
# run.sh [PER_SECOND] [SECONDS]: webhook_bench against quick_sink.py.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
coproc SINK { exec /usr/bin/python3 "$root/bench/webhook/quick_sink.py"; }
read -r port <&"${SINK[0]}"
"$root/build/release/bin/webhook_bench" "$port" "$@"
