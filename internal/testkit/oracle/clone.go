package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
)

// Clone returns a deep copy.
func (p *Problem) Clone() *Problem { return declared.Clone(p) }

// Drop removes a subscription and its ownership.
func (p *Problem) Drop(i int) {
	for j := range p.Installed {
		if p.Installed[j].Subscription == p.Subscriptions[i].Name {
			p.Installed[j].Subscription = ""
		}
	}
	p.Subscriptions = slices.Delete(p.Subscriptions, i, i+1)
}

// Settle marks as generated exactly the subscriptions that a scenario file
// would read as generated.
func (p *Problem) Settle() {
	for i := range p.Subscriptions {
		p.Subscriptions[i].Generated = p.ReadsAsGenerated(&p.Subscriptions[i])
	}
}
