package properties_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestLengths: what is exactly as long as it may be is fine, one byte more is not.
func TestLengths(t *testing.T) {
	text := func(before string, length int, after string) string {
		return before + strings.Repeat("1", length-len(before)-len(after)) + after
	}
	tests := map[string]struct {
		max  int
		read func(length int) error
	}{
		"version": {256, func(n int) error {
			_, err := properties.ParseVersion(text("1.0.0-a", n, ""))
			return err
		}},
		"range": {1024, func(n int) error {
			_, err := properties.ParseRange(text(">=1.0.0-a", n, ""))
			return err
		}},
		"OpenShift version": {256, func(n int) error {
			value, _ := json.Marshal(text("4.9.0+a", n, ""))
			p := testkit.Must(properties.New(properties.TypeMaxOpenShiftVersion, value))(t)
			_, err := p.Value().(properties.MaxOpenShiftVersion).Parse()
			return err
		}},
		"release": {20, func(n int) error {
			value, _ := json.Marshal(map[string]string{"packageName": "p", "version": "1.0.0", "release": text("a", n, "")})
			_, err := properties.New(properties.TypePackage, value)
			return err
		}},
		"package": {253, func(n int) error {
			value, _ := json.Marshal(map[string]string{"packageName": text("p", n, ""), "version": "1.0.0"})
			_, err := properties.New(properties.TypePackage, value)
			return err
		}},
		"label": {1024, func(n int) error {
			value, _ := json.Marshal(map[string]string{"label": text("l", n, "")})
			_, err := properties.New(properties.TypeLabel, value)
			return err
		}},
	}
	table := testkit.Must(os.ReadFile("../.github/SECURITY.md"))(t)
	for name, row := range map[string]string{"version": "version in a property", "range": "version range in a property", "release": "release in a property", "package": "name of a package in a property", "label": "label in a property"} {
		require.Contains(t, string(table), fmt.Sprintf("| %s | %d | `*properties.Error` |", row, tests[name].max))
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, test.read(test.max))
			require.ErrorContains(t, test.read(test.max+1), "long")
		})
	}
}
