package cel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/properties"
)

// zoneRules are rules whose results would differ between hosts if they depended on the local
// zone or on zone files.
var zoneRules = []string{
	`timestamp("2020-06-01T12:00:00Z").getHours("Local") == 14`,
	`timestamp("2020-06-01T12:00:00Z").getHours("secret/zone") == 14`,
	`timestamp("2020-06-01T12:00:00+02:00").getHours() == 10`,
	// Adding time in the zone of Berlin would cross the start of daylight saving time.
	`string(timestamp("2020-03-29T01:30:00+01:00") + duration("1h")) == "2020-03-29T02:30:00+01:00"`,
	`string(timestamp("2020-03-29T01:30:00+01:00") + duration("1h")) == "2020-03-29T03:30:00+02:00"`,
}

// Processes with other zones, and with a zone directory that contains a file named in a rule,
// must have the same results.
func TestTheHostsZoneIsNotSeen(t *testing.T) {
	if os.Getenv("RESOLUTE_ZONE_TEST") != "" {
		for _, rule := range zoneRules {
			match, cost, err := compile(t, rule).Eval(t.Context(), properties.Set{}, properties.Set{})
			t.Log("answer:", match, cost, err)
		}
		return
	}
	berlin := filepath.Join("/usr/share/zoneinfo", "Europe", "Berlin")
	data, err := os.ReadFile(berlin)
	if err != nil {
		t.Skip("the machine has no zone files:", err)
	}
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "secret"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "secret", "zone"), data, 0o600))
	answers := func(env ...string) string {
		c := exec.Command(os.Args[0], "-test.run", "^TestTheHostsZoneIsNotSeen$", "-test.v")
		c.Env = append(os.Environ(), append(env, "RESOLUTE_ZONE_TEST=1")...)
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		var lines []string
		for line := range strings.Lines(string(out)) {
			if _, answer, found := strings.Cut(line, "answer:"); found {
				lines = append(lines, answer)
			}
		}
		require.Len(t, lines, len(zoneRules))
		return strings.Join(lines, "")
	}
	utc := answers("TZ=UTC")
	require.Equal(t, utc, answers("TZ=Europe/Berlin"))
	require.Equal(t, utc, answers("TZ=Europe/Berlin", "ZONEINFO="+folder))
}
