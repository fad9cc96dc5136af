#!/bin/sh
# Brings client-go v0.20.2 and what it is made of, from Debian's source package of Kubernetes 1.20.2, unmodified.
# They come into .cache/client-go at the root of this tree, and are not part of this project.
#
# Every file is the project's own: from the archive that Debian keeps as it was released, not from Debian's patches.
set -eu

archive=kubernetes_1.20.5+really1.20.2.orig.tar.gz
hash=b83c0780efb182d928dc63d46488a847f161f04e40a94b96bf5247dd671ecdfc

fail() { printf '%s\n' "$*" >&2; exit 1; }

root=$(cd "$(dirname "$0")/../../../.." && pwd)
into=$root/.cache/client-go
if [ -f "$into/$hash" ]; then
  echo "client-go is in $into"
  exit 0
fi
command -v apt-get >/dev/null || fail "there is no apt-get here: this takes client-go from Debian 12's sources"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# This machine's own list of Debian's archives, asked for sources too, and apart from what the machine itself uses.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/sources" "$work/got"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*; do
  [ -f "$file" ] || continue
  case $file in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources/$(basename "$file")" ;;
    *) sed -n 's/^deb /deb-src /p' "$file" >"$work/sources/$(basename "$file" .list).list" ;;
  esac
done
set -- -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/sources" \
  -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -q=2
apt-get "$@" update || fail "the lists of Debian's sources did not come"
(cd "$work/got" && apt-get "$@" source --download-only --tar-only kubernetes) ||
  fail "Debian's source package kubernetes did not come"
echo "$hash  $work/got/$archive" | sha256sum --check --quiet || fail "$archive is not the one that is known here"

# A GOPATH: client-go and its sisters from the place in Kubernetes where they are made, and what they need of others
# from the place where it is kept.
top=kubernetes-1.20.2
mkdir -p "$work/path/src"
tar -xzf "$work/got/$archive" -C "$work/path/src" --strip-components=3 \
  $top/staging/src/k8s.io/api $top/staging/src/k8s.io/apimachinery $top/staging/src/k8s.io/client-go
others=
for each in github.com/davecgh/go-spew github.com/go-logr/logr github.com/gogo/protobuf github.com/golang/protobuf \
  github.com/google/gofuzz github.com/googleapis/gnostic github.com/json-iterator/go github.com/modern-go/concurrent \
  github.com/modern-go/reflect2 golang.org/x/crypto golang.org/x/net golang.org/x/oauth2 golang.org/x/sys \
  golang.org/x/text golang.org/x/time google.golang.org/protobuf gopkg.in/inf.v0 gopkg.in/yaml.v2 k8s.io/klog \
  k8s.io/utils sigs.k8s.io/structured-merge-diff sigs.k8s.io/yaml; do
  others="$others $top/vendor/$each"
done
# shellcheck disable=SC2086
tar -xzf "$work/got/$archive" -C "$work/path/src" --strip-components=2 $others
ln -s "$root/adapters/process/shims/go/tenure" "$work/path/src/tenure"
: >"$work/path/$hash"
mkdir -p "$root/.cache"
rm -rf "$into"
mv "$work/path" "$into"
echo "client-go is in $into"
