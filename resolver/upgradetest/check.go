package upgradetest

import (
	"context"
	"errors"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
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

// CheckAll checks all properties of a catalog and reports each finding as an error of
// the test, with the smallest case and how to replay it. It returns the report.
//
//	func TestCatalog(t *testing.T) {
//		catalog, err := fbc.Load(t.Context(), os.DirFS("catalog"), fbc.Options{})
//		...
//		upgradetest.CheckAll(t, catalog, upgradetest.Options{})
//	}
//
// The report is nil if an option cannot be used, which fails the test too.
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
		tell(t, report)
	}
	if err != nil {
		t.Errorf("%v", err)
		var incomplete *IncompleteError
		if !errors.As(err, &incomplete) {
			t.Logf("nothing else was checked")
		}
	}
	return report
}
func tell(t TB, report *Report) {
	t.Helper()
	for i := range report.Findings {
		t.Errorf("%s", report.Findings[i].Text())
	}
	for _, e := range report.Excepted {
		t.Logf("known: %s (%s)", &e.Finding, e.Reason)
	}
	for _, name := range report.Idle {
		t.Logf("nothing was found for the exception of %s: it is no longer needed", text.Name(name))
	}
	sampled := false
	for _, l := range report.Looked {
		if l.Cases < l.Of {
			sampled = true
			t.Logf("%s: looked at %d of %d cases; see Options.Sample", l.Property, l.Cases, l.Of)
		}
	}
	if sampled || len(report.Findings) > 0 {
		t.Logf("seed %d", report.Seed)
	}
}
