package view

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// pageSource is the template of answers. Its block "sections" is also used by live pages.
//
//go:embed answer.html
var pageSource string

// Page shows answers on one HTML page, with a section each. Names and messages are escaped.
// Pictures that are not drawn before its context ends are replaced by a note. It is not safe for
// concurrent use.
type Page struct {
	ctx     context.Context
	figures *htmldoc.Figures
	// Live renders names and corrections as links and buttons for a script. Their attributes
	// are data-why (a bundle), data-graph (a package), data-forbid (a bundle) and data-go (the
	// index of a correction or round).
	Live     bool
	sections []*section
}

// NewPage returns an empty page whose pictures are drawn until ctx ends.
func NewPage(ctx context.Context) *Page { return &Page{ctx: ctx, figures: htmldoc.NewFigures(ctx)} }

// section is the content for one scenario. Its texts are already escaped.
type section struct {
	page                     *Page
	ID, Name, Tone, Headline string
	Live                     bool
	Beside                   bool // not the first section of the page
	WhatIf                   bool // a changed problem

	Said       []string
	Diff       *plan // the difference from the previous answer
	Plan       *plan // nil without a cluster before
	Waves      [][]stepView
	Kept       *keptView // what stays
	Warnings   []resolver.Warning
	Unresolved []unresolvedView
	Conflicts  []*conflictView // independent conflicts, in order
	Picture    *htmldoc.Figure
	Rounds     []*roundView // of an upgrade path
	Text       string       // of an explanation
	Proof      *Proof
	Stats      *scenario.Stats
	rows       map[string]string // anchors of bundles in the table of steps
	conflicts  int               // number of conflict views, including those of unresolved subscriptions
	offers     int               // number of correction views
}

// The tones of a verdict are CSS classes.
const (
	toneYes  = "yes"
	toneBut  = "but" // solved, with warnings
	toneNo   = "no"
	toneInfo = "info"
)

// add adds a section with a unique ID.
func (p *Page) add(name, tone, headline string) *section {
	s := &section{page: p, ID: fmt.Sprintf("s%d", len(p.sections)), Name: text.Inert(name), Tone: tone, Headline: headline, Live: p.Live}
	p.sections = append(p.sections, s)
	return s
}

// Add adds the section of an answer.
func (p *Page) Add(name string, answer *scenario.Answer) *Page {
	p.answer(name, answer)
	return p
}

// AddChanged adds the section of an answer with the difference from the previous one, which may
// be nil. It returns the headline.
func (p *Page) AddChanged(answer *scenario.Answer, diff *whatif.Diff) string {
	s := p.answer("", answer)
	s.change(diff)
	return s.Headline
}

// change adds the difference from another answer, unless it is nil or empty.
func (s *section) change(diff *whatif.Diff) {
	if diff != nil && len(diff.Install)+len(diff.Remove)+len(diff.Upgrade) > 0 {
		s.Diff = newDiffPlan(diff)
	}
}

func (p *Page) answer(name string, answer *scenario.Answer) *section {
	s := p.add(name, toneNo, sentence(answer.Headline()))
	s.Stats = &answer.Stats
	s.found(answer.Status, answer.Error, answer.Warnings, answer.Unresolved)
	s.steps(answer.Steps)
	if answer.Conflict != nil {
		all := answer.Conflict.All()
		for _, c := range all {
			s.Conflicts = append(s.Conflicts, s.conflict(c))
		}
		if len(all) == 1 {
			s.Headline = "No solution: " + all[0].Headline()
		}
	}
	if len(answer.Steps) > 0 {
		s.Picture = p.figures.New("The steps, first to last", steps(answer))
		p := newPlan(answer.Steps)
		if s.Said = append(s.Said, p.Summary()); p.Cluster() {
			s.Plan = p
		}
	}
	s.blocked(answer.Blocked)
	return s
}

// blocked adds the reason for each operator without its best candidate.
func (s *section) blocked(list []whatif.Blocked) {
	for _, b := range list {
		s.say(sentence(blockedKind(b)) + " " + text.Inert(b.Subscription) + ": " + blockedText(b) + ".")
	}
}

// found records the outcome of a resolution.
func (s *section) found(status scenario.Status, err string, warnings []resolver.Warning, unresolved []resolver.Unresolved) {
	if status == scenario.Resolved {
		if s.Tone = toneYes; len(warnings)+len(unresolved) > 0 {
			s.Tone = toneBut
		}
	}
	s.say(err)
	s.Warnings = warnings
	for _, u := range unresolved {
		v := unresolvedView{Unresolved: u}
		if u.Conflict != nil {
			v.Conflict = s.conflict(u.Conflict)
		}
		s.Unresolved = append(s.Unresolved, v)
	}
}

// say adds lines below the headline.
func (s *section) say(lines string) {
	for line := range strings.Lines(lines) {
		s.Said = append(s.Said, text.Inert(strings.TrimRight(line, "\n")))
	}
}

// AddPath adds the section of an upgrade path: its picture and the changes of each round.
func (p *Page) AddPath(name string, path *scenario.Path) *Page {
	s := p.add(name, toneNo, sentence(pathHeadline(path)))
	s.Beside = p.Live
	path, omitted := late(path)
	if omitted != "" {
		s.say(omitted)
	}
	s.found(path.Status, path.Error, path.Warnings, path.Unresolved)
	if path.Loop {
		s.Tone = toneNo
	}
	if len(path.Rounds) > 0 {
		s.Picture = p.figures.New("The upgrade path, round by round", draw.Path(path))
	}
	for _, step := range path.Held {
		s.say(text.Inert(step.Bundle) + " stays" + onHold(step) + ".")
	}
	s.blocked(path.Blocked)
	for i, r := range path.Rounds {
		v := &roundView{Number: i + 1, Live: p.Live && i < len(path.Done())}
		for _, step := range r.Steps {
			if step.Action != resolver.Keep {
				v.Steps = append(v.Steps, s.step(&step))
			}
		}
		if r.Conflict != nil {
			v.Conflict = s.conflict(r.Conflict)
		}
		s.Rounds = append(s.Rounds, v)
	}
	return p
}

// AddExplanation adds the section of an explanation.
func (p *Page) AddExplanation(name string, why *scenario.Explanation) *Page {
	s := p.add(name, toneInfo, "Why "+text.Inert(why.Bundle)+" is in the result")
	s.Beside = p.Live
	if !why.In {
		s.Headline = "Why " + text.Inert(why.Bundle) + " is not in the result"
	}
	said := why.Text()
	if why.Conflict != nil { // shown as a tree instead
		before, after, _ := strings.Cut(said, why.Conflict.Text())
		said = before + after
		s.Conflicts = []*conflictView{s.conflict(why.Conflict)}
	}
	s.say(said)
	return p
}

// AddUpgraded adds the section of the smallest upgrade of subscriptions; see [Text.Upgraded].
func (p *Page) AddUpgraded(name string, answer *scenario.Answer, up *upgrade.Upgraded, far []*resolver.Solution) *Page {
	s := p.answer(name, answer)
	t := Text{Text: new(terminal.Text)}
	switch {
	case up == nil:
		t.far(far)
	case len(up.Rounds) > 1:
		s.Tone, s.Headline = toneYes, sentence(roundsHeadline(up))
		t.upgradeRounds(up)
		t.besides(up)
	default:
		t.companions("", up.Rounds[0].Companions)
		t.besides(up)
	}
	s.Text = strings.TrimSpace(t.String())
	return p
}

// AddGraph adds the section of an update graph: its picture and its text.
func (p *Page) AddGraph(pkg string, drawing htmldoc.Source, said string) *Page {
	s := p.add("update graph", toneInfo, "Updates of package "+text.Name(pkg))
	s.Beside = p.Live
	s.Picture, s.Text = p.figures.New("The update graph, the head on top", drawing), said
	return p
}

// Write writes the page, even if its context has ended: an answer that took all the time is still
// shown.
func (p *Page) Write(w io.Writer) error {
	headline := p.headline()
	title := headline
	if len(p.sections) == 1 {
		title += ": " + p.sections[0].Name
	}
	return htmldoc.Write(context.WithoutCancel(p.ctx), w, pageSource, pageFuncs(), map[string]any{"Title": title, "Headline": headline, "Sections": p.sections})
}

// headline is the verdict of the whole page: that of its only section, or how many scenarios have no
// solution. What-ifs do not count.
func (p *Page) headline() string {
	all, solved := 0, 0
	for _, s := range p.sections {
		if !s.WhatIf {
			if all++; s.Tone != toneNo {
				solved++
			}
		}
	}
	switch {
	case all == 1:
		return p.sections[0].Headline
	case solved == all:
		return "All " + text.Count(all, "scenario has", "scenarios have") + " a solution"
	}
	return fmt.Sprintf("%d of %s without a solution", all-solved, text.Count(all, "scenario", "scenarios"))
}

// Parts writes sections for a live page. It is safe for concurrent use.
type Parts struct{ t *template.Template }

// NewParts returns a writer of sections.
func NewParts() (*Parts, error) {
	t, err := htmldoc.Parse(pageSource, pageFuncs())
	return &Parts{t}, err
}

// Write writes the sections of a page.
func (s *Parts) Write(w io.Writer, p *Page) error {
	return s.t.ExecuteTemplate(w, "sections", p.sections)
}

func pageFuncs() template.FuncMap {
	return template.FuncMap{"join": strings.Join, "add": func(a, b int) int { return a + b }, "fact": factKind, "warning": warningKind, "signed": signed,
		"inerts": func(list []string) []string { return text.Each(list, text.Inert) }}
}

// Waves returns the steps in the form that the table of steps takes.
func (r *roundView) Waves() [][]stepView { return [][]stepView{r.Steps} }

// Go is the index of the round on a live page.
func (r *roundView) Go() int { return r.Number - 1 }

// roundView is a round of an upgrade path: its changes, or the conflict that ends the path.
type roundView struct {
	Number   int
	Live     bool
	Steps    []stepView
	Conflict *conflictView
}

// unresolvedView is a dropped subscription or a broken installed bundle.
type unresolvedView struct {
	resolver.Unresolved
	Conflict *conflictView
}

// stepView is a row of the table of steps.
type stepView struct {
	*resolver.Step
	ID, Catalog     string
	Bundle, Package nameView
	PassedOver      []nameView
	Reasons         [][]nameView
}

// steps adds the table of steps, wave by wave.
func (s *section) steps(list []resolver.Step) {
	s.rows = make(map[string]string, len(list))
	for i := range list {
		if !s.Live {
			s.rows[list[i].Bundle] = fmt.Sprintf("%s-b%d", s.ID, i)
		}
	}
	var kept []stepView
	for i := range list {
		step := &list[i]
		for len(s.Waves) <= step.Wave {
			s.Waves = append(s.Waves, nil)
		}
		if v := s.step(step); step.Action == resolver.Keep && step.Hold == "" {
			kept = append(kept, v)
		} else {
			s.Waves[step.Wave] = append(s.Waves[step.Wave], v)
		}
	}
	s.Waves = slices.DeleteFunc(s.Waves, func(wave []stepView) bool { return len(wave) == 0 })
	if len(kept) > 0 {
		s.Kept = &keptView{kept, slices.ContainsFunc(list, func(s resolver.Step) bool { return s.Hold != "" })}
	}
}

// keptView is the table of what stays.
type keptView struct {
	Steps []stepView
	Held  bool // others are on hold
}

// Waves returns the steps in the form that the table of steps takes.
func (k *keptView) Waves() [][]stepView { return [][]stepView{k.Steps} }

// Few reports whether the table is shown at once.
func (k *keptView) Few() bool { return len(k.Steps) <= maxKept }

// step returns the row of a step.
func (s *section) step(step *resolver.Step) stepView {
	v := stepView{Step: step, ID: s.rows[step.Bundle], Catalog: catalogText(step.Catalog), Bundle: s.bundle(step.Bundle)}
	v.Bundle.Href = ""
	v.Package = nameView{Text: text.Inert(cmp.Or(step.Package, step.Bundle)), Live: s.Live, Package: step.Package, Catalog: v.Catalog}
	for _, b := range step.PassedOver {
		if slices.Contains(step.Replaces, b.Name) {
			continue
		}
		v.PassedOver = append(v.PassedOver, s.bundle(b.Name))
	}
	for _, r := range step.Because {
		said := []nameView{{Text: reasonText(r, nil), Plain: true}}
		if r.Bundle != "" {
			said = []nameView{{Text: "required by ", Plain: true}, s.bundle(r.Bundle), {Text: ": " + text.Inert(r.Constraint), Plain: true}}
		}
		v.Reasons = append(v.Reasons, said)
	}
	return v
}

// bundle returns the name of a bundle, linked to its row if there is one.
func (s *section) bundle(name string) nameView {
	return nameView{Text: text.Inert(name), Href: s.rows[name], Bundle: name, Live: s.Live}
}

// sentence capitalizes the first letter of a text.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Picture is the graph of the steps or conflicts of an answer.
type Picture = htmldoc.Source

// NewPicture returns the picture of an answer, or nil for an answer without steps and
// conflicts.
func NewPicture(answer *scenario.Answer) Picture {
	switch {
	case answer.Status == scenario.Resolved:
		return steps(answer)
	case answer.Conflict != nil:
		return draw.Conflict(answer.Conflict.Argument())
	}
	return nil
}

// steps returns the picture of the steps of an answer.
func steps(answer *scenario.Answer) Picture {
	return draw.Solution(&resolver.Solution{Steps: answer.Steps, Unresolved: answer.Unresolved})
}
