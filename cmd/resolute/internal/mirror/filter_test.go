package mirror_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// filterJob is a configuration in the form that the filter which oc-mirror calls reads.
type filterJob struct {
	Full   bool
	Config struct {
		Packages []filterPackage `json:"packages"`
	}
}

type filterPackage struct {
	Name           string          `json:"name"`
	DefaultChannel string          `json:"defaultChannel,omitempty"`
	VersionRange   string          `json:"versionRange,omitempty"`
	Channels       []filterChannel `json:"channels,omitempty"`
}

type filterChannel struct {
	Name         string `json:"name"`
	VersionRange string `json:"versionRange,omitempty"`
}

// filterAnswer is what testdata/catalog-filter prints.
type filterAnswer struct {
	Error    string
	Defaults map[string]string
	Channels []channelAnswer
	Bundles  []string
}

type channelAnswer struct {
	Package, Name string
	Entries       []string
}

// versionRange is the range as oc-mirror makes it of the two keys.
func versionRange(lowest, highest string) string {
	r := ""
	if lowest != "" {
		r = ">=" + lowest
	}
	if highest != "" {
		r += " <=" + highest
	}
	return r
}

func newFilterJob(o mirror.Operator) filterJob {
	j := filterJob{Full: o.Full}
	j.Config.Packages = []filterPackage{}
	for _, p := range o.Packages {
		fp := filterPackage{Name: p.Name, DefaultChannel: p.DefaultChannel, VersionRange: versionRange(p.MinVersion, p.MaxVersion)}
		for _, c := range p.Channels {
			fp.Channels = append(fp.Channels, filterChannel{c.Name, versionRange(c.MinVersion, c.MaxVersion)})
		}
		j.Config.Packages = append(j.Config.Packages, fp)
	}
	return j
}

// selectionText is a selection in the shape of what the filter prints.
func selectionText(s *mirror.Selection) filterAnswer {
	a := filterAnswer{Defaults: map[string]string{}}
	for _, p := range s.Packages {
		a.Defaults[p.Name] = p.DefaultChannel
		for _, c := range p.Channels {
			a.Channels = append(a.Channels, channelAnswer{p.Name, c.Name, c.Entries})
		}
		for _, b := range p.Bundles {
			a.Bundles = append(a.Bundles, p.Name+"/"+b)
		}
	}
	return a
}

// TestSelectsWhatTheFilterSelects compares with the code that oc-mirror itself calls, on
// a real catalog. Build testdata/catalog-filter (see its go.mod) and name the program in
// RESOLUTE_CATALOG_FILTER.
func TestSelectsWhatTheFilterSelects(t *testing.T) {
	program := os.Getenv("RESOLUTE_CATALOG_FILTER")
	if program == "" {
		t.Skip("RESOLUTE_CATALOG_FILTER does not name a program built of testdata/catalog-filter")
	}
	name := testkit.Real(t, "community-v4.19.jsonl.gz")
	// The filter reads a directory, and decodes the whole for each configuration: so a
	// third of the packages is enough.
	dir := t.TempDir()
	part := testkit.Must(os.Create(filepath.Join(dir, "catalog.json")))(t)
	r := rand.New(rand.NewPCG(1, 2))
	keep := make(map[string]bool)
	for b, err := range fbc.Blobs(context.Background(), os.DirFS(filepath.Dir(name)), fbc.Options{File: filepath.Base(name)}) {
		require.NoError(t, err)
		if b.Schema == graph.SchemaPackage {
			keep[b.Name] = r.IntN(3) == 0
			b.Package = b.Name
		}
		if keep[b.Package] {
			_, err := part.Write(append(slices.Clone(b.Raw), '\n'))
			require.NoError(t, err)
		}
	}
	require.NoError(t, part.Close())
	content := testkit.Must(fbc.Load(context.Background(), os.DirFS(dir), fbc.Options{}))(t)

	var jobs bytes.Buffer
	var operators []mirror.Operator
	enc := json.NewEncoder(&jobs)
	for range 150 {
		o := drawOperator(r, content)
		operators = append(operators, o)
		require.NoError(t, enc.Encode(newFilterJob(o)))
	}
	cmd := exec.Command(program, dir)
	cmd.Stdin, cmd.Stderr = &jobs, os.Stderr
	out := testkit.Must(cmd.Output())(t)
	dec := json.NewDecoder(bytes.NewReader(out))
	refused, selected := 0, 0
	for i, o := range operators {
		var want filterAnswer
		require.NoError(t, dec.Decode(&want))
		// Where a chain ends in a bundle that the channel does not list, the filter can
		// leave a channel without entries, which is no valid catalog: we drop it.
		empty := 0
		want.Channels = slices.DeleteFunc(want.Channels, func(c channelAnswer) bool {
			if len(c.Entries) == 0 && want.Defaults[c.Package] == c.Name {
				empty++
			}
			return len(c.Entries) == 0
		})
		sel, err := mirror.Select(t.Context(), content, o)
		if empty > 0 {
			require.Error(t, err)
			continue
		}
		if want.Error != "" {
			refused++
			require.Error(t, err, "configuration %d: %+v: the filter says %s", i, o, want.Error)
			continue
		}
		require.NoError(t, err, "configuration %d: %+v", i, o)
		if slices.ContainsFunc(sel.Warnings, func(w string) bool { return strings.Contains(w, "takes any one of them") }) {
			continue
		}
		selected++
		got := selectionText(sel)
		slices.SortFunc(want.Channels, func(a, b channelAnswer) int {
			return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
		})
		require.Empty(t, gocmp.Diff(want, got), "configuration %d: %+v (-filter +ours)", i, o)
	}
	t.Logf("%d configurations selected the same, %d were refused by both", selected, refused)
	require.Greater(t, selected, 50)
	require.Greater(t, refused, 5)
}

// drawOperator draws a configuration that means something in a catalog, mostly.
func drawOperator(r *rand.Rand, content *cache.Catalog) mirror.Operator {
	packages := slices.Collect(content.Packages())
	o := mirror.Operator{Catalog: "c", Full: r.IntN(4) == 0}
	seen := make(map[string]bool)
	for range 1 + r.IntN(3) {
		p := packages[r.IntN(len(packages))]
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		want := mirror.Package{Name: p.Name}
		version := func() string {
			if len(p.Bundles) == 0 || r.IntN(3) == 0 {
				return ""
			}
			return p.Bundles[r.IntN(len(p.Bundles))].Version.String()
		}
		switch r.IntN(3) {
		case 0:
			if !o.Full {
				want.MinVersion, want.MaxVersion = version(), version()
				if r.IntN(3) == 0 {
					want.MaxVersion = want.MinVersion
				}
			}
		case 1:
			for _, ch := range p.Channels {
				if r.IntN(2) == 0 {
					continue
				}
				c := mirror.Channel{Name: ch.Name}
				if !o.Full {
					c.MinVersion, c.MaxVersion = version(), version()
					if r.IntN(3) == 0 {
						c.MaxVersion = c.MinVersion
					}
				}
				want.Channels = append(want.Channels, c)
			}
			if r.IntN(2) == 0 && len(want.Channels) > 0 {
				want.DefaultChannel = want.Channels[0].Name
			}
		}
		o.Packages = append(o.Packages, want)
	}
	return o
}
