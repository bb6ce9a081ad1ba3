#!/usr/bin/env bash
# Runs all tests of this module, those against the real opm included, which plain
# `go test ./...` leaves out where there is none. Arguments are those of go test.
set -euo pipefail
cd "$(dirname "$0")"
binary=$(./opm.sh)
eval "$binary"
exec go test -timeout 5m "$@" ./...
