package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/certificate"
)

func TestVerify(t *testing.T) {
	made := func(file string) string {
		return resolute(context.Background(), "", "resolve", "-o", "certificate", file).out
	}
	proof, none := made(install), made(conflict)
	verify := func(file, cert string) result {
		return resolute(context.Background(), cert, "verify", "--scenario", file, "-")
	}
	require.Equal(t, proof, made(install))
	for name, c := range map[string]struct {
		file, cert string
		status     int
		says       string
	}{
		"resolved":            {install, proof, 0, "verified: resolved, "},
		"no solution":         {conflict, none, 0, "facts cannot hold together, and each is needed"},
		"of another scenario": {conflict, proof, 1, "not true: it is about another request"},
		"edited":              {install, strings.Replace(proof, `"set":[1`, `"set":[`, 1), 2, "not a usable certificate"},
		"another set":         {install, strings.Replace(proof, `"set":[1`, `"set":[1,1`, 1), 1, "not true: the set is not what the decisions select"},
		"a fact less":         {conflict, strings.Replace(none, `{"kind":"subscription"`, `{"kind":"hold"`, 1), 1, "not true: "},
		"truncated":           {install, proof[:len(proof)/2], 2, "not a usable certificate: it is not JSON"},
		"another version":     {install, strings.Replace(proof, `"version":1`, `"version":9`, 1), 2, "it is of version 9"},
		"a million lemmas":    {install, strings.Replace(proof, `"decisions"`, `"lemmas":[[1]`+strings.Repeat(",[1]", 1_000_000)+`],"decisions"`, 1), 2, "1000001 lemmas"},
		"nothing":             {install, "", 2, "not a usable certificate"},
		"too large":           {install, strings.Repeat(" ", certificate.MaxBytes+1), 2, "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			got := verify(c.file, c.cert)
			require.Equal(t, c.status, got.status, got.out+got.errOut)
			require.Contains(t, got.out+got.errOut, c.says)
		})
	}
	require.Contains(t, resolute(context.Background(), proof, "verify", "-").errOut, "scenario")
	require.Equal(t, exitIncomplete, resolute(context.Background(), proof, "verify", "--timeout", "1ns", "--scenario", install, "-").status)
}

// TestDRAT: what -o drat prints is accepted, for the formula of -o dimacs, by a checker of the SAT
// community if there is one, and in any case by the plainest one there can be.
func TestDRAT(t *testing.T) {
	cnf := resolute(context.Background(), "", "resolve", "-o", "dimacs", conflict)
	proof := resolute(context.Background(), "", "resolve", "-o", "drat", conflict)
	require.Equal(t, exitOK, proof.status, proof.errOut)
	clauses := clausesOf(t, cnf.out)
	derived := clausesOf(t, proof.out)
	require.NotEmpty(t, derived)
	require.Empty(t, derived[len(derived)-1])
	for _, d := range derived {
		require.True(t, follows(clauses, d), "%v", d)
		clauses = append(clauses, d)
	}
	solvable := resolute(context.Background(), "", "resolve", "-o", "drat", install)
	require.Equal(t, exitNo, solvable.status)
	require.Empty(t, solvable.out)
	require.Contains(t, solvable.errOut, "the request has a solution")

	t.Run("picosat", func(t *testing.T) { refutesEach(t, clausesOf(t, cnf.out), derived) })
	t.Run("drat-trim", func(t *testing.T) {
		program, err := exec.LookPath("drat-trim")
		if err != nil {
			t.Skip("LEFT OUT: drat-trim is not installed")
		}
		out, err := exec.Command(program, write(t, "f.cnf", cnf.out), write(t, "f.drat", proof.out)).CombinedOutput()
		require.True(t, bytes.Contains(out, []byte("s VERIFIED")), "%s %v", out, err)
	})
}

// refutesEach: another solver finds that each clause of a proof follows from the formula and the clauses
// before it, and that none is there by chance: the first one does not follow from half of the formula.
func refutesEach(t *testing.T, clauses, derived [][]int) {
	program, err := exec.LookPath("picosat")
	if err != nil {
		t.Skip("LEFT OUT: picosat is not installed")
	}
	unsatisfiable := func(clauses [][]int) bool {
		var text strings.Builder
		most := 0
		for _, c := range clauses {
			for _, l := range c {
				most = max(most, l, -l)
				fmt.Fprint(&text, l, " ")
			}
			fmt.Fprintln(&text, 0)
		}
		out, _ := exec.Command(program, "-n", write(t, "f.cnf", fmt.Sprintf("p cnf %d %d\n%s", most, len(clauses), &text))).Output()
		satisfiable := strings.Contains(string(out), "s SATISFIABLE")
		require.True(t, satisfiable || strings.Contains(string(out), "s UNSATISFIABLE"), "%s", out)
		return !satisfiable
	}
	refuted := func(clauses [][]int, clause []int) bool {
		for _, l := range clause {
			clauses = append(slices.Clip(clauses), []int{-l})
		}
		return unsatisfiable(clauses)
	}
	require.False(t, refuted(clauses[:len(clauses)/2], derived[0]))
	for _, d := range derived {
		require.True(t, refuted(clauses, d), "%v", d)
		clauses = append(clauses, d)
	}
}

// clausesOf reads clauses in the DIMACS format.
func clausesOf(t *testing.T, text string) (clauses [][]int) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "c") || strings.HasPrefix(line, "p") {
			continue
		}
		clause := []int{}
		for word := range strings.FieldsSeq(line) {
			l, err := strconv.Atoi(word)
			require.NoError(t, err)
			if l != 0 {
				clause = append(clause, l)
			}
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// follows reports whether the opposite of a clause leads to a contradiction by unit propagation.
func follows(clauses [][]int, clause []int) bool {
	holds := make(map[int]bool)
	for _, l := range clause {
		holds[-l] = true
	}
	for changed := true; changed; {
		changed = false
		for _, c := range clauses {
			open, satisfied := []int{}, false
			for _, l := range c {
				satisfied = satisfied || holds[l]
				if !holds[-l] {
					open = append(open, l)
				}
			}
			switch {
			case satisfied:
			case len(open) == 0:
				return true
			case len(open) == 1:
				holds[open[0]], changed = true, true
			}
		}
	}
	return false
}
