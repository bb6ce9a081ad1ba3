// Package lock keeps the answer to a scenario in a file, as Cargo.lock keeps that to a Cargo.toml.
//
// A [Lock] holds the question, the digests of its catalogs, every bundle of the answer with the
// digest of its image, and the certificate that proves the answer. [Verify] decides from it
// whether the answer is still valid and still the best one for the current catalogs and cluster,
// and lists the changes by kind. As long as the certificate holds, that takes no search.
//
//	l, err := lock.Make(ctx, resolver.New(), question, loaded.Request.Catalogs)
//	err = l.WriteFile("resolute.lock")
//	…
//	l, err = lock.Read(ctx, file, "resolute.lock")
//	v, err := lock.Verify(ctx, resolver.New(), l, now) // v.Valid, v.Best, v.Drift
//
// To update a lock, make a new one for [Lock.Question] and [Compare] their bundles.
//
// The file is YAML with the keys of [Lock]. The same question and catalogs give the same bytes
// on every machine. A program must not change a Lock that it read or made.
package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Version is the version of the format.
const Version = 1

// The limits of a lock. Beyond them it is neither made nor read.
const (
	MaxBytes  = scenario.MaxBytes // 32 MiB
	MaxValues = 1 << 20           // numbers, texts, lists and mappings
)

// Lock is the locked answer to a question.
type Lock struct {
	// Version is the version of the format.
	Version int `json:"version"`
	// Question is the scenario without its what-ifs and expectation. Paths of its catalogs are
	// relative to the lock.
	Question *scenario.Scenario `json:"question"`
	// Catalogs are the digests of the catalogs, by key.
	Catalogs []certificate.Catalog `json:"catalogs"`
	// Bundles are the bundles of the answer in installation order, kept ones included.
	Bundles []Bundle `json:"bundles"`
	// Certificate proves that the bundles are the best answer to the question.
	Certificate *certificate.Certificate `json:"certificate"`
	// Digest is the digest of all other keys, so that a lock that was edited or truncated is not
	// used by mistake. It is no signature.
	Digest string `json:"digest"`
}

// Bundle is a bundle of a locked answer.
type Bundle struct {
	// Name is the name of the bundle.
	Name string `json:"name"`
	// Package and Version are empty if they are unknown, for an installed bundle.
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	// Catalog ("namespace/name") and Channel are its origin, if known.
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Installed reports that it was installed already and stays.
	Installed bool `json:"installed,omitempty"`
	// Image is its image; empty if no catalog says it. ImageDigest is the digest that the image
	// names.
	Image       string `json:"image,omitempty"`
	ImageDigest string `json:"imageDigest,omitempty"`
	// Unpinned reports that the image names no digest: the registry can replace its content.
	Unpinned bool `json:"unpinned,omitempty"`
	// Subscriptions are the subscriptions and extensions that ask for it, and RequiredBy the
	// bundles that require it. A lock of a question with one subscription or extension has neither.
	Subscriptions []string `json:"subscriptions,omitempty"`
	RequiredBy    []string `json:"requiredBy,omitempty"`
}

// Make resolves a scenario and locks the answer. The catalogs have the content of the catalogs of
// the scenario, as [scenario.Loaded] has it; each must have been read.
//
// The error is a [*scenario.Error] or a [*resolver.RequestError] for an invalid question, a
// [*resolver.Conflict] if there is no solution, [resolver.ErrNotProven] for an answer without a
// proof, a [*CatalogError], a [*resolver.IncompleteError], or an [*Error] if the lock would
// exceed its limits.
func Make(ctx context.Context, r *resolver.Resolver, question *scenario.Scenario, catalogs []resolver.Catalog) (*Lock, error) {
	if question == nil {
		return nil, &Error{Message: "there is no question"}
	}
	q := *question
	q.WhatIf, q.Expect = nil, nil
	canonical, err := canonicalQuestion(ctx, &q)
	if err != nil {
		return nil, err
	}
	req, err := canonical.Request()
	if err != nil {
		return nil, err
	}
	if err := fill(&req, catalogs); err != nil {
		return nil, err
	}
	sol, err := r.Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	cert, err := certificate.Make(ctx, r, req)
	if err != nil {
		return nil, err
	}
	l := &Lock{Version: Version, Question: canonical, Catalogs: cert.Catalogs, Bundles: bundlesOf(&req, sol), Certificate: cert}
	return l.sealed(ctx)
}

// CatalogError means that a question needs a catalog that was not read.
type CatalogError struct {
	// Key names the catalog.
	Key cache.Key
	// Err is the reason; nil if its content was not given.
	Err error
}

// Error names the catalog and the reason.
func (e *CatalogError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("catalog %s was not read, and is needed to decide", e.Key)
	}
	return fmt.Sprintf("catalog %s cannot be read: %v", e.Key, e.Err)
}

// Unwrap returns the reason.
func (e *CatalogError) Unwrap() error { return e.Err }

// fill gives the catalogs of a request their content.
func fill(req *resolver.Request, catalogs []resolver.Catalog) error {
	for i := range req.Catalogs {
		c := &req.Catalogs[i]
		for _, read := range catalogs {
			if read.Key == c.Key {
				c.Content, c.Unavailable = read.Content, read.Unavailable
			}
		}
		if c.Content == nil || c.Unavailable != nil {
			return &CatalogError{c.Key, c.Unavailable}
		}
	}
	return nil
}

// bundlesOf lists the bundles of a solution in their order.
func bundlesOf(req *resolver.Request, sol *resolver.Solution) []Bundle {
	out := make([]Bundle, 0, len(sol.Steps))
	several := len(req.Subscriptions)+len(req.Extensions) > 1
	for i := range sol.Steps {
		s := &sol.Steps[i]
		b := Bundle{Name: s.Bundle, Package: s.Package, Channel: s.Channel, Installed: s.Action == resolver.Keep}
		if s.Version != nil {
			b.Version = s.Version.String()
		}
		from := cmp.Or(s.Catalog, s.KeptFrom)
		if !from.IsZero() {
			b.Catalog = from.String()
		}
		if of := bundleIn(req, b.Catalog, b.Package, b.Name); of != nil {
			b.Image = of.Image
		}
		b.ImageDigest = imageDigest(b.Image)
		b.Unpinned = b.Image != "" && b.ImageDigest == ""
		if several {
			b.needed(s.Because)
		}
		out = append(out, b)
	}
	return out
}

// needed records why a bundle is in the answer.
func (b *Bundle) needed(because []resolver.Reason) {
	for _, r := range because {
		switch {
		case r.Subscription != "":
			b.Subscriptions = append(b.Subscriptions, r.Subscription)
		case r.Bundle != "":
			b.RequiredBy = append(b.RequiredBy, r.Bundle)
		}
	}
	slices.Sort(b.Subscriptions)
	slices.Sort(b.RequiredBy)
	b.Subscriptions, b.RequiredBy = slices.Compact(b.Subscriptions), slices.Compact(b.RequiredBy)
}

// Of lists the bundles that a subscription or an extension needs, by itself or through what it
// requires: the part of the lock of one component.
func (l *Lock) Of(subscription string) []Bundle {
	if l.Question != nil && len(l.Question.Subscriptions)+len(l.Question.Extensions) < 2 {
		return l.Bundles
	}
	requires, needed := make(map[string][]string), make(map[string]bool)
	var todo []string
	for i := range l.Bundles {
		b := &l.Bundles[i]
		if slices.Contains(b.Subscriptions, subscription) {
			todo = append(todo, b.Name)
		}
		for _, by := range b.RequiredBy {
			requires[by] = append(requires[by], b.Name)
		}
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !needed[name] {
			needed[name] = true
			todo = append(todo, requires[name]...)
		}
	}
	return slices.DeleteFunc(slices.Clone(l.Bundles), func(b Bundle) bool { return !needed[b.Name] })
}

// bundleIn finds a bundle of a catalog; nil if the catalog lacks it or has no content.
func bundleIn(req *resolver.Request, catalog, pkg, name string) *graph.Bundle {
	key, err := cache.ParseKey(catalog)
	if err != nil {
		return nil
	}
	for _, p := range req.Packages(key, pkg) {
		if b := p.Bundle(name); b != nil {
			return b
		}
	}
	return nil
}

// imageDigest returns the digest in an image reference, empty if there is none.
func imageDigest(image string) string {
	_, digest, found := strings.Cut(image, "@")
	algorithm, hex, both := strings.Cut(digest, ":")
	if !found || !both || algorithm == "" || hex == "" {
		return ""
	}
	return digest
}

// Request returns the question as a request, without the content of its catalogs.
func (l *Lock) Request() (resolver.Request, error) {
	if l == nil || l.Question == nil {
		return resolver.Request{}, &Error{Message: "it has no question"}
	}
	return l.Question.Request()
}

// validate verifies that the parts of a lock agree with each other.
func (l *Lock) validate() error {
	req, err := l.Request()
	if err != nil {
		return err
	}
	cert := l.Certificate
	switch {
	case l.Version != Version:
		return &Error{Message: fmt.Sprintf("it is of version %d; this program reads version %d", l.Version, Version)}
	case cert == nil:
		return &Error{Message: "it has no certificate"}
	case cert.Status != certificate.Resolved && cert.Status != certificate.Partial:
		return &Error{Message: fmt.Sprintf("its certificate proves another answer: %q", cert.Status)}
	case !slices.Equal(l.Catalogs, cert.Catalogs):
		return &Error{Message: "its certificate is about other catalogs"}
	}
	for i := range req.Catalogs { // their content is not part of the digest of the request
		req.Catalogs[i].Content = cache.NewCatalog(nil, nil)
	}
	if cert.For(req).Request != cert.Request {
		return &Error{Message: "its certificate is about another question"}
	}
	return l.agrees()
}

// agrees verifies that the bundles are those of the certificate.
func (l *Lock) agrees() error {
	type member struct {
		catalog, name string
		installed     bool
	}
	proven := make(map[member]int)
	for _, id := range l.Certificate.Set {
		if id < 1 || id > len(l.Certificate.Bundles) {
			return &Error{Message: "its certificate has a number that is out of range"}
		}
		b := l.Certificate.Bundles[id-1]
		proven[member{b.Catalog, b.Name, b.Installed}]++
	}
	for _, b := range l.Bundles {
		of := member{b.Catalog, b.Name, b.Installed}
		if b.Installed {
			of.catalog = "" // a certificate does not tell the origin of an installed bundle
		}
		if proven[of]--; proven[of] < 0 {
			return &Error{Message: fmt.Sprintf("its certificate does not prove %s", b.Name)}
		}
		if b.ImageDigest != imageDigest(b.Image) {
			return &Error{Message: fmt.Sprintf("the image of %s has another digest", b.Name)}
		}
	}
	for of, more := range proven {
		if more > 0 {
			return &Error{Message: fmt.Sprintf("its certificate proves %s, which is not among its bundles", of.name)}
		}
	}
	return nil
}

// Error says why something is not a lock that can be used.
type Error struct {
	// File and Line say where; empty and 0 if that is unknown.
	File string
	Line int
	// Message describes the error.
	Message string
	// Err is the cause, may be nil.
	Err error
}

// Error returns the message behind the file and the line, where they are known.
func (e *Error) Error() string {
	where := ""
	if e.File != "" {
		where = e.File + ": "
		if e.Line > 0 {
			where = fmt.Sprintf("%s:%d: ", e.File, e.Line)
		}
	}
	said := where + "not a usable lock: " + e.Message
	if e.Err != nil {
		said += ": " + e.Err.Error()
	}
	return said
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// in names the file of an error of this package.
func in(file string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		e.File = file
	}
	return err
}
