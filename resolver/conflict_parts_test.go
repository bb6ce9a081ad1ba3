package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// A program that shows conflicts in its own way starts from the headline, and
// tells candidates that were ruled out from those that nearly were some.
func ExampleConflict_Headline() {
	req := request("tracing")
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "tracing.v1"}, Message: "known data loss"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		fmt.Println("solved")
		return
	}
	fmt.Println(conflict.Headline())
	for _, f := range conflict.Facts {
		for _, c := range f.Candidates {
			if !c.NearMiss() {
				fmt.Printf("%s %s\n", c.Bundle, c.Text)
			}
		}
	}
	// Output:
	// subscription tracing cannot be met
	// tracing.v1 is forbidden by the request
}

// Argument is what Text says.
func TestArgumentIsTheText(t *testing.T) {
	req := request("tracing")
	req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "tracing.v1"}}}
	_, err := resolver.New().Resolve(context.Background(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Equal(t, conflict.Argument().Text(), conflict.Text())
	require.Equal(t, conflict.Headline()+": tracing.v1 is forbidden by the request", err.Error())
	require.Contains(t, conflict.Text(), "tracing.v1 is forbidden by the request")
}

// A session tells what it is about, and a catalog that is put in the place of
// another changes an answer as a fresh request would.
func TestReplaceInASession(t *testing.T) {
	ctx, req := context.Background(), request("tracing")
	s := testkit.Must(resolver.New().Session(ctx, req))(t)
	require.Equal(t, req, s.Request())
	before := testkit.Must(s.Resolve(ctx))(t)
	same := testkit.Must(s.Resolve(ctx, whatif.ReplaceCatalog(req.Catalogs[0])))(t)
	require.True(t, whatif.Compare(before, same).Empty())

	other := universe.Catalogs(t, "tracing/c tracing.v1")[0]
	other.Key = req.Catalogs[0].Key
	after := testkit.Must(s.Resolve(ctx, whatif.ReplaceCatalog(other)))(t)
	require.False(t, whatif.Compare(before, after).Empty())
	require.Contains(t, after.Set(), "tracing.v1")
	require.Len(t, after.Set(), 1, "there tracing requires nothing")
	require.Equal(t, req, s.Request(), "a change holds for one answer")
}

// What is said of changes shows names as text.
func TestChangesAreInert(t *testing.T) {
	for _, c := range []resolver.Change{
		whatif.DropSubscription("\x1b[31m\u202e"), whatif.PinSubscription("a\nb", "\x00"), whatif.RemoveInstalled("\u009b2J"),
		whatif.ForbidBundle(resolver.BundleRef{Name: "\x1b"}, "\x1b[2J"), whatif.ForceBundle(resolver.BundleRef{Name: "\u2028"}),
	} {
		requireTame(t, c.String())
		require.NotContains(t, c.String(), "\n")
	}
}
