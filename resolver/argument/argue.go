package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// maxStatements is the maximum number of statements of an argument.
const maxStatements = 2_000

// arguer builds the tree of one conflict. It states each fact once.
type arguer struct {
	facts       []Fact
	stated      []bool
	tree        Argument
	size        int
	required    map[string]*Statement // by what is required: the statement that says so
	statementOf map[int]*Statement    // by constraint: the statement about it
	deferred    map[int][]string      // by prohibition: candidates that came before it in the argument
	see         []reference
	counted     []int // facts beyond the longest argument, whose candidates are still to be counted
}

// reference links a statement to the one that explains it.
type reference struct{ from, to *Statement }

// Of returns the argument of a conflict: the tree of statements from the demands down to the
// facts that they contradict. A statement that occurs again is referred to by its number.
// Invalid indexes in facts are ignored. Of does not modify facts.
func Of(facts []Fact) *Argument {
	facts = dropInvalidReferences(facts)
	w := &arguer{facts: facts, stated: make([]bool, len(facts)), required: make(map[string]*Statement),
		statementOf: make(map[int]*Statement), deferred: make(map[int][]string)}
	w.tree.Facts = facts
	if w.tree.Headline = Headline(facts); !beginsWithName(facts) { // it begins with a name then
		w.tree.Headline = capitalize(w.tree.Headline)
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

// dropInvalidReferences returns the facts without out-of-range indexes, which facts not made by
// a resolver can have.
func dropInvalidReferences(facts []Fact) []Fact {
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

// add appends a statement to a parent, or as a root, and sanitizes its texts. Beyond
// maxStatements it only counts.
func (w *arguer) add(below *Statement, s Statement) *Statement {
	s.Text, s.Message, s.For = sanitize(s.Text), sanitize(s.Message), sanitize(s.For)
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

// root states a demand, with the fact that leaves it without candidates, if any.
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
			w.nearMisses(none, g.Candidates, true)
		}
	}
	w.candidates(i, s)
}

// live returns the names of the candidates that are not near misses.
func live(list []Rejected) []string {
	return bundlesOf(slices.DeleteFunc(slices.Clone(list), Rejected.NearMiss))
}

// candidates states why each candidate of a fact is rejected, followed by near misses.
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
		sentence := fmt.Sprintf("the %s %s", text.Plural(len(names), "candidate is", "candidates are"), listed(names))
		if len(names) == 1 && f.Omitted == 0 && len(live(f.Candidates)) == 1 {
			sentence = "the only candidate is " + names[0]
		}
		w.add(below, Statement{Kind: StatementCandidates, Bundles: names, Because: citedBy(elsewhere), Text: capitalize(sentence)})
	}
	if f.Omitted > 0 {
		w.add(below, Statement{Kind: StatementMore, Text: fmt.Sprintf("Candidates beyond these: %d more", f.Omitted)})
	}
	if f.Kind == FactForced || f.Kind == FactSupposed || f.Kind == FactSubscription {
		w.nearMisses(below, near, false)
	}
	w.parts(f, near, below)
}

// parts states, for each unsatisfiable part of a constraint, the reason and the near misses.
func (w *arguer) parts(f *Fact, near []Rejected, below *Statement) {
	for i, part := range f.Parts {
		same := func(p Part) bool { return p.Nothing == part.Nothing && p.Message == part.Message }
		if part.Nothing == "" || slices.ContainsFunc(f.Parts[:i], same) {
			continue
		}
		s := w.add(below, Statement{Kind: StatementNothing, Text: capitalize(part.Nothing), Message: part.Message})
		var mine []Rejected
		for _, r := range near {
			if same(f.Parts[r.Part]) {
				mine = append(mine, r)
			}
		}
		w.nearMisses(s, mine, true)
	}
}

// run returns the length of the leading run of candidates with the same rejection.
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

// nearMisses states near misses, grouped by reason. all reports whether there are no other
// candidates.
func (w *arguer) nearMisses(below *Statement, list []Rejected, all bool) {
	for len(list) > 0 {
		n := run(list)
		if !all && list[0].Reason == NearMissVersion {
			n = 1 // each has a text of its own
		}
		names := bundlesOf(list[:n])
		sentence := predicate(names, list[0].Text)
		if all && list[0].Reason == NearMissVersion {
			sentence = text.Plural(len(names), "There is only ", "There are only ") + listed(names)
		}
		w.add(below, Statement{Kind: StatementNearMiss, Bundles: names, Text: sentence})
		list = list[n:]
	}
}

// group states why a run of candidates is rejected.
func (w *arguer) group(of int, list []Rejected, below *Statement) {
	by := citedBy(list)
	switch list[0].Reason {
	case RejectedByConstraint:
		w.requires(of, list, by, below)
	case RejectedByPackage, RejectedByGVK, RejectedBySubscription:
		w.clash(of, list, by, below)
	case RejectedByProhibition:
		s := w.add(below, Statement{Kind: StatementProhibited, Bundles: bundlesOf(list), Because: by,
			Text: predicate(bundlesOf(list), "is ruled out by "+w.facts[by[0]].Bundle), For: w.partOf(of, list)})
		known := by[slices.IndexFunc(by, func(i int) bool { return w.statementOf[i] != nil })]
		w.see = append(w.see, reference{s, w.statementOf[known]})
	default:
		var messages []string
		for _, i := range by {
			if m := w.facts[i].Message; m != "" && !w.stated[i] && w.facts[i].Kind != FactQuarantined {
				messages = text.AppendNew(messages, m)
			}
		}
		w.add(below, Statement{Kind: StatementRefused, Facts: w.state(by...), Bundles: bundlesOf(list),
			Text: predicate(bundlesOf(list), list[0].Text), Message: strings.Join(messages, "; "), For: w.partOf(of, list)})
	}
}

// partOf returns the message of the part of a constraint for which candidates are considered.
func (w *arguer) partOf(of int, list []Rejected) string {
	if parts := w.facts[of].Parts; list[0].Part < len(parts) {
		return parts[list[0].Part].Message
	}
	return ""
}

// requires states the unsatisfiable requirements of candidates. Candidates with the same
// requirement share a statement; a requirement that was explained before is referred to.
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
		sentence := w.add(below, s)
		w.required[what] = sentence
		for _, i := range same {
			w.statementOf[i] = sentence
		}
		if w.size > maxStatements {
			w.counted = append(w.counted, same[0])
			continue
		}
		w.candidates(same[0], sentence)
	}
}

// count counts the statements beyond maxStatements. It is iterative, because the tree could be
// deeper than the stack.
func (w *arguer) count() {
	for n := len(w.counted); n > 0; n = len(w.counted) {
		i := w.counted[n-1]
		w.counted = w.counted[:n-1]
		w.candidates(i, &Statement{})
	}
}

// everyone names candidates, abbreviated if they are all candidates of the fact.
func (w *arguer) everyone(of int, list []Rejected) string {
	all := &w.facts[of]
	if len(list) > 4 && all.Omitted == 0 && len(list) == len(live(all.Candidates)) {
		return fmt.Sprintf("All %d candidates (%s … %s)", len(list), list[0].Bundle, list[len(list)-1].Bundle)
	}
	return listed(bundlesOf(list))
}

// victims returns the candidates that precede the prohibition that rejects them.
func (w *arguer) victims(facts []int) []string {
	var out []string
	for _, i := range facts {
		out = text.AppendNew(out, w.deferred[i]...)
	}
	return out
}

// later reports whether the rejecting fact has not been stated yet. Its statement will refer to
// the candidates.
func (w *arguer) later(of int, list []Rejected) bool {
	by := citedBy(list)
	switch list[0].Reason {
	case RejectedByProhibition:
		if slices.ContainsFunc(by, func(i int) bool { return w.statementOf[i] != nil }) {
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

// clash states candidates that conflict with other bundles.
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
			rules = append(rules, fmt.Sprintf("%s %s can have only one of them", lexicon.Demand(w.facts[i].Terms, w.facts[i].Extension), w.facts[i].Subject))
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
	s := Statement{Kind: StatementClash, Bundles: bundlesOf(list), Because: because, Text: predicate(bundlesOf(list), list[0].Text), For: w.partOf(of, list)}
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

// samePackage describes two subscriptions to one package of which one owns the installed bundle;
// empty otherwise.
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
		return fmt.Sprintf("%s %s and %s want the same package, and %s owns the installed %s",
			capitalize(text.Many(lexicon.Demand(f.Terms, f.Extension))), f.displayName(), g.displayName(), owner.Subject, owner.Owns)
	}
	return ""
}

// rival names the conflicting bundles and what requires them.
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
		return fmt.Sprintf("%s, %s%s %s needs", what, which, lexicon.Demand(f.Terms, f.Extension), f.displayName())
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
