#!/bin/sh
# Compares the catalog of a working tree with that of another revision, and fails
# if the change makes something worse for users. It needs git and resolute.
#
# What it does is set by the environment:
#   BASE         the revision that the change is to be merged into, such as origin/main
#   CATALOG      the catalog's directory or file in the repository; default: catalog
#   BASELINE     a file of findings that are known, if it is there; default: catalog-baseline.json
#   WORSE_THAN   the least severity that fails, warning or error; default: warning
#   OUT          where reports are written; default: catalog-gate
#   RESOLUTE     the program; default: resolute
#
# It writes comment.md, report.html, report.sarif, report.xml (JUnit) and report.json to
# OUT. On GitHub it also shows findings at their lines, and the comment as the summary of
# the step. The exit status is that of resolute diff: 1 if something got worse, 2 and 3 if
# it could not be found out.
set -eu

: "${BASE:?set BASE to the revision that the change is to be merged into}"
CATALOG=${CATALOG:-catalog}
BASELINE=${BASELINE:-catalog-baseline.json}
WORSE_THAN=${WORSE_THAN:-warning}
OUT=${OUT:-catalog-gate}
RESOLUTE=${RESOLUTE:-resolute}

old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT
mkdir -p "$OUT"

# A pull request is compared with where it left the branch: what was merged there
# since is not of this change.
from=$(git merge-base "$BASE" HEAD)

if ! git cat-file -e "$from:$CATALOG" 2>/dev/null; then
	echo "there is no $CATALOG in $BASE: it is new, and only validated"
	exec "$RESOLUTE" validate "$CATALOG"
fi
git archive --format=tar "$from" -- "$CATALOG" | tar -x -C "$old"

form=text
if [ "${GITHUB_ACTIONS:-}" = true ]; then
	form=github
fi
set -- --worse-than "$WORSE_THAN" -o "$form" \
	--report "markdown=$OUT/comment.md" --report "html=$OUT/report.html" \
	--report "sarif=$OUT/report.sarif" --report "junit=$OUT/report.xml" --report "json=$OUT/report.json"
if [ -f "$BASELINE" ]; then
	set -- "$@" --baseline "$BASELINE"
fi

status=0
"$RESOLUTE" diff "$@" "$old/$CATALOG" "$CATALOG" || status=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$OUT/comment.md" ]; then
	cat "$OUT/comment.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
