#!/usr/bin/env bash
# with_emulator.sh azurite|dynalite FOLDER COMMAND…: an emulator of its own for the length of a command, on loopback, with
# its address in EMULATOR_URL. Both are installed into FOLDER, in the versions of package.json beside this file, when they
# are not there yet. Nothing else is left behind. Exit 77: they cannot be installed here (no npm, or no registry).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
emulator=$1 folder=$2
shift 2

install() {
  command -v npm >/dev/null || { echo "skipped: npm is missing; ./dev setup installs it" >&2; return 77; }
  cp "$here/package.json" "$folder/"
  # No scripts: nothing of theirs needs to be compiled.
  (cd "$folder" && npm install --no-package-lock --ignore-scripts --omit=optional --no-audit --no-fund) \
    >"$folder/npm.log" 2>&1 ||
    { echo "skipped: npm cannot install azurite and dynalite:" >&2; tail -n 5 "$folder/npm.log" >&2; return 77; }
  cp "$here/package.json" "$folder/installed"
}
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9  # two tests may want to install at the same time
cmp -s "$here/package.json" "$folder/installed" || install
exec 9>&-

directory=$(mktemp -d)
log=$directory/log
: >"$log"
server=
end() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$directory"
}
trap end EXIT
export NODE_PATH=$folder/node_modules
case $emulator in
  azurite)
    command=("$NODE_PATH/azurite/dist/src/blob/main.js" --blobHost 127.0.0.1 --blobPort 0 --inMemoryPersistence
      --extentMemoryLimit 64 --disableTelemetry --skipApiVersionCheck --silent)
    ;;
  dynalite) command=("$here/dynalite.js") ;;
  *) echo "no such emulator: $emulator" >&2; exit 64 ;;
esac
(cd "$directory" && exec node "${command[@]}" >"$log" 2>&1) &
server=$!
for _ in $(seq 600); do
  EMULATOR_URL=$(sed -n 's/.*listens on \(http:\S*\).*/\1/p' "$log")
  [[ -n $EMULATOR_URL ]] && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
[[ -n $EMULATOR_URL ]] || { echo "$emulator did not start:" >&2; cat "$log" >&2; exit 1; }
export EMULATOR_URL
"$@"
