#!/bin/sh
# Compares the catalog of a working tree with another revision, and fails if the
# change is a regression for users. It needs git and resolute.
#
# Environment variables:
#   BASE         the target revision of the change, e.g. origin/main
#   CATALOG      the catalog's directory or file in the repository; default: catalog
#   BASELINE     an optional file of known findings; default: catalog-baseline.json
#   WORSE_THAN   the minimum severity that fails, warning or error; default: warning
#   OUT          the absolute path of a directory outside of the checkout; default: the
#                directory for temporary files
#   RESULT       a file to write the path of the reports to, if set
#   RESOLUTE     the program; default: resolute
#
# It writes comment.md, report.html, report.sarif, report.xml (JUnit) and report.json to
# a new directory in OUT and prints its path. On GitHub, the path is the output "reports"
# of the step, findings are annotated at their lines, and the comment is the step summary.
# The exit status is that of resolute diff: 0 if nothing got worse, 1 if something did, 3
# if a limit was exceeded, and 2 for all other failures: BASE is not a revision of this
# clone or unrelated to HEAD, OUT is unusable, or git or resolute fails.
#
# The checkout is untrusted, including its links. The script writes nothing into it and
# reads no report from it.
set -eu

# A failure before the comparison has exit status 2.
answered= old=
finish() {
	status=$?
	rm -rf "$old"
	if [ "$status" -gt 3 ] || { [ "$status" -ne 0 ] && [ -z "$answered" ]; }; then
		exit 2
	fi
	exit "$status"
}
trap finish EXIT

# inert prints a name without anything that GitHub's runner would parse as a command.
inert() {
	printf %s "$1" | tr '\001-\037\177' '?' | sed 's/##\[/#\\x23[/g'
}

if [ -z "${BASE:-}" ]; then
	echo "BASE is not set: set it to the target revision of the change, e.g. origin/main" >&2
	exit 2
fi
CATALOG=${CATALOG:-catalog}
BASELINE=${BASELINE:-catalog-baseline.json}
WORSE_THAN=${WORSE_THAN:-warning}
OUT=${OUT:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}}
RESOLUTE=${RESOLUTE:-resolute}

top=$(git rev-parse --show-toplevel)
there=$(cd "$OUT" && pwd -P) || exit 2
for path in "$OUT" "$there"; do
	case "$path/" in
	"$top"/* | "$PWD"/* | [!/]*)
		echo "OUT=$(inert "$OUT") is inside the checkout, where the change may have placed links: use the absolute path of a directory outside of it" >&2
		exit 2
		;;
	esac
done
# Input paths may contain links from the change, too.
for path in "$CATALOG" "$BASELINE"; do
	case "$path" in /*) continue ;; esac # outside of the checkout
	part=$path
	while [ ! -L "$part" ] && [ "$part" != "${part%/*}" ]; do
		part=${part%/*}
	done
	if [ -L "$part" ]; then
		echo "refusing to read $(inert "$path") through the link $(inert "$part"), which may come from the change: replace the link by its target" >&2
		exit 2
	fi
done
old=$(mktemp -d)

# Compare with the merge base: later commits on the target branch are not part of
# this change.
base=$(git rev-parse --verify --quiet --end-of-options "$BASE^{commit}") || {
	echo "BASE=$(inert "$BASE") is not a revision of this clone: fetch it (actions/checkout: fetch-depth: 0), or correct the name" >&2
	exit 2
}
from=$(git merge-base "$base" HEAD) || {
	echo "BASE=$(inert "$BASE") and HEAD have no common history: fetch it completely (actions/checkout: fetch-depth: 0), or use another revision" >&2
	exit 2
}

if ! git cat-file -e "$from:$CATALOG" 2>/dev/null; then
	echo "$(inert "$CATALOG") is not in $(inert "$BASE"): it is new and only validated"
	answered=yes
	"$RESOLUTE" validate "$CATALOG"
	exit
fi
git archive --format=tar "$from" -- "$CATALOG" | tar -x -C "$old"

reports=$(mktemp -d "$OUT/catalog-gate.XXXXXX")
form=text
if [ "${GITHUB_ACTIONS:-}" = true ]; then
	form=github
fi
set -- --worse-than "$WORSE_THAN" -o "$form" \
	--report "markdown=$reports/comment.md" --report "html=$reports/report.html" \
	--report "sarif=$reports/report.sarif" --report "junit=$reports/report.xml" --report "json=$reports/report.json"
if [ -f "$BASELINE" ]; then
	set -- "$@" --baseline "$BASELINE"
fi

status=0 answered=yes
"$RESOLUTE" diff "$@" "$old/$CATALOG" "$CATALOG" || status=$?
if [ -f "$reports/comment.md" ]; then
	echo "the reports are in $(inert "$reports")"
	if [ -n "${RESULT:-}" ]; then
		printf %s "$reports" >"$RESULT"
	fi
	if [ -n "${GITHUB_OUTPUT:-}" ]; then
		echo "reports=$reports" >>"$GITHUB_OUTPUT"
	fi
	if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
		cat "$reports/comment.md" >>"$GITHUB_STEP_SUMMARY"
	fi
fi
exit "$status"
