package upgradetest

import (
	"context"
	"errors"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// TB is what a check needs of a test: [testing.T], [testing.B], [testing.F] and
// rapid.T have it. Where it has a Context, as these do, the check ends with it;
// where it has a Deadline, a little before.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// reserve is how long before its deadline a test stops checking, to report.
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
// The report is nil if an option cannot be used, or the check ended before it was
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
			t.Logf("nothing was found for the exception of %s: it is no longer needed", text.Name(name))
		}
	}
	var incomplete *resolver.IncompleteError
	if errors.As(err, &incomplete) {
		t.Errorf("the check ended before it was complete: %v; give it more time, or less to look at with Packages", err)
	} else if err != nil {
		t.Errorf("%v", err)
	}
	return report
}
