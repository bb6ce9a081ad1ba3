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
			subs = append(subs, clean(f.Subject))
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
	what := strings.Join(parts, " and ")
	switch {
	case n == 0:
		return "the request has no solution"
	case n == 1 && len(inst) == 1:
		return what + " cannot stay as it is"
	case n == 1:
		return what + " cannot be met"
	case n == len(inst):
		return what + " cannot stay together"
	default:
		return what + plural(n-1, " cannot both be had", " cannot all be had")
	}
}

// Text renders the conflict as an argument in plain language: one step a line,
// indented by dependence, from what was asked for down to the fact that closes
// the case. The text is for people and may change in any release.
func (c *Conflict) Text() string {
	w := &arguer{facts: c.Facts, told: make([]bool, len(c.Facts))}
	w.line(0, sentence(c.Headline())+":")
	for i, f := range c.Facts {
		if isRoot(f.Kind) && !w.told[i] {
			w.root(i)
		}
	}
	for i := range c.Facts {
		if !w.told[i] {
			w.told[i] = true
			w.line(0, sentence(c.Facts[i].Text)+".")
			w.candidates(i, 1)
		}
	}
	return strings.Join(w.lines, "\n") + "\n"
}

// isRoot tells what an argument starts from.
func isRoot(k FactKind) bool {
	return k == FactSubscription || k == FactInstalled || k == FactForced
}

// arguer writes an argument. Each fact is told once.
type arguer struct {
	facts []Fact
	told  []bool
	lines []string
}

func (w *arguer) line(depth int, text string) {
	mark := ""
	if depth > 0 {
		mark = strings.Repeat("  ", depth-1) + "- "
	}
	w.lines = append(w.lines, mark+clean(text))
}

// root tells a fact that the argument starts from, with what closes it if that is
// one fact more.
func (w *arguer) root(i int) {
	f := &w.facts[i]
	w.told[i] = true
	text := sentence(f.Text)
	switch names := live(f.Candidates); {
	case f.Kind == FactInstalled:
	case len(names) == 1:
		text += "; its only candidate is " + names[0]
	case len(names) > 1:
		text += fmt.Sprintf("; it has %d candidates", len(names))
	}
	w.line(0, text+".")
	for j := range w.facts {
		if g := &w.facts[j]; g.Kind == FactNoCandidate && g.Subscription == f.Subject {
			w.told[j] = true
			w.line(1, sentence(g.Text)+".")
			w.misses(g.Candidates, 2)
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
	list := w.facts[i].Candidates
	var near []Rejected
	for len(list) > 0 {
		n := run(list)
		if list[0].NearMiss() {
			near = append(near, list[:n]...)
		} else {
			w.group(i, list[:n], depth)
		}
		list = list[n:]
	}
	if w.facts[i].Kind == FactConstraint {
		if closing := w.facts[i].Closing; closing != "" {
			w.line(depth, sentence(closing)+".")
		}
		w.misses(near, depth+1)
	}
}

// run is the length of the run of candidates that are rejected alike.
func run(list []Rejected) int {
	n := 1
	for n < len(list) && list[n].Reason == list[0].Reason && list[n].Text == list[0].Text &&
		list[n].NearMiss() == list[0].NearMiss() {
		n++
	}
	return n
}

// misses tells near misses, those for one reason in one line.
func (w *arguer) misses(list []Rejected, depth int) {
	for len(list) > 0 {
		n := run(list)
		w.line(depth, names(list[:n])+" "+agree(list[:n])+".")
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
		w.required(list, by, depth)
	case RejectedByPackage, RejectedByGVK, RejectedBySubscription:
		w.clash(of, list, by, depth)
	default:
		w.line(depth, names(list)+" "+agree(list)+w.tellAll(by)+".")
	}
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
	if len(messages) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%q)", strings.Join(messages, "; "))
}

// required tells of candidates that require what cannot be had. Those that
// require the same are told together.
func (w *arguer) required(list []Rejected, by []int, depth int) {
	var texts []string
	for _, i := range by {
		texts = appendNew(texts, requirementOf(&w.facts[i]))
	}
	verb := plural(len(list), " ", " all ")
	for _, text := range texts {
		var same []int
		fresh := false
		for _, i := range by {
			if requirementOf(&w.facts[i]) == text {
				same = append(same, i)
				fresh = fresh || !w.told[i]
			}
		}
		if !fresh {
			w.line(depth, names(list)+verb+requires(len(list))+text+", see above.")
			continue
		}
		w.line(depth, names(list)+verb+requires(len(list))+text+w.tellAll(same)+".")
		w.candidates(same[0], depth+1)
	}
}

func requires(n int) string { return plural(n, "requires ", "require ") }

// requirementOf is what a constraint fact asks for, without the bundle's name.
func requirementOf(f *Fact) string { return strings.TrimPrefix(f.Text, f.Bundle+" requires ") }

// clash tells of candidates that something else has the place of. As long as
// nothing of that has been told, only their names are: the other side will refer
// to them.
func (w *arguer) clash(of int, list []Rejected, by []int, depth int) {
	var rivals, rules []int
	known := false
	for _, i := range by {
		if w.facts[i].Kind == FactPackage || w.facts[i].Kind == FactGVK {
			rules = append(rules, i)
			continue
		}
		rivals = append(rivals, i)
		known = known || w.told[i]
	}
	if !known && len(rivals) > 0 {
		w.line(depth, plural(len(list), "Candidate: ", "Candidates: ")+names(list)+".")
		return
	}
	text := names(list) + " " + agree(list)
	var because []string
	for _, i := range rivals {
		if w.told[i] && i != of {
			because = append(because, w.wants(i))
		}
	}
	if len(because) > 0 {
		text += ", which " + enumerate(because) + " needs"
	}
	w.tellAll(rules)
	w.line(depth, text+".")
}

// wants names who needs the other side of a clash.
func (w *arguer) wants(i int) string {
	f := &w.facts[i]
	switch f.Kind {
	case FactSubscription:
		return "subscription " + f.Subject
	case FactInstalled:
		return "the installed " + f.Subject
	default:
		return f.Bundle
	}
}

// agree is why candidates are rejected, with the verb in the number of them.
func agree(list []Rejected) string {
	text := list[0].Text
	if len(list) == 1 {
		return text
	}
	for one, many := range map[string]string{"is ": "are ", "has ": "have ", "requires ": "require ", "provides ": "provide "} {
		if strings.HasPrefix(text, one) {
			return many + strings.TrimPrefix(text, one)
		}
	}
	return text
}

// names lists bundles: the ends of the list where it is long.
func names(list []Rejected) string {
	var out []string
	for _, r := range list {
		out = appendNew(out, r.Bundle)
	}
	if len(out) > 4 {
		return fmt.Sprintf("%s … %s (%d versions)", out[0], out[len(out)-1], len(out))
	}
	return enumerate(out)
}

// enumerate joins names as a sentence does.
func enumerate(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	default:
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sentence begins a text with a capital letter, unless it begins with a name that
// is not written so.
func sentence(s string) string {
	for _, word := range []string{"subscription", "only ", "the ", "package ", "channel ", "catalog ", "no ", "nothing"} {
		if strings.HasPrefix(s, word) {
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return s
}

// clean makes text from a catalog inert: one line, no control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '\uFFFD'
		default:
			return r
		}
	}, s)
}
