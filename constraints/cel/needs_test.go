package cel

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

func TestNeedsGivesUpInTime(t *testing.T) {
	// A conditional is analysed for both results, its condition twice for each.
	rule := `properties.exists(p, p.type == "a")`
	for range 13 {
		rule = `(` + rule + ` ? ` + `true` + ` : false)`
	}
	require.False(t, compile(t, rule).Needs().Never)

	var names []string
	for i := range maxAlternatives + 1 {
		names = append(names, strconv.Quote(strconv.Itoa(i)))
	}
	require.True(t, compile(t, `properties.exists(p, p.type in [`+strings.Join(names, ",")+`])`).Needs().Anything)
	needs := compile(t, `properties.exists(p, p.type in [`+strings.Join(names[:maxAlternatives], ",")+`])`).Needs()
	require.False(t, needs.Anything)
	require.Len(t, needs.Types, maxAlternatives)
	half := len(names) / 2
	two := `properties.exists(p, p.type in [` + strings.Join(names[:half], ",") + `] || p.type in [` + strings.Join(names[half:], ",") + `])`
	require.True(t, compile(t, two).Needs().Anything)
}

func TestMaybe(t *testing.T) {
	s := set(t, blue)
	tests := []struct {
		needs constraints.Needs
		want  bool
	}{
		{constraints.Needs{Anything: true}, true},
		{constraints.Needs{Never: true}, false},
		{constraints.Needs{Types: []string{"certified", "x"}}, true},
		{constraints.Needs{Types: []string{"x"}}, false},
		{constraints.Needs{Types: []string{"olm.package"}, Packages: []string{"blue"}}, true},
		{constraints.Needs{Types: []string{"olm.package"}, Packages: []string{"red"}}, false},
	}
	for _, test := range tests {
		require.Equal(t, test.want, test.needs.Maybe(s), "%+v", test.needs)
	}
	require.False(t, constraints.Needs{Types: []string{"a"}}.Maybe(properties.Set{}))
}
