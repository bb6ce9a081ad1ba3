package view

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// Proof is what a certificate that was checked proves, for a page.
type Proof struct {
	Summary  string
	Rejected []rejectedOption
	More     int // that are not listed
}

// rejectedOption is a better option that was proven to be impossible.
type rejectedOption struct{ Bundle, For, Reason string }

// RejectedBundle names a rejected candidate and its catalog, empty for what is installed.
type RejectedBundle struct{ Name, Catalog string }

// maxRejected bounds the options that a page lists.
const maxRejected = 200

// NewProof describes a certificate, with what a search said of the candidates that it rejected.
func NewProof(cert *certificate.Certificate, said map[RejectedBundle]string) *Proof {
	p := &Proof{}
	lemmas := text.Count(len(cert.Lemmas), "lemma", "lemmas")
	if cert.Status == certificate.Unsatisfiable {
		p.Summary = fmt.Sprintf("%s cannot hold together, each is needed; %s", text.Count(len(cert.Facts), "fact", "facts"), lemmas)
		return p
	}
	refuted := 0
	for _, d := range cert.Decisions {
		for _, id := range d.Rejected {
			if refuted++; len(p.Rejected) == maxRejected {
				p.More++
				continue
			}
			p.Rejected = append(p.Rejected, rejected(cert, &d, id, said))
		}
	}
	p.Summary = fmt.Sprintf("%s refuted, %s", text.Count(refuted, "option", "options"), lemmas)
	return p
}

func rejected(cert *certificate.Certificate, d *resolver.ProofDecision, id int, said map[RejectedBundle]string) rejectedOption {
	out := rejectedOption{Bundle: "an option without a bundle", Reason: "impossible with what was chosen before"}
	if id <= len(cert.Bundles) {
		b := cert.Bundles[id-1]
		out.Bundle = text.Inert(b.Name)
		if why := said[RejectedBundle{b.Name, b.Catalog}]; why != "" {
			out.Reason = why
		}
	}
	switch of := d.Demand; {
	case of.Subscription != "":
		out.For = "for subscription " + text.Inert(of.Subscription)
	case of.Bundle > 0:
		out.For = "required by " + text.Inert(cert.Bundles[of.Bundle-1].Name)
	case of.Forced != "":
		out.For = "for what is forced"
	}
	return out
}

// Proven adds a proof, which may be nil, to the section that was added last.
func (p *Page) Proven(proof *Proof) {
	if len(p.sections) > 0 {
		p.sections[len(p.sections)-1].Proof = proof
	}
}
