package upgrade_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestStops: wherever the context ends, that is the error, and never half an answer.
func TestStops(t *testing.T) {
	// a moves today, b only tomorrow and with c, d not at all; nothing has e.
	const a, d = "a/x a.v1 a.v2\nbundle a.v1 max=4.18\n", "\nd/x d.v1 needs=b@<2.0.0\n"
	req := universe.Request(t, "catalog olm/c\n"+a+"b/x b.v1 max=4.18"+d+`
		installed a.v1
		installed b.v1
		installed d.v1
		subscribe a in=x at=a.v1
		subscribe b in=x at=b.v1
		subscribe d in=x at=d.v1
		subscribe e in=x`)
	req.Cluster.OpenShiftVersion = "4.18"
	tomorrow := universe.Content(t, a+"b/x b.v1 max=4.18\nb/x b.v2 replaces=b.v1 needs=c@>=1.0.0\nc/x c.v1"+d)
	opts := upgrade.Options{Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: []upgrade.NextCatalog{{For: "olm/c", Content: tomorrow}}}}}
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		report, err := upgrade.Check(ctx, resolver.New(), req, opts)
		if err == nil {
			require.Equal(t, upgrade.Blocked, report.Status)
			require.Len(t, append(report.Operators, report.NotInstallable...), 4)
		}
		return err
	})
	running := running(t, "db", "mail", "stats", "web")
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		_, err := upgrade.Least(ctx, resolver.New(), running, []upgrade.Target{{Subscription: "stats"}, {Subscription: "db", Version: "2.0.0"}})
		return err
	})
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		g, err := upgrade.Needs(ctx, resolver.New(), running)
		if err == nil {
			_, err = g.Drop(ctx, resolver.New(), "web")
		}
		return err
	})
}
