package cel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZones(t *testing.T) {
	for rule, want := range map[string]string{
		`timestamp("2020-06-01T12:00:00Z").getHours() == 12`:                                             "",
		`timestamp("2020-06-01T12:00:00Z").getHours("UTC") == 12`:                                        "",
		`timestamp("2020-06-01T12:00:00Z").getHours("+02:00") == 14`:                                     "",
		`timestamp("2020-06-01T12:00:00Z").getHours("-02:30") == 9`:                                      "",
		`timestamp("2020-06-01T12:00:00Z").getHours("02:00") == 14`:                                      "",
		`timestamp("2020-06-01T12:00:00+02:00").getHours() == 10`:                                        "",
		`timestamp("2020-06-01T12:00:00.5-02:30") == timestamp("2020-06-01T14:30:00.5Z")`:                "",
		`string(timestamp("2020-06-01T12:00:00+02:00")) == "2020-06-01T12:00:00+02:00"`:                  "",
		`timestamp(properties[2].value + ", no").getHours() == 1`:                                        "invalid RFC 3339",
		`timestamp("2020-06-01T12:00:00+24:00") == timestamp(0)`:                                         "invalid RFC 3339",
		`timestamp("2020-06-01T12:00:00+2:00") == timestamp(0)`:                                          "invalid RFC 3339",
		`timestamp("9999-12-31T23:59:59-01:00") == timestamp(0)`:                                         "overflow",
		`timestamp("0001-01-01T00:00:00+01:00") == timestamp(0)`:                                         "overflow",
		`timestamp(true ? dyn(1) : dyn("")) == timestamp("1970-01-01T00:00:01Z")`:                        "",
		`timestamp(dyn(timestamp(0))) == timestamp(0)`:                                                   "",
		`timestamp(dyn(1.5)) == timestamp(0)`:                                                            "no such overload",
		`timestamp("2020-06-01T12:00:00Z").getHours("Local") == 12`:                                      "are not available",
		`timestamp("2020-06-01T12:00:00Z").getHours("Europe/Berlin") == 14`:                              `use "UTC", or an offset`,
		`timestamp("2020-06-01T12:00:00Z").getHours("my/secret/file.txt") == 14`:                         "are not available",
		`timestamp("2020-06-01T12:00:00Z").getFullYear("../etc:x") == 14`:                                "are not available",
		`dyn(timestamp("2020-06-01T12:00:00Z")).getMonth("Local") == 12`:                                 "are not available",
		`timestamp("2020-06-01T12:00:00Z").getDayOfWeek(properties[2].value) == 12`:                      "are not available",
		`timestamp("2020-06-01T12:00:00Z").getDate("24:00") == 12`:                                       "out of range",
		`duration("90m").getHours() == 1 && dyn(duration("90m")).getMinutes() == 90`:                     "",
		`timestamp("2020-06-01T12:00:00Z").getDayOfYear(dyn(1)) == 12`:                                   "no such overload",
		`timestamp("2020-06-01T12:00:00Z").getHours("") == 12`:                                           "",
		`string(timestamp("2020-03-29T01:30:00+01:00") + duration("1h")) == "2020-03-29T02:30:00+01:00"`: "",
	} {
		match, _, err := compile(t, rule).Eval(t.Context(), Convert(set(t, blue)), Value{})
		if want == "" {
			require.NoError(t, err, rule)
			require.True(t, match, rule)
			continue
		}
		require.ErrorContains(t, err, want, rule)
		require.False(t, match, rule)
	}
}

// zoneRules are rules whose answers would differ between hosts if they looked
// at the zone of the host, or at files with zones.
var zoneRules = []string{
	`timestamp("2020-06-01T12:00:00Z").getHours("Local") == 14`,
	`timestamp("2020-06-01T12:00:00Z").getHours("secret/zone") == 14`,
	`timestamp("2020-06-01T12:00:00+02:00").getHours() == 10`,
	// Adding time in the zone of Berlin would cross the beginning of its summer.
	`string(timestamp("2020-03-29T01:30:00+01:00") + duration("1h")) == "2020-03-29T02:30:00+01:00"`,
	`string(timestamp("2020-03-29T01:30:00+01:00") + duration("1h")) == "2020-03-29T03:30:00+02:00"`,
}

// The same rules are evaluated by processes with other zones, and with a folder
// of zones that a rule names a file in.
func TestTheHostsZoneIsNotSeen(t *testing.T) {
	if os.Getenv("RESOLUTE_ZONE_TEST") != "" {
		for _, rule := range zoneRules {
			match, cost, err := compile(t, rule).Eval(t.Context(), Value{}, Value{})
			t.Log("answer:", match, cost, err)
		}
		return
	}
	berlin := filepath.Join("/usr/share/zoneinfo", "Europe", "Berlin")
	data, err := os.ReadFile(berlin)
	if err != nil {
		t.Skip("no zones on this machine:", err)
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
