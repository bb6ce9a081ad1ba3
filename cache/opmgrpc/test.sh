#!/usr/bin/env bash
# Runs all tests of this module, including those against the real opm, which plain
# `go test ./...` skips if opm is missing. Arguments are passed to go test.
set -euo pipefail
cd "$(dirname "$0")"
binary=$(./opm.sh)
eval "$binary"
exec go test -timeout 5m "$@" ./...
