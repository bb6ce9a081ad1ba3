package resolver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// AuditConflict is a conflict that an audit found. One that [ReadAudit] read has
// the facts as far as JSON tells them, and the same text and JSON as the first.
type AuditConflict struct {
	*Conflict
	text string
	raw  json.RawMessage // compact
}

// Text renders the conflict as [Conflict.Text] does.
func (c *AuditConflict) Text() string {
	if c.raw != nil {
		return c.text
	}
	return c.Conflict.Text()
}

// Reason states in one line the fact that says most about the conflict.
func (c *AuditConflict) Reason() string { return clean(c.decisive("").Text) }

// decisive is the fact that says most about the conflict of a bundle: what is
// wrong with the catalog before what stands in the way. Among requirements, those
// of the bundle itself come first.
func (c *AuditConflict) decisive(bundle string) Fact {
	for _, kind := range []FactKind{FactQuarantined, FactDeprecated, FactNoCandidate, FactConstraint, FactGVK, FactInstalled} {
		var found *Fact
		for i := range c.Facts {
			if f := &c.Facts[i]; f.Kind == kind && (found == nil || found.Bundle != bundle) {
				found = f
			}
		}
		if found != nil {
			return *found
		}
	}
	if n := len(c.Facts); n > 0 {
		return c.Facts[n-1]
	}
	return Fact{}
}

// reasonFor is Reason as said of a bundle that cannot be installed, or that is
// stuck. Bundles that differ in nothing but their names get the same reason.
func (c *AuditConflict) reasonFor(bundle string) string {
	f := c.decisive(bundle)
	text := clean(f.Text)
	switch f.Kind {
	case FactQuarantined:
		if f.Message != "" {
			return clean(f.Message)
		}
		return text
	case FactConstraint:
		if f.Bundle != bundle {
			text = "the way on " + strings.TrimPrefix(text, clean(f.Bundle)+" ")
		}
	}
	text = itself(text, clean(bundle))
	if strings.HasPrefix(text, "it is skipped by ") {
		return "it is skipped by a later version"
	}
	for _, f := range c.Facts {
		if f.Kind == FactInstalled {
			text += "; " + clean(f.Text)
		}
	}
	if f.Message != "" {
		text += fmt.Sprintf(" (%q)", clean(f.Message))
	}
	return text
}

// itself has a text say "it" where it names a bundle.
func itself(text, bundle string) string {
	text = strings.ReplaceAll(text, "the startingCSV "+bundle+" ", "it ")
	if bundle == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, bundle)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if partOfName(before, after) {
			b.WriteString(bundle)
		} else {
			b.WriteString("it")
		}
		text = after
	}
}

// partOfName reports whether what stands between two texts is only a part of a
// name.
func partOfName(before, after string) bool {
	letter := func(c byte) bool {
		return strings.IndexByte("-_/", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
	}
	if n := len(before); n > 0 && (letter(before[n-1]) || before[n-1] == '.') {
		return true
	}
	return after != "" && (letter(after[0]) || after[0] == '.' && len(after) > 1 && letter(after[1]))
}

// MarshalJSON renders the conflict as [Conflict.MarshalJSON] does.
func (c *AuditConflict) MarshalJSON() ([]byte, error) {
	if c.raw != nil {
		return c.raw, nil
	}
	return c.Conflict.MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *AuditConflict) UnmarshalJSON(data []byte) error {
	var in conflictJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := &Conflict{}
	for _, f := range in.Facts {
		fact := Fact{Kind: f.Kind, Subject: f.Subject, Text: f.Text, Message: f.Message, Subscription: f.Subscription,
			Bundle: f.Bundle, Package: f.Package, Catalog: f.Catalog, Channel: f.Channel, Omitted: f.Omitted}
		for _, r := range f.Candidates {
			fact.Candidates = append(fact.Candidates, Rejected{Bundle: r.Bundle, Text: r.Rejected})
		}
		out.Facts = append(out.Facts, fact)
	}
	*c = AuditConflict{Conflict: out, text: in.Text, raw: append(json.RawMessage(nil), data...)}
	return nil
}
