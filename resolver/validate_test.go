package resolver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestSuggestionsAreBounded: similar names are suggested for the first hundred unknown owners
// alone, for each of them is compared with all names. The problems stay in the order of the request.
func TestSuggestionsAreBounded(t *testing.T) {
	req := resolver.Request{Subscriptions: []resolver.Subscription{{Name: "web"}}}
	for i := range 101 {
		req.Installed = append(req.Installed, resolver.Installed{Name: fmt.Sprintf("b%d", i), Subscription: "wed"})
	}
	var invalid *resolver.RequestError
	_, err := resolver.New().Resolve(t.Context(), req)
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Problems, 102)
	for i, p := range invalid.Problems[:101] {
		require.Equal(t, fmt.Sprintf("installed[%d].subscription", i), p.Field)
		require.Equal(t, i < 100, strings.HasSuffix(p.Message, "; did you mean web?"), p.Message)
	}
	require.Equal(t, "subscriptions[0].package", invalid.Problems[101].Field)
}

// TestLabelsOfCatalogs: Kubernetes allows no such labels, so no selector could mean them.
func TestLabelsOfCatalogs(t *testing.T) {
	req := universe.Request(t, "a/s a.v1\nsubscribe a")
	req.Catalogs[0].Labels = map[string]string{"team/a b": "x", "ok": "not ok!", "example.com/fine": ""}
	_, err := resolver.New().Resolve(t.Context(), req)
	invalid := testkit.As[*resolver.RequestError](t, err)
	require.Len(t, invalid.Problems, 2)
	require.ErrorContains(t, err, `catalogs[0].labels: "not ok!": not a value of labels`)
	require.ErrorContains(t, err, `catalogs[0].labels: "team/a b": not a key of labels`)
}
