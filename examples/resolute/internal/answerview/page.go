package answerview

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// pageSource is the page that shows answers. It needs nothing else: no script, no
// picture, no font from elsewhere, and says so to the browser. It has a look of its own,
// and so does not begin as those of package page.
//
//go:embed page.html
var pageSource string

// Page shows answers on one page, a section each. Whatever is in names and messages is
// shown as text. It is not safe for concurrent use.
type Page struct{ sections []section }

// Add adds the section of an answer.
func (p *Page) Add(name string, answer *scenario.Answer) {
	p.sections = append(p.sections, newSection(fmt.Sprintf("s%d", len(p.sections)), name, answer))
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"join": strings.Join, "add": func(a, b int) int { return a + b }, "count": func(n int, what string) string { return text.Count(n, what, what+"s") },
	}).Parse(pageSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{"Sections": p.sections}); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// section is what the page says of one scenario. Its texts are plain already.
type section struct {
	ID         string
	Name       string
	Headline   string
	Resolved   bool
	Error      []string
	Waves      [][]stepView
	Warnings   []resolver.Warning
	Unresolved []unresolvedView
	Conflicts  []*conflictView // those that have nothing in common, in their order
	Graphs     *graphView
	Stats      scenario.Stats
}

// stepView is a row of the table of bundles.
type stepView struct {
	Action                             resolver.Action
	Bundle, Catalog, Channel, Replaced string
	PassedOver, Reasons                []string
}

// unresolvedView is a subscription that was left out, or an installed bundle that is
// broken.
type unresolvedView struct {
	What, Name string
	Conflict   *conflictView
}

// conflictView is a conflict: the argument, what it is made of, and what would help.
type conflictView struct {
	ID          string // no other conflict of the page has it
	Argument    *argument.Argument
	Facts       []factView
	Corrections []correctionView
	Tried       int
	Graphs      *graphView
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
	Text      string
	Result    []string
	Remaining int
}

// graphView is the source of a picture.
type graphView struct{ Of, Mermaid, DOT string }

// newSection makes the section of an answer, with an id that no other section of
// the page has.
func newSection(id, name string, answer *scenario.Answer) section {
	s := section{
		ID: id, Name: text.Inert(name), Headline: Headline(answer), Resolved: answer.Status == scenario.Resolved,
		Stats: answer.Stats,
	}
	if answer.Conflict != nil {
		for i, c := range answer.Conflict.All() {
			s.Conflicts = append(s.Conflicts, newConflictView(fmt.Sprintf("%s-c%d", id, i), c))
		}
	}
	s.Headline = strings.ToUpper(s.Headline[:1]) + s.Headline[1:]
	if answer.Error != "" {
		for line := range strings.SplitSeq(answer.Error, "\n") {
			s.Error = append(s.Error, text.Inert(line))
		}
	}
	for _, step := range answer.Steps {
		v := stepView{Action: step.Action, Bundle: text.Inert(step.Bundle), Channel: text.Inert(step.Channel),
			Catalog: catalogOf(step), Replaced: replaced(step), PassedOver: passedOver(step)}
		for _, r := range step.Because {
			v.Reasons = append(v.Reasons, fullReason(r))
		}
		for len(s.Waves) <= step.Wave {
			s.Waves = append(s.Waves, nil)
		}
		s.Waves[step.Wave] = append(s.Waves[step.Wave], v)
	}
	for _, w := range answer.Warnings {
		w.Message = text.Inert(w.Message)
		s.Warnings = append(s.Warnings, w)
	}
	for i, u := range answer.Unresolved {
		what := "left out"
		if u.Installed != "" {
			what = "broken"
		}
		s.Unresolved = append(s.Unresolved, unresolvedView{what, text.Inert(u.Subscription + u.Installed), newConflictView(fmt.Sprintf("%s-u%d", id, i), u.Conflict)})
	}
	if len(answer.Steps) > 0 {
		sol := picture(answer)
		s.Graphs = &graphView{"The steps", sol.Mermaid(), sol.DOT()}
	}
	return s
}

// fullReason is reasonText with what is required.
func fullReason(r resolver.Reason) string {
	if r.Constraint == "" {
		return reasonText(r)
	}
	return reasonText(r) + ": " + text.Inert(r.Constraint)
}

// newConflictView makes the view of a conflict, which may be nil.
func newConflictView(id string, c *resolver.Conflict) *conflictView {
	if c == nil {
		return nil
	}
	alone := c.Argument()
	alone.Further = nil // they have views of their own
	v := &conflictView{ID: id, Argument: alone, Tried: c.Tried, Graphs: &graphView{"The conflict", alone.Mermaid(), alone.DOT()}}
	for _, k := range c.Corrections {
		result := make([]string, len(k.Result))
		for i, name := range k.Result {
			result[i] = text.Inert(name)
		}
		v.Corrections = append(v.Corrections, correctionView{text.Inert(k.Text), result, k.Remaining})
	}
	for i := range c.Facts {
		v.Facts = append(v.Facts, newFactView(id, i+1, &c.Facts[i]))
	}
	return v
}

// newFactView makes the view of a fact. Candidates next to each other that the same
// rules out are shown together.
func newFactView(id string, number int, f *resolver.Fact) factView {
	v := factView{ID: fmt.Sprintf("%s-f%d", id, number), Number: number, Kind: factKind(f.Kind), Text: text.Inert(f.Text)}
	for _, p := range f.Parts {
		if p.Nothing != "" {
			v.Closing = append(v.Closing, text.Inert(p.Nothing))
		}
	}
	if f.Kind != resolver.FactQuarantined { // there, the text is the message
		v.Message = text.Inert(f.Message)
	}
	for _, r := range f.Candidates {
		list := &v.Rejected
		if r.NearMiss() {
			list = &v.NearMiss
		} else {
			v.Candidate++
		}
		why := text.Inert(r.Text)
		if n := len(*list); n > 0 && (*list)[n-1].Text == why {
			(*list)[n-1].Bundles = append((*list)[n-1].Bundles, text.Inert(r.Bundle))
			continue
		}
		row := rejectedView{ID: id, Bundles: []string{text.Inert(r.Bundle)}, Text: why}
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
	words := map[resolver.FactKind]string{
		resolver.FactSubscription: "asked for",
		resolver.FactInstalled:    "installed",
		resolver.FactConstraint:   "requirement",
		resolver.FactNoCandidate:  "nothing fits",
		resolver.FactPackage:      "one version of a package",
		resolver.FactGVK:          "one provider of an API",
		resolver.FactForbidden:    "forbidden",
		resolver.FactDeprecated:   "deprecated",
		resolver.FactQuarantined:  "catalog is broken",
		resolver.FactForced:       "forced",
	}
	return cmp.Or(words[k], string(k))
}

// Picture is the graph of an answer: of its steps, or of its conflicts.
type Picture interface {
	DOT() string
	Mermaid() string
}

// NewPicture returns the picture of an answer, or nil for one that has neither steps nor
// a conflict, such as that to an invalid scenario.
func NewPicture(answer *scenario.Answer) Picture {
	switch {
	case answer.Status == scenario.Resolved:
		return picture(answer)
	case answer.Conflict != nil:
		return answer.Conflict.Argument()
	}
	return nil
}

// picture is that of the steps of an answer.
func picture(answer *scenario.Answer) Picture {
	return &resolver.Solution{Steps: answer.Steps, Unresolved: answer.Unresolved}
}
