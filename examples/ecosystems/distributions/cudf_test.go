package distributions_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/distributions"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/upstream"
)

// broken are documents that are no valid CUDF, which is what the project tests with them.
var broken = []string{"dup-property", "missing-stanza-sep", "multiline-error", "line-111", "miss-mandatory-prop", "default-type-check-error",
	"conflict-comma-sep", "-sol", ".sol", "vpkgformula-prop"}

// perDocument is about the number of packages of a document that are tried.
const perDocument = 6

// TestMancoosi decides the requests of the documents in Mancoosi's tools, and for every document whether
// some of its packages can be installed. mccs, another solver of Mancoosi, decides the same.
func TestMancoosi(t *testing.T) {
	mccs, err := exec.LookPath("mccs")
	if err != nil {
		t.Skip("mccs is not installed, so there is nothing to compare with")
	}
	documents := make(map[string]string)
	for _, source := range []string{"cudf", "dose3", "mccs"} {
		maps.Copy(documents, upstream.Files(t, upstream.DebianSource(t, source), ".cudf"))
	}
	asked, solvable := 0, 0
	for _, file := range slices.Sorted(maps.Keys(documents)) {
		text := documents[file]
		if slices.ContainsFunc(broken, func(part string) bool { return strings.Contains(filepath.Base(file), part) }) {
			continue
		}
		u, request, found, err := distributions.ReadCUDF(text)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		universe := text
		if at := strings.Index(text, "\nrequest:"); at >= 0 {
			universe = text[:at+1]
		}
		compare := func(name, document string, u *distributions.Universe, request distributions.Package) {
			want, err := accepts(t, mccs, document)
			if err != nil { // it crashes on "false!"
				t.Logf("%s: %s: mccs: %v", filepath.Base(file), name, err)
				return
			}
			got, err := u.Solvable(t.Context(), request)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: %s", file, name)
			asked++
			if got {
				solvable++
			}
		}
		if found && len(request.Requires)+len(request.Conflicts) > 0 { // mccs has no answer to an empty request
			compare("the request", text, u, request)
		}
		if strings.Contains(universe, "\nkeep:") {
			continue
		}
		for i, p := range u.Packages {
			if i%(1+len(u.Packages)/perDocument) > 0 {
				continue
			}
			install := "install: " + p.Name + " = " + p.Version
			document := strings.TrimRight(universe, "\n") + "\n\nrequest: test\n" + install + "\n"
			u, request, _, err := distributions.ReadCUDF(document)
			require.NoError(t, err)
			compare(install, document, u, request)
		}
	}
	t.Logf("%d requests, %d can be satisfied", asked, solvable)
	require.Greater(t, solvable, 50)
	require.Greater(t, asked-solvable, 15)
}

// accepts reports whether mccs finds a solution.
func accepts(t *testing.T, mccs, document string) (bool, error) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.cudf"), filepath.Join(dir, "out.cudf")
	require.NoError(t, os.WriteFile(in, []byte(document), 0o666))
	said, err := exec.CommandContext(t.Context(), mccs, "-i", in, "-o", out, "-lexicographic[-removed,-new]").Output()
	if err != nil {
		return false, err
	}
	answer, err := os.ReadFile(out)
	return !strings.Contains(string(said)+string(answer), "No solution found"), err
}
