package olm

import "github.com/seed109e2655/resolute/resolver/scenario"

// Extensions is what OLM v1 manages on a cluster.
type Extensions struct {
	Scenario *scenario.Scenario `json:"scenario"`
	Findings []Finding          `json:"findings"`
	Observed Observed           `json:"observed"`
}

// Migration says whether a subscription could be an extension of OLM v1.
type Migration struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
}

func (ix *index) extensions(*Capture) *Extensions { return nil }
