package olm_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// corrections returns the corrections of the conflict of a request.
func corrections(t *testing.T, req resolver.Request) []resolver.Correction {
	t.Helper()
	conflict := universe.Conflict(t, req)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, whatif.FindOptions{Commands: olm.Commands}))
	return conflict.Corrections
}

// Commands does not panic on literals of Edit.
func TestCommandsOfLiterals(t *testing.T) {
	require.Empty(t, olm.Commands(&whatif.Edit{}))
	require.Equal(t, []string{"kubectl delete subscription.operators.coreos.com a"}, olm.Commands(&whatif.Edit{Change: resolver.DropSubscription{Subscription: "a"}}))
}

// A shell passes names and patches to kubectl unchanged.
func TestCommandsInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	req := universe.Request(t, `
		a/stable a.v1 needs=b@>=1.0.0
		a/$(reboot)'"\ a.v2
		subscribe a in=stable`)
	tried := 0
	for _, c := range corrections(t, req) {
		for _, command := range c.Changes[0].Commands {
			said, err := exec.CommandContext(t.Context(), shell, "-c", `kubectl() { for a in "$@"; do printf '%s\n' "$a"; done; }; `+command).CombinedOutput()
			require.NoError(t, err, "%s: %s", command, said)
			if c.Changes[0].Change.Kind() == resolver.ChangeFollowChannel {
				tried++
				words := strings.Split(strings.TrimSpace(string(said)), "\n")
				require.Equal(t, `{"spec":{"channel":"$(reboot)'\"\\"}}`, words[len(words)-1])
			}
		}
	}
	require.Equal(t, 1, tried)
}

// The commands of a change depend on the changes before it: a dropped object is not recreated.
func TestCommandsInTurn(t *testing.T) {
	req := universe.Request(t, `
		a/stable a.v1 needs=c@>=2.0.0
		installed a.v1 by=a
		subscribe a`)
	var commands []string
	for _, k := range corrections(t, req) {
		if len(k.Changes) == 2 && k.Changes[0].Change.Kind() == resolver.ChangeDropSubscription && k.Changes[1].Change.Subject() == "a.v1" {
			commands = append(k.Changes[0].Commands, k.Changes[1].Commands...)
		}
	}
	require.Equal(t, []string{"kubectl -n test delete subscription.operators.coreos.com a",
		"kubectl -n test delete clusterserviceversion.operators.coreos.com a.v1"}, commands)
}
