package libsolv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed109e2655/resolute/graph"
)

// id returns the name of a solvable in the jobs of a testcase.
func (s *solvable) id() string {
	return s.bundle.Package + "-" + evr(s.bundle) + "-" + strconv.Itoa(s.release) + ".noarch@" + s.repo
}

// testcase assembles the result.
func (t *translation) testcase() *Testcase {
	out := &Testcase{Jobs: append([]string{"verify all packages"}, t.jobs...)}
	texts := map[string]*bytes.Buffer{}
	add := func(name string, priority int) {
		texts[name] = bytes.NewBufferString("=Ver: 3.0\n")
		out.Repos = append(out.Repos, Repo{Name: name, Priority: priority})
	}
	add(systemRepo, 0)
	for _, c := range t.cats {
		add(repoName(c.Key), c.Priority)
	}
	for i := range t.all {
		s := &t.all[i]
		t.write(texts[s.repo], s)
	}
	if len(t.aux) > 0 {
		add(auxRepo, 0)
	}
	for _, a := range t.aux {
		fmt.Fprintf(texts[auxRepo], "=Pkg: %s 1 1 noarch\n=Prv: %s\n=Con: %s\n", a.name, a.name, a.conflict)
	}
	for i := range out.Repos {
		out.Repos[i].Text = texts[out.Repos[i].Name].Bytes()
	}
	return out
}

// write writes a solvable in the testtags format.
func (t *translation) write(w *bytes.Buffer, s *solvable) {
	b := s.bundle
	version := evr(b)
	fmt.Fprintf(w, "=Pkg: %s %s %d noarch\n=Prv: %s = %s\n", b.Package, version, s.release, b.Package, version)
	lines := func(tag string, deps []string) {
		for _, d := range deps {
			w.WriteString("=" + tag + ": " + d + "\n")
		}
	}
	provides, conflicts := t.apis(b)
	lines("Prv", provides)
	lines("Prv", t.extra[b])
	lines("Req", s.requires)
	lines("Con", conflicts)
	lines("Con", s.conflicts)
}

// apis returns the provided API names of a bundle, and those with other
// providers as well.
func (t *translation) apis(b *graph.Bundle) (provides, conflicts []string) {
	for api := range b.Properties.GVKs() {
		provides = append(provides, gvkName(api))
		if t.contended(api) {
			conflicts = append(conflicts, gvkName(api))
		}
	}
	return provides, conflicts
}

// TestcaseFile is the name of the testcase file written by Testcase.Write.
const TestcaseFile = "testcase.t"

// Write writes the testcase and its repositories into an existing folder, and
// returns the path of the testcase. The error is that of the file system.
func (t *Testcase) Write(dir string) (string, error) {
	var text bytes.Buffer
	for _, r := range t.Repos {
		file := r.Name + ".testtags"
		if err := os.WriteFile(filepath.Join(dir, file), r.Text, 0o666); err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "repo %s %d testtags %s\n", r.Name, r.Priority, file)
	}
	fmt.Fprintf(&text, "system noarch rpm %s\n", systemRepo)
	for _, job := range t.Jobs {
		fmt.Fprintf(&text, "job %s\n", job)
	}
	path := filepath.Join(dir, TestcaseFile)
	return path, os.WriteFile(path, text.Bytes(), 0o666)
}
