package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// An answer that a session cannot give from what it keeps begins once all the same.
func TestHooksOfASessionBeginOnce(t *testing.T) {
	ctx := context.Background()
	searches := 0
	r := resolver.New(resolver.WithHooks(trace.Hooks{
		Search: func(_ context.Context, e trace.Event) {
			if e.Search != nil {
				searches++
			}
		},
	}))
	s := testkit.Must(r.Session(ctx, request("tracing")))(t)
	changes := []resolver.Change{
		whatif.ForbidBundle(resolver.BundleRef{Name: "collector.v2"}, ""), whatif.ForbidBundle(resolver.BundleRef{Name: "collector.v3"}, ""),
	}
	_, err := s.Resolve(ctx, changes...)
	conflict := testkit.As[*resolver.Conflict](t, err)
	inSession := searches

	req := testkit.Must(request("tracing").Apply(changes...))(t)
	searches = 0
	_, err = r.Resolve(ctx, req)
	require.ErrorAs(t, err, &conflict)
	require.NotZero(t, searches)
	require.Equal(t, searches, inSession)
}

// Questions that cannot be answered are told like all others: what begins, ends,
// with the error that the caller gets.
func TestHooksOfRefusedQuestions(t *testing.T) {
	ctx := context.Background()
	for name, ask := range map[string]func(*resolver.Session) error{
		"why not: no such bundle": func(s *resolver.Session) error {
			_, err := s.WhyNot(ctx, resolver.BundleRef{Name: "nowhere.v1"})
			return err
		},
		"why not: the context is over": func(s *resolver.Session) error {
			over, cancel := context.WithCancel(ctx)
			cancel()
			_, err := s.WhyNot(over, resolver.BundleRef{Name: "tracing.v1"})
			return err
		},
		"what if: no such subscription": func(s *resolver.Session) error {
			_, err := s.Resolve(ctx, whatif.DropSubscription("nowhere"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			began := 0
			var ended []error
			r := resolver.New(resolver.WithHooks(trace.Hooks{
				Resolution: func(_ context.Context, e trace.Event) context.Context {
					switch {
					case e.Began != nil:
						began++
					case e.Ended != nil:
						ended = append(ended, e.Ended.Err)
					}
					return nil
				},
			}))
			s := testkit.Must(r.Session(ctx, request("tracing")))(t)
			err := ask(s)
			require.Error(t, err)
			require.Equal(t, 1, began)
			require.Equal(t, []error{err}, ended)
		})
	}
}
