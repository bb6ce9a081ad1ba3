#!/bin/sh
# Verifies a lock, or replaces it by the next one. It needs resolute.
#
# Environment variables:
#   LOCK         the lock; default: resolute.lock
#   SCENARIO     the scenario that it is of; default: the question in the lock
#   CATALOGS     catalogs to read instead, KEY=CATALOG, one a line
#   UPDATE       true to replace the lock by the next one; default: false
#   RESOLUTE     the program; default: resolute
#   OUT          the directory for the summary; default: the directory for temporary files
#
# It prints the result, and writes it as Markdown to a new file in OUT. On GitHub, that file is
# the output "summary" and the step summary, and the output "changed" says whether the lock
# changed. The exit status is that of resolute verify, or with UPDATE of resolute lock.
set -eu

LOCK=${LOCK:-resolute.lock}
SCENARIO=${SCENARIO:-}
UPDATE=${UPDATE:-false}
RESOLUTE=${RESOLUTE:-resolute}
summary=$(mktemp "${OUT:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}}/lock-summary.XXXXXX")
text=$(mktemp "${OUT:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}}/lock-text.XXXXXX")

set --
while IFS= read -r catalog; do
	if [ -n "$catalog" ]; then
		set -- "$@" --catalog "$catalog"
	fi
done <<END
${CATALOGS:-}
END

status=0 changed=false title="The lock of the operators"
if [ "$UPDATE" = true ]; then
	before=$(cksum <"$LOCK")
	if [ -n "$SCENARIO" ]; then
		set -- "$@" -- "$SCENARIO"
	fi
	"$RESOLUTE" lock --update "$LOCK" --into "$LOCK" "$@" >"$text" 2>&1 || status=$?
	if [ "$before" != "$(cksum <"$LOCK")" ]; then
		changed=true
	fi
else
	if [ -n "$SCENARIO" ]; then
		set -- --cluster "$SCENARIO" "$@"
	fi
	"$RESOLUTE" verify "$@" -- "$LOCK" >"$text" 2>&1 || status=$?
fi
cat "$text"

# Indented lines are code in Markdown, whatever is in them.
{
	printf '### %s\n\n' "$title"
	sed 's/^/    /' "$text"
} >"$summary"
rm -f "$text"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'changed=%s\nsummary=%s\n' "$changed" "$summary" >>"$GITHUB_OUTPUT"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
