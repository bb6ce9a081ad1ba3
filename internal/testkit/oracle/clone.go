package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
)

// Clone returns a copy that shares nothing that could be changed.
func (p *Problem) Clone() *Problem { return declared.Clone(p) }

// Drop takes a subscription away, and what it owns from it.
func (p *Problem) Drop(i int) {
	for j := range p.Installed {
		if p.Installed[j].Subscription == p.Subscriptions[i].Name {
			p.Installed[j].Subscription = ""
		}
	}
	p.Subscriptions = slices.Delete(p.Subscriptions, i, i+1)
}

// Settle marks those subscriptions as generated that are taken for such when they
// are read from a scenario file, and no others.
func (p *Problem) Settle() {
	for i := range p.Subscriptions {
		p.Subscriptions[i].Generated = p.TakenAsGenerated(&p.Subscriptions[i])
	}
}
