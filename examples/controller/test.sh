#!/usr/bin/env bash
# Runs all tests of this example, the one against a real API server included,
# which plain `go test ./...` leaves out where there is none. Arguments are those
# of go test.
set -euo pipefail
cd "$(dirname "$0")"
binaries=$(./apiserver.sh)
eval "$binaries"
RESOLUTE_E2E=required exec go test -timeout 5m "$@" ./...
