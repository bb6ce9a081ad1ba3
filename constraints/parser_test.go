package constraints

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

func TestFromProperty(t *testing.T) {
	p := NewParser()
	tests := []struct {
		typ, value string
		want       Constraint
	}{
		{properties.TypeGVKRequired, `{"group": "foos.example.com", "version": "v1", "kind": "Foo"}`, newGVK(foo)},
		{properties.TypePackageRequired, `{"packageName": "blue", "versionRange": ">=1.0.0"}`, newPackage("blue", ranged(t, ">=1.0.0"))},
		{properties.TypeLabelRequired, `{"label": "certified"}`, newLabel("certified")},
		{properties.TypeConstraint, `{"message": "m", "any": {"constraints": [` + gvkJSON + `]}}`, NewAny(newGVK(foo))},
		{properties.TypeGVK, `{"group": "foos.example.com", "version": "v1", "kind": "Foo"}`, nil},
		{properties.TypeDeprecated, `{}`, nil},
		{"other", `{}`, nil},
	}
	for _, test := range tests {
		prop := testkit.Must(properties.New(test.typ, []byte(test.value)))(t)
		c, ok, err := p.FromProperty(prop)
		require.NoError(t, err)
		require.Equal(t, test.want != nil, ok, test.typ)
		if ok {
			require.Equal(t, test.want.Key(), c.Key())
			again, _, _ := p.FromProperty(prop)
			require.Same(t, c, again)
		}
	}

	bad := testkit.Must(properties.New(properties.TypeConstraint, []byte(`{}`)))(t)
	c, ok, err := p.FromProperty(bad)
	require.True(t, ok)
	require.Nil(t, c)
	require.ErrorContains(t, err, "none of")

	_, ok, err = p.FromProperty(nil)
	require.False(t, ok)
	require.NoError(t, err)
}

// Equal rules are compiled once, whatever is around them.
func TestRulesAreCompiledOnce(t *testing.T) {
	p := NewParser()
	first := testkit.Must(p.Parse([]byte(celJSON)))(t)
	second := testkit.Must(p.Parse([]byte(`{"not": {"constraints": [{"message": "m", ` + celJSON[1:] + `]}}`)))(t)
	require.Same(t, first.(*CEL).Program, children(second)[0].(*CEL).Program)
}

func TestParserIsSafeForConcurrentUse(t *testing.T) {
	p := NewParser()
	prop := testkit.Must(properties.New(properties.TypeConstraint, json.RawMessage(celJSON)))(t)
	results := make([]Constraint, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			c, _, err := p.FromProperty(prop)
			if err != nil {
				t.Error(err)
			}
			results[i] = c
		})
	}
	wg.Wait()
	for _, c := range results {
		require.Same(t, results[0], c)
	}
}
