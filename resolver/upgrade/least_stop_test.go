package upgrade_test

import (
	"context"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// TestStops: wherever the context ends, that is the error, and never half an answer.
func TestLeastStops(t *testing.T) {
	req := running(t, "db", "mail", "stats", "web")
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		_, err := upgrade.Least(ctx, resolver.New(), req, []upgrade.Target{{Subscription: "stats"}, {Subscription: "db", Version: "2.0.0"}})
		return err
	})
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		g, err := upgrade.Needs(ctx, resolver.New(), req)
		if err == nil {
			_, err = g.Drop(ctx, resolver.New(), "web")
		}
		return err
	})
}
