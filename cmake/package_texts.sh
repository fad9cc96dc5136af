#!/bin/bash
# Writes what packages have beside programs: manual pages, completions, and the files that Debian's policy asks for.
#   package_texts.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
out=$build/package
tenure=$build/bin/tenure
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
rm -rf "$out/manual" "$out/completions"
mkdir -p "$out/manual/tenure" "$out/manual/tenured" "$out/completions"

# manual FOLDER NAME SUMMARY COMMAND…: help2man takes a command of several words, and a page's name has dashes.
manual() {
  local folder=$1 name=$2 summary=$3
  shift 3
  help2man --no-info --section=1 --source="tenure" --name="$summary" --version-string="$("$tenure" --version)" \
    --output="$out/manual/$folder/$name.1" "$*"
  gzip -9nf "$out/manual/$folder/$name.1"
}
summary() { "$tenure" "$@" --help | head -1; }
export PATH=$build/bin:$PATH
manual tenure tenure "is this leader election, and the scheduler on it, safe?" tenure
while read -r command; do
  manual tenure "tenure-$command" "$(summary "$command")" "tenure $command"
done < <("$tenure" --help | sed -n '/^Subcommands:/,$p' | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[[ ! -x $build/bin/tenured ]] || manual tenured tenured "schedules as a service" tenured

"$tenure" print completion bash >"$out/completions/tenure"
"$tenure" print completion zsh >"$out/completions/_tenure"
"$tenure" print completion fish >"$out/completions/tenure.fish"

gzip -9nc "$out/changelog.Debian" >"$out/changelog.Debian.gz"
gzip -9nc "$source/CHANGELOG.md" >"$out/changelog.gz"
{
  echo "Copyright: the Tenure authors. Licensed under the Apache License, version 2.0:"
  echo "on Debian systems, its text is in /usr/share/common-licenses/Apache-2.0."
} >"$out/copyright"
