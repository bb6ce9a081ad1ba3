package audit_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// naiveAudit is the reference implementation of an audit: it audits one bundle after the other,
// each with its own requests and a complete path by Converge.
type naiveAudit struct {
	r        *resolver.Resolver
	catalogs []resolver.Catalog
	opts     audit.Options
}

// finding is the compared part of a finding. It has the JSON of a conflict, except for a conflict
// that ends a resolvable path.
type finding struct {
	Catalog, Package, Bundle string
	Installable              bool
	Conflict                 string
	Channel                  string
	Reaches                  bool
	Rounds                   int
	StuckAt, StuckConflict   string
	Orphans                  []string
	Incomplete               bool
}

func (n naiveAudit) all(t require.TestingT) []finding {
	var out []finding
	for _, c := range n.catalogs {
		for b := range c.Content.Bundles() {
			out = append(out, n.bundle(t, c, b))
		}
	}
	slices.SortFunc(out, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.Catalog, b.Catalog), strings.Compare(a.Package, b.Package), strings.Compare(a.Bundle, b.Bundle))
	})
	return out
}

func (n naiveAudit) bundle(t require.TestingT, c resolver.Catalog, b *graph.Bundle) finding {
	ctx := context.Background()
	f := finding{Catalog: c.Key.String(), Package: b.Package, Bundle: b.Name}
	ch := naiveChannel(c.Content.Package(b.Package), b)
	sub := resolver.Subscription{Name: b.Package, Package: b.Package, Catalog: c.Key, Pin: b.Name}
	if ch != nil {
		sub.Channels = []string{ch.Name}
	}
	req := resolver.Request{Namespace: n.opts.Namespace, Catalogs: n.catalogs, Cluster: n.opts.Cluster, Policy: n.opts.Policy,
		Subscriptions: []resolver.Subscription{sub}}
	req.Policy.Failures = resolver.FailuresAll
	sol, err := n.r.Resolve(ctx, req)
	f.Installable = err == nil
	if err == nil {
		req = req.Advance(sol)
		req.Subscriptions[0].Pin = ""
	} else {
		f.Conflict = conflictText(t, err)
		sub.Pin, sub.InstalledCSV = "", b.Name
		req.Subscriptions = []resolver.Subscription{sub}
	}
	if ch == nil {
		return f
	}
	if err != nil {
		req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version,
			Properties: &b.Properties, Catalog: c.Key, Channel: ch.Name}}
	}
	path, err := n.r.Converge(ctx, req, resolver.ConvergeOptions{})
	var malformed *resolver.RequestError
	if errors.As(err, &malformed) {
		f.Incomplete = true
		return f
	}
	at := path.Final.Subscriptions[0].InstalledCSV
	f.Channel, f.Rounds = ch.Name, len(path.Rounds)
	f.Reaches = err == nil && !path.Loop && ch.Head() != nil && ch.Head().Name == at
	if path.Last != nil {
		for _, w := range path.Last.Warnings {
			if w.Kind == resolver.WarningOrphan {
				f.Orphans = append(f.Orphans, w.Bundle)
			}
		}
	}
	switch {
	case f.Reaches:
		return f
	case err != nil:
		f.StuckConflict = conflictText(t, err)
	default:
		f.StuckConflict = "there is one"
	}
	f.StuckAt = at
	return f
}

func naiveChannel(pkg *graph.Package, b *graph.Bundle) *graph.Channel {
	if len(b.Places) > 0 {
		return b.Places[0].Channel
	}
	for _, ch := range pkg.Channels {
		for i := range ch.Entries {
			if ch.Entries[i].Name == b.Name {
				return ch
			}
		}
	}
	if len(pkg.Channels) > 0 {
		return pkg.Channels[0]
	}
	return nil
}

func conflictText(t require.TestingT, err error) string {
	conflict := testkit.As[*resolver.Conflict](t, err)
	text := testkit.Must(json.Marshal(conflict))(t)
	return string(text)
}

// likeNaive reduces findings of an audit to the content of the naive ones. Want identifies the
// paths that Converge ends without an error.
func likeNaive(t require.TestingT, got []*audit.Bundle, want []finding) []finding {
	var out []finding
	for i, b := range got {
		f := finding{Catalog: b.Catalog, Package: b.Package, Bundle: b.Bundle, Installable: b.Installable,
			Orphans: b.Orphans, Incomplete: b.Incomplete != ""}
		if b.Conflict != nil {
			f.Conflict = conflictText(t, b.Conflict)
		}
		if r := b.ReachesHead; r != nil {
			f.Channel, f.Reaches, f.Rounds, f.StuckAt = r.Channel, r.Reaches, r.Rounds, r.StuckAt
			if r.Conflict != nil {
				f.StuckConflict = conflictText(t, r.Conflict)
				if i < len(want) && want[i].StuckConflict == "there is one" {
					f.StuckConflict = "there is one"
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// TestPropertyIsTheNaiveOne compares the findings, which share sessions and paths, with those of
// separate requests and paths for each bundle; and the shards with the complete audit.
func TestPropertyIsTheNaiveOne(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	rapid.Check(t, func(t *rapid.T) {
		req := c.Request(draw.Problem().Draw(t, "problem"))
		opts := audit.Options{Namespace: req.Namespace, Cluster: req.Cluster, Policy: req.Policy,
			Workers: rapid.IntRange(1, 4).Draw(t, "workers")}
		var got []*audit.Bundle
		whole := linesOf(t, r, req.Catalogs, opts, &got)
		want := naiveAudit{r, req.Catalogs, opts}.all(t)
		if d := gocmp.Diff(want, likeNaive(t, got, want)); d != "" {
			t.Fatalf("findings (- naive, + audit):\n%s", d)
		}
		opts.Shards = rapid.IntRange(1, 4).Draw(t, "shards")
		var shards []string
		for opts.Shard = range opts.Shards {
			shards = append(shards, linesOf(t, r, req.Catalogs, opts, nil))
		}
		merged := testkit.Must(mergeBytes(shards))(t)
		require.Equal(t, timeless(whole), timeless(merged))
	})
}

// linesOf runs an audit and returns its JSON lines.
func linesOf(t require.TestingT, r *resolver.Resolver, catalogs []resolver.Catalog, opts audit.Options, found *[]*audit.Bundle) string {
	var out strings.Builder
	opts.Each = func(b *audit.Bundle) error {
		if found != nil {
			*found = append(*found, b)
		}
		return b.WriteLine(&out)
	}
	sum := testkit.Must(audit.Run(context.Background(), r, catalogs, opts))(t)
	require.NoError(t, sum.WriteLine(&out))
	return out.String()
}

// mergeBytes merges shards.
func mergeBytes(parts []string) (string, error) {
	readers := make([]io.Reader, len(parts))
	for i, s := range parts {
		readers[i] = strings.NewReader(s)
	}
	var out strings.Builder
	sum, err := audit.Merge(func(b *audit.Bundle) error { return b.WriteLine(&out) }, readers...)
	if err != nil {
		return "", err
	}
	err = sum.WriteLine(&out)
	return out.String(), err
}

// timeless removes the measured seconds from JSON lines.
func timeless(lines string) string {
	return regexp.MustCompile(`"seconds":[^,}]*`).ReplaceAllString(lines, `"seconds":0`)
}
