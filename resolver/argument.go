package resolver

import (
	"fmt"
	"slices"
	"strings"
)

// Error returns the headline of the conflict, one line.
func (c *Conflict) Error() string { return c.Headline() }

// Headline says in one line what cannot be had.
func (c *Conflict) Headline() string {
	var subs, inst, forced []string
	for _, f := range c.Facts {
		switch f.Kind {
		case FactSubscription:
			subs = append(subs, clean(f.called()))
		case FactInstalled:
			inst = append(inst, clean(f.Subject))
		case FactForced:
			forced = append(forced, clean(f.Subject))
		}
	}
	var parts []string
	if len(subs) > 0 {
		parts = append(parts, plural(len(subs), "subscription ", "subscriptions ")+enumerate(subs))
	}
	if len(forced) > 0 {
		parts = append(parts, "the forced "+enumerate(forced))
	}
	if len(inst) > 0 {
		parts = append(parts, "the installed "+enumerate(inst))
	}
	n := len(subs) + len(inst) + len(forced)
	what := clip(strings.Join(parts, " and "))
	switch {
	case n == 0:
		return "the request has no solution"
	case n == 1 && len(inst) == 1:
		return what + " cannot stay as it is"
	case n == len(forced):
		return enumerate(forced) + " cannot be in the result" + plural(n, "", " together")
	case n == 1:
		return what + " cannot be met"
	case n == len(inst):
		return what + " cannot stay together"
	case n == 2:
		return what + " cannot both be had"
	default:
		return what + " cannot all be had"
	}
}

// called names a subscription, and says of one that came with a dependency what it
// is: its name alone says little.
func (f *Fact) called() string {
	if !f.Generated {
		return f.Subject
	}
	return f.Subject + " (" + dependencyOf(f.DependencyOf) + ")"
}

// Printer renders a conflict as text in its own way; see [WithPrinter].
type Printer func(*Conflict) string

// Text renders the conflict for people: by the printer of the resolver that found
// it, which is [Conflict.Argument] unless [WithPrinter] set another one.
func (c *Conflict) Text() string {
	switch {
	case c.text != "":
		return c.text
	case c.printer != nil:
		return c.printer(c)
	default:
		return c.Argument()
	}
}

// Argument renders the conflict as an argument in plain language: one step a line,
// indented by dependence, from what was asked for down to the fact that closes
// the case. What is told once is referred to by its number from then on. The text
// is for people and may change in any release; names and messages from catalogs
// are made inert. To render a conflict another way, walk its Facts.
func (c *Conflict) Argument() string {
	draft := newArguer(c.Facts, nil)
	draft.tell(c.Headline())
	w := newArguer(c.Facts, draft.referred)
	w.tell(c.Headline())
	return strings.Join(w.lines, "\n") + "\n"
}

// arguer writes an argument. Each fact is told once.
type arguer struct {
	facts    []Fact
	told     []bool
	lines    []string
	byText   map[string]int   // what is required, to the fact that told it
	deferred map[int][]string // candidates whose reason is a prohibition yet to be told
	referred map[int]bool     // facts that a later line refers to
	labelled map[int]bool     // facts to number: those that a first draft referred to
	number   map[int]int
}

func newArguer(facts []Fact, labelled map[int]bool) *arguer {
	return &arguer{facts: facts, told: make([]bool, len(facts)), byText: make(map[string]int),
		deferred: make(map[int][]string), referred: make(map[int]bool), labelled: labelled, number: make(map[int]int)}
}

// tell writes the whole argument.
func (w *arguer) tell(headline string) {
	w.line(0, headline+":")
	for i, f := range w.facts {
		if isRoot(f.Kind) && !w.told[i] {
			w.root(i)
		}
	}
	for i := range w.facts {
		if !w.told[i] {
			w.told[i] = true
			w.line(0, w.facts[i].Text+quoted(nonEmpty(w.facts[i].Message)))
			w.candidates(i, 1)
		}
	}
	if more := len(w.lines) - maxLines; more > 0 {
		w.lines = append(w.lines[:maxLines], fmt.Sprintf("… and %d lines more.", more))
	}
}

// isRoot tells what an argument starts from.
func isRoot(k FactKind) bool {
	return k == FactSubscription || k == FactInstalled || k == FactForced
}

// line writes one line as a sentence.
func (w *arguer) line(depth int, text string) {
	mark := ""
	if depth > 0 {
		mark = strings.Repeat("  ", depth-1) + "- "
	}
	if w.lines = append(w.lines, ""); len(w.lines) > maxLines {
		return // tell counts them
	}
	text = sentence(clean(clip(text)))
	if !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ":") {
		text += "."
	}
	w.lines[len(w.lines)-1] = mark + text
}

// maxLines is how long an argument can be: whoever has read so far wants to know
// more about the first few, not about the others.
const maxLines = 2_000

// root tells a fact that the argument starts from, with what closes it if that is
// one fact more.
func (w *arguer) root(i int) {
	f := &w.facts[i]
	w.told[i] = true
	text := f.Text
	usable := slices.DeleteFunc(slices.Clone(f.Candidates), func(r Rejected) bool { return r.Reason == RejectedQuarantined })
	switch names := live(usable); {
	case f.Kind == FactInstalled:
	case len(names) == 1 && f.Omitted == 0:
		text += "; its only candidate is " + names[0]
	case len(names) > 1:
		text += fmt.Sprintf("; it has %d candidates", len(names)+f.Omitted)
	}
	w.line(0, text)
	for j := range w.facts {
		if g := &w.facts[j]; g.Kind == FactNoCandidate && g.Subscription == f.Subject {
			w.told[j] = true
			w.line(1, g.Text)
			w.misses(slices.DeleteFunc(slices.Clone(g.Candidates), func(r Rejected) bool {
				return r.Reason == NearMissStartingCSV || strings.Contains(g.Text, r.Bundle+" "+r.Text)
			}), 2)
		}
	}
	w.candidates(i, 1)
}

// live are the names of the candidates that are not near misses.
func live(list []Rejected) []string {
	var names []string
	for _, r := range list {
		if !r.NearMiss() {
			names = appendNew(names, r.Bundle)
		}
	}
	return names
}

// candidates tells what rules out each candidate of a fact.
func (w *arguer) candidates(i, depth int) {
	f := &w.facts[i]
	var near []Rejected
	for list := f.Candidates; len(list) > 0; {
		n := run(list)
		if list[0].NearMiss() {
			near = append(near, list[:n]...)
		} else {
			w.group(i, list[:n], depth)
		}
		list = list[n:]
	}
	if f.Omitted > 0 {
		w.line(depth, fmt.Sprintf("candidates beyond these: %d more", f.Omitted))
	}
	for _, closing := range f.Closing {
		w.line(depth, closing)
	}
	switch f.Kind {
	case FactConstraint:
		w.misses(near, depth+1)
	case FactForced, FactSubscription:
		w.misses(near, depth)
	}
}

// run is the length of the run of candidates that are rejected alike.
func run(list []Rejected) int {
	alike := func(a, b *Rejected) bool {
		return a.Reason == b.Reason && a.NearMiss() == b.NearMiss() && a.part == b.part &&
			(a.Text == b.Text || a.Reason == NearMissVersion)
	}
	n := 1
	for n < len(list) && alike(&list[n], &list[0]) {
		n++
	}
	return n
}

// misses tells near misses, those for one reason in one line.
func (w *arguer) misses(list []Rejected, depth int) {
	for len(list) > 0 {
		n := run(list)
		w.line(depth, names(list[:n])+" "+agree(list[:n]))
		list = list[n:]
	}
}

// group tells why a run of candidates is ruled out.
func (w *arguer) group(of int, list []Rejected, depth int) {
	var by []int
	for _, r := range list {
		for _, i := range r.By {
			if !slices.Contains(by, i) {
				by = append(by, i)
			}
		}
	}
	switch list[0].Reason {
	case RejectedByConstraint:
		w.required(of, list, by, depth)
	case RejectedByPackage, RejectedByGVK:
		w.clash(of, list, by, depth)
	case RejectedByProhibition:
		w.prohibited(list, by, depth)
	default:
		w.line(depth, names(list)+" "+agree(list)+w.tellAll(by)+partOf(list))
	}
}

// partOf is what the author says of what the candidates are for.
func partOf(list []Rejected) string {
	if list[0].part == "" {
		return ""
	}
	return fmt.Sprintf(" [for %q]", list[0].part)
}

// tellAll marks facts as told by the line that is being written, and returns
// their messages to append to it.
func (w *arguer) tellAll(by []int) string {
	var messages []string
	for _, i := range by {
		if m := w.facts[i].Message; m != "" && !w.told[i] && w.facts[i].Kind != FactQuarantined {
			messages = appendNew(messages, m)
		}
		w.told[i] = true
	}
	return quoted(messages)
}

// required tells of candidates that require what cannot be had. Those that
// require the same are told together, and what one of them was told of before is
// referred to.
func (w *arguer) required(of int, list []Rejected, by []int, depth int) {
	who := w.everyone(of, list) + plural(len(list), " requires ", " require ")
	var texts []string
	for _, i := range by {
		texts = appendNew(texts, requirementOf(&w.facts[i]))
	}
	for _, text := range texts {
		var same []int
		for _, i := range by {
			if requirementOf(&w.facts[i]) == text {
				same = append(same, i)
			}
		}
		if at, known := w.byText[text]; known {
			w.tellAll(same)
			w.line(depth, who+text+partOf(list)+", see "+w.refer(at))
			continue
		}
		w.byText[text] = same[0]
		line := w.label(same[0]) + who + text + w.tellAll(same) + partOf(list)
		if victims := w.victims(same); len(victims) > 0 {
			line += ", which rules out " + enumerate(victims)
		}
		w.line(depth, line)
		w.candidates(same[0], depth+1)
	}
}

// everyone names candidates: as all of them where they are.
func (w *arguer) everyone(of int, list []Rejected) string {
	all := names(list)
	if len(list) > 4 && w.facts[of].Omitted == 0 && len(list) == len(live(w.facts[of].Candidates)) {
		return fmt.Sprintf("all %d candidates (%s … %s)", len(list), list[0].Bundle, list[len(list)-1].Bundle)
	}
	return all
}

// requirementOf is what a constraint fact asks for, without the bundle's name.
func requirementOf(f *Fact) string { return strings.TrimPrefix(f.Text, f.Bundle+" requires ") }

// label numbers a fact that a later line refers to.
func (w *arguer) label(i int) string {
	if !w.labelled[i] {
		return ""
	}
	w.number[i] = len(w.number) + 1
	return fmt.Sprintf("[%d] ", w.number[i])
}

// refer refers to a fact that was told.
func (w *arguer) refer(i int) string {
	w.referred[i] = true
	return fmt.Sprintf("[%d]", w.number[i])
}

// prohibited tells of candidates that another bundle does not tolerate. While
// that bundle has not been told of, only their names are.
func (w *arguer) prohibited(list []Rejected, by []int, depth int) {
	if slices.ContainsFunc(by, func(i int) bool { return w.told[i] }) {
		w.line(depth, names(list)+" "+agree(list)+partOf(list))
		return
	}
	w.deferred[by[0]] = append(w.deferred[by[0]], names(list))
	w.line(depth, plural(len(list), "candidate: ", "candidates: ")+names(list)+partOf(list))
}

// victims are the candidates that were told of before the prohibition that rules
// them out.
func (w *arguer) victims(facts []int) []string {
	var out []string
	for _, i := range facts {
		for _, v := range w.deferred[i] {
			out = appendNew(out, v)
		}
	}
	return out
}

// clash tells of candidates that something else has the place of. As long as
// nothing of that has been told, only their names are: the other side will refer
// to them.
func (w *arguer) clash(of int, list []Rejected, by []int, depth int) {
	root := isRoot(w.facts[of].Kind)
	var because, rules []string
	rivals := 0
	for _, i := range by {
		if w.facts[i].Kind == FactPackage || w.facts[i].Kind == FactGVK {
			rules = append(rules, w.facts[i].Text)
			continue
		}
		rivals++
		if w.told[i] {
			because = append(because, w.rival(i, list[0].beside[i]))
		}
	}
	if len(because) == 0 && rivals > 0 {
		if !root || len(live(w.facts[of].Candidates)) > 1 {
			w.line(depth, plural(len(list), "candidate: ", "candidates: ")+names(list)+partOf(list))
		}
		return
	}
	for _, i := range by {
		if k := w.facts[i].Kind; k == FactPackage || k == FactGVK {
			w.told[i] = true
		}
	}
	verb := " cannot be installed beside "
	if w.facts[of].Kind == FactInstalled {
		verb = " cannot stay beside "
	}
	text := names(list) + " " + agree(list)
	if len(because) > 0 {
		text = names(list) + verb + strings.Join(because, ", or ")
	}
	if len(rules) > 0 {
		text += ": " + enumerate(rules)
	}
	w.line(depth, text+partOf(list))
}

// rival names the bundles on the other side of a clash and who needs them.
func (w *arguer) rival(i int, bundles []string) string {
	f := &w.facts[i]
	what := enumerate(bundles)
	if len(bundles) > 3 {
		what = fmt.Sprintf("%s … %s", bundles[0], bundles[len(bundles)-1])
	}
	if len(bundles) > 1 {
		what = "any of " + what
	}
	switch f.Kind {
	case FactSubscription:
		return fmt.Sprintf("%s, which subscription %s needs", what, f.called())
	case FactInstalled:
		return what + ", which is installed"
	case FactForced:
		return what + ", which the request forces"
	default:
		return fmt.Sprintf("%s, which %s needs", what, f.Bundle)
	}
}
