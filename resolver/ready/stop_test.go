package ready_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/ready"
)

// endsAfter is a context that ends once it has been looked at so often.
type endsAfter struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

func newEndsAfter(looks int64) *endsAfter {
	ctx, cancel := context.WithCancel(context.Background())
	e := &endsAfter{Context: ctx, cancel: cancel}
	e.left.Store(looks)
	return e
}

// look counts.
func (e *endsAfter) look() {
	if e.left.Add(-1) < 0 {
		e.cancel()
	}
}

// Err implements context.Context.
func (e *endsAfter) Err() error { e.look(); return e.Context.Err() }

// Done implements context.Context.
func (e *endsAfter) Done() <-chan struct{} { e.look(); return e.Context.Done() }

// stopsAnywhere runs some work with contexts that end ever later, until it is done: each
// that ended is the error.
func stopsAnywhere(t *testing.T, work func(ctx context.Context) error) {
	t.Helper()
	for looks := int64(0); ; looks += 1 + looks/20 {
		ctx := newEndsAfter(looks)
		err := work(ctx)
		if err == nil {
			require.Positive(t, looks)
			ctx.cancel()
			return
		}
		require.ErrorIs(t, err, context.Canceled, "after %d looks", looks)
	}
}

// TestStops: wherever the context ends, that is the error, and never half an answer.
func TestStops(t *testing.T) {
	bundle := func(name, version, more string) string {
		return `{"schema":"olm.bundle","package":"` + name[:1] + `","name":"` + name + `","image":"i","properties":[{"type":"olm.package","value":{"packageName":"` + name[:1] + `","version":"` + version + `"}}` + more + `]}`
	}
	const max = `,{"type":"olm.maxOpenShiftVersion","value":"4.18"}`
	needs := func(pkg, versions string) string {
		return `,{"type":"olm.package.required","value":{"packageName":"` + pkg + `","versionRange":"` + versions + `"}}`
	}
	// a moves today, b only tomorrow and with c, d not at all.
	today := []string{
		`{"schema":"olm.package","name":"a","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}`,
		bundle("a.v1", "1.0.0", max), bundle("a.v2", "2.0.0", ""),
		`{"schema":"olm.package","name":"b","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"b","name":"x","entries":[{"name":"b.v1"}]}`, bundle("b.v1", "1.0.0", max),
		`{"schema":"olm.package","name":"d","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"d","name":"x","entries":[{"name":"d.v1"}]}`, bundle("d.v1", "1.0.0", needs("b", "<2.0.0")),
	}
	tomorrow := append(today[:4:4],
		`{"schema":"olm.package","name":"b","defaultChannel":"x"}`, `{"schema":"olm.channel","package":"b","name":"x","entries":[{"name":"b.v1"},{"name":"b.v2","replaces":"b.v1"}]}`,
		bundle("b.v1", "1.0.0", max), bundle("b.v2", "2.0.0", needs("c", ">=1.0.0")),
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
	opts := ready.Options{Versions: []ready.Version{{OpenShift: "4.19", Catalogs: []resolver.Catalog{{Key: key, Content: catalogOf(t, tomorrow...)}}}}}
	stopsAnywhere(t, func(ctx context.Context) error {
		report, err := ready.Check(ctx, resolver.New(), req, opts)
		if err == nil {
			require.Equal(t, ready.Blocked, report.Status)
			require.Len(t, report.Operators, 4)
		}
		return err
	})
}
