package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// section is what the page says of one scenario. Its texts are plain already.
type section struct {
	ID         string
	Name       string
	Headline   string
	Resolved   bool
	Error      []string
	Waves      [][]stepView
	Warnings   []scenario.Warning
	Unresolved []unresolvedView
	Conflict   *conflictView
	Graphs     *graphView
	Stats      scenario.Stats
}

// stepView is a row of the table of bundles.
type stepView struct {
	scenario.Step
	Replaced string
	Reasons  []string
}

// unresolvedView is a subscription that was left out.
type unresolvedView struct {
	Subscription string
	Conflict     *conflictView
}

// conflictView is a conflict: the argument as a tree, what it is made of, and what
// would help.
type conflictView struct {
	ID          string // no other conflict of the page has it
	Headline    string
	Argument    []*point
	Facts       []factView
	Corrections []correctionView
	Graphs      *graphView
}

// point is a line of an argument with what depends on it.
type point struct {
	Text   string
	Points []*point
}

// factView is one of the facts that cannot all hold.
type factView struct {
	ID        string
	Number    int
	Kind      string
	Text      string
	Message   string
	Closing   []string
	Rejected  []rejectedView
	NearMiss  []rejectedView
	Candidate int // how many there are
}

// rejectedView are candidates that the same rules out.
type rejectedView struct {
	ID      string // that of the conflict
	Bundles []string
	Text    string
	By      []int // facts, by their numbers
}

// correctionView is a set of changes that would help, with the result set.
type correctionView struct {
	Text   string
	Result []string
}

// graphView is the source of a picture.
type graphView struct{ Of, Mermaid, DOT string }

// newSection makes the section of an answer, with an id that no other section of
// the page has.
func newSection(id, name string, answer *scenario.Answer) section {
	s := section{
		ID: id, Name: plain(name), Headline: headline(answer), Resolved: answer.Status == scenario.Resolved,
		Conflict: newConflictView(id, answer.Conflict), Stats: answer.Stats,
	}
	s.Headline = strings.ToUpper(s.Headline[:1]) + s.Headline[1:]
	if answer.Error != "" {
		for line := range strings.SplitSeq(answer.Error, "\n") {
			s.Error = append(s.Error, plain(line))
		}
	}
	for _, step := range answer.Steps {
		v := stepView{Step: step, Replaced: replaced(step)}
		v.Bundle, v.Catalog, v.Channel, v.PassedOver = plain(v.Bundle), plain(v.Catalog), plain(v.Channel), plainAll(v.PassedOver)
		for _, r := range step.Because {
			v.Reasons = append(v.Reasons, fullReason(r))
		}
		for len(s.Waves) <= step.Wave {
			s.Waves = append(s.Waves, nil)
		}
		s.Waves[step.Wave] = append(s.Waves[step.Wave], v)
	}
	for _, w := range answer.Warnings {
		w.Message = plain(w.Message)
		s.Warnings = append(s.Warnings, w)
	}
	for i, u := range answer.Unresolved {
		s.Unresolved = append(s.Unresolved, unresolvedView{plain(u.Subscription), newConflictView(fmt.Sprintf("%s-u%d", id, i), u.Conflict)})
	}
	if len(answer.Steps) > 0 {
		g := newStepGraph(answer)
		s.Graphs = &graphView{"The steps", g.mermaid(), g.dot()}
	}
	return s
}

// fullReason is reasonText with what is required.
func fullReason(r scenario.Reason) string {
	if r.Constraint == "" {
		return reasonText(r)
	}
	return reasonText(r) + ": " + plain(r.Constraint)
}

// newConflictView makes the view of a conflict, which may be nil.
func newConflictView(id string, c *scenario.Conflict) *conflictView {
	if c == nil {
		return nil
	}
	v := &conflictView{ID: id}
	v.Headline, v.Argument = argument(c.Text)
	for _, k := range c.Corrections {
		v.Corrections = append(v.Corrections, correctionView{plain(k.Text), plainAll(k.Result)})
	}
	if c.Source != nil {
		v.Graphs = &graphView{"The conflict", c.Source.Mermaid(), c.Source.DOT()}
		for i := range c.Source.Facts {
			v.Facts = append(v.Facts, newFactView(id, i+1, &c.Source.Facts[i]))
		}
	}
	return v
}

// argument reads an argument, a headline and then a step a line, each indented by
// what it depends on, back into a tree.
func argument(text string) (headline string, points []*point) {
	headline, rest, _ := strings.Cut(strings.TrimRight(text, "\n"), "\n")
	root := &point{}
	open := []*point{root} // the last point of each depth
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\n")
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 2
		if item, ok := strings.CutPrefix(body, "- "); ok {
			body, depth = item, depth+1
		}
		depth = min(depth, len(open)-1)
		p := &point{Text: plain(body)}
		open[depth].Points = append(open[depth].Points, p)
		open = append(open[:depth+1], p)
	}
	return plain(strings.TrimSuffix(headline, ":")), root.Points
}

// newFactView makes the view of a fact. Candidates next to each other that the same
// rules out are told together.
func newFactView(id string, number int, f *resolver.Fact) factView {
	v := factView{ID: fmt.Sprintf("%s-f%d", id, number), Number: number, Kind: factKind(f.Kind), Text: plain(f.Text), Closing: plainAll(f.Closing)}
	if f.Kind != resolver.FactQuarantined { // there, the text is the message
		v.Message = plain(f.Message)
	}
	for _, r := range f.Candidates {
		list := &v.Rejected
		if r.NearMiss() {
			list = &v.NearMiss
		} else {
			v.Candidate++
		}
		text := plain(r.Text)
		if n := len(*list); n > 0 && (*list)[n-1].Text == text {
			(*list)[n-1].Bundles = append((*list)[n-1].Bundles, plain(r.Bundle))
			continue
		}
		row := rejectedView{ID: id, Bundles: []string{plain(r.Bundle)}, Text: text}
		for _, by := range r.By {
			row.By = append(row.By, by+1)
		}
		slices.Sort(row.By)
		*list = append(*list, row)
	}
	return v
}

// factKind names a kind of facts for people.
func factKind(k resolver.FactKind) string {
	switch k {
	case resolver.FactSubscription:
		return "asked for"
	case resolver.FactInstalled:
		return "installed"
	case resolver.FactConstraint:
		return "requirement"
	case resolver.FactNoCandidate:
		return "nothing fits"
	case resolver.FactPackage:
		return "one version of a package"
	case resolver.FactGVK:
		return "one provider of an API"
	case resolver.FactForbidden:
		return "forbidden"
	case resolver.FactDeprecated:
		return "deprecated"
	case resolver.FactQuarantined:
		return "catalog is broken"
	case resolver.FactForced:
		return "forced"
	}
	return string(k)
}
