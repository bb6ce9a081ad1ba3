package draw

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// The limits of the picture of a conflict.
const (
	maxBoxes    = 1000 // boxes of a conflict; SVG folds more than 200
	maxSiblings = 8    // boxes of the candidates for one demand or requirement
	maxNamed    = 4    // versions named in one box
	maxSentence = 600  // characters of a sentence in a box
	maxWay      = 200  // characters of a correction
)

// Conflict draws the facts of an argument, and of further ones in frames of their own. Demands are on
// the left, their candidates and what these require to the right of them. Lines lead to what rules
// candidates out, and from there to the corrections, if any. Versions of an operator with the same
// requirements that are ruled out alike share a box.
//
// An argument without facts, such as one read from JSON, has its headline only.
func Conflict(a *argument.Argument) Picture {
	return Picture{diagram: func(ctx context.Context) *picture.Diagram { return conflict(ctx, a) }}
}

// conflict draws an argument, and groups for further ones.
func conflict(ctx context.Context, a *argument.Argument) *picture.Diagram {
	d := &picture.Diagram{Name: "conflict", Title: "Why there is no solution", Way: picture.Across}
	var clashes []string
	d.Loose, clashes = boxes(ctx, d, a, "n")
	for i, f := range a.Further {
		if ctx.Err() != nil {
			return d
		}
		id := fmt.Sprintf("c%d", i+1)
		nodes, _ := boxes(ctx, d, f, id+"_")
		d.Groups = append(d.Groups, picture.Group{ID: id, Title: f.Headline, Nodes: nodes})
	}
	if len(a.Corrections) > 0 {
		n := picture.Node{ID: "corrections", Lines: []string{"Ways out:"}, Shape: picture.Round}
		for i, c := range a.Corrections {
			n.Lines = append(n.Lines, fmt.Sprintf("%d. %s", i+1, text.Middle(c, maxWay)))
		}
		for _, id := range clashes {
			d.Edges = append(d.Edges, picture.Edge{From: id, To: n.ID})
		}
		d.Loose = append(d.Loose, n)
	}
	return d
}

// conflicting makes the boxes of one argument.
type conflicting struct {
	facts  []argument.Fact
	prefix string
	nodes  []picture.Node
	edges  []picture.Edge
	drawn  map[picture.Edge]bool

	requires map[string][]int    // by bundle: its requirements
	bans     map[int]bool        // by fact: whether it prohibits a candidate
	boxOf    map[string]string   // by the names in a box: its ID
	of       map[string][]string // by bundle: the IDs of its boxes
	rules    map[int]string      // by fact: the ID of the box that says what it rules out
	roots    map[int]string      // by fact: the ID of a demand
	ruling   []int               // the keys of rules in their order
	open     []demand
}

// demand is a fact whose candidates are still to be drawn.
type demand struct {
	fact, depth int
	box         string
}

// boxes draws the facts of an argument. It returns the boxes of clashes as well.
func boxes(ctx context.Context, d *picture.Diagram, a *argument.Argument, prefix string) (nodes []picture.Node, clashes []string) {
	c := &conflicting{facts: a.Facts, prefix: prefix, drawn: make(map[picture.Edge]bool), requires: make(map[string][]int), bans: make(map[int]bool), boxOf: make(map[string]string),
		of: make(map[string][]string), rules: make(map[int]string), roots: make(map[int]string)}
	for i, f := range picture.Each(ctx, c.facts) {
		if f.Kind == argument.FactConstraint {
			c.requires[f.Bundle] = append(c.requires[f.Bundle], i)
		}
		for _, r := range f.Candidates {
			if r.Reason == argument.RejectedByProhibition {
				for _, by := range c.against(&r) {
					c.bans[by] = true
				}
			}
		}
	}
	for i, f := range picture.Each(ctx, c.facts) {
		if f.Kind.IsRoot() {
			c.root(i)
		}
	}
	for len(c.open) > 0 && ctx.Err() == nil {
		next := c.open[0]
		c.open = c.open[1:]
		c.candidates(ctx, next)
	}
	for i, f := range picture.Each(ctx, c.facts) { // rules without a listed candidate
		if !f.Kind.IsRoot() && f.Kind != argument.FactConstraint {
			c.rule(i)
		}
	}
	if len(c.nodes) == 0 {
		c.add(picture.Node{Lines: []string{a.Headline}, Shape: picture.Octagon})
	}
	c.participants(ctx)
	d.Edges = append(d.Edges, c.edges...)
	for i := range c.nodes {
		if c.nodes[i].Shape == picture.Octagon {
			clashes = append(clashes, c.nodes[i].ID)
		}
	}
	return c.nodes, clashes
}

// add adds a box and returns its ID, or "" beyond the limit.
func (c *conflicting) add(n picture.Node) string {
	if len(c.nodes) == maxBoxes {
		return ""
	}
	n.ID = fmt.Sprintf("%s%d", c.prefix, len(c.nodes))
	if len(c.nodes) == maxBoxes-1 {
		n = picture.Node{ID: n.ID, Lines: []string{"… more boxes are not drawn"}, Shape: picture.Dashed}
		c.nodes = append(c.nodes, n)
		return ""
	}
	for i, s := range n.Lines {
		n.Lines[i] = text.Middle(s, maxSentence)
	}
	c.nodes = append(c.nodes, n)
	return n.ID
}

// link adds an edge, once.
func (c *conflicting) link(e picture.Edge) {
	if e.From != "" && e.To != "" && e.From != e.To && !c.drawn[e] {
		c.drawn[e] = true
		c.edges = append(c.edges, e)
	}
}

// root draws a demand.
func (c *conflicting) root(i int) {
	f := &c.facts[i]
	n := picture.Node{Lines: []string{f.Text}, Shape: picture.Bold, Tip: f.Text}
	if before, after, found := strings.Cut(" "+f.Text+" ", " "+text.Name(f.Subject)+" "); found { // "a", "subscription asks for package b"
		n.Lines = []string{f.Subject, strings.TrimSpace(before + " " + after)}
	}
	id := c.add(n)
	c.roots[i] = id
	if _, known := c.boxOf[f.Bundle]; f.Bundle != "" && !known {
		own := &argument.Rejected{Bundle: f.Bundle}
		if at := slices.IndexFunc(f.Candidates, func(r argument.Rejected) bool { return r.Bundle == f.Bundle }); at >= 0 {
			own = &f.Candidates[at]
		}
		c.expand(id, []string{f.Bundle}, own, 0)
	}
	for j := range c.facts {
		if g := &c.facts[j]; g.Kind == argument.FactNoCandidate && g.Subscription == f.Subject {
			c.link(picture.Edge{From: id, To: c.rule(j), Clash: true})
		}
	}
	c.open = append(c.open, demand{i, 1, id})
}

// versions are candidates that share a box.
type versions struct {
	names    []string
	rejected *argument.Rejected // the first one
	others   bool               // ruled out in ways that are not drawn
	more     int
}

// candidates draws the candidates for a demand or a requirement.
func (c *conflicting) candidates(ctx context.Context, d demand) {
	f := &c.facts[d.fact]
	var groups []*versions
	index := make(map[string]*versions)
	for _, r := range picture.Each(ctx, f.Candidates) {
		if r.NearMiss() {
			continue
		}
		key := c.alike(r)
		if len(groups) >= maxSiblings-1 && index[key] == nil {
			key = "" // all others
		}
		if index[key] == nil {
			index[key] = &versions{rejected: r, others: key == ""}
			groups = append(groups, index[key])
		}
		index[key].names = append(index[key].names, r.Bundle)
	}
	if len(groups) > 0 {
		groups[len(groups)-1].more = f.Omitted
	}
	for _, g := range groups {
		c.box(d, g)
	}
	if len(groups) == 0 && f.Kind == argument.FactConstraint {
		c.link(picture.Edge{From: d.box, To: c.rule(d.fact), Clash: true})
	}
}

// alike returns the key of the box of a candidate: operator, requirements and what rules it out.
func (c *conflicting) alike(r *argument.Rejected) string {
	base, _ := text.SplitVersion(r.Bundle)
	key := fmt.Sprintf("%q", base)
	for _, by := range c.against(r) {
		key += fmt.Sprintf(" %d", by)
	}
	for _, i := range c.requires[r.Bundle] {
		key += " " + required(&c.facts[i])
	}
	return key
}

// against returns the facts that rule a candidate out by themselves: not its own requirements, and
// not those that lead to a rival.
func (c *conflicting) against(r *argument.Rejected) []int {
	rules := func(f *argument.Fact) bool {
		switch r.Reason {
		case argument.RejectedByPackage:
			return f.Kind == argument.FactPackage
		case argument.RejectedByGVK:
			return f.Kind == argument.FactGVK
		case argument.RejectedByProhibition:
			return f.Kind == argument.FactConstraint && f.Bundle != r.Bundle
		case argument.RejectedBySubscription:
			return f.Kind.IsRoot()
		}
		return f.Kind != argument.FactConstraint && !f.Kind.IsRoot()
	}
	return slices.DeleteFunc(slices.Clone(r.By), func(i int) bool { return i < 0 || i >= len(c.facts) || !rules(&c.facts[i]) })
}

// required returns what a constraint requires, without the name of its bundle.
func required(f *argument.Fact) string {
	return strings.TrimPrefix(f.Text, f.Bundle+" ")
}

// box draws candidates in one box, or finds the box that they have.
func (c *conflicting) box(d demand, g *versions) {
	f := &c.facts[d.fact]
	e := picture.Edge{From: d.box}
	if f.Kind == argument.FactConstraint {
		e.Label = text.Middle(required(f), maxSentence)
	}
	key := strings.Join(g.names, "\n")
	id, known := c.boxOf[key]
	if !known {
		n := picture.Node{Lines: g.lines(), Tip: text.Short(g.names, maxFolded), Fold: d.depth}
		if g.others {
			n.Shape = picture.Dashed
			n.Lines = append(n.Lines, "ruled out as well, not drawn")
		}
		if id = c.add(n); id == "" {
			return
		}
	}
	e.To = id
	switch c.link(e); {
	case known:
	case g.others:
		c.boxOf[key] = id
	default:
		c.expand(id, g.names, g.rejected, d.depth)
	}
}

// expand records the box of bundles, links it to what rules them out, and queues what they require.
func (c *conflicting) expand(id string, names []string, rejected *argument.Rejected, depth int) {
	c.boxOf[strings.Join(names, "\n")] = id
	for _, name := range names {
		c.of[name] = append(c.of[name], id)
	}
	for _, by := range c.against(rejected) {
		c.link(picture.Edge{From: id, To: c.rule(by), Clash: true})
	}
	for _, i := range c.requires[rejected.Bundle] {
		c.open = append(c.open, demand{i, depth + 1, id})
	}
}

// lines returns the operator of candidates and their versions.
func (g *versions) lines() []string {
	base, version := text.SplitVersion(g.names[0])
	if len(g.names)+g.more == 1 {
		return []string{strings.TrimSpace(base + " " + version)}
	}
	var list []string
	for _, name := range g.names[:min(len(g.names), maxNamed)] {
		of, v := text.SplitVersion(name)
		if of != base || v == "" { // several operators provide the same
			v = strings.TrimSpace(of + " " + v)
		}
		list = append(list, v)
	}
	said := strings.Join(list, ", ")
	if more := len(g.names) + g.more - len(list); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return []string{base, said}
}

// rule draws the box of a fact that rules candidates out, once.
func (c *conflicting) rule(i int) string {
	if id, ok := c.rules[i]; ok {
		return id
	}
	f := &c.facts[i]
	said := f.Text
	switch {
	case f.Kind == argument.FactConstraint && !c.bans[i] && !slices.ContainsFunc(f.Candidates, func(r argument.Rejected) bool { return !r.NearMiss() }):
		said = required(f) + ", which nothing meets"
		if len(f.Newest) > 0 {
			said += "; newest: " + text.Short(f.Newest, maxNamed)
		}
	case f.Kind == argument.FactPackage:
		said = "only one version of " + text.Name(f.Subject) + " at a time"
	case f.Kind.IsRoot():
		said = "only one " + cmp.Or(f.Terms.Bundle, "bundle") + " for " + text.Name(f.Subject)
	}
	id := c.add(picture.Node{Lines: []string{"✕ " + said}, Shape: picture.Octagon})
	c.rules[i] = id
	c.ruling = append(c.ruling, i)
	return id
}

// participants links the bundles that rule others out.
func (c *conflicting) participants(ctx context.Context) {
	for _, i := range picture.Each(ctx, c.ruling) {
		f := &c.facts[*i]
		if root := c.roots[*i]; root != "" {
			c.link(picture.Edge{From: root, To: c.rules[*i], Clash: true})
		}
		if f.Kind == argument.FactConstraint {
			c.linkAll(f.Bundle, c.rules[*i])
		}
	}
	for _, f := range picture.Each(ctx, c.facts) {
		for _, r := range f.Candidates {
			for _, by := range c.against(&r) {
				for _, rival := range r.Beside[by] {
					c.linkAll(rival, c.rules[by])
				}
			}
		}
	}
}

// linkAll links each box of a bundle to what it takes part in.
func (c *conflicting) linkAll(bundle, to string) {
	for _, id := range slices.Compact(slices.Clone(c.of[bundle])) {
		c.link(picture.Edge{From: id, To: to, Clash: true})
	}
}
