package upgrade

import (
	"cmp"
	"slices"
	"strings"
)

// Summary sums up the reports of a fleet. A cluster is all scenarios with the same cluster.id, or
// one scenario without it.
type Summary struct {
	// Clusters is the number of clusters, followed by the number with each status.
	Clusters   int `json:"clusters"`
	Ready      int `json:"ready"`
	After      int `json:"after"`
	Before     int `json:"before"`
	Blocked    int `json:"blocked"`
	Invalid    int `json:"invalid,omitempty"`
	Incomplete int `json:"incomplete,omitempty"`
	// Operators are the packages that block clusters, those that block most first.
	Operators []Holder `json:"operators"`
	// Free are the packages to act on first, at most 20: the package that alone blocks most
	// clusters, then the one that does so after the ones before it are dealt with, and so on.
	Free []Freed `json:"free"`
	// Shard is "i/n" if it sums up one shard only.
	Shard string `json:"shard,omitempty"`
}

// The limits of Summary.Free and Holder.Moves.
const (
	maxFree  = 20
	maxMoves = 20
)

// Holder is a package that blocks clusters.
type Holder struct {
	Package string `json:"package"`
	// Clusters is the number of clusters that it blocks, and Alone the number that only it blocks.
	Clusters int `json:"clusters"`
	Alone    int `json:"alone"`
	// Moves are the actions that it needs, the most frequent first.
	Moves []Move `json:"moves"`
}

// Move is the action that a bundle needs.
type Move struct {
	Bundle  string  `json:"bundle,omitempty"`
	Verdict Verdict `json:"verdict"`
	// To is the bundle to update to, if there is one.
	To       string `json:"to,omitempty"`
	Clusters int    `json:"clusters"`
}

// Freed is a package, and the number of clusters that are ready once it is dealt with.
type Freed struct {
	Package string `json:"package"`
	// Clusters are freed by this package, Total with those of the packages before it.
	Clusters int `json:"clusters"`
	Total    int `json:"total"`
}

// tally counts reports. Its memory grows with their distinct content, not with their number.
type tally struct {
	sum   Summary
	held  map[string]int // clusters, by the packages that block them
	moves map[packageMove]int
}

// packageMove is the action that a bundle of a package needs.
type packageMove struct {
	pkg string
	Move
}

func newTally() *tally {
	return &tally{held: make(map[string]int), moves: make(map[packageMove]int)}
}

// separator separates the packages of a set. Package names do not contain it.
const separator = "\x00"

// add counts a report.
func (t *tally) add(r *Report) {
	t.sum.Clusters++
	counts := map[Status]*int{Ready: &t.sum.Ready, After: &t.sum.After, Before: &t.sum.Before, Blocked: &t.sum.Blocked, Incomplete: &t.sum.Incomplete}
	*cmp.Or(counts[r.Status], &t.sum.Invalid)++
	var holders []string
	seen := make(map[packageMove]bool)
	for i := range r.Operators {
		o := &r.Operators[i]
		if o.Verdict == Fine {
			continue
		}
		m := packageMove{cmp.Or(o.Package, o.Bundle, o.owner()), Move{Bundle: o.Bundle, Verdict: o.Verdict}}
		holders = append(holders, m.pkg)
		for _, s := range o.Path {
			if s.Package == o.Package {
				m.To = s.Bundle
			}
		}
		if !seen[m] {
			seen[m] = true
			t.moves[m]++
		}
	}
	if len(holders) > 0 {
		slices.Sort(holders)
		t.held[strings.Join(slices.Compact(holders), separator)]++
	}
}

// summary returns the summary of the reports so far.
func (t *tally) summary() *Summary {
	s := t.sum
	s.Operators, s.Free = []Holder{}, t.free()
	moves := make(map[string][]Move)
	for m, n := range t.moves { // sorted below
		m.Clusters = n
		moves[m.pkg] = append(moves[m.pkg], m.Move)
	}
	clusters, alone := holding(t.held)
	for name, n := range clusters { // sorted below
		list := moves[name]
		slices.SortFunc(list, func(a, b Move) int {
			return cmp.Or(b.Clusters-a.Clusters, strings.Compare(a.Bundle, b.Bundle), strings.Compare(string(a.Verdict), string(b.Verdict)), strings.Compare(a.To, b.To))
		})
		s.Operators = append(s.Operators, Holder{Package: name, Clusters: n, Alone: alone[name], Moves: list[:min(len(list), maxMoves)]})
	}
	slices.SortFunc(s.Operators, func(a, b Holder) int {
		return cmp.Or(b.Clusters-a.Clusters, b.Alone-a.Alone, strings.Compare(a.Package, b.Package))
	})
	return &s
}

// holding counts the clusters that each package blocks, and those that only it blocks.
func holding(sets map[string]int) (clusters, alone map[string]int) {
	clusters, alone = make(map[string]int), make(map[string]int)
	for set, n := range sets { // in any order
		names := strings.Split(set, separator)
		for _, name := range names {
			clusters[name] += n
		}
		if len(names) == 1 {
			alone[set] += n
		}
	}
	return clusters, alone
}

// free picks, one after the other, the packages that free most clusters. If none frees one by
// itself, it picks the one that blocks most of the others.
func (t *tally) free() []Freed {
	out, total := []Freed{}, 0
	for left := t.held; len(left) > 0 && len(out) < maxFree; {
		holds, frees := holding(left)
		best := ""
		for name := range holds { // the order decides nothing
			if best == "" || cmp.Or(frees[name]-frees[best], holds[name]-holds[best], strings.Compare(best, name)) > 0 {
				best = name
			}
		}
		total += frees[best]
		out = append(out, Freed{Package: best, Clusters: frees[best], Total: total})
		left = freed(left, best)
	}
	return out
}

// freed returns the sets without a package.
func freed(sets map[string]int, name string) map[string]int {
	out := make(map[string]int, len(sets))
	for set, n := range sets { // in any order
		names := slices.DeleteFunc(strings.Split(set, separator), func(s string) bool { return s == name })
		if len(names) > 0 {
			out[strings.Join(names, separator)] += n
		}
	}
	return out
}
