package formula

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// WriteDIMACS writes the clauses of a formula that was not solved yet, behind comments,
// in the DIMACS format. The error is that of w, or nil if the work was stopped.
func (f *Formula) WriteDIMACS(w io.Writer, comments func(*bufio.Writer)) error {
	out := bufio.NewWriter(w)
	comments(out)
	clauses := 0
	for range f.s.Unsolved() {
		clauses++
	}
	fmt.Fprintf(out, "p cnf %d %d\n", f.s.Vars(), clauses)
	var line []byte
	for clause := range f.s.Unsolved() {
		if f.p.Tick(); f.p.Stopped() {
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

// Literal is the variable of a bundle, 0 for what can never be chosen.
func (f *Formula) Literal(n problem.NodeID) sat.Lit { return f.lits[n] }
