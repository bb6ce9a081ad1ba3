package certificate

import (
	"cmp"
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
		if p == nil || i > 0 && (p.Status != Unsatisfiable || len(p.Left) > 0) {
			return bad("a conflict in it is none")
		}
		if err := cmp.Or(validate(p), numbers(p)); err != nil {
			return err
		}
		if proofs = append(proofs, p.Further...); len(proofs) > maxProofs {
			return bad("it has more than %d conflicts", maxProofs)
		}
	}
	return nil
}

// validate verifies that a proof has the parts of its status.
func validate(p *resolver.Proof) error {
	refutes := p.Status == Unsatisfiable
	switch {
	case !refutes && p.Status != Resolved && p.Status != Partial:
		return bad("its status is %q, which is none of %s, %s and %s", p.Status, Resolved, Partial, Unsatisfiable)
	case !refutes && len(p.Facts)+len(p.Witnesses) > 0, refutes && len(p.Decisions) > 0:
		return bad("a part of it belongs to another status than %s", p.Status)
	case len(p.Lemmas) > MaxLemmas:
		return bad("it has %d lemmas; at most %d are read", len(p.Lemmas), MaxLemmas)
	}
	return nil
}

// numbers verifies that all numbers of a proof are in their ranges.
func numbers(p *resolver.Proof) (err error) {
	bundles, all, lemmas := len(p.Bundles), len(p.Bundles)+len(p.Options), len(p.Lemmas)
	verify := func(part string, i int, ok bool, least, most int, lists ...[]int) {
		for _, list := range lists {
			ok = ok && !slices.ContainsFunc(list, func(k int) bool { return k < least || k > most })
		}
		if !ok {
			err = cmp.Or(err, bad("%s %d has a number that is out of range", part, i+1))
		}
	}
	for i, b := range p.Bundles {
		verify("bundle", i, b.ID == i+1, 0, 0)
	}
	for i, o := range p.Options {
		verify("option", i, o.ID == bundles+i+1 && min(o.Constraint, o.Part, o.Option) >= 0, 1, bundles, []int{o.Bundle})
	}
	for i, f := range p.Facts {
		about := slices.Contains([]string{"constraint", "deprecated", "incompatible"}, f.Kind) || f.Kind == "forbidden" && f.Index < 0
		verify("fact", i, f.Bundle > 0 || !about, 0, bundles, []int{f.Bundle})
	}
	for i, l := range p.Lemmas {
		verify("lemma", i, !slices.Contains(l, 0), -all, all, l)
	}
	for i, l := range p.Hints {
		verify("list of hints", i, i < lemmas, -all, lemmas, l)
	}
	for i, d := range p.Decisions {
		verify("decision", i, d.Satisfied == (d.Chosen == 0 && len(d.Rejected) == 0), 0, all, []int{d.Chosen})
		verify("decision", i, len(d.Hints) <= len(d.Rejected), -all, lemmas, d.Hints...)
		verify("decision", i, true, 1, all, d.Rejected)
	}
	for i, w := range p.Witnesses {
		verify("witness", i, w.Without == i, 1, all, w.Set)
	}
	verify("set", 0, true, 1, all, p.Set)
	return err
}
