package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// A misspelt name is answered with the names that are nearly the same.
func TestNamesThatAreNearlyTheSame(t *testing.T) {
	const catalog = "prometheus-operator/x prometheus.v1.0.0 prometheus.v1.1.0\nsubscribe "
	for wanted, near := range map[string]bool{
		"prometheus":             true, // how the name begins
		"prometheus-operators":   true, // one letter more
		"promethues-operator":    true, // two letters exchanged
		"prom":                   true,
		"pro":                    false, // too short to tell
		"promethheuss-operatorr": true,  // up to a third of the letters
		"operator":               false,
		"etcd":                   false,
	} {
		_, err := resolver.New().Resolve(context.Background(), universe.Request(t, catalog+wanted))
		conflict := testkit.As[*resolver.Conflict](t, err)
		if near {
			require.Contains(t, conflict.Text(), "did you mean prometheus-operator?", wanted)
		} else {
			require.NotContains(t, conflict.Text(), "did you mean", wanted)
		}
	}

	_, err := resolver.New().Resolve(context.Background(), universe.Request(t, catalog+"web\nweb/x web.v1 needs=promethues-operator@>=1.0.0"))
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Contains(t, conflict.Text(), "did you mean prometheus-operator? Only the author of the bundle can change that.")

	s, err := resolver.New().Session(context.Background(), universe.Request(t, catalog+"prometheus-operator"))
	require.NoError(t, err)
	_, err = s.WhyNot(context.Background(), resolver.BundleRef{Name: "prometheus.v1.2.0"})
	require.ErrorContains(t, err, "did you mean prometheus.v1.0.0 or prometheus.v1.1.0?")
	_, err = s.WhyNot(context.Background(), resolver.BundleRef{Name: "kafka.v1"})
	require.ErrorContains(t, err, "no catalog and nothing installed has a bundle of this name")
	require.NotContains(t, err.Error(), "did you mean")
}

// What is deprecated is said to be, with the message if there is one.
func TestDeprecationsInWords(t *testing.T) {
	for message, want := range map[string]string{"": "db.v1 is deprecated", "use kv": "db.v1 is deprecated: use kv"} {
		sol, err := resolver.New().Resolve(context.Background(), universe.Request(t, "db/x db.v1\nsubscribe db\ndeprecated db.v1 "+message))
		require.NoError(t, err)
		require.Len(t, sol.Warnings, 1)
		require.Equal(t, want, sol.Warnings[0].Message)
	}
}

// The text of a trace says what the explanation came to.
func TestTraceOfAConflict(t *testing.T) {
	record, _, err := tracedBy(context.Background(), resolver.New(), universe.Request(t, needsNewerBase), trace.Options{})
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Contains(t, record.Text(), "conflict of 2 facts, out of ")
	require.Contains(t, record.Text(), conflict.Headline())
}
