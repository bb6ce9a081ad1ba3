package upgrade_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// TestStops: wherever the context ends, that is the error, and never half an answer.
func TestStops(t *testing.T) {
	bundle := func(name, version, more string) string {
		return `{"schema":"olm.bundle","package":"` + name[:1] + `","name":"` + name + `","image":"i","properties":[{"type":"olm.package","value":{"packageName":"` + name[:1] + `","version":"` + version + `"}}` + more + `]}`
	}
	const until418 = `,{"type":"olm.maxOpenShiftVersion","value":"4.18"}`
	needs := func(pkg, versions string) string {
		return `,{"type":"olm.package.required","value":{"packageName":"` + pkg + `","versionRange":"` + versions + `"}}`
	}
	// a moves today, b only tomorrow and with c, d not at all.
	today := []string{
		`{"schema":"olm.package","name":"a","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}`,
		bundle("a.v1", "1.0.0", until418), bundle("a.v2", "2.0.0", ""),
		`{"schema":"olm.package","name":"b","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"b","name":"x","entries":[{"name":"b.v1"}]}`, bundle("b.v1", "1.0.0", until418),
		`{"schema":"olm.package","name":"d","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"d","name":"x","entries":[{"name":"d.v1"}]}`, bundle("d.v1", "1.0.0", needs("b", "<2.0.0")),
	}
	tomorrow := append(today[:4:4],
		`{"schema":"olm.package","name":"b","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"b","name":"x","entries":[{"name":"b.v1"},{"name":"b.v2","replaces":"b.v1"}]}`,
		bundle("b.v1", "1.0.0", until418), bundle("b.v2", "2.0.0", needs("c", ">=1.0.0")),
		`{"schema":"olm.package","name":"c","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"c","name":"x","entries":[{"name":"c.v1"}]}`, bundle("c.v1", "1.0.0", ""),
		`{"schema":"olm.package","name":"d","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"d","name":"x","entries":[{"name":"d.v1"}]}`, bundle("d.v1", "1.0.0", needs("b", "<2.0.0")))
	key := cache.Key{Namespace: "olm", Name: "c"}
	req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{{Key: key, Content: catalogOf(t, today...)}}, Cluster: resolver.Cluster{OpenShiftVersion: "4.18"}}
	for _, pkg := range []string{"a", "b", "d", "e"} { // nothing has e
		sub := resolver.Subscription{Name: pkg, Package: pkg, Channels: []string{"x"}}
		if pkg != "e" {
			sub.InstalledCSV = pkg + ".v1"
			req.Installed = append(req.Installed, resolver.Installed{Name: pkg + ".v1"})
		}
		req.Subscriptions = append(req.Subscriptions, sub)
	}
	opts := upgrade.Options{Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: []upgrade.NextCatalog{{For: key.String(), Content: catalogOf(t, tomorrow...)}}}}}
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		report, err := upgrade.Check(ctx, resolver.New(), req, opts)
		if err == nil {
			require.Equal(t, upgrade.Blocked, report.Status)
			require.Len(t, report.Operators, 4)
		}
		return err
	})
}
