package resolver_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/outlook"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestLeads: where the path from web.v1 leads, as end, rounds and orphans, or that it has to be
// resolved.
func TestLeads(t *testing.T) {
	const resolved = "resolved"
	tests := []struct{ name, universe, want string }{
		{"alone", "web/stable web.v1 web.v2 web.v3", "web.v3 2 []"},
		{"a loop", "web/stable web.v1 range=>=2.0.0\nweb/stable web.v2 replaces=web.v1", resolved},
		{"the head has an edge from itself", "web/stable web.v1 range=>=2.0.0\nweb/stable web.v2 replaces=web.v1 range=>=2.0.0", "web.v2 1 []"},
		{"what comes stays behind", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1 needs=Disk\n" +
			"db/stable db.v1\nada/stable ada.v1 provides=Disk", "web.v2 1 [db.v1]"},
		{"what comes and is needed again", "web/stable web.v1 needs=db@>=1.0.0 needs=Disk\nweb/stable web.v2 replaces=web.v1\nweb/stable web.v3 replaces=web.v2 needs=Disk\n" +
			"db/stable db.v1 needs=Net\nada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Net", "web.v3 2 [bob.v1 db.v1]"},
		{"a dependency moves on", "web/stable web.v1 needs=db@<2.0.0\nweb/stable web.v2 replaces=web.v1\ndb/stable db.v1 db.v2", resolved},
		{"only an older bundle needs what moves", "web/stable web.v0 needs=db@<2.0.0\nweb/stable web.v1 replaces=web.v0\nweb/stable web.v2 replaces=web.v1\ndb/stable db.v1 db.v2", "web.v2 1 []"},
		{"the best candidate is barred", "web/stable web.v1 needs=Disk\nada/stable ada.v1 provides=Disk barred\nbob/stable bob.v1 provides=Disk", "web.v1 0 []"},
		{"the best candidate clashes with another choice", "web/stable web.v1 needs=Disk needs=Net\nweb/stable web.v2 replaces=web.v1\n" +
			"ada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Disk provides=Net", resolved},
		{"likewise at the head, where it stays", "web/stable web.v1 needs=Disk needs=Net\n" +
			"ada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Disk provides=Net", "web.v1 0 []"},
		{"what one round brings clashes with what a later one does", "web/stable web.v1 needs=ada@>=1.0.0\nweb/stable web.v2 replaces=web.v1 needs=bob@>=1.0.0\n" +
			"ada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Disk", resolved},
		{"what one round brings provides what a later one requires", "web/stable web.v1 needs=bob@>=1.0.0\nweb/stable web.v2 replaces=web.v1 needs=Disk\n" +
			"ada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Disk", resolved},
		{"a dependency needs the package", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1\ndb/stable db.v1 needs=web@>=1.0.0", resolved},
		{"it does at the head, where it stays", "web/stable web.v1 needs=db@>=1.0.0\ndb/stable db.v1 needs=web@>=1.0.0", "web.v1 0 []"},
		{"a dependency provides what the bundle does", "web/stable web.v1 provides=Net\nweb/stable web.v2 replaces=web.v1 needs=db@>=1.0.0\ndb/stable db.v1 provides=Net", resolved},
		{"two of one name", "web/stable web.v1 needs=db@>=1.0.0\ncatalog test/two 0\ndb/stable web.v1", resolved},
		{"nothing to have", "web/stable web.v1 needs=Disk", resolved},
		{"an alternative", "web/stable web.v1\nrequire web.v1 any(db@>=1.0.0, Disk)\nweb/stable web.v2 replaces=web.v1\ndb/stable db.v1\nada/stable ada.v1 provides=Disk", "web.v2 1 [ada.v1]"},
		{"another alternative comes later", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1\nrequire web.v2 any(db@>=1.0.0, Disk)\ndb/stable db.v1\nada/stable ada.v1 provides=Disk", resolved},
		{"a prohibition", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1\nrequire web.v1 not(ada@>=1.0.0)\ndb/stable db.v1\nada/stable ada.v1", "web.v2 1 [db.v1]"},
		{"one that what stays behind is against", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1\nrequire web.v2 not(db@>=1.0.0)\ndb/stable db.v1", resolved},
		{"one that a dependency has against a later bundle", "web/stable web.v1 needs=db@>=1.0.0\nweb/stable web.v2 replaces=web.v1\ndb/stable db.v1\nrequire db.v1 not(web@>=2.0.0)", resolved},
		{"a rule", "web/stable web.v1 web.v2\nrequire web.v1 cel(true)\ndb/stable db.v1", resolved},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := withOutlook(t.Context(), resolver.New(), universe.Request(t, test.universe))
			require.NoError(t, err)
			for range 2 { // the second from what is known by then
				l, err := fromWeb(t.Context(), s)
				require.NoError(t, err)
				got := resolved
				if l.End != nil {
					got = fmt.Sprintf("%s %d %v", l.End.Name, l.Rounds, l.Orphans)
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

// outlookSession is a session with its outlook.
type outlookSession struct {
	*resolver.Session
	outlook outlook.Session
}

func withOutlook(ctx context.Context, r *resolver.Resolver, req resolver.Request) (*outlookSession, error) {
	s := &outlookSession{}
	var err error
	s.Session, err = r.Session(outlook.Into(ctx, &s.outlook), req)
	return s, err
}

// fromWeb asks where web.v1 leads, and with it all of its package.
func fromWeb(ctx context.Context, s *outlookSession) (*outlook.Path, error) {
	c := s.Request().Catalogs[0]
	web := c.Content.Package("web")
	leads, err := s.outlook.Follow(ctx, c.Key, web.Channel("stable"), web.Bundles)
	return leads[web.Bundle("web.v1")], err
}

// TestLeadsWhereNothingWatches: where hooks see each resolution, a limit may be exceeded, or the
// request asks for more than an empty cluster has, rounds have to be resolved.
func TestLeadsWhereNothingWatches(t *testing.T) {
	const two = "web/stable web.v1 web.v2"
	limits := func(l resolver.Limits) resolver.Option { return resolver.WithLimits(l) }
	for name, test := range map[string]struct {
		options []resolver.Option
		change  func(*resolver.Request)
		leads   bool
	}{
		"alone":              {leads: true},
		"hooks":              {options: []resolver.Option{resolver.WithHooks(trace.Hooks{})}},
		"a logger":           {options: []resolver.Option{resolver.WithLogger(slog.New(slog.DiscardHandler))}},
		"metrics":            {options: []resolver.Option{resolver.WithMetrics(unmeasured{})}},
		"few bundles":        {options: []resolver.Option{limits(resolver.Limits{Bundles: 3})}},
		"enough bundles":     {options: []resolver.Option{limits(resolver.Limits{Bundles: 4})}, leads: true},
		"no limit":           {options: []resolver.Option{limits(resolver.Limits{Bundles: -1, CELCost: -1})}, leads: true},
		"cheap rules":        {options: []resolver.Option{limits(resolver.Limits{CELCost: 1})}},
		"the fewest changes": {change: func(r *resolver.Request) { r.Policy.Goal = "MinimalChange" }},
		"a subscription":     {change: func(r *resolver.Request) { r.Subscriptions = []resolver.Subscription{{Name: "s", Package: "web"}} }},
		"a veto": {change: func(r *resolver.Request) {
			r.Veto = func(context.Context, cache.Key, *graph.Bundle) (string, error) { return "", nil }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			req := universe.Request(t, two)
			if test.change != nil {
				test.change(&req)
			}
			s, err := withOutlook(t.Context(), resolver.New(test.options...), req)
			require.NoError(t, err)
			l, err := fromWeb(t.Context(), s)
			require.NoError(t, err)
			require.Equal(t, test.leads, l != nil)
		})
	}
}

// unmeasured are metrics that drop everything.
type unmeasured struct{ cache.Metrics }

// TestLeadsStop: a context that ends is an error, and what was left half known by it does no
// harm to what is asked next.
func TestLeadsStop(t *testing.T) {
	var many strings.Builder
	many.WriteString("web/stable web.v1 needs=a0@>=1.0.0\n")
	for i := range 2000 {
		fmt.Fprintf(&many, "a%[1]d/stable a%[1]d.v1 needs=a%[2]d@>=1.0.0\n", i, i+1)
	}
	many.WriteString("a2000/stable a2000.v1\n")
	s, err := withOutlook(t.Context(), resolver.New(), universe.Request(t, many.String()))
	require.NoError(t, err)
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		l, err := fromWeb(ctx, s)
		if err == nil {
			require.NotNil(t, l.End)
		}
		return err
	})
}

// TestLeadsAfterAnInterruption: the leads that follow ones that were cut short, wherever that
// was, are those of a new session.
func TestLeadsAfterAnInterruption(t *testing.T) {
	req := universe.Request(t, `
		web/stable web.v1 web.v2 web.v3
		require web.v1 cel(properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'db'))
		db/stable db.v1 needs=Net
		bob/stable bob.v1 provides=Net`)
	session := func() *outlookSession { return testkit.Must(withOutlook(t.Context(), resolver.New(), req))(t) }
	looks := &testkit.CountingContext{Context: t.Context()}
	want, err := fromWeb(looks, session())
	require.NoError(t, err)
	require.NotNil(t, want.End)
	require.Greater(t, looks.Count.Load(), int64(3))
	for n := range looks.Count.Load() {
		s := session()
		_, err := fromWeb(&testkit.CountingContext{Context: t.Context(), Ends: n + 1}, s)
		require.Error(t, err)
		got, err := fromWeb(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, want, got, "after check %d", n+1)
	}
}

// TestLeadsOfALongChannel: the context is looked at for each bundle, since to find what it is
// upgraded to goes through the channel.
func TestLeadsOfALongChannel(t *testing.T) {
	var channel strings.Builder
	channel.WriteString("web/stable")
	for i := range 500 {
		fmt.Fprintf(&channel, " web.v%d", i+1)
	}
	s, err := withOutlook(t.Context(), resolver.New(), universe.Request(t, channel.String()))
	require.NoError(t, err)
	looks := &testkit.CountingContext{Context: t.Context()}
	lead, err := fromWeb(looks, s)
	require.NoError(t, err)
	require.Equal(t, 499, lead.Rounds)
	require.GreaterOrEqual(t, looks.Count.Load(), int64(500))
}
