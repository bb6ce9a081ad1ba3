#!/usr/bin/env bash
# Runs all tests of this example, including the one against a real API server,
# which `go test ./...` skips if there is none. Arguments are passed to go
# test.
set -euo pipefail
cd "$(dirname "$0")"
binaries=$(./apiserver.sh)
eval "$binaries"
RESOLUTE_E2E=required exec go test -timeout 5m "$@" ./...
