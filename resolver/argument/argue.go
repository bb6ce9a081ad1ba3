package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// maxStatements is how long an argument can be: whoever has read so far wants to know
// more about the first few, not about the others.
const maxStatements = 2_000

// arguer makes the tree of one conflict. Each fact is stated once.
type arguer struct {
	facts    []Fact
	stated   []bool
	tree     Argument
	size     int
	required map[string]*Statement // by what is required: the statement that says so
	teller   map[int]*Statement    // by constraint: the statement about it
	deferred map[int][]string      // by prohibition: candidates that came before it in the argument
	see      []reference
	counted  []int // facts beyond the longest argument, whose candidates are still to be counted
}

// reference is a statement whose reasons another one gives.
type reference struct{ from, to *Statement }

// Of makes the argument of some facts that cannot hold together: from what was asked
// for down to the facts that close the case. What was said once is referred to by its
// number from then on. References to facts that are not among them do not count.
func Of(facts []Fact) *Argument {
	facts = sound(facts)
	w := &arguer{facts: facts, stated: make([]bool, len(facts)), required: make(map[string]*Statement),
		teller: make(map[int]*Statement), deferred: make(map[int][]string)}
	if w.tree.Headline = Headline(facts); !beginsWithName(facts) { // it begins with a name then
		w.tree.Headline = capital(w.tree.Headline)
	}
	for i := range w.facts {
		if w.facts[i].Kind.IsRoot() && !w.stated[i] {
			w.root(i)
			w.count()
		}
	}
	for i := range w.facts {
		if !w.stated[i] {
			f := &w.facts[i]
			w.candidates(i, w.add(nil, Statement{Kind: StatementRule, Facts: w.state(i), Bundles: text.NonEmpty(f.Bundle),
				Text: f.sentence(), Message: f.Message}))
			w.count()
		}
	}
	w.refer()
	return &w.tree
}

// sound returns facts without references to facts and parts that are not there, as they
// can have that no resolver made.
func sound(facts []Fact) []Fact {
	lost := func(i int) bool { return i < 0 || i >= len(facts) }
	fixed := false
	for i := range facts {
		for k := range facts[i].Candidates {
			r := &facts[i].Candidates[k]
			if r.Part >= 0 && r.Part <= max(0, len(facts[i].Parts)-1) && !slices.ContainsFunc(r.By, lost) {
				continue
			}
			if !fixed {
				facts, fixed = slices.Clone(facts), true
				for j := range facts {
					facts[j].Candidates = slices.Clone(facts[j].Candidates)
				}
			}
			r = &facts[i].Candidates[k]
			r.Part, r.By = 0, slices.DeleteFunc(slices.Clone(r.By), lost)
		}
	}
	return facts
}

// add makes a statement, below another one or as a root. Its texts are made inert.
// Beyond the longest argument it is counted only.
func (w *arguer) add(below *Statement, s Statement) *Statement {
	s.Text, s.Message, s.For = plainly(s.Text), plainly(s.Message), plainly(s.For)
	if w.size++; w.size > maxStatements {
		w.tree.Omitted++
		return &s
	}
	if below == nil {
		w.tree.Statements = append(w.tree.Statements, &s)
	} else {
		below.Children = append(below.Children, &s)
	}
	return &s
}

func (w *arguer) state(facts ...int) []int {
	for _, i := range facts {
		w.stated[i] = true
	}
	return facts
}

// refer numbers the statements that others refer to, in their order.
func (w *arguer) refer() {
	for _, r := range w.see {
		r.to.Number = -1
	}
	n := 0
	w.tree.Walk(func(_ int, s *Statement) {
		if s.Number < 0 {
			n++
			s.Number = n
		}
	})
	for _, r := range w.see {
		r.from.See = max(r.to.Number, 0)
	}
}

// root states a fact that the argument starts from, with what closes it if that is
// one fact more.
func (w *arguer) root(i int) {
	f := &w.facts[i]
	s := w.add(nil, Statement{Kind: StatementAsked, Facts: w.state(i), Bundles: text.NonEmpty(f.Bundle), Text: f.sentence()})
	for j := range w.facts {
		g := &w.facts[j]
		if g.Kind != FactNoCandidate || g.Subscription != f.Subject {
			continue
		}
		none := w.add(s, Statement{Kind: StatementNothing, Facts: w.state(j), Text: g.sentence()})
		if !g.Specific {
			w.misses(none, g.Candidates, true)
		}
	}
	w.candidates(i, s)
}

// live are the names of the candidates that are not near misses.
func live(list []Rejected) []string {
	return bundlesOf(slices.DeleteFunc(slices.Clone(list), Rejected.NearMiss))
}

// candidates says what rules out each candidate of a fact, and what nearly was one.
func (w *arguer) candidates(of int, below *Statement) {
	f := &w.facts[of]
	var near, elsewhere []Rejected
	for list := f.Candidates; len(list) > 0; {
		n := run(list)
		switch group := list[:n]; {
		case group[0].NearMiss():
			near = append(near, group...)
		case w.later(of, group):
			elsewhere = append(elsewhere, group...)
		default:
			w.group(of, group, below)
		}
		list = list[n:]
	}
	if len(elsewhere) > 0 && f.Kind != FactInstalled {
		names := bundlesOf(elsewhere)
		said := fmt.Sprintf("the %s %s", text.Plural(len(names), "candidate is", "candidates are"), listed(names))
		if len(names) == 1 && f.Omitted == 0 && len(live(f.Candidates)) == 1 {
			said = "the only candidate is " + names[0]
		}
		w.add(below, Statement{Kind: StatementCandidates, Bundles: names, Because: citedBy(elsewhere), Text: capital(said)})
	}
	if f.Omitted > 0 {
		w.add(below, Statement{Kind: StatementMore, Text: fmt.Sprintf("Candidates beyond these: %d more", f.Omitted)})
	}
	if f.Kind == FactForced || f.Kind == FactSupposed || f.Kind == FactSubscription {
		w.misses(below, near, false)
	}
	w.parts(f, near, below)
}

// parts says of each part of a constraint that nothing can meet why that is so, and
// what nearly met it.
func (w *arguer) parts(f *Fact, near []Rejected, below *Statement) {
	for i, part := range f.Parts {
		same := func(p Part) bool { return p.Nothing == part.Nothing && p.Message == part.Message }
		if part.Nothing == "" || slices.ContainsFunc(f.Parts[:i], same) {
			continue
		}
		s := w.add(below, Statement{Kind: StatementNothing, Text: capital(part.Nothing), Message: part.Message})
		var mine []Rejected
		for _, r := range near {
			if same(f.Parts[r.Part]) {
				mine = append(mine, r)
			}
		}
		w.misses(s, mine, true)
	}
}

// run is the length of the run of candidates that are rejected alike.
func run(list []Rejected) int {
	alike := func(a, b *Rejected) bool {
		return a.Reason == b.Reason && a.NearMiss() == b.NearMiss() && a.Part == b.Part &&
			(a.Text == b.Text || a.Reason == NearMissVersion)
	}
	n := 1
	for n < len(list) && alike(&list[n], &list[0]) {
		n++
	}
	return n
}

// misses lists near misses, those for one reason together. They are all that there is, or
// there are candidates besides.
func (w *arguer) misses(below *Statement, list []Rejected, all bool) {
	for len(list) > 0 {
		n := run(list)
		if !all && list[0].Reason == NearMissVersion {
			n = 1 // each has a text of its own
		}
		names := bundlesOf(list[:n])
		said := says(names, list[0].Text)
		if all && list[0].Reason == NearMissVersion {
			said = text.Plural(len(names), "There is only ", "There are only ") + listed(names)
		}
		w.add(below, Statement{Kind: StatementNearMiss, Bundles: names, Text: said})
		list = list[n:]
	}
}

// group says why a run of candidates is ruled out.
func (w *arguer) group(of int, list []Rejected, below *Statement) {
	by := citedBy(list)
	switch list[0].Reason {
	case RejectedByConstraint:
		w.requires(of, list, by, below)
	case RejectedByPackage, RejectedByGVK, RejectedBySubscription:
		w.clash(of, list, by, below)
	case RejectedByProhibition:
		s := w.add(below, Statement{Kind: StatementProhibited, Bundles: bundlesOf(list), Because: by,
			Text: says(bundlesOf(list), "is ruled out by "+w.facts[by[0]].Bundle), For: w.partOf(of, list)})
		known := by[slices.IndexFunc(by, func(i int) bool { return w.teller[i] != nil })]
		w.see = append(w.see, reference{s, w.teller[known]})
	default:
		var messages []string
		for _, i := range by {
			if m := w.facts[i].Message; m != "" && !w.stated[i] && w.facts[i].Kind != FactQuarantined {
				messages = text.AppendNew(messages, m)
			}
		}
		w.add(below, Statement{Kind: StatementRefused, Facts: w.state(by...), Bundles: bundlesOf(list),
			Text: says(bundlesOf(list), list[0].Text), Message: strings.Join(messages, "; "), For: w.partOf(of, list)})
	}
}

// partOf is what the author says of what candidates are for.
func (w *arguer) partOf(of int, list []Rejected) string {
	if parts := w.facts[of].Parts; list[0].Part < len(parts) {
		return parts[list[0].Part].Message
	}
	return ""
}

// requires is about candidates that require what cannot be. Those that require the same
// are named together, and a requirement that was explained before is referred to.
func (w *arguer) requires(of int, list []Rejected, by []int, below *Statement) {
	who := bundlesOf(list)
	verb := text.Plural(len(who), " requires ", " require ")
	for len(by) > 0 {
		what := w.facts[by[0]].requirement()
		var same, others, messages = []int(nil), []int(nil), []string(nil)
		for _, i := range by {
			if w.facts[i].requirement() != what {
				others = append(others, i)
				continue
			}
			if same = append(same, i); w.facts[i].Message != "" && !w.stated[i] {
				messages = text.AppendNew(messages, w.facts[i].Message)
			}
		}
		by = others
		s := Statement{Kind: StatementRequires, Facts: w.state(same...), Bundles: who,
			Text: w.everyone(of, list) + verb + what, For: w.partOf(of, list)}
		if before, known := w.required[what]; known {
			w.see = append(w.see, reference{w.add(below, s), before})
			continue
		}
		s.Message = strings.Join(messages, "; ")
		if victims := w.victims(same); len(victims) > 0 {
			s.Text += ", which rules out " + listed(victims)
		}
		said := w.add(below, s)
		w.required[what] = said
		for _, i := range same {
			w.teller[i] = said
		}
		if w.size > maxStatements {
			w.counted = append(w.counted, same[0])
			continue
		}
		w.candidates(same[0], said)
	}
}

// count goes through what is beyond the longest argument. It does so one by one, and
// not as deep as the argument would be, which may be deeper than a stack can be.
func (w *arguer) count() {
	for n := len(w.counted); n > 0; n = len(w.counted) {
		i := w.counted[n-1]
		w.counted = w.counted[:n-1]
		w.candidates(i, &Statement{})
	}
}

// everyone names candidates: as all of them where they are.
func (w *arguer) everyone(of int, list []Rejected) string {
	all := &w.facts[of]
	if len(list) > 4 && all.Omitted == 0 && len(list) == len(live(all.Candidates)) {
		return fmt.Sprintf("All %d candidates (%s … %s)", len(list), list[0].Bundle, list[len(list)-1].Bundle)
	}
	return listed(bundlesOf(list))
}

// victims are the candidates that came before the prohibition that rules them out.
func (w *arguer) victims(facts []int) []string {
	var out []string
	for _, i := range facts {
		out = text.AppendNew(out, w.deferred[i]...)
	}
	return out
}

// later reports whether candidates are ruled out by something that the argument has not
// come to yet: that will refer to them.
func (w *arguer) later(of int, list []Rejected) bool {
	by := citedBy(list)
	switch list[0].Reason {
	case RejectedByProhibition:
		if slices.ContainsFunc(by, func(i int) bool { return w.teller[i] != nil }) {
			return false
		}
		w.deferred[by[0]] = append(w.deferred[by[0]], bundlesOf(list)...)
		return true
	case RejectedByPackage, RejectedByGVK, RejectedBySubscription:
		rivals, known := 0, 0
		for _, i := range by {
			if _, rival := list[0].Beside[i]; rival {
				rivals++
				if w.stated[i] {
					known++
				}
			}
		}
		return rivals > 0 && known == 0
	}
	return false
}

// clash is about candidates whose place something else has.
func (w *arguer) clash(of int, list []Rejected, by []int, below *Statement) {
	var rivals, rules []string
	var because []int
	for _, i := range by {
		names, rival := list[0].Beside[i]
		switch {
		case rival && w.stated[i]:
			rivals, because = append(rivals, w.rival(i, names)), append(because, i)
		case rival:
		case w.facts[i].Kind == FactSubscription:
			rules = append(rules, fmt.Sprintf("%s %s can have only one of them", lexicon.Demand(w.facts[i].Extension), w.facts[i].Subject))
			because = append(because, i)
		default:
			rules = append(rules, w.facts[i].Text)
			w.state(i)
		}
	}
	verb := "cannot be installed beside "
	if w.facts[of].Kind == FactInstalled {
		verb = "cannot stay beside "
	}
	s := Statement{Kind: StatementClash, Bundles: bundlesOf(list), Because: because, Text: says(bundlesOf(list), list[0].Text), For: w.partOf(of, list)}
	if len(rivals) > 0 {
		s.Text = listed(s.Bundles) + " " + verb + strings.Join(rivals, ", or ")
	}
	if both := w.samePackage(of, because); both != "" {
		s.Text = both
	}
	if len(rules) > 0 {
		s.Text += ": " + text.And(rules)
	}
	for _, i := range by {
		if w.stated[i] && !slices.Contains(because, i) {
			s.Facts = append(s.Facts, i)
		}
	}
	w.add(below, s)
}

// samePackage says of two subscriptions that they want one package, where one of them owns
// what is installed of it; empty for others.
func (w *arguer) samePackage(of int, by []int) string {
	f := &w.facts[of]
	for _, i := range by {
		g := &w.facts[i]
		if f.Kind != FactSubscription || g.Kind != FactSubscription || f.Package != g.Package || (f.Owns == "") == (g.Owns == "") {
			continue
		}
		owner := f
		if f.Owns == "" {
			owner = g
		}
		return fmt.Sprintf("%ss %s and %s want the same package, and %s owns the installed %s",
			capital(lexicon.Demand(f.Extension)), f.called(), g.called(), owner.Subject, owner.Owns)
	}
	return ""
}

// rival names the bundles on the other side of a clash and who needs them.
func (w *arguer) rival(i int, bundles []string) string {
	f := &w.facts[i]
	what, which := text.Or(bundles), "which "
	if len(bundles) > 3 {
		what = fmt.Sprintf("any of %s … %s", bundles[0], bundles[len(bundles)-1])
	}
	if len(bundles) > 1 {
		which = "one of which "
	}
	switch f.Kind {
	case FactSubscription:
		return fmt.Sprintf("%s, %s%s %s needs", what, which, lexicon.Demand(f.Extension), f.called())
	case FactInstalled:
		return what + ", which is installed"
	case FactForced:
		return fmt.Sprintf("%s, %sthe request forces", what, which)
	case FactSupposed:
		return what + ", which is supposed"
	default:
		return fmt.Sprintf("%s, %s%s needs", what, which, f.Bundle)
	}
}
