#!/bin/bash
# Packages, as somebody installs them who has neither the tree nor a compiler: made twice, judged by lintian, installed
# into a new Debian 12, used, and purged.
#   packages.sh SOURCE FOLDER
# Ends with 77 (skipped) where a Debian cannot be had: without root, or without a mirror.
set -euo pipefail
source=$1 work=$2
[[ $EUID -eq 0 ]] || { echo "skipped: making a Debian needs root"; exit 77; }
say() { echo "== $*"; }
wrong() { echo "packages.sh: $*" >&2; exit 1; }

rm -rf "$work" && mkdir -p "$work/first"
say "the packages have the same bytes each time"
"$source/dev" package 2>"$work/log" || { cat "$work/log"; exit 1; }
cp "$source"/build/packages/* "$work/first"
"$source/dev" package 2>"$work/log" || { cat "$work/log"; exit 1; }
for file in "$work"/first/*; do
  cmp "$file" "$source/build/packages/${file##*/}"
done
(cd "$work/first" && ls tenure_*.deb tenured_*.deb libtenure-dev_*.deb tenure-*.tar.gz) || wrong "a package is missing"

say "lintian finds no error"
lintian --fail-on error --allow-root "$work"/first/*.deb || wrong "lintian finds errors"

say "completion in three shells"
completion=$source/build/release/package/completions
complete() { # WORDS…: what bash offers for the last one
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenure; printf "%s\n" "${COMPREPLY[@]}"' \
    "$completion/tenure" "$@"
}
[[ $(complete tenure hu) == hunt ]] || wrong "bash: tenure hu"
[[ $(complete tenure run --se) == $'--set\n--seed\n--seeds' ]] || wrong "bash: tenure run --se"
[[ $(complete tenure schedule ba) == backfill ]] || wrong "bash: tenure schedule ba"
[[ $(complete tenure run a.toml --twi) == --twice ]] || wrong "bash: after a file"
[[ $(fish -c "source $completion/tenure.fish; complete -C 'tenure hu'") == hunt* ]] || wrong "fish: tenure hu"
[[ $(fish -c "source $completion/tenure.fish; complete -C 'tenure run --twi'") == --twice* ]] || wrong "fish: tenure run --twi"
zsh -fc "autoload -Uz compinit && compinit -u -d '$work/zcompdump' && source $completion/_tenure && whence _tenure >/dev/null" ||
  wrong "zsh does not take the script"

say "a new Debian 12"
root=$work/root
debootstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1 || { tail -3 "$work/log"; exit 77; }
# With /proc, where a program finds the libraries beside it.
inside() {
  unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}
files() { (cd "$root" && find etc lib usr var opt root -xdev ! -path 'var/lib/apt/*' ! -path 'var/lib/dpkg/*' ! -path 'var/log/*' ! -path 'var/cache/*' | sort); }

say "images of them"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
buildah() { command buildah --root "$work/images" --runroot "$work/images.run" "$@"; }
tar -C "$root" -cf "$work/root.tar" .
container=$(buildah from scratch)
buildah add -q "$container" "$work/root.tar" / >/dev/null
buildah commit -q "$container" localhost/debian:12 >/dev/null
for image in tenure tenured; do
  buildah build -q --build-arg BASE=localhost/debian:12 -f "$source/daemon/operations/container/Containerfile" --target $image \
    -t $image "$work/first" >"$work/log" 2>&1 || { tail "$work/log"; wrong "image $image"; }
  container=$(buildah from localhost/$image)
  buildah run "$container" -- $image --version
done
command rm -rf "$work/images" "$work/images.run" "$work/root.tar"

say "the tarball runs where nothing is installed"
tar -xzf "$work"/first/tenure-*.tar.gz -C "$root/opt"
inside sh -c '/opt/tenure-*/bin/tenure --version && /opt/tenure-*/bin/tenured --version &&
              /opt/tenure-*/bin/tenure run /opt/tenure-*/share/tenure/scenarios/zombie-leader.toml | head -1'
rm -rf "$root"/opt/tenure-*

say "README's first screen, from the packages"
mkdir "$root/packages" && cp "$work"/first/*.deb "$root/packages"
inside apt-get update -q >>"$work/log" 2>&1
inside sh -c 'apt-get install -q -y --no-install-recommends $(dpkg-deb -f /packages/tenure_*.deb Depends |
              tr , "\n" | sed "s/(.*//") $(dpkg-deb -f /packages/tenured_*.deb Depends | tr , "\n" | sed "s/(.*//")' >>"$work/log" 2>&1
files >"$work/before"
inside sh -c 'dpkg -i /packages/tenure_*.deb /packages/tenured_*.deb' >>"$work/log" 2>&1
inside sh -c 'cd /root && tenure init client-go >/dev/null && tenure advise client-go.toml; code=$?
              rm -f client-go.toml; exit $code' || [[ $? -le 2 ]] || wrong "tenure advise"
[[ $(inside tenure run /usr/share/tenure/scenarios/zombie-leader.toml) == "PASS zombie-leader"* ]] || wrong "tenure run"
inside sh -c 'tenured --version && ls /usr/share/man/man1/tenure-run.1.gz' >/dev/null || wrong "tenured, or its manual"
say "a purge leaves nothing"
inside dpkg --purge tenure tenured >>"$work/log" 2>&1
files | diff "$work/before" - || wrong "files are left"
rm -rf "$root"
echo "ok"
