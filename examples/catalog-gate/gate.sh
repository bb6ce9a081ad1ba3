#!/bin/sh
# Compares the catalog of a working tree with that of another revision, and fails
# if the change makes something worse for users. It needs git and resolute.
#
# What it does is set by the environment:
#   BASE         the revision that the change is to be merged into, such as origin/main
#   CATALOG      the catalog's directory or file in the repository; default: catalog
#   BASELINE     a file of findings that are known, if it is there; default: catalog-baseline.json
#   WORSE_THAN   the least severity that fails, warning or error; default: warning
#   OUT          the whole path of a directory outside of the checkout; default: that for
#                temporary files
#   RESULT       a file that gets the path of the reports, if set
#   RESOLUTE     the program; default: resolute
#
# It writes comment.md, report.html, report.sarif, report.xml (JUnit) and report.json to
# a new directory in OUT and prints its path, which is also the output "reports" of a step
# on GitHub. There it also shows findings at their lines, and the comment as the summary of
# the step. The exit status is that of resolute diff: 0 if nothing got worse, 1 if something
# did, 3 if a limit ended it, and 2 for everything else that kept it from being found out:
# BASE is not a revision of this clone or has no history in common with it, OUT cannot be used,
# git or resolute fails.
#
# What is checked out is from whoever proposes the change, links included. So nothing is
# written into it, and no report is taken from it.
set -eu

# Whatever fails before there is an answer is no answer.
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

# inert prints a name so that the runner of GitHub finds no command in a line that shows it.
inert() {
	printf %s "$1" | tr '\001-\037\177' '?' | sed 's/##\[/#\\x23[/g'
}

if [ -z "${BASE:-}" ]; then
	echo "BASE is not set: set it to the revision that the change is to be merged into, such as origin/main" >&2
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
		echo "OUT=$(inert "$OUT") is inside of the checkout, where the change could have put links: name a directory outside of it by its whole path" >&2
		exit 2
		;;
	esac
done
# A change could have put links in the way of what is read, too.
for path in "$CATALOG" "$BASELINE"; do
	case "$path" in /*) continue ;; esac # it is outside of the checkout
	part=$path
	while [ ! -L "$part" ] && [ "$part" != "${part%/*}" ]; do
		part=${part%/*}
	done
	if [ -L "$part" ]; then
		echo "the path $(inert "$path") is not read through the link $(inert "$part"), which the change could have put there: put what it leads to in its place" >&2
		exit 2
	fi
done
old=$(mktemp -d)

# A pull request is compared with where it left the branch: what was merged there
# since is not of this change.
base=$(git rev-parse --verify --quiet --end-of-options "$BASE^{commit}") || {
	echo "BASE=$(inert "$BASE") is not a revision of this clone: fetch it (actions/checkout: fetch-depth: 0), or correct its name" >&2
	exit 2
}
from=$(git merge-base "$base" HEAD) || {
	echo "BASE=$(inert "$BASE") and HEAD have no history in common: fetch all of it (actions/checkout: fetch-depth: 0), or name another revision" >&2
	exit 2
}

if ! git cat-file -e "$from:$CATALOG" 2>/dev/null; then
	echo "there is no $(inert "$CATALOG") in $(inert "$BASE"): it is new, and only validated"
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
