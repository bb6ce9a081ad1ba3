package resolver

import "encoding/json"

// conflictJSON, factJSON, rejectedJSON and correctionJSON are the stable shape of
// a conflict in JSON.
type conflictJSON struct {
	Facts       []factJSON       `json:"facts"`
	Text        string           `json:"text"`
	Corrections []correctionJSON `json:"corrections,omitempty"`
	Tried       int              `json:"tried,omitempty"`
	Further     []*Conflict      `json:"further,omitempty"`
	MoreFurther bool             `json:"moreFurther,omitempty"`
}

type factJSON struct {
	Kind         FactKind       `json:"kind"`
	Subject      string         `json:"subject"`
	Text         string         `json:"text"`
	Message      string         `json:"message,omitempty"`
	Subscription string         `json:"subscription,omitempty"`
	Bundle       string         `json:"bundle,omitempty"`
	Package      string         `json:"package,omitempty"`
	Catalog      string         `json:"catalog,omitempty"`
	Channel      string         `json:"channel,omitempty"`
	Candidates   []rejectedJSON `json:"candidates,omitempty"`
	Omitted      int            `json:"omitted,omitempty"`
}

type rejectedJSON struct {
	Bundle   string `json:"bundle"`
	Rejected string `json:"rejected"`
}

type correctionJSON struct {
	Changes []changeJSON `json:"changes"`
	Text    string       `json:"text"`
	Result  []string     `json:"result"`

	Remaining int `json:"remaining,omitempty"`
}

type changeJSON struct {
	Kind    ChangeKind `json:"kind"`
	Subject string     `json:"subject"`
}

// MarshalJSON renders the conflict in the stable shape of the answer's "conflict":
// the facts with their candidates, the argument as text, and the corrections if
// they were asked for.
func (c *Conflict) MarshalJSON() ([]byte, error) {
	out := conflictJSON{Facts: []factJSON{}, Text: c.Text(), Tried: c.Tried, Further: c.Further, MoreFurther: c.MoreFurther}
	for _, f := range c.Facts {
		j := factJSON{Kind: f.Kind, Subject: f.Subject, Text: f.Text, Message: f.Message,
			Subscription: f.Subscription, Bundle: f.Bundle, Package: f.Package,
			Catalog: f.Catalog, Channel: f.Channel, Omitted: f.Omitted}
		for _, r := range f.Candidates {
			j.Candidates = append(j.Candidates, rejectedJSON{r.Bundle, r.Text})
		}
		out.Facts = append(out.Facts, j)
	}
	for _, k := range c.Corrections {
		j := correctionJSON{Text: k.Text, Result: k.Result, Remaining: k.Remaining, Changes: []changeJSON{}}
		for _, e := range k.Changes {
			j.Changes = append(j.Changes, changeJSON{e.Kind, e.Subject})
		}
		out.Corrections = append(out.Corrections, j)
	}
	return json.Marshal(out)
}
