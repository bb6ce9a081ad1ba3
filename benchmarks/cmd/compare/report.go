package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
)

// markdown renders the results.
func (r *Results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results of %s\n\n", r.Date)
	fmt.Fprintf(&b, "%s.\n", &r.Machine)
	fmt.Fprintf(&b, "Made by `go run ./benchmarks/cmd/compare`; times are medians. Synthetic instances have seed %d, hard ones many seeds.\n", r.Seed)
	for _, name := range stageNames() {
		if run, other := r.Stages[name]; other {
			fmt.Fprintf(&b, "\nStage `%s` is from another run of %s: %s.\n", name, run.Date, &run.Machine)
		}
	}
	r.writeProcess(&b)
	r.writeWarm(&b)
	r.writeRest(&b)
	r.writeHard(&b)
	r.writeEarlier(&b)
	return b.String()
}

// String describes the machine in one line.
func (m *Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %.0f GB of memory, %s, %s, libsolv %s", m.CPU, m.Cores, float64(m.Memory)/1e9, m.System, m.Go, m.Libsolv)
}

// table writes a heading, a paragraph and a table in Markdown.
func table(b *strings.Builder, heading, text string, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", heading, text)
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	line(header)
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = "---:"
	}
	line(rule)
	for _, r := range rows {
		line(r)
	}
}

func (r *Results) writeProcess(b *strings.Builder) {
	var rows [][]string
	for _, p := range r.Process {
		row := []string{p.Preset, count(p.Bundles), p.Form, answer(p), seconds(p.Resolute.Seconds), seconds(p.Resolute.CPUSeconds), size(p.Resolute.Peak), "", "", "", ""}
		if l := p.Libsolv; l != nil {
			copy(row[7:], []string{seconds(l.Seconds), seconds(l.CPUSeconds), size(l.Peak), fmt.Sprintf("%.2f", p.Ratio)})
		}
		rows = append(rows, row)
	}
	table(b, "Whole process", "Start, load the text, resolve, print; resolute and testsolv alternating on the same instance. "+
		"JSON is compact or spaced, i.e. with a space after colons and commas, as in Python. "+
		"Both programs agree on whether there is a solution. The ratio is the median of the pairwise ratios of wall-clock times. Memory below some 10 MB is not distinguishable.",
		[]string{"preset", "bundles", "JSON", "result set", "resolute", "its CPU", "its memory", "libsolv", "its CPU", "its memory", "ratio"}, rows)
}

func answer(p Process) string {
	if !p.Satisfiable {
		return "none"
	}
	return count(p.Set)
}

func (r *Results) writeWarm(b *strings.Builder) {
	var rows, work [][]string
	for _, w := range r.Warm {
		rows = append(rows, []string{w.Preset, count(w.Bundles), count(w.Set), figure(w.Load), figure(w.Resolve),
			figure(w.Explain), figure(w.WhatIf), figure(w.Audit), size(w.LoadPeak), size(w.Peak)})
		work = append(work, []string{w.Preset, count(w.Bundles), count(w.Reached),
			count(int(w.Resolve.Allocs)), size(w.Resolve.Bytes), count(w.Resolve.Solves),
			count(int(w.Explain.Allocs)), count(w.Explain.Solves), count(int(w.WhatIf.Allocs))})
	}
	table(b, "In a process with a loaded catalog",
		"Resolving from scratch; explaining the conflict after a necessary package is forbidden; a session's answer "+
			"without one of the bundles; an audit, per bundle. Memory is the peak resident memory, after loading and after resolving.",
		[]string{"preset", "bundles", "result set", "load", "resolve", "explain", "what-if", "audit", "memory loaded", "memory resolved"}, rows)
	table(b, "Work", "Of one run of the table above.",
		[]string{"preset", "bundles", "reached", "resolve allocs", "bytes", "solver calls", "explain allocs", "solver calls", "what-if allocs"}, work)
}

func (r *Results) writeRest(b *strings.Builder) {
	var rows [][]string
	for _, s := range r.Same {
		rows = append(rows, []string{count(s.Small), count(s.Large), count(s.Set), seconds(s.SmallAt), seconds(s.LargeAt), fmt.Sprintf("%.2f", s.Ratio)})
	}
	table(b, "One request, two catalogs", "The larger catalog begins with the smaller one; the request and its answer are the same.",
		[]string{"bundles", "bundles", "result set", "small", "large", "ratio"}, rows)
	if c := r.Community; c != nil {
		table(b, "The community catalog", "One subscription to the default channel of each package in turn.",
			[]string{"packages", "with a solution", "median", "worst", "median allocs"},
			[][]string{{count(c.Packages), count(c.Resolved), seconds(c.MedianMicros / 1e6), seconds(c.WorstMicros / 1e6), count(int(c.MedianAllocs))}})
	}
}

func (r *Results) writeHard(b *strings.Builder) {
	var rows [][]string
	for _, h := range r.Hard {
		rows = append(rows, []string{h.Preset, count(h.Bundles), count(h.Seeds), count(h.Satisfiable), count(h.Unsatisfiable), seeds(h.NotMinimal), seeds(h.Stopped), seeds(h.Late),
			seconds(h.MedianSeconds), seconds(h.WorstSeconds), count(h.MedianSolves), count(h.MaxSolves)})
	}
	text := "Each seed within a time limit, including the explanation of conflicts."
	if len(r.Hard) > 0 {
		text += fmt.Sprintf(" The limit is %s. Stopped seeds returned an error that reports the limit, explanations marked not minimal were truncated by it, and late seeds exceeded it by more than 50 ms.", seconds(r.Hard[0].Limit))
	}
	table(b, "Hard instances", text,
		[]string{"preset", "bundles", "seeds", "satisfiable", "unsatisfiable", "not minimal", "stopped", "late", "median", "worst", "median solver calls", "max"}, rows)
	rows = nil
	for _, o := range r.Others {
		rows = append(rows, []string{o.Preset, o.Program, count(o.Seeds), count(o.Satisfiable), count(o.Unsatisfiable), count(o.Seeds - o.Satisfiable - o.Unsatisfiable),
			seconds(o.MedianSeconds), seconds(o.WorstSeconds)})
	}
	table(b, "Hard instances in other programs", "Only whether there is a solution: one process per seed, with the same time limit.",
		[]string{"preset", "program", "seeds", "satisfiable", "not", "no answer", "median", "worst"}, rows)
}

func (r *Results) writeEarlier(b *strings.Builder) {
	var rows [][]string
	for _, e := range r.Earlier {
		rows = append(rows, []string{e.Program, e.What, count(e.Bundles), seconds(e.Seconds), e.Note})
	}
	table(b, "Measured earlier, not in this run", "In process, on an unrecorded machine: for scale only, not comparable with the figures above.",
		[]string{"program", "what", "bundles", "time", ""}, rows)
}

// seeds lists the first seeds.
func seeds(list []uint64) string {
	const limit = 20
	if len(list) == 0 {
		return "0"
	}
	words := make([]string, 0, limit+1)
	for _, s := range list[:min(limit, len(list))] {
		words = append(words, fmt.Sprint(s))
	}
	if len(list) > limit {
		words = append(words, "…")
	}
	return fmt.Sprintf("%d (seed %s)", len(list), strings.Join(words, ", "))
}

func figure(f measure.Figure) string {
	switch {
	case f.Failed != "":
		return "stopped"
	case f.Runs == 0:
		return ""
	}
	return seconds(f.Seconds)
}

// seconds formats a time with three digits.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Nanosecond
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

func size(bytes uint64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
}

// count formats a number with commas.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
