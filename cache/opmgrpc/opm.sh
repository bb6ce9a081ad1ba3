#!/usr/bin/env bash
# Provides the real opm, with which the tests compare resolute.
#
#   ./opm.sh     prints a line for eval:
#                  export RESOLUTE_OPM=…
#
# The first run builds opm from its sources, from the Go module proxy, into
# ${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/resolute}, which takes two minutes or
# more.
set -euo pipefail

version=v1.30.1
cache=${RESOLUTE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/resolute}
work=''
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

fail() { printf 'opm.sh: %s\n' "$*" >&2; exit 1; }

# Reports whether a file is an opm with the commands serve and render.
is_opm() { [ -x "$1" ] && "$1" render --help >/dev/null 2>&1 && "$1" serve --help >/dev/null 2>&1; }

build_opm() {
  local to=$1
  printf 'opm.sh: building opm %s into %s\n' "$version" "$to" >&2
  mkdir -p "$(dirname "$to")"
  work=$(mktemp -d)
  # A temporary module; opm's own go.mod selects the libraries.
  printf 'module opm.build\n\ngo 1.22\n\nrequire github.com/operator-framework/operator-registry %s\n' "$version" >"$work/go.mod"
  (cd "$work" && CGO_ENABLED=0 GOFLAGS=-mod=mod GOWORK=off go build -trimpath -buildvcs=false -ldflags '-s -w' \
    -o opm github.com/operator-framework/operator-registry/cmd/opm) >&2 || fail 'cannot build opm'
  is_opm "$work/opm" || fail 'the built opm lacks the command render or serve'
  # The rename prevents running an incomplete file.
  cp "$work/opm" "$to.$$"
  mv "$to.$$" "$to"
}

opm=${RESOLUTE_OPM:-$cache/opm-$version/opm}
if ! is_opm "$opm"; then
  [ -z "${RESOLUTE_OPM:-}" ] || fail "$opm is not an opm with the commands render and serve"
  build_opm "$opm"
fi
printf 'export RESOLUTE_OPM=%q\n' "$opm"
