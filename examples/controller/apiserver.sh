#!/usr/bin/env bash
# Installs a real kube-apiserver and etcd for the test in e2e.
#
#   ./apiserver.sh     prints two lines for eval:
#                        export RESOLUTE_KUBE_APISERVER=…
#                        export RESOLUTE_ETCD=…
#
# kube-apiserver is built from source, through the Go module proxy, into
# ${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/resolute}. This takes some minutes
# and 2 GB of disk, once. etcd comes from Debian's package etcd-server. If etcd is
# not installed, it is unpacked into the same directory without starting a service.
set -euo pipefail

version=v1.36.3
staging=v0.36.3
cache=${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/resolute}
work=''
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

fail() { printf 'apiserver.sh: %s\n' "$*" >&2; exit 1; }

# Reports whether a file is the wanted kube-apiserver.
is_apiserver() { [ -x "$1" ] && [ "$("$1" --version 2>/dev/null)" = "Kubernetes $version" ]; }

# Writes a module that requires Kubernetes. The published module lacks the staging
# modules of its repository: each is replaced by the release of the same source.
write_module() {
  local gomod modules
  gomod=$(cd / && GOFLAGS='' go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",*$/\1/p')
  [ -s "$gomod" ] || fail "k8s.io/kubernetes@$version cannot be downloaded"
  modules=$(sed -n 's|^[[:space:]]*\(k8s\.io/[a-z0-9-]*\) => \./staging/.*|\1|p' "$gomod")
  [ -n "$modules" ] || fail "$gomod replaces no staging modules: this script does not support that version"
  {
    printf 'module kube-apiserver.build\n\n'
    grep -m 1 '^go ' "$gomod"
    printf '\nrequire k8s.io/kubernetes %s\n\nreplace (\n' "$version"
    while read -r module; do
      printf '\t%s => %s %s\n' "$module" "$module" "$staging"
    done <<<"$modules"
    printf ')\n'
  } >"$work/go.mod"
}

build_apiserver() {
  local to=$1
  printf 'apiserver.sh: building kube-apiserver %s into %s\n' "$version" "$to" >&2
  mkdir -p "$(dirname "$to")"
  work=$(mktemp -d)
  write_module
  (cd "$work" && CGO_ENABLED=0 GOFLAGS=-mod=mod GOWORK=off go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
    -o kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver) >&2
  is_apiserver "$work/kube-apiserver" || fail "the built program does not report version Kubernetes $version"
  # Rename into place, so that no partial file is ever executed.
  cp "$work/kube-apiserver" "$to.$$"
  mv "$to.$$" "$to"
}

unpack_etcd() {
  local to=$1
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    fail 'etcd not found; install it or set RESOLUTE_ETCD'
  printf 'apiserver.sh: unpacking etcd-server into %s\n' "$to" >&2
  mkdir -p "$(dirname "$to")"
  [ -n "$work" ] || work=$(mktemp -d)
  chmod 755 "$work"
  (
    cd "$work"
    apt-get download etcd-server || { [ "$(id -u)" = 0 ] && apt-get update && apt-get download etcd-server; }
    dpkg-deb --fsys-tarfile etcd-server_*.deb | tar -x ./usr/bin/etcd
  ) >&2 || fail 'cannot download etcd-server with apt; install etcd or set RESOLUTE_ETCD'
  "$work/usr/bin/etcd" --version >/dev/null || fail 'the etcd of etcd-server does not run on this machine'
  cp "$work/usr/bin/etcd" "$to.$$"
  mv "$to.$$" "$to"
}

apiserver=${RESOLUTE_KUBE_APISERVER:-$cache/kube-apiserver-$version/kube-apiserver}
if ! is_apiserver "$apiserver"; then
  [ -z "${RESOLUTE_KUBE_APISERVER:-}" ] || fail "$apiserver is not kube-apiserver $version"
  build_apiserver "$apiserver"
fi
etcd=${RESOLUTE_ETCD:-$(command -v etcd || printf '%s/etcd/etcd' "$cache")}
[ -x "$etcd" ] || unpack_etcd "$etcd"

printf 'export RESOLUTE_KUBE_APISERVER=%q\nexport RESOLUTE_ETCD=%q\n' "$apiserver" "$etcd"
