package whatif_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// twoMistakes asks for a version that its channel does not have, and for a package by a
// wrong name: two conflicts that have nothing in common.
func twoMistakes(ctx context.Context) (resolver.Request, error) {
	content, err := fbc.Read(ctx, strings.NewReader(`{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1"}]}
{"schema":"olm.channel","package":"etcd","name":"fast","entries":[{"name":"etcd.v2"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}}]}
{"schema":"olm.package","name":"prometheus","defaultChannel":"stable"}
{"schema":"olm.channel","package":"prometheus","name":"stable","entries":[{"name":"prometheus.v1"}]}
{"schema":"olm.bundle","package":"prometheus","name":"prometheus.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"prometheus","version":"1.0.0"}}]}
`), "catalog", fbc.Options{})
	return resolver.Request{
		Namespace: "operators",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: content}},
		Subscriptions: []resolver.Subscription{
			{Name: "etcd", Package: "etcd", Channels: []string{"stable"}, StartingCSV: "etcd.v2"},
			{Name: "metrics", Package: "promethues"},
		},
	}, err
}

// Two mistakes take two corrections, the best of each.
func ExampleApplyCorrections() {
	ctx := context.Background()
	req, err := twoMistakes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	done, err := whatif.ApplyCorrections(ctx, resolver.New(), req, whatif.FindOptions{Commands: olm.Commands})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range done.Corrections {
		fmt.Println(c.Text)
	}
	fmt.Println(done.Solution.Set())
	// Output:
	// release startingCSV etcd.v2 of subscription etcd
	// let subscription metrics use package prometheus instead of promethues
	// [etcd.v1 prometheus.v1]
}

// TestApplyCorrections: what is applied is what resolving the corrected request gives, and
// the request that was asked for stays as it is.
func TestApplyCorrections(t *testing.T) {
	req := testkit.Must(twoMistakes(t.Context()))(t)
	done := testkit.Must(whatif.ApplyCorrections(t.Context(), resolver.New(), req, whatif.FindOptions{Commands: olm.Commands}))(t)
	require.Equal(t, "etcd.v2", req.Subscriptions[0].StartingCSV)
	require.Equal(t, "promethues", req.Subscriptions[1].Package)
	require.Equal(t, "prometheus", done.Request.Subscriptions[1].Package)
	again := universe.Solution(t, done.Request)
	require.Equal(t, again.Set(), done.Solution.Set())
	require.Zero(t, done.Corrections[len(done.Corrections)-1].Remaining)

	clean := testkit.Must(whatif.ApplyCorrections(t.Context(), resolver.New(), done.Request, whatif.FindOptions{Commands: olm.Commands}))(t)
	require.Empty(t, clean.Corrections)
	require.Equal(t, again.Set(), clean.Solution.Set())
}

// TestApplyOnlyWhatIsAllowed: where nothing that may be changed helps, the conflict is the
// error, and what was changed by then is told.
func TestApplyOnlyWhatIsAllowed(t *testing.T) {
	req := testkit.Must(twoMistakes(t.Context()))(t)
	names := whatif.FindOptions{Allow: func(c resolver.Change) bool { return c.Kind() == resolver.ChangeUseName }}
	done, err := whatif.ApplyCorrections(t.Context(), resolver.New(), req, names)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Contains(t, conflict.Text(), "etcd.v2")
	require.Nil(t, done.Solution)
	require.Len(t, done.Corrections, 1)
	require.Equal(t, resolver.ChangeUseName, done.Corrections[0].Changes[0].Change.Kind())
}

// TestApplyStops: applying ends with its context, with what was changed by then.
func TestApplyStops(t *testing.T) {
	req := testkit.Must(twoMistakes(t.Context()))(t)
	ctx, cancel := context.WithCancel(t.Context())
	tried := whatif.FindOptions{Tried: func([]resolver.Change, *resolver.Solution, error) { cancel() }}
	done, err := whatif.ApplyCorrections(ctx, resolver.New(), req, tried)
	testkit.As[*resolver.IncompleteError](t, err)
	require.True(t, errors.Is(err, context.Canceled))
	require.Nil(t, done.Solution)
	require.Empty(t, done.Corrections)
}

// TestApplyNoPath: a correction that is an upgrade path is not made at once.
func TestApplyNoPath(t *testing.T) {
	req := ladder(t)
	paths := whatif.FindOptions{Allow: func(c resolver.Change) bool { return c.Kind() == resolver.ChangeFollowChannel }}
	done, err := whatif.ApplyCorrections(t.Context(), resolver.New(), req, paths)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.NotEmpty(t, conflict.Corrections)
	require.Empty(t, done.Corrections)
}

func Example() {
	req := resolver.Request{Subscriptions: []resolver.Subscription{
		{Name: "etcd", Package: "etcd", Channels: []string{"alpha"}},
		{Name: "kafka", Package: "kafka"},
	}}
	changes := []resolver.Change{resolver.FollowChannel{Subscription: "etcd", Channel: "stable"}, resolver.DropSubscription{Subscription: "kafka"}}
	changed, err := req.Apply(changes...)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	fmt.Println(len(changed.Subscriptions), changed.Subscriptions[0].Channels)
	// Output:
	// let subscription etcd follow channel stable
	// drop subscription kafka
	// 1 [stable]
}

// The user's own request comes first among the corrections.
func ExampleFindCorrections() {
	ctx, r := context.Background(), resolver.New()
	req, err := twoMistakes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	req.Subscriptions = req.Subscriptions[:1]
	_, err = r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return
	}
	if err := whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{Commands: olm.Commands}); err != nil {
		log.Fatal(err)
	}
	for _, c := range conflict.Corrections {
		fmt.Println(c.Text, c.Result)
		for _, change := range c.Changes {
			fmt.Println(" ", change.Who, change.Commands)
		}
	}
	// Output:
	// release startingCSV etcd.v2 of subscription etcd [etcd.v1]
	//   administrator [kubectl -n operators patch subscription.operators.coreos.com etcd --type merge -p '{"spec":{"startingCSV":null}}']
	// let subscription etcd follow channel fast [etcd.v2]
	//   administrator [kubectl -n operators patch subscription.operators.coreos.com etcd --type merge -p '{"spec":{"channel":"fast"}}']
	// drop subscription etcd []
	//   administrator [kubectl -n operators delete subscription.operators.coreos.com etcd]
}
