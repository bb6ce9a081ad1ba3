package sat

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// pigeonhole adds, while the returned guard holds, that each of n+1 pigeons
// sits in one of n holes and no two share one. It takes a clause-learning
// solver exponential time.
func pigeonhole(n int) (s *Solver, birds Lit) {
	s = New(Options{})
	birds = s.NewVar()
	in := make([][]Lit, n) // by hole
	for range n + 1 {
		holes := s.newVars(n)
		s.Add(append(holes, birds.Not())...)
		for h, l := range holes {
			in[h] = append(in[h], l)
		}
	}
	for _, pigeons := range in {
		s.AtMostOne(pigeons, 0)
	}
	return s, birds
}

const hopeless = 13 // pigeons: minutes at least

// An interrupted solve leaks no goroutine and leaves the solver usable.
func TestSolveStopsWhenTheContextEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	s, birds := pigeonhole(hopeless)
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		status, err := s.Solve(ctx, birds)
		require.Equal(t, Unknown, status)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(start), 2*time.Second)
		cancel()
	}
	requireGoroutines(t, before)
	require.Equal(t, 3, s.Solves())

	checkStatus(t, s, Satisfiable, birds.Not())
	s.Add(birds)
	checkStatus(t, s, Unsatisfiable, birds.Not())
	require.Equal(t, []Lit{birds.Not()}, s.Failed())
}

func TestSolveDoesNotStartUnderAnEndedContext(t *testing.T) {
	s := New(Options{})
	s.Add(s.NewVar())
	ctx := testkit.Ended()
	status, err := s.Solve(ctx)
	require.Equal(t, Unknown, status)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "stopped after 0 solver calls: context canceled")
	require.Zero(t, s.Solves())
}

// The context ends at any moment of a short solve: before, during, after. The
// answer, if any, is correct, and nothing hangs.
func TestContextEndsAtAnyMoment(t *testing.T) {
	before := runtime.NumGoroutine()
	s, birds := pigeonhole(5)
	var answers, stops int
	for i := range 400 {
		if i%20 == 0 {
			s, birds = pigeonhole(5 + i/20%3)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%20*i)*time.Microsecond/2)
		assumption := Lit(2 + i%20)
		switch status, err := s.Solve(ctx, birds, assumption); {
		case err != nil:
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, Unknown, status)
			stops++
		default:
			require.Equal(t, Unsatisfiable, status)
			answers++
		}
		cancel()
	}
	require.Positive(t, answers)
	require.Positive(t, stops)
	requireGoroutines(t, before)
}

// requireGoroutines waits briefly for exiting goroutines and fails if there
// are more than before.
func requireGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "a goroutine outlived its solve")
	}
}

// BenchmarkStop measures the delay between the end of the context and the
// return of a hopeless solve.
func BenchmarkStop(b *testing.B) {
	for _, n := range []int{hopeless, 40} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, birds := pigeonhole(n)
			var total, worst time.Duration
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				var ended time.Time
				timer := time.AfterFunc(20*time.Millisecond, func() { ended = time.Now(); cancel() })
				if _, err := s.Solve(ctx, birds); err == nil {
					b.Fatal("solved a hopeless problem")
				}
				late := time.Since(ended)
				timer.Stop()
				total, worst = total+late, max(worst, late)
			}
			b.ReportMetric(float64(total.Microseconds())/float64(b.N), "µs-late/op")
			b.ReportMetric(float64(worst.Microseconds()), "µs-worst")
		})
	}
}

// TestStopsWhileClausesArePassedOn: clauses that the backend has not received
// when the context ends are passed on in the next solve.
func TestStopsWhileClausesArePassedOn(t *testing.T) {
	s := New(Options{})
	first := s.NewVar()
	s.Add(first)
	last := first
	for range flushStep {
		next := s.NewVar()
		s.Add(last.Not(), next)
		last = next
	}
	all := len(s.pending)
	_, err := s.Solve(&testkit.CountingContext{Context: t.Context(), Ends: 3}, last.Not())
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, len(s.pending), all)
	require.NotEmpty(t, s.pending)
	checkStatus(t, s, Unsatisfiable, last.Not())
	require.Empty(t, s.pending)
}

// shortly is a context with a near deadline, which passes as soon as somebody
// waits for it.
type shortly struct {
	context.Context
	in     time.Duration
	waited bool
}

func (c *shortly) Deadline() (time.Time, bool) { return time.Now().Add(c.in), true }

func (c *shortly) Err() error {
	if c.waited {
		return context.DeadlineExceeded
	}
	return nil
}

func (c *shortly) Done() <-chan struct{} {
	c.waited = true
	over := make(chan struct{})
	close(over)
	return over
}

// Uninterruptible work that would exceed the deadline is not started.
func TestManyVariablesAreNotBegunBeforeADeadline(t *testing.T) {
	for _, tc := range []struct {
		vars  int
		in    time.Duration
		begun bool
	}{
		{manyVars, time.Millisecond, false}, {manyVars, time.Hour, true}, {manyVars - 1, time.Millisecond, true},
	} {
		s := New(Options{})
		s.Add(s.newVars(tc.vars)...)
		ctx := &shortly{Context: context.Background(), in: tc.in}
		require.Equal(t, tc.begun, s.start(ctx), "%d variables", tc.vars)
		require.Equal(t, tc.begun, s.backend != nil)
		if !tc.begun {
			status, err := s.Solve(&shortly{Context: context.Background(), in: tc.in})
			require.Equal(t, Unknown, status)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			status, err = s.Solve(context.Background())
			require.Equal(t, Satisfiable, status, "the solver stays usable")
			require.NoError(t, err)
		}
	}
}
