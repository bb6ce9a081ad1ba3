// Package certificate proves answers of a resolver, and checks such proofs.
//
// A [Certificate] claims of a resolved request that its answer is the best result set, and of an
// unsatisfiable one which facts cannot hold together, and that each of them is needed. [Check]
// verifies that without any search, and without anything of the resolver: it reads the contract
// (SEMANTICS.md) for itself. Who has the catalogs and the request needs to trust this package
// alone, and not the resolver, its search or its solver.
//
//	cert, err := certificate.Make(ctx, r, req)
//	…
//	err = certificate.Check(ctx, req, cert)
//
// ALGORITHM.md, section "Proofs", says what a certificate consists of, with an example.
package certificate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Version is the version of the format.
const Version = 1

// The answers that certificates prove.
const (
	Resolved      = "resolved"
	Partial       = "partial"
	Unsatisfiable = "unsatisfiable"
)

// The limits of a certificate. Beyond them it is refused.
const (
	MaxBytes  = 64 << 20
	MaxLemmas = 500_000
)

// Certificate proves an answer to a request with some catalogs.
type Certificate struct {
	Version int `json:"version"`
	// Request is the digest of the request without its catalogs.
	Request string `json:"request"`
	// Catalogs are the catalogs of the request that have content, by key.
	Catalogs []Catalog `json:"catalogs,omitempty"`
	resolver.Proof
}

// Catalog is a catalog by its key and the digest of its content.
type Catalog struct {
	Key    string `json:"key"`
	Digest string `json:"digest"`
}

// Make resolves a request and proves the answer. The error is a [*resolver.RequestError] or a
// [*resolver.IncompleteError] as of [resolver.Resolver.Prove]. The same request gives the same
// bytes of JSON.
func Make(ctx context.Context, r *resolver.Resolver, req resolver.Request) (*Certificate, error) {
	proof, err := r.Prove(ctx, req)
	if err != nil {
		return nil, err
	}
	return &Certificate{Version: Version, Request: digest(&req), Catalogs: catalogs(&req), Proof: *proof}, nil
}

// FormatError says why something is not a certificate that can be checked.
type FormatError struct {
	Message string
	Err     error // the cause, may be nil
}

func (e *FormatError) Error() string {
	if e.Err != nil {
		return "not a usable certificate: " + e.Message + ": " + e.Err.Error()
	}
	return "not a usable certificate: " + e.Message
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Read reads a certificate in JSON, of at most [MaxBytes]. The error is a [*FormatError] or that
// of the reader.
func Read(r io.Reader) (*Certificate, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, &FormatError{Message: fmt.Sprintf("it has more than %d bytes", MaxBytes)}
	}
	cert := new(Certificate)
	if err := json.Unmarshal(data, cert); err != nil {
		return nil, &FormatError{Message: "it is not JSON of a certificate", Err: err}
	}
	return cert, cert.validate()
}

func bad(format string, args ...any) error {
	return &FormatError{Message: fmt.Sprintf(format, args...)}
}

// validate verifies that a certificate is of this version, and its proofs are well-formed.
func (cert *Certificate) validate() error {
	switch {
	case cert == nil:
		return bad("there is none")
	case cert.Version != Version:
		return bad("it is of version %d; this program reads version %d", cert.Version, Version)
	case cert.Status != Partial && len(cert.Left) > 0, cert.Status == Partial && len(cert.Left) == 0:
		return bad("a part of it belongs to another status than %s", cert.Status)
	}
	for i, l := range cert.Left {
		if l.Conflict == nil || l.Conflict.Status != Unsatisfiable || len(l.Conflict.Left) > 0 {
			return bad("conflict %d is none", i+1)
		}
		if err := validate(l.Conflict); err != nil {
			return err
		}
	}
	return validate(&cert.Proof)
}

// validate verifies that all numbers of a proof are in their ranges.
func validate(cert *resolver.Proof) error {
	switch {
	case cert.Status != Resolved && cert.Status != Partial && cert.Status != Unsatisfiable:
		return bad("its status is %q, which is none of %s, %s and %s", cert.Status, Resolved, Partial, Unsatisfiable)
	case len(cert.Lemmas) > MaxLemmas:
		return bad("it has %d lemmas; at most %d are read", len(cert.Lemmas), MaxLemmas)
	case cert.Status != Unsatisfiable && len(cert.Facts)+len(cert.Witnesses) > 0, cert.Status == Unsatisfiable && len(cert.Decisions)+len(cert.Set) > 0:
		return bad("a part of it belongs to another status than %s", cert.Status)
	case len(cert.Hints) > len(cert.Lemmas):
		return bad("it has hints for more lemmas than it has")
	}
	bundles := len(cert.Bundles)
	for i, b := range cert.Bundles {
		if b.ID != i+1 {
			return bad("bundle %d has the number %d", i+1, b.ID)
		}
	}
	for i, o := range cert.Options {
		if o.ID != bundles+i+1 || o.Bundle < 1 || o.Bundle > bundles || o.Constraint < 0 || o.Option < 0 {
			return bad("option %d has a number that is out of range", i+1)
		}
	}
	numbers := bundles + len(cert.Options)
	literal := func(l int) bool { return l == 0 || l < -numbers || l > numbers }
	positive := func(l int) bool { return l < 1 || l > numbers }
	hints := func(list [][]int) bool {
		return slices.ContainsFunc(list, func(h []int) bool {
			return slices.ContainsFunc(h, func(k int) bool { return k < -numbers || k > len(cert.Lemmas) })
		})
	}
	for i, lemma := range cert.Lemmas {
		if slices.ContainsFunc(lemma, literal) {
			return bad("lemma %d has a number that is out of range", i+1)
		}
	}
	for i, f := range cert.Facts {
		if f.Bundle < 0 || f.Bundle > bundles || f.Bundle == 0 && slices.Contains([]string{"constraint", "deprecated", "incompatible"}, f.Kind) {
			return bad("fact %d has a number that is out of range", i+1)
		}
	}
	for i, d := range cert.Decisions {
		if slices.ContainsFunc(d.Rejected, positive) || d.Chosen < 0 || d.Chosen > numbers || d.Chosen == 0 && !d.Satisfied || len(d.Hints) > len(d.Rejected) || hints(d.Hints) {
			return bad("decision %d has a number that is out of range", i+1)
		}
	}
	for i, w := range cert.Witnesses {
		if slices.ContainsFunc(w.Set, positive) {
			return bad("witness %d has a number that is out of range", i+1)
		}
	}
	if hints(cert.Hints) || slices.ContainsFunc(cert.Set, positive) {
		return bad("a number is out of range")
	}
	return nil
}

// matches verifies that a certificate is about a request.
func (cert *Certificate) matches(ctx context.Context, req *resolver.Request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d := digest(req); cert.Request != d {
		return &ClaimError{"request", "", "it is about another request: the digest of this one is " + d}
	}
	want := catalogs(req)
	for i, c := range want {
		if i >= len(cert.Catalogs) || cert.Catalogs[i] != c {
			return &ClaimError{"catalog", "", fmt.Sprintf("it is about another content of catalog %s: the digest is %s", c.Key, c.Digest)}
		}
	}
	if len(cert.Catalogs) > len(want) {
		return &ClaimError{"catalog", "", "it is about a catalog that the request does not have: " + strconv.Quote(cert.Catalogs[len(want)].Key)}
	}
	return nil
}

func catalogs(req *resolver.Request) []Catalog {
	var out []Catalog
	for _, c := range req.Catalogs {
		if c.Content != nil {
			out = append(out, Catalog{c.Key.String(), c.Content.ContentDigest()})
		}
	}
	slices.SortFunc(out, func(a, b Catalog) int { return slices.Compare([]byte(a.Key), []byte(b.Key)) })
	return out
}

// digest is that of all that a request has beside the content of its catalogs. What a veto says
// is not part of it: a check asks it again.
func digest(req *resolver.Request) string {
	type catalog struct {
		Key         string
		Priority    int
		Labels      map[string]string
		Usable      bool
		Unavailable bool
	}
	type installed struct {
		resolver.Installed
		Properties *properties.Set
		Payload    any `json:"-"`
	}
	type added struct {
		Bundle     resolver.BundleRef
		Constraint string
	}
	in := struct {
		Namespace     string
		Catalogs      []catalog
		Installed     []installed
		Subscriptions []resolver.Subscription
		Extensions    []resolver.Extension
		Pins          []string
		Cluster       resolver.Cluster
		OperatorGroup *resolver.OperatorGroup
		Policy        resolver.Policy
		Forbid        []resolver.Forbidden
		Force         []resolver.BundleRef
		Added, Relax  []added
	}{Namespace: req.Namespace, Subscriptions: req.Subscriptions, Extensions: req.Extensions, Cluster: req.Cluster,
		OperatorGroup: req.OperatorGroup, Policy: req.Policy, Forbid: req.Forbid, Force: req.Force}
	for _, c := range req.Catalogs {
		in.Catalogs = append(in.Catalogs, catalog{c.Key.String(), c.Priority, c.Labels, c.Content != nil, c.Unavailable != nil})
	}
	slices.SortFunc(in.Catalogs, func(a, b catalog) int { return slices.Compare([]byte(a.Key), []byte(b.Key)) })
	for _, i := range req.Installed {
		of := installed{Installed: i, Properties: i.Properties}
		of.Installed.Payload = nil
		in.Installed = append(in.Installed, of)
	}
	for _, e := range req.Extensions {
		in.Pins = append(in.Pins, e.Pin)
	}
	for _, c := range req.Constraints {
		in.Added = append(in.Added, added{c.Bundle, c.Constraint.Key()})
	}
	for _, c := range req.Relax {
		a := added{Bundle: c.Bundle}
		if c.Constraint != nil {
			a.Constraint = c.Constraint.Key()
		}
		in.Relax = append(in.Relax, a)
	}
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(in); err != nil { // it has nothing that cannot be encoded
		return ""
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
