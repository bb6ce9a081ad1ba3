package certificate

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// maxProofs is how many proofs a certificate has at most.
const maxProofs = 10_000

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
	case cert.Status == Partial && len(cert.Left) == 0, cert.Status == Resolved && len(cert.Left) > 0:
		return bad("a part of it belongs to another status than %s", cert.Status)
	}
	proofs := []*resolver.Proof{&cert.Proof}
	for _, l := range cert.Left {
		proofs = append(proofs, l.Conflict)
	}
	for i := 0; i < len(proofs); i++ {
		p := proofs[i]
		if p == nil || p != &cert.Proof && (p.Status != Unsatisfiable || len(p.Left) > 0) {
			return bad("a conflict in it is none")
		}
		if err := validate(p); err != nil {
			return err
		}
		if proofs = append(proofs, p.Further...); len(proofs) > maxProofs {
			return bad("it has more than %d conflicts", maxProofs)
		}
	}
	return nil
}

// validate verifies that a proof has the parts of its status, and all its numbers are in their
// ranges.
func validate(p *resolver.Proof) error {
	bundles, numbers := len(p.Bundles), len(p.Bundles)+len(p.Options)
	between := func(least, most int, lists ...[]int) bool {
		return !slices.ContainsFunc(lists, func(list []int) bool {
			return slices.ContainsFunc(list, func(k int) bool { return k < least || k > most })
		})
	}
	zero := func(lemma []int) bool { return slices.Contains(lemma, 0) }
	switch refutes := p.Status == Unsatisfiable; {
	case !slices.Contains([]string{Resolved, Partial, Unsatisfiable}, p.Status):
		return bad("its status is %q, which is none of %s, %s and %s", p.Status, Resolved, Partial, Unsatisfiable)
	case len(p.Lemmas) > MaxLemmas:
		return bad("it has %d lemmas; at most %d are read", len(p.Lemmas), MaxLemmas)
	case !refutes && len(p.Facts)+len(p.Witnesses) > 0, refutes && len(p.Decisions) > 0:
		return bad("a part of it belongs to another status than %s", p.Status)
	case len(p.Hints) > len(p.Lemmas):
		return bad("it has hints for more lemmas than it has")
	case !between(-numbers, numbers, p.Lemmas...), slices.ContainsFunc(p.Lemmas, zero), !between(-numbers, len(p.Lemmas), p.Hints...), !between(1, numbers, p.Set):
		return bad("a number is out of range in its lemmas, their hints or its set")
	}
	for i, b := range p.Bundles {
		if b.ID != i+1 {
			return bad("bundle %d has the number %d", i+1, b.ID)
		}
	}
	for i, o := range p.Options {
		if o.ID != bundles+i+1 || !between(1, bundles, []int{o.Bundle}) || min(o.Constraint, o.Part, o.Option) < 0 {
			return bad("option %d has a number that is out of range", i+1)
		}
	}
	for i, f := range p.Facts {
		about := slices.Contains([]string{"constraint", "deprecated", "incompatible"}, f.Kind)
		if !between(0, bundles, []int{f.Bundle}) || f.Bundle == 0 && (about || f.Kind == "forbidden" && f.Index < 0) {
			return bad("fact %d has a number that is out of range", i+1)
		}
	}
	for i, d := range p.Decisions {
		if !between(1, numbers, d.Rejected) || !between(0, numbers, []int{d.Chosen}) || d.Chosen == 0 && !d.Satisfied ||
			len(d.Hints) > len(d.Rejected) || !between(-numbers, len(p.Lemmas), d.Hints...) {
			return bad("decision %d has a number that is out of range", i+1)
		}
	}
	for i, w := range p.Witnesses {
		if !between(1, numbers, w.Set) {
			return bad("witness %d has a number that is out of range", i+1)
		}
	}
	return nil
}
