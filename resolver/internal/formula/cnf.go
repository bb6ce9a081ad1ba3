package formula

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteDIMACS writes the clauses of a formula that was not solved yet in the DIMACS format, after
// comments that name the bundle of each variable. It returns the error of w, and nil if the budget is
// exhausted.
func (f *Formula) WriteDIMACS(w io.Writer) error {
	out := bufio.NewWriter(w)
	writeComments(out, f)
	clauses := 0
	for range f.s.Unsolved() {
		if clauses++; f.p.Budget.Step() {
			return nil
		}
	}
	fmt.Fprintf(out, "p cnf %d %d\n", f.s.Vars(), clauses)
	var line []byte
	for clause := range f.s.Unsolved() {
		if f.p.Budget.Step() {
			return nil
		}
		line = line[:0]
		for _, l := range clause {
			line = append(strconv.AppendInt(line, int64(l), 10), ' ')
		}
		if _, err := out.Write(append(line, "0\n"...)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// WriteDRAT writes a proof that the clauses of a formula that was not solved yet are unsatisfiable.
// It returns the error of w, sat.ErrSatisfiable, or the error that stopped the work.
func (f *Formula) WriteDRAT(w io.Writer) error {
	if f.p.Budget.Stopped() {
		return nil
	}
	proof, err := f.s.Prove(f.p.Budget.Context(), nil, nil)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var line []byte
	for _, d := range proof {
		line = line[:0]
		for _, l := range d.Literals {
			line = append(strconv.AppendInt(line, int64(l), 10), ' ')
		}
		if _, err := out.Write(append(line, "0\n"...)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeComments writes the size of the request and the bundle of each variable. A write error is
// returned by the later flush.
func writeComments(out *bufio.Writer, f *Formula) {
	p := f.p
	fmt.Fprintf(out, "c the hard rules of a request: %s, %s\n",
		text.Count(len(p.Demands.List), "subscription", "subscriptions"), text.Count(len(p.Universe.Inst), "installed bundle", "installed bundles"))
	fmt.Fprintln(out, "c bundles by variable; variables that are not listed are auxiliary")
	for n := range p.Universe.Nodes {
		if p.Budget.Step(); f.Literal[n] == 0 {
			continue
		}
		nd := &p.Universe.Nodes[n]
		from := "installed"
		if nd.Inst < 0 {
			from = p.Universe.Cats[nd.Cat].Key.String()
		}
		fmt.Fprintf(out, "c %d %s %s\n", f.Literal[n], oneWord(from), oneWord(nd.Bundle.Name))
	}
}

// oneWord makes a name inert and replaces its spaces, so that it is one word of a comment.
func oneWord(s string) string { return strings.ReplaceAll(text.Inert(s), " ", "\ufffd") }
