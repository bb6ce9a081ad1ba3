package answerview

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/examples/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// pageSource is the page that shows answers.
//
//go:embed page.html
var pageSource string

// Page shows answers on one page, a section each. Whatever is in names and messages is
// shown as text. It is not safe for concurrent use.
type Page struct{ sections []section }

// Add adds the section of an answer.
func (p *Page) Add(name string, answer *scenario.Answer) {
	p.sections = append(p.sections, newSection(p.nextID(), name, answer))
}

// AddPath adds the section of an upgrade path: its picture, and what each round does.
func (p *Page) AddPath(name string, path *scenario.Path) {
	s := newSection(p.nextID(), name, &scenario.Answer{Status: path.Status, Error: path.Error, Warnings: path.Warnings, Unresolved: path.Unresolved})
	s.Headline, s.Resolved, s.Stats = sentence(pathHeadline(path)), s.Resolved && !path.Loop, nil
	if len(path.Rounds) > 0 {
		s.Graphs = &graphView{"The upgrade road, round by round", path}
	}
	for i, r := range path.Rounds {
		steps := slices.DeleteFunc(slices.Clone(r.Steps), func(step resolver.Step) bool { return step.Action == resolver.Keep })
		s.Rounds = append(s.Rounds, roundView{i + 1, steps, newConflictView(fmt.Sprintf("%s-r%d", s.ID, i), r.Conflict)})
	}
	p.sections = append(p.sections, s)
}

// AddExplanation adds the section of an explanation.
func (p *Page) AddExplanation(name string, why *scenario.Explanation) {
	s := section{ID: p.nextID(), Name: text.Inert(name), Resolved: true, Text: text.Block(why.Text())}
	s.Headline = "Why " + text.Inert(why.Bundle) + " is in the result"
	if !why.In {
		s.Headline = "Why " + text.Inert(why.Bundle) + " is not in the result"
	}
	if why.Conflict != nil {
		s.Graphs = &graphView{"What stands in the way", why.Conflict.Argument()}
	}
	p.sections = append(p.sections, s)
}

// AddUpgraded adds the section of the least change that upgrades some subscriptions.
func (p *Page) AddUpgraded(name string, answer *scenario.Answer, up *upgrade.Upgraded) {
	s := newSection(p.nextID(), name, answer)
	if up != nil {
		t := Text{new(terminal.Text)}
		t.companions(up)
		s.Text = t.String()
	}
	p.sections = append(p.sections, s)
}

// AddGraph adds the section of an update graph: its picture, and the same as text.
func (p *Page) AddGraph(pkg string, drawing Picture, said string) {
	p.sections = append(p.sections, section{ID: p.nextID(), Headline: "Updates of package " + text.Name(pkg), Name: "update graph",
		Resolved: true, Graphs: &graphView{"The update graph, the head on top", drawing}, Text: said})
}

// nextID is the ID of the next section.
func (p *Page) nextID() string { return fmt.Sprintf("s%d", len(p.sections)) }

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	title := text.Count(len(p.sections), "scenario", "scenarios")
	if len(p.sections) == 1 {
		title = p.sections[0].Headline + ": " + p.sections[0].Name
	}
	return picture.WritePage(w, pageSource, template.FuncMap{
		"step": newStepView, "join": strings.Join, "add": func(a, b int) int { return a + b }, "count": func(n int, what string) string { return text.Count(n, what, what+"s") },
	}, map[string]any{"Title": title, "Sections": p.sections})
}

// section is what the page says of one scenario. Its texts are plain already.
type section struct {
	ID         string
	Name       string
	Headline   string
	Resolved   bool
	Otherwise  bool // although a subscription gets something else than it asks for
	Error      []string
	Waves      [][]resolver.Step
	Warnings   []resolver.Warning
	Unresolved []unresolvedView
	Conflicts  []*conflictView // those that have nothing in common, in their order
	Graphs     *graphView
	Rounds     []roundView // of a path
	Text       string      // of an explanation
	Stats      *scenario.Stats
}

// roundView is a round of a path: what it changes, or the conflict in which it ends.
type roundView struct {
	Number   int
	Steps    []resolver.Step
	Conflict *conflictView
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

// graphView is a picture, which is drawn when the page comes to it, and its sources.
type graphView struct {
	Of string
	Picture
}

// Inline is the picture as a part of the page.
func (g *graphView) Inline() template.HTML { return picture.Inline(g.SVG()) }

// newSection makes the section of an answer, with an id that no other section of
// the page has.
func newSection(id, name string, answer *scenario.Answer) section {
	s := section{
		ID: id, Name: text.Inert(name), Headline: sentence(answer.Headline()), Resolved: answer.Status == scenario.Resolved,
		Otherwise: len(answer.Otherwise()) > 0,
		Stats:     &answer.Stats,
	}
	if answer.Conflict != nil {
		for i, c := range answer.Conflict.All() {
			s.Conflicts = append(s.Conflicts, newConflictView(fmt.Sprintf("%s-c%d", id, i), c))
		}
	}
	if answer.Error != "" {
		for line := range strings.SplitSeq(answer.Error, "\n") {
			s.Error = append(s.Error, text.Inert(line))
		}
	}
	for _, step := range answer.Steps {
		for len(s.Waves) <= step.Wave {
			s.Waves = append(s.Waves, nil)
		}
		s.Waves[step.Wave] = append(s.Waves[step.Wave], step)
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
		s.Graphs = &graphView{"The steps, wave by wave", steps(answer)}
	}
	return s
}

// sentence begins a text with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// newStepView makes the row of a step.
func newStepView(step resolver.Step) stepView {
	v := stepView{Action: step.Action, Bundle: text.Inert(step.Bundle), Channel: text.Inert(step.Channel),
		Catalog: catalogOf(step), Replaced: replaced(step), PassedOver: passedOver(step)}
	for _, r := range step.Because {
		v.Reasons = append(v.Reasons, fullReason(r))
	}
	return v
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
	v := &conflictView{ID: id, Argument: alone, Tried: c.Tried, Graphs: &graphView{"The conflict as a graph", alone}}
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
func newFactView(id string, number int, f *argument.Fact) factView {
	v := factView{ID: fmt.Sprintf("%s-f%d", id, number), Number: number, Kind: factKind(f.Kind), Text: text.Inert(f.Text)}
	for _, p := range f.Parts {
		if p.Nothing != "" {
			v.Closing = append(v.Closing, text.Inert(p.Nothing))
		}
	}
	if f.Kind != argument.FactQuarantined { // there, the text is the message
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
func factKind(k argument.FactKind) string {
	words := map[argument.FactKind]string{
		argument.FactSubscription: "asked for",
		argument.FactInstalled:    "installed",
		argument.FactConstraint:   "requirement",
		argument.FactNoCandidate:  "nothing fits",
		argument.FactPackage:      "one version of a package",
		argument.FactGVK:          "one provider of an API",
		argument.FactForbidden:    "forbidden",
		argument.FactDeprecated:   "deprecated",
		argument.FactQuarantined:  "catalog is broken",
		argument.FactForced:       "forced",
	}
	return cmp.Or(words[k], string(k))
}

// Picture is the graph of an answer: of its steps, or of its conflicts.
type Picture interface {
	DOT() string
	Mermaid() string
	SVG() string
}

// NewPicture returns the picture of an answer, or nil for one that has neither steps nor
// a conflict, such as that to an invalid scenario.
func NewPicture(answer *scenario.Answer) Picture {
	switch {
	case answer.Status == scenario.Resolved:
		return steps(answer)
	case answer.Conflict != nil:
		return answer.Conflict.Argument()
	}
	return nil
}

// steps is the picture of the steps of an answer.
func steps(answer *scenario.Answer) Picture {
	return &resolver.Solution{Steps: answer.Steps, Unresolved: answer.Unresolved}
}
