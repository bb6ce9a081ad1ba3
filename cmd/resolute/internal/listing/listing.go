// Package listing describes the packages of a catalog in the words that people search for: names,
// descriptions, keywords, providers and APIs. `resolute list` and the page share it.
package listing

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// Package is a package with its description.
type Package struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
	// Summary is one line about the package, as its author wrote it.
	Summary string `json:"summary,omitempty"`
	// Provider is the name of its provider.
	Provider string `json:"provider,omitempty"`
	// Keywords are the words under which its author wants it found.
	Keywords []string `json:"keywords,omitempty"`

	DefaultChannel string   `json:"defaultChannel,omitempty"`
	Channels       []string `json:"channels"`
	// Bundle is the head of the default channel; Version is its version.
	Bundle  string `json:"bundle,omitempty"`
	Version string `json:"version,omitempty"`
	// Provides lists the APIs of all bundles, as group/version/Kind, sorted.
	Provides []string `json:"provides"`

	// Description is the long description, as Markdown.
	Description string `json:"-"`
	// Icon is an image as a data URL, see [Icon], or the path of a file with one.
	Icon string `json:"-"`

	fields [fields]string // what is searched, in lower case
}

// The fields of a package that are searched, most relevant first.
const (
	inName = iota
	inDisplayName
	inKeywords
	inKinds
	inProvider
	inSummary
	inDescription
	fields
)

// Index lists the packages of a catalog. Describe it before it is shared; it is then safe for
// concurrent use.
type Index struct {
	packages []*Package
	byName   map[string]*Package
}

// New returns the index of a catalog, without descriptions.
func New(content *cache.Catalog) *Index {
	x := &Index{byName: make(map[string]*Package)}
	for p := range content.Packages() {
		l := &Package{Name: p.Name, DefaultChannel: p.DefaultChannel, Channels: []string{}, Provides: []string{}}
		for _, ch := range p.Channels {
			l.Channels = append(l.Channels, ch.Name)
		}
		if b := headOf(p); b != nil {
			l.Bundle, l.Version = b.Name, b.VersionText()
		}
		for _, b := range p.Bundles {
			for api := range b.Properties.GVKs() {
				l.Provides = append(l.Provides, api.String())
			}
		}
		slices.Sort(l.Provides)
		l.Provides = slices.Compact(l.Provides)
		l.prepare()
		x.packages = append(x.packages, l)
		x.byName[l.Name] = l
	}
	slices.SortFunc(x.packages, func(a, b *Package) int { return cmp.Compare(a.Name, b.Name) })
	return x
}

// headOf returns the best bundle of the default channel, or the newest bundle of the package if
// the channel has none. It may be nil.
func headOf(p *graph.Package) *graph.Bundle {
	if ch := p.Channel(p.DefaultChannel); ch != nil {
		for _, b := range ch.Candidates() {
			return b
		}
	}
	return Newest(p)
}

// Newest returns the newest bundle of a package, preferring candidates. It may be nil.
func Newest(p *graph.Package) *graph.Bundle {
	var best *graph.Bundle
	rank := func(b *graph.Bundle) int {
		if b.Quarantine == nil && len(b.Places) > 0 && !b.Barred {
			return 1
		}
		return 0
	}
	for _, b := range p.Bundles {
		if best == nil || cmp.Or(cmp.Compare(rank(b), rank(best)), b.CompareVersion(best)) > 0 {
			best = b
		}
	}
	return best
}

// Packages returns all packages, by name.
func (x *Index) Packages() []*Package { return x.packages }

// Package returns the package of that name, or nil.
func (x *Index) Package(name string) *Package { return x.byName[name] }

// prepare sets the text that is searched.
func (p *Package) prepare() {
	for i, s := range [fields]string{p.Name, p.DisplayName, strings.Join(p.Keywords, "\n"), strings.Join(p.Provides, "\n"), p.Provider, p.Summary, p.Description} {
		p.fields[i] = strings.ToLower(s)
	}
}

// Words splits a search text.
func Words(wanted string) []string { return strings.Fields(strings.ToLower(wanted)) }

// Search returns the packages in which every word occurs, the best matches first: a word in a name
// counts more than one in a description.
func (x *Index) Search(ctx context.Context, words []string) ([]*Package, error) {
	type match struct {
		*Package
		rank int
	}
	var found []match
	for _, p := range x.packages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if rank, ok := p.rank(words); ok {
			found = append(found, match{p, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]*Package, len(found))
	for i, m := range found {
		out[i] = m.Package
	}
	return out, nil
}

// rank reports whether every word occurs in the package, and how far down the list it belongs.
func (p *Package) rank(words []string) (int, bool) {
	rank := 0
	for _, word := range words {
		i := slices.IndexFunc(p.fields[:], func(s string) bool { return strings.Contains(s, word) })
		if i < 0 {
			return 0, false
		}
		rank += 4 * i
		if i == inKinds && strings.Contains("\n"+p.fields[i]+"\n", "/"+word+"\n") || strings.HasPrefix(p.fields[i], word) {
			rank -= 2 // a whole kind, or the start of a name
		}
		if p.fields[i] == word {
			rank--
		}
	}
	return rank, true
}

// Near returns packages with a name, display name or kind similar to a text.
func (x *Index) Near(ctx context.Context, wanted string, limit int) []string {
	of := make(map[string]string) // package by possible spelling
	names := func(yield func(string) bool) {
		for _, p := range x.packages {
			if ctx.Err() != nil {
				return
			}
			for _, s := range append([]string{p.fields[inName], p.fields[inDisplayName]}, text.Each(p.Kinds(), strings.ToLower)...) {
				if _, known := of[s]; s == "" || known {
					continue
				}
				if of[s] = p.Name; !yield(s) {
					return
				}
			}
		}
	}
	near := text.Near(strings.ToLower(wanted), text.Until(ctx, iter.Seq[string](names)), limit)
	if ctx.Err() != nil {
		return nil
	}
	return text.Distinct(text.Each(near, func(s string) string { return of[s] }))
}

// Kinds returns the kinds of the APIs that the package provides.
func (p *Package) Kinds() []string {
	return text.Distinct(text.Each(p.Provides, func(api string) string { return api[strings.LastIndexByte(api, '/')+1:] }))
}
