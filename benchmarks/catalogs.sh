#!/usr/bin/env bash
# Checks whole real catalogs with this version and writes the results as a table:
#
#   benchmarks/catalogs.sh [CATALOG...] > benchmarks/results/catalogs.md
#
# The default catalogs are those of ../shared/data beside the checkout. Times are
# processor time of the whole process, the minimum of three runs.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- ../shared/data/*.jsonl.gz
[ -e "$1" ] || { echo "no real catalogs in ../shared/data: pass them as arguments" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$scratch/resolute" ./cmd/resolute

# Runs resolute three times with the output in $scratch/out, and prints the minimum time. Exit
# status 1 means findings.
timed() {
  local TIMEFORMAT='%U %S'
  for _ in 1 2 3; do
    { time "$scratch/resolute" "$@" >"$scratch/out" 2>"$scratch/err" || [ $? -eq 1 ]; } 2>&1 || { cat "$scratch/err" >&2; return 1; }
  done | LC_ALL=C awk '{ t = $1 + $2; if (NR == 1 || t < min) min = t } END { printf "%.2f s", min }'
}

# The value of a key in the summary at the end of the output, and the number of problems.
number() { tail -1 "$scratch/out" | sed -nE "s/.*\"$1\":([0-9]+).*/\1/p"; }
count() { { grep -o "\"severity\":\"$1\"" "$scratch/out" || true; } | wc -l; }

cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -1)
cat <<END
# Real catalogs

Results of resolute of $(git log -1 --format=%cs) for whole catalogs, made by \`benchmarks/catalogs.sh\` with
$(go env GOVERSION) on ${cpu:-an unknown processor}, $(nproc) cores, with a load of $(cut -d' ' -f1 /proc/loadavg); times are
processor time of the whole process, the minimum of three runs. \`validate\` finds the errors and
warnings, and \`audit\` checks whether every bundle can be installed on an empty cluster, and
whether a cluster with it can upgrade to the head of its channel (if not, it is stuck). Skipped
bundles are not offered for new installs because a newer version skips them; bundles in a broken
part are quarantined, or only in quarantined channels.

| catalog | bundles | errors | warnings | installable | skipped | not installable | in a broken part | stuck | time of \`validate\` | of \`audit\` |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
END
for catalog; do
  case $catalog in /* | ../*) path=$catalog ;; *) path=$from/$catalog ;; esac
  validated=$(timed validate -o json "$path")
  errors=$(count error) warnings=$(count warning)
  audited=$(timed audit -o json "$path")
  bundles=$(number bundles) installable=$(number installable) skipped=$(number skipped)
  # Groups of three digits, and no decimals.
  row="$(basename "$catalog" .jsonl.gz) | $bundles | $errors | $warnings | $installable | ${skipped:=0} | $((bundles - installable - skipped)) | $(number quarantined) | $(number stuck) |"
  echo "| $(sed -E ':a;s/( [0-9]+)([0-9]{3}( |,))/\1,\2/;ta' <<<"$row") $validated | $audited |"
done
