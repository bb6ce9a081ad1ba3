#!/usr/bin/env bash
# Provides the real opm, which the tests here hold resolute against.
#
#   ./opm.sh     prints a line for eval:
#                  export RESOLUTE_OPM=…
#
# opm is built from its sources, by the Go module proxy, into
# ${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/resolute}; that takes two minutes or
# more, once.
set -euo pipefail

version=v1.30.1
cache=${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/resolute}
work=''
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

fail() { printf 'opm.sh: %s\n' "$*" >&2; exit 1; }

# Says whether a file is an opm that serves and renders.
is_opm() { [ -x "$1" ] && "$1" render --help >/dev/null 2>&1 && "$1" serve --help >/dev/null 2>&1; }

build_opm() {
  local to=$1
  printf 'opm.sh: building opm %s into %s\n' "$version" "$to" >&2
  mkdir -p "$(dirname "$to")"
  work=$(mktemp -d)
  # A module that is thrown away: opm's own go.mod says which libraries it wants.
  printf 'module opm.build\n\ngo 1.22\n\nrequire github.com/operator-framework/operator-registry %s\n' "$version" >"$work/go.mod"
  (cd "$work" && CGO_ENABLED=0 GOFLAGS=-mod=mod GOWORK=off go build -trimpath -buildvcs=false -ldflags '-s -w' \
    -o opm github.com/operator-framework/operator-registry/cmd/opm) >&2 || fail 'opm cannot be built here'
  is_opm "$work/opm" || fail 'what was built is not an opm that renders and serves'
  # Renamed into place, so that nobody ever runs half of it.
  cp "$work/opm" "$to.$$"
  mv "$to.$$" "$to"
}

opm=${RESOLUTE_OPM:-$cache/opm-$version/opm}
if ! is_opm "$opm"; then
  [ -z "${RESOLUTE_OPM:-}" ] || fail "$opm is not an opm that renders and serves"
  build_opm "$opm"
fi
printf 'export RESOLUTE_OPM=%q\n' "$opm"
