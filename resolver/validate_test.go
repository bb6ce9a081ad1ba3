package resolver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
