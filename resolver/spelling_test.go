package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Whoever slips in a name is told of the names that are nearly the same.
func TestNamesThatAreNearlyTheSame(t *testing.T) {
	const catalog = `{"schema":"olm.package","name":"prometheus-operator","defaultChannel":"x"}
{"schema":"olm.channel","package":"prometheus-operator","name":"x","entries":[{"name":"prometheus.v1.0.0"},{"name":"prometheus.v1.1.0","replaces":"prometheus.v1.0.0"}]}
{"schema":"olm.bundle","package":"prometheus-operator","name":"prometheus.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"prometheus-operator","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"prometheus-operator","name":"prometheus.v1.1.0","properties":[{"type":"olm.package","value":{"packageName":"prometheus-operator","version":"1.1.0"}}]}
`
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
		_, err := resolver.New().Resolve(context.Background(), onCatalog(t, catalog, wanted))
		var conflict *resolver.Conflict
		require.ErrorAs(t, err, &conflict)
		if near {
			require.Contains(t, conflict.Text(), "did you mean prometheus-operator?", wanted)
		} else {
			require.NotContains(t, conflict.Text(), "did you mean", wanted)
		}
	}

	s, err := resolver.New().Session(context.Background(), onCatalog(t, catalog, "prometheus-operator"))
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
		sol, err := resolver.New().Resolve(context.Background(), onCatalog(t, `{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}
{"schema":"olm.deprecations","package":"db","entries":[{"reference":{"schema":"olm.bundle","name":"db.v1"},"message":"`+message+`"}]}
`, "db"))
		require.NoError(t, err)
		require.Len(t, sol.Warnings, 1)
		require.Equal(t, want, sol.Warnings[0].Message)
	}
}

// The text of a trace says what the explanation came to.
func TestTraceOfAConflict(t *testing.T) {
	record, _, err := trace.Resolve(context.Background(), resolver.New(), onCatalog(t, needsNewerBase, "app"), trace.Options{})
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	require.Contains(t, record.Text(), "conflict of 2 facts, out of ")
	require.Contains(t, record.Text(), conflict.Headline())
}
