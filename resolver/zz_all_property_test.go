package resolver_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/internal/oracle/draw"
	"github.com/seed109e2655/resolute/resolver"
)

func TestAllFailures(t *testing.T) {
	n := setting(t, "RESOLUTE_ALL", 0)
	first := setting(t, "RESOLUTE_SEED", 0)
	r, c := resolver.New(), newConverter()
	holds := func(p *oracle.Problem) error { return c.agree(r, p) }
	digits := regexp.MustCompile(`[abcde]\.v\d|[a-z]\d|"[^"]*"|\d`)
	seen := map[string]int{}
	f, _ := os.Create("/tmp/failures.txt")
	defer f.Close()
	for seed := first; seed < first+n; seed++ {
		p := draw.Problem().Example(seed)
		if err := holds(p); err != nil {
			q := oracle.Shrink(p, func(p *oracle.Problem) bool { return holds(p) != nil })
			msg := holds(q).Error()
			sig := digits.ReplaceAllString(msg, "X")
			seen[sig]++
			if seen[sig] == 1 {
				fmt.Fprintf(f, "=== seed %d: %s\n%s\n", seed, msg, q.Scenario())
			}
		}
	}
	total := 0
	for _, n := range seen {
		total += n
	}
	t.Log(total, "failures,", len(seen), "kinds")
}
