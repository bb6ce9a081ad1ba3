package lock

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// The types of a [Statement]. The document at the address of the predicate describes it.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/seed109e2655/resolute/blob/main/resolver/lock/predicate-v1.md"
)

// Statement is a verification as an in-toto statement, for programs such as cosign to sign.
type Statement struct {
	// Type is the constant StatementType.
	Type string `json:"_type"`
	// Subject is the file of the lock.
	Subject []StatementSubject `json:"subject"`
	// PredicateType is the constant PredicateType.
	PredicateType string `json:"predicateType"`
	// Predicate is the statement about the subject.
	Predicate Predicate `json:"predicate"`
}

// StatementSubject is an artifact that a statement is about.
type StatementSubject struct {
	// Name is the name of the file.
	Name string `json:"name"`
	// Digest has the hexadecimal digests of the file by algorithm.
	Digest map[string]string `json:"digest"`
}

// Predicate is the statement about a lock.
type Predicate struct {
	// Verifier is the program that verified the lock.
	Verifier Verifier `json:"verifier"`
	// Lock is the digest of the content of the lock, as the lock has it.
	Lock string `json:"lock"`
	// Verification is the result.
	Verification
	// Catalogs are the catalogs that the lock was verified with, as they are now.
	Catalogs []certificate.Catalog `json:"catalogs"`
	// Bundles are the locked bundles.
	Bundles []Bundle `json:"bundles"`
}

// Verifier is a program that verifies locks.
type Verifier struct {
	// ID is an address that identifies the program.
	ID string `json:"id"`
	// Version is its version.
	Version string `json:"version,omitempty"`
}

// verifierID identifies this program.
const verifierID = "https://github.com/seed109e2655/resolute"

// Statement returns the result as an in-toto statement about the file of a lock, with its name
// and its bytes, and the request that it was verified with. Version is that of the program.
func (v *Verification) Statement(name string, file []byte, l *Lock, now resolver.Request, version string) *Statement {
	sum := sha256.Sum256(file)
	s := &Statement{Type: StatementType, PredicateType: PredicateType,
		Subject:   []StatementSubject{{Name: name, Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}}},
		Predicate: Predicate{Verifier: Verifier{ID: verifierID, Version: version}, Verification: *v, Catalogs: []certificate.Catalog{}},
	}
	if l != nil {
		s.Predicate.Lock, s.Predicate.Bundles = l.Digest, l.Bundles
	}
	for _, c := range now.Catalogs {
		if c.Content != nil {
			s.Predicate.Catalogs = append(s.Predicate.Catalogs, certificate.Catalog{Key: c.Key.String(), Digest: c.Content.ContentDigest()})
		}
	}
	return s
}
