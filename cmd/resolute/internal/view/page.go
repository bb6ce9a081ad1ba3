package view

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// pageSource is the page that shows answers. Its template "sections" is what a page that
// is there already takes in.
//
//go:embed answer.html
var pageSource string

// Page shows answers on one page, a section each. Whatever is in names and messages is
// shown as text. It is not safe for concurrent use.
type Page struct {
	// Live says that somebody listens to the page: names and corrections are buttons. What
	// they ask for is in their attributes: data-why a bundle, data-graph a package,
	// data-forbid a bundle, data-go the index of a correction or round of the page.
	Live     bool
	sections []*section
}

// section is what the page says of one scenario. Its texts are plain already.
type section struct {
	ID, Name, Tone, Headline string
	Live                     bool
	Beside                   bool // another section of the page has the first headline

	Said       []string
	Diff       *whatif.Diff
	Waves      [][]stepView
	Warnings   []resolver.Warning
	Unresolved []unresolvedView
	Conflicts  []*conflictView // those that have nothing in common, in their order
	Picture    *picture.Figure
	Rounds     []*roundView // of an upgrade path
	Text       string       // of an explanation
	Stats      *scenario.Stats
	rows       map[string]string // the places of bundles in the table of steps
	conflicts  int               // that have a view, also those of what is left out
	offers     int               // corrections that have a view
}

// The tones of a verdict, which are classes of the style sheet.
const (
	toneYes  = "yes"
	toneBut  = "but" // solved, and something is to be known
	toneNo   = "no"
	toneInfo = "info"
)

// add adds a section, with an ID that no other section has.
func (p *Page) add(name, tone, headline string) *section {
	s := &section{ID: fmt.Sprintf("s%d", len(p.sections)), Name: text.Inert(name), Tone: tone, Headline: headline, Live: p.Live}
	p.sections = append(p.sections, s)
	return s
}

// Add adds the section of an answer.
func (p *Page) Add(name string, answer *scenario.Answer) *Page {
	p.answer(name, answer)
	return p
}

// AddChanged adds the section of an answer, with what differs from the one before, which
// may be nil, and returns its headline.
func (p *Page) AddChanged(answer *scenario.Answer, diff *whatif.Diff) string {
	s := p.answer("", answer)
	if diff != nil && len(diff.Install)+len(diff.Remove)+len(diff.Upgrade) > 0 {
		s.Diff = diff
	}
	return s.Headline
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
		s.Picture = &picture.Figure{Of: "The steps, wave by wave", Source: steps(answer)}
		s.Said = append(s.Said, counts(answer.Steps))
	}
	s.blocked(answer.Blocked)
	return s
}

// blocked says for each operator that does not get to its best candidate why not.
func (s *section) blocked(list []whatif.Blocked) {
	for _, b := range list {
		s.say(sentence(blockedAsker(b)) + " " + text.Inert(b.Subscription) + ": " + blockedText(b) + ".")
	}
}

// found notes how a resolution ended.
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

// say adds lines to what stands below the headline.
func (s *section) say(lines string) {
	for line := range strings.Lines(lines) {
		s.Said = append(s.Said, text.Inert(strings.TrimRight(line, "\n")))
	}
}

// AddPath adds the section of an upgrade path: its picture, and what each round does.
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
		s.Picture = &picture.Figure{Of: "The upgrade path, round by round", Source: draw.Path(path)}
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
	if why.Conflict != nil { // which is shown as a tree
		before, after, _ := strings.Cut(said, why.Conflict.Text())
		said = before + after
		s.Conflicts = []*conflictView{s.conflict(why.Conflict)}
	}
	s.say(said)
	return p
}

// AddUpgraded adds the section of the least change that upgrades some subscriptions; see
// [Text.Upgraded].
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

// AddGraph adds the section of an update graph: its picture, and the same as text.
func (p *Page) AddGraph(pkg string, drawing picture.Source, said string) *Page {
	s := p.add("update graph", toneInfo, "Updates of package "+text.Name(pkg))
	s.Beside = p.Live
	s.Picture, s.Text = &picture.Figure{Of: "The update graph, the head on top", Source: drawing}, said
	return p
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	title := text.Count(len(p.sections), "scenario", "scenarios")
	if len(p.sections) == 1 {
		title = p.sections[0].Headline + ": " + p.sections[0].Name
	}
	return picture.WritePage(w, pageSource, pageFuncs(), map[string]any{"Title": title, "Sections": p.sections})
}

// Parts writes the sections of pages for a page that is there already. It is safe for
// concurrent use.
type Parts struct{ t *template.Template }

// NewParts returns a writer of sections.
func NewParts() (*Parts, error) {
	t, err := picture.Parse(pageSource, pageFuncs())
	return &Parts{t}, err
}

// Write writes the sections of a page.
func (s *Parts) Write(w io.Writer, p *Page) error {
	return s.t.ExecuteTemplate(w, "sections", p.sections)
}

func pageFuncs() template.FuncMap {
	return template.FuncMap{"join": strings.Join, "add": func(a, b int) int { return a + b }, "fact": factKind, "warning": warningKind,
		"inerts": func(list []string) []string { return text.Each(list, text.Inert) }}
}

// Waves are the steps as the table of steps wants them.
func (r *roundView) Waves() [][]stepView { return [][]stepView{r.Steps} }

// Go is the index of the round on a live page.
func (r *roundView) Go() int { return r.Number - 1 }

// roundView is a round of an upgrade path: what it changes, or the conflict in which it ends.
type roundView struct {
	Number   int
	Live     bool
	Steps    []stepView
	Conflict *conflictView
}

// unresolvedView is a subscription that was left out, or an installed bundle that is
// broken.
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

// steps fills in the table of steps, wave by wave.
func (s *section) steps(list []resolver.Step) {
	s.rows = make(map[string]string, len(list))
	for i := range list {
		if !s.Live {
			s.rows[list[i].Bundle] = fmt.Sprintf("%s-b%d", s.ID, i)
		}
	}
	for i := range list {
		for len(s.Waves) <= list[i].Wave {
			s.Waves = append(s.Waves, nil)
		}
		s.Waves[list[i].Wave] = append(s.Waves[list[i].Wave], s.step(&list[i]))
	}
}

// counts says how much there is to do.
func counts(list []resolver.Step) string {
	n := make(map[resolver.Action]int)
	for i := range list {
		n[list[i].Action]++
	}
	var said []string
	for _, action := range []resolver.Action{resolver.Install, resolver.Upgrade} {
		if n[action] > 0 {
			said = append(said, fmt.Sprintf("%d to %s", n[action], action))
		}
	}
	if n[resolver.Keep] > 0 {
		said = append(said, text.Count(n[resolver.Keep], "stays", "stay"))
	}
	return strings.Join(said, ", ") + "."
}

// step makes the row of a step.
func (s *section) step(step *resolver.Step) stepView {
	v := stepView{Step: step, ID: s.rows[step.Bundle], Catalog: catalogOf(*step), Bundle: s.bundle(step.Bundle)}
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

// bundle names a bundle, which leads to its row if it has one.
func (s *section) bundle(name string) nameView {
	return nameView{Text: text.Inert(name), Href: s.rows[name], Bundle: name, Live: s.Live}
}

// sentence begins a text with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Picture is the graph of an answer: of its steps, or of its conflicts.
type Picture = picture.Source

// NewPicture returns the picture of an answer, or nil for one that has neither steps nor
// a conflict, such as that to an invalid scenario.
func NewPicture(answer *scenario.Answer) Picture {
	switch {
	case answer.Status == scenario.Resolved:
		return steps(answer)
	case answer.Conflict != nil:
		return draw.Conflict(answer.Conflict.Argument())
	}
	return nil
}

// steps is the picture of the steps of an answer.
func steps(answer *scenario.Answer) Picture {
	return draw.Solution(&resolver.Solution{Steps: answer.Steps, Unresolved: answer.Unresolved})
}
