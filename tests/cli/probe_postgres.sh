#!/usr/bin/env bash
# probe_postgres.sh TENURE: measures the server that PGHOST and others name (with_postgres.sh), and runs a scenario with
# the tables that come of it.
set -euo pipefail
tenure=$1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

"$tenure" probe "dbname=postgres" --for 500ms --every 5ms --write store.toml >report.txt
for row in 'round trip ' 'commit ' 'clock       ahead of this machine' 'rate '; do
  grep -q "^  $row" report.txt || { echo "no row '$row' in:" && cat report.txt; exit 1; }
done
printf 'format = 1\nname = "probed"\n[sim]\nduration = "5m"\nseed = 1\n[cluster]\nprotocol = "fenced-lease"\n' >probed.toml
cat store.toml >>probed.toml
"$tenure" run probed.toml

# One machine, one clock: zero lies between the bounds.
"$tenure" probe "dbname=postgres" --for 500ms --every 5ms --format json >report.json
python3 - <<'P'
import json
clock = json.load(open("report.json"))["clock"]
assert clock["offset_seconds_low"] <= 0 <= clock["offset_seconds_high"], clock
assert clock.get("rate_ppm_low", 0) <= 0 <= clock.get("rate_ppm_high", 0), clock
P
code=0
"$tenure" probe "dbname=there-is-none" 2>error.txt || code=$?
[[ $code == 74 ]] && grep -q "there is no such database" error.txt
