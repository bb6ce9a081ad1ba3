package properties_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/properties"
)

// The value of a property does not depend on how its object is written: with its
// members in their usual order and without space, or otherwise.
func TestHowAnObjectIsWritten(t *testing.T) {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "etcd", "1.0.0", "1.2.3-rc.1", "a\"b", `a\b`, "é", "\u202e", "a\nb", "01.0.0", "{}", strings.Repeat("x", 300)}),
		rapid.StringMatching(`[a-c0-2.\\"{}:, -]{0,6}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		name, version := text.Draw(t, "name"), text.Draw(t, "version")
		n, _ := json.Marshal(name)
		v, _ := json.Marshal(version)
		plain, err := properties.New(properties.TypePackage, json.RawMessage(`{"packageName":`+string(n)+`,"version":`+string(v)+`}`))
		for _, other := range []string{
			`{"version":` + string(v) + `,"packageName":` + string(n) + `}`,
			`{ "packageName" : ` + string(n) + ` , "version" : ` + string(v) + ` , "more" : 1 }`,
		} {
			same, wrong := properties.New(properties.TypePackage, json.RawMessage(other))
			require.Equal(t, err == nil, wrong == nil, "%v %v", err, wrong)
			var a, b *properties.Error
			switch {
			case err == nil:
				require.Equal(t, plain.Value(), same.Value())
			case errors.As(err, &a) && errors.As(wrong, &b) && a.Field == b.Field:
				require.Equal(t, err.Error(), wrong.Error())
			}
		}
	})
}
