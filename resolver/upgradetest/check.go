package upgradetest

import (
	"context"
	"errors"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// TB is the part of a test that a check uses: [testing.T], [testing.B], [testing.F] and rapid.T
// implement it. If it also has a Context method, as these do, the check ends with that context;
// if it has a Deadline method, a little before the deadline.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// reserve is the time before the deadline of a test that is reserved for reporting.
const reserve = 3 * time.Second

// CheckAll checks a catalog and reports each finding as an error of the test, with the
// smallest case and how to replay it. It returns the report.
//
//	func TestCatalog(t *testing.T) {
//		catalog, err := fbc.Load(t.Context(), os.DirFS("catalog"), fbc.Options{})
//		...
//		upgradetest.CheckAll(t, catalog, upgradetest.Options{})
//	}
//
// The report is nil if an option is invalid, or the check ended before it was
// complete, which fails the test too.
func CheckAll(t TB, catalog *cache.Catalog, opts Options) *Report {
	t.Helper()
	ctx := context.Background()
	if with, ok := t.(interface{ Context() context.Context }); ok {
		ctx = with.Context()
	}
	if with, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := with.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
			defer cancel()
		}
	}
	report, err := Run(ctx, catalog, opts)
	if report != nil {
		for i := range report.Findings {
			t.Errorf("%s", report.Findings[i].Lines())
		}
		for _, e := range report.Excepted {
			t.Logf("known: %s (%s)", &e.Finding, e.Reason)
		}
		for _, name := range report.Idle {
			t.Logf("no finding matches the exception for %s: remove it", text.Name(name))
		}
	}
	var incomplete *resolver.IncompleteError
	if errors.As(err, &incomplete) {
		t.Errorf("the check ended before it was complete: %v; give it more time, or fewer packages with Packages", err)
	} else if err != nil {
		t.Errorf("%v", err)
	}
	return report
}
