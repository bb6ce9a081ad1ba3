package upgrade_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// TestOrderIsExecutable: following the order step by step, each step resolves and leads to the bundle that
// it names, and nothing moves that the order does not name. At the end all can stay.
func TestOrderIsExecutable(t *testing.T) {
	r := resolver.New()
	rapid.Check(t, func(t *rapid.T) {
		req, opts := drawCluster(t)
		report := testkit.Must(upgrade.Check(context.Background(), r, req, opts))(t)
		// An installed bundle that only the next version's catalogs have is the same bundle today,
		// but today's catalogs alone do not know what it requires. The order holds either way.
		next := opts.Versions[0].Catalogs[0].Content
		known := req.Known()
		later := known
		later.Catalogs = []resolver.Catalog{{Key: community, Content: next}}
		later = later.Known()
		later.Catalogs = known.Catalogs
		follow(t, r, known, next, report)
		follow(t, r, later, next, report)
	})
}

// follow carries out the order of a report. Steps that cannot be taken one by one, because
// each needs the other, are taken together, as one install plan does.
func follow(t *rapid.T, r *resolver.Resolver, state resolver.Request, next *cache.Catalog, report *upgrade.Report) {
	state.Policy.Goal, state.Policy.Failures, state.Cluster.OpenShiftVersion = resolver.MinimalChange, resolver.FailuresPartial, "4.18"
	at := installed(state)
	var together []upgrade.Step
	for i, s := range report.Order {
		if s.When == "after" && state.Cluster.OpenShiftVersion == "4.18" { // of a cluster that is blocked
			state.Cluster.OpenShiftVersion, state.Catalogs = "4.19", []resolver.Catalog{{Key: community, Content: next}}
			state = state.Known()
		}
		if s.Moves() {
			require.Empty(t, together, "%+v", report)
			require.NotEqual(t, upgrade.Blocked, report.Status)
			state.Cluster.OpenShiftVersion, state.Catalogs = "4.19", []resolver.Catalog{{Key: community, Content: next}}
			state = state.Known()
			continue
		}
		if s.Action == "upgrade" {
			require.True(t, at[s.Replaces], "step %d replaces %s, which is not there", i, s.Replaces)
			delete(at, s.Replaces)
		}
		at[s.Bundle] = true
		together = append(together, s)
		if after, ok := carryOut(t, r, state, together, at); ok {
			state, together = after, nil
		}
	}
	require.Empty(t, together, "%+v", report)
	if report.Status == upgrade.Blocked {
		return
	}
	state.Policy.Failures = resolver.FailuresAll
	stayAll(&state)
	sol, err := r.Resolve(context.Background(), state)
	require.NoError(t, err, "%+v", report)
	for _, step := range sol.Steps { // what was missing all along may come
		require.NotEqual(t, resolver.Upgrade, step.Action, "%+v: %+v", step, report)
	}
}

func installed(state resolver.Request) map[string]bool {
	out := make(map[string]bool)
	for _, in := range state.Installed {
		out[in.Name] = true
	}
	return out
}

// stayAll has extensions stay in the version that they have, as their owners do, who know it where no
// catalog does.
func stayAll(req *resolver.Request) {
	for i := range req.Extensions {
		if _, version, installed := strings.Cut(req.Extensions[i].InstalledCSV, ".v"); installed {
			req.Extensions[i].VersionRange = "=" + version
		}
	}
}

// carryOut takes steps: a subscription or an extension goes to the bundle of a step, or the bundle is
// installed. It reports whether everything is there then that is to be.
func carryOut(t *rapid.T, r *resolver.Resolver, state resolver.Request, steps []upgrade.Step, want map[string]bool) (resolver.Request, bool) {
	there := installed(state)
	req := state
	req.Subscriptions, req.Extensions = slices.Clone(state.Subscriptions), slices.Clone(state.Extensions)
	stayAll(&req)
	for _, s := range steps {
		i := slices.IndexFunc(req.Subscriptions, func(sub resolver.Subscription) bool { return s.Replaces != "" && sub.InstalledCSV == s.Replaces })
		e := slices.IndexFunc(req.Extensions, func(e resolver.Extension) bool { return s.Replaces != "" && e.InstalledCSV == s.Replaces })
		switch {
		case there[s.Bundle]:
		case e >= 0:
			req.Extensions[e].VersionRange = "=" + s.Version
		case len(req.Extensions) > 0:
			req.Extensions = append(req.Extensions, resolver.Extension{Name: s.Package, Package: s.Package, VersionRange: "=" + s.Version})
		case i >= 0:
			req.Subscriptions[i].Pin = s.Bundle
		default: // with the subscription that a dependency gets
			req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: resolver.GeneratedName(s.Package, s.Channel, community),
				Package: s.Package, Channels: []string{s.Channel}, Catalog: community, Pin: s.Bundle, Generated: true})
		}
	}
	sol, err := r.Resolve(context.Background(), req)
	if err != nil {
		testkit.As[*resolver.Conflict](t, err)
		return state, false
	}
	for i := range req.Subscriptions {
		req.Subscriptions[i].Pin = ""
	}
	for i := range req.Extensions {
		req.Extensions[i].VersionRange = ""
	}
	state = req.Advance(sol)
	end := installed(state)
	for name := range end {
		if len(req.Extensions) > 0 && !want[name] { // what was missing all along comes, unless the step is taken with the next
			return state, false
		}
	}
	for name := range want {
		if !end[name] {
			return state, false
		}
	}
	return state, true
}
