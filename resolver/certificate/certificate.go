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
	"encoding/json"
	"fmt"
	"io"

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

// For returns the certificate with its proof, which is shared, as a claim about another request:
// [Check] decides whether the proof holds there too, for example after a change of a catalog. It may
// fail for a request that has the same answer for other reasons.
func (cert *Certificate) For(req resolver.Request) *Certificate {
	return &Certificate{Version: Version, Request: digest(&req), Catalogs: catalogs(&req), Proof: cert.Proof}
}

// FormatError says why something is not a certificate that can be checked.
type FormatError struct {
	Message string
	Err     error // the cause, may be nil
}

// Error implements error.
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

// ClaimError says which claim of a certificate is not true.
type ClaimError struct {
	// Claim is what the certificate claims: "request", "catalog", "bundle", "lemma", "decision",
	// "rejected", "set", "facts" or "witness".
	Claim string
	// Bundle names the bundle that it is about, if it is about one.
	Bundle string
	// Message says what is wrong.
	Message string
}

// Error says what is wrong.
func (e *ClaimError) Error() string { return "the certificate is not true: " + e.Message }
