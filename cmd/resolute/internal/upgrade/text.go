package upgrade

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Headline returns a status in words.
func (s Status) Headline() string {
	words := map[Status]string{
		Ready:   "ready: nothing has to be done",
		After:   "ready to move, with updates after it",
		Before:  "updates are due before the cluster moves",
		Blocked: "blocked: an operator cannot be upgraded or installed",
	}
	return cmp.Or(words[s], string(s))
}

// AsToday reports whether an operator is in conflict, but no more than it is today: this is no
// reason against the next version.
func (o *Operator) AsToday() bool {
	return o.Verdict == Fine && slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.Code == alreadyToday })
}

// Headline says the status of the cluster in words.
func (r *Report) Headline() string {
	if r.Status == Ready && slices.ContainsFunc(r.Operators, func(o Operator) bool { return o.AsToday() }) {
		return "ready: no worse than today"
	}
	return r.Status.Headline()
}

// Words says the verdict of an operator in words.
func (o *Operator) Words() string {
	if o.Both() {
		return "update before and after"
	}
	words := map[Verdict]string{UpdateBefore: "update before", UpdateAfter: "update after", NoWay: "no upgrade", Gone: "gone"}
	switch {
	case o.Verdict == NoWay && o.Bundle == "":
		return "cannot be installed"
	case o.Verdict == Fine && o.Bundle == "":
		return "can be installed"
	case o.AsToday():
		return "in conflict, as today"
	}
	return cmp.Or(words[o.Verdict], "can stay")
}

// maxFiles bounds the files that name a cluster.
const maxFiles = 3

// Name names the subject of the report: the cluster by its name, or its file or files, with its ID
// if it has one. It is empty if nothing is known.
func (r *Report) Name() string {
	if r.ClusterName != "" {
		return "cluster " + text.Name(r.ClusterName)
	}
	files := r.Files
	if len(files) == 0 && r.File != "" {
		files = []string{r.File}
	}
	if r.Cluster != "" {
		return strings.TrimPrefix(text.Short(text.Each(files, text.Inert), maxFiles)+": cluster "+text.Name(r.Cluster), ": ")
	}
	return text.Inert(r.File)
}

// ownerNoun is the noun for the owner of the operator.
func (o *Operator) ownerNoun() string {
	if o.Extension != "" {
		return "extension"
	}
	return "subscription"
}

// Title names an operator with the subscription or extension that owns it.
func (o *Operator) Title() string {
	title := text.Name(o.Bundle)
	switch {
	case o.Bundle == "":
		title = fmt.Sprintf("%s %s (package %s, nothing installed)", o.ownerNoun(), text.Name(o.owner()), text.Name(o.Package))
	case o.owner() != "":
		title += fmt.Sprintf(" (%s %s)", o.ownerNoun(), text.Name(o.owner()))
	}
	if o.Namespace != "" {
		title += " in namespace " + text.Name(o.Namespace)
	}
	return title
}

// String returns a step in words.
func (s Step) String() string {
	if s.Moves() {
		var to []string
		if s.OpenShift != "" {
			to = append(to, "OpenShift "+text.Name(s.OpenShift))
		}
		if s.Kubernetes != "" {
			to = append(to, "Kubernetes "+text.Name(s.Kubernetes))
		}
		if len(to) == 0 {
			return "upgrade the cluster"
		}
		return "upgrade the cluster to " + strings.Join(to, ", ")
	}
	what := s.Action + " "
	if s.Replaces != "" {
		what += text.Name(s.Replaces) + " to "
	}
	what += text.Name(s.Bundle)
	if s.Channel != "" {
		what += " from channel " + text.Name(s.Channel)
	}
	if s.Catalog != "" {
		what += " of " + text.Name(s.Catalog)
	}
	if s.Namespace != "" {
		what += " in namespace " + text.Name(s.Namespace)
	}
	return what
}

// WriteText writes the report as plain text. paint returns the words of each verdict, and of the
// resulting status, in colour for example; nil leaves them unchanged.
func (r *Report) WriteText(w io.Writer, paint func(v Verdict, words string) string) error {
	if paint == nil {
		paint = func(_ Verdict, words string) string { return words }
	}
	var b bytes.Buffer
	if name := r.Name(); name != "" {
		fmt.Fprintf(&b, "%s: ", name)
	}
	worst := map[Status]Verdict{Ready: Fine, After: UpdateAfter, Before: UpdateBefore}[r.Status]
	fmt.Fprintf(&b, "%s\n", paint(cmp.Or(worst, NoWay), r.Headline()))
	if r.Error != "" {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(strings.TrimSpace(text.Block(r.Error)), "\n", "\n  "))
	}
	writeOperators(&b, r.Operators, paint)
	if len(r.NotInstallable) > 0 {
		b.WriteString("  cannot be installed today either, and does not block the cluster:\n")
		writeOperators(&b, r.NotInstallable, func(_ Verdict, words string) string { return paint(UpdateAfter, words) })
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", text.Inert(n.Text))
	}
	for i, s := range r.Order {
		if i == 0 {
			b.WriteString("  order" + map[bool]string{true: ", though the cluster cannot move yet"}[r.Status == Blocked && !slices.ContainsFunc(r.Order, func(s Step) bool { return s.Moves() })] + ":\n")
		}
		when := ""
		if !s.Moves() {
			when = string(s.When) + ": "
		}
		fmt.Fprintf(&b, "  %3d. %s%s\n", i+1, when, s)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeOperators writes operators with their verdicts.
func writeOperators(b *bytes.Buffer, list []Operator, paint func(Verdict, string) string) {
	for i := range list {
		o := &list[i]
		verdict := o.Verdict
		if o.AsToday() {
			verdict = UpdateAfter // in its colour
		}
		fmt.Fprintf(b, "  %s%s\n", paint(verdict, fmt.Sprintf("%-24s", o.Words())), o.Title())
		for _, why := range o.Reasons {
			fmt.Fprintf(b, "    - %s\n", text.Inert(why.Text))
		}
	}
}

// maxListed limits the operators in the text of a summary.
const maxListed = 50

// WriteText writes the summary as plain text. A single report without a shard has none.
func (s *Summary) WriteText(w io.Writer) error {
	if s.alone() {
		return nil
	}
	var b bytes.Buffer
	if s.Shard != "" {
		fmt.Fprintf(&b, "This is shard %s only.\n", text.Name(s.Shard))
	}
	fmt.Fprintf(&b, "%s: %d ready, %d with updates after, %d with updates before, %d blocked",
		text.Count(s.Clusters, "cluster", "clusters"), s.Ready, s.After, s.Before, s.Blocked)
	if s.Invalid > 0 {
		fmt.Fprintf(&b, ", %d invalid", s.Invalid)
	}
	if s.Incomplete > 0 {
		fmt.Fprintf(&b, ", %d incomplete", s.Incomplete)
	}
	b.WriteString("\n")
	if len(s.Operators) > 0 {
		b.WriteString("Packages that block clusters (and how many alone):\n")
	}
	for i, h := range s.Operators {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(s.Operators)-i)
			break
		}
		fmt.Fprintf(&b, "  %6d (%d)  %s: %s\n", h.Clusters, h.Alone, text.Name(h.Package), h.movesText())
	}
	if len(s.Free) > 0 {
		b.WriteString("Packages to deal with first, in this order:\n")
	}
	for i, f := range s.Free {
		fmt.Fprintf(&b, "  %2d. %s\n", i+1, f)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// String returns how many clusters become ready, or that none does yet because several packages
// block each of them.
func (f Freed) String() string {
	if f.Clusters == 0 {
		return text.Name(f.Package) + " frees no cluster by itself"
	}
	return fmt.Sprintf("%s frees %s, %d in all", text.Name(f.Package), text.Count(f.Clusters, "cluster", "clusters"), f.Total)
}

// String returns the action in words.
func (m Move) String() string {
	name := text.Name(m.Bundle)
	switch {
	case m.Verdict == UpdateBefore || m.Verdict == UpdateAfter:
		if m.To != "" {
			name += " to " + text.Name(m.To)
		}
		return "update " + name + map[Verdict]string{UpdateBefore: " before", UpdateAfter: " after"}[m.Verdict]
	case m.Bundle == "":
		return "it cannot be installed"
	case m.Verdict == Gone:
		return name + " is gone"
	}
	return "there is no upgrade from " + name
}

func (h *Holder) movesText() string {
	const most = 3
	var parts []string
	for i, m := range h.Moves {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(h.Moves)-most))
			break
		}
		parts = append(parts, m.String())
	}
	return strings.Join(parts, "; ")
}
