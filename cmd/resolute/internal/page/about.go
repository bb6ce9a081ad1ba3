package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
)

// iconOf returns the call for the icon of a package, or the path of a file with it, or "".
func iconOf(key cache.Key, p *listing.Package) string {
	if strings.HasPrefix(p.Icon, "data:") {
		return "api/icon?" + url.Values{"catalog": {key.String()}, "name": {p.Name}}.Encode()
	}
	return p.Icon
}

// icon returns the icon of a package as a data URL.
func (h *Handler) icon(ctx context.Context, q *question) (any, error) {
	i, err := h.catalogOf(q.Catalog)
	if err != nil {
		return nil, err
	}
	p := h.listings[i].Package(q.name)
	if p == nil {
		return nil, h.noPackage(ctx, q.name)
	}
	return map[string]string{"icon": p.Icon}, nil
}

// catalogOf returns the index of a catalog.
func (h *Handler) catalogOf(name string) (int, error) {
	key, err := cache.ParseKey(name)
	if err != nil {
		return 0, bad("catalog: %v", err)
	}
	for i, c := range h.catalogs {
		if c.Key == key {
			return i, nil
		}
	}
	return 0, &Problem{StatusNotFound, "the page has no catalog " + key.String()}
}

// about is the page of a package.
type about struct {
	listed
	Keywords    []string      `json:"keywords,omitempty"`
	Description string        `json:"description,omitempty"`
	Deprecated  string        `json:"deprecated,omitempty"`
	Channels    []channelLine `json:"channels"`
	Provides    []string      `json:"provides"`
	// Needs lists the requirements of its bundles, Dependents the packages that need it.
	Needs      []need      `json:"needs"`
	Dependents []dependent `json:"dependents"`
	More       int         `json:"more,omitempty"` // entries left out of all lists
}

// channelLine is a channel with its candidates, best first.
type channelLine struct {
	Name    string    `json:"name"`
	Default bool      `json:"default,omitempty"`
	Entries []version `json:"entries"`
	Count   int       `json:"count"`
}

// need is a requirement of bundles of a package, and the packages that can meet it. Head is true
// if the head of the default channel has it.
type need struct {
	Text     string   `json:"text"`
	Packages []string `json:"packages"`
	Bundles  int      `json:"bundles"`
	Head     bool     `json:"head,omitempty"`
}

// dependent is a package that needs another one.
type dependent struct {
	Package string `json:"package"`
	Text    string `json:"text"`
	Bundles int    `json:"bundles"`
	Only    bool   `json:"only,omitempty"` // no other package can meet the requirement
}

// about describes a package: its versions and channels, its APIs, what it needs and who needs it.
func (h *Handler) about(ctx context.Context, q *question) (any, error) {
	i, err := h.catalogOf(q.Catalog)
	if err != nil {
		return nil, err
	}
	p, described := h.catalogs[i].Content.Package(q.name), h.listings[i].Package(q.name)
	if p == nil || described == nil {
		return nil, h.noPackage(ctx, q.name)
	}
	out := &about{listed: list(h.catalogs[i].Key, described), Keywords: described.Keywords, Description: described.Description,
		Channels: []channelLine{}, Provides: bounded(described.Provides, new(int))}
	out.channels(p)
	r := &relations{content: h.catalogs[i].Content, pkg: p, head: described.Bundle, needs: map[string]*need{}, dependents: map[string]*dependent{}, meeting: map[string][]string{}}
	if err := r.scan(ctx); err != nil {
		return nil, err
	}
	out.Needs, out.Dependents = bounded(r.sortedNeeds(), &out.More), bounded(r.sortedDependents(), &out.More)
	return out, nil
}

// bounded returns at most MaxListed entries, and adds the number of others.
func bounded[T any](list []T, more *int) []T {
	n := min(len(list), MaxListed)
	*more += len(list) - n
	return list[:n]
}

func (a *about) channels(p *graph.Package) {
	left := MaxListed
	for _, ch := range p.Channels[:min(len(p.Channels), MaxListed)] {
		line := channelLine{Name: ch.Name, Default: ch.Name == p.DefaultChannel, Entries: []version{}}
		for _, b := range ch.Candidates() {
			if line.Count++; left > 0 {
				left--
				line.Entries = append(line.Entries, version{Bundle: b.Name, Version: b.VersionText()})
			} else {
				a.More++
			}
		}
		a.Channels = append(a.Channels, line)
	}
	slices.SortStableFunc(a.Channels, func(x, y channelLine) int {
		return cmp.Compare(order(x.Default), order(y.Default))
	})
}

// order puts what is true first.
func order(first bool) int {
	if first {
		return 0
	}
	return 1
}

// relations finds what a package needs and who needs it.
type relations struct {
	content *cache.Catalog
	pkg     *graph.Package
	head    string

	needs      map[string]*need
	dependents map[string]*dependent
	meeting    map[string][]string // packages that can meet a constraint, by its key
}

// scan looks at the requirements of all candidates.
func (r *relations) scan(ctx context.Context) error {
	for p := range r.content.Packages() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range p.Bundles {
			if len(b.Places) == 0 || b.Quarantine != nil {
				continue
			}
			for _, c := range b.Constraints {
				r.requirement(p, b, c.Constraint)
			}
		}
	}
	return nil
}

// requirement adds a requirement of a bundle.
func (r *relations) requirement(p *graph.Package, b *graph.Bundle, c constraints.Constraint) {
	meeting := r.packages(c)
	if p == r.pkg {
		n := r.needs[c.Key()]
		if n == nil {
			n = &need{Text: c.String(), Packages: meeting}
			r.needs[c.Key()] = n
		}
		n.Bundles++
		n.Head = n.Head || b.Name == r.head
		return
	}
	if !slices.Contains(meeting, r.pkg.Name) {
		return
	}
	d := r.dependents[p.Name]
	if d == nil {
		d = &dependent{Package: p.Name, Text: c.String(), Only: len(meeting) == 1}
		r.dependents[p.Name] = d
	}
	d.Bundles++
	d.Only = d.Only || len(meeting) == 1
}

// packages returns the packages with a candidate that can meet one of the atoms of a constraint,
// sorted.
func (r *relations) packages(c constraints.Constraint) []string {
	if known, ok := r.meeting[c.Key()]; ok {
		return known
	}
	out := []string{}
	ids := func(list []int32, matches func(*graph.Bundle) bool) {
		for _, id := range list {
			if b := r.content.Bundle(id); len(b.Places) > 0 && b.Quarantine == nil && matches(b) {
				out = append(out, b.Package)
			}
		}
	}
	all := func(*graph.Bundle) bool { return true }
	constraints.Walk(c, func(c constraints.Constraint) bool {
		switch c := c.(type) {
		case *constraints.Package:
			ids(r.content.InPackage(c.Name), func(b *graph.Bundle) bool { return c.Range.Contains(*b.Version) })
		case *constraints.GVK:
			ids(r.content.Providers(c.GVK), all)
		case *constraints.Label:
			ids(r.content.Labelled(c.Label), all)
		case *constraints.Not:
			return false
		}
		return true
	})
	slices.Sort(out)
	out = slices.Compact(out)
	r.meeting[c.Key()] = out
	return out
}

func (r *relations) sortedNeeds() []need {
	out := make([]need, 0, len(r.needs))
	for _, n := range r.needs {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b need) int {
		return cmp.Or(cmp.Compare(order(a.Head), order(b.Head)), -cmp.Compare(a.Bundles, b.Bundles), cmp.Compare(a.Text, b.Text))
	})
	return out
}

func (r *relations) sortedDependents() []dependent {
	out := make([]dependent, 0, len(r.dependents))
	for _, d := range r.dependents {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b dependent) int {
		return cmp.Or(cmp.Compare(order(a.Only), order(b.Only)), cmp.Compare(a.Package, b.Package))
	})
	return out
}
