package debian_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/debian"
	"github.com/seed109e2655/resolute/resolver"
)

const small = `Package: web
Version: 2:1.0-1
Architecture: amd64
Depends: httpd, libc6 (>= 2.36),
 python3:any | missing
Conflicts: libold (<< 3)

Package: nginx
Version: 1.0
Architecture: all
Provides: httpd (= 2), api
Conflicts: httpd, web (<< 1)

Package: libc6
Version: 2.36-9+deb12u14
Architecture: amd64

Package: libc6
Version: 2.36-9
Architecture: amd64

Package: python3
Version: 3.11
Architecture: amd64
Multi-Arch: allowed

Package: libold
Version: 2.9~rc1
Architecture: amd64
Pre-Depends: libc6 (<< 2.36-9+deb12u14)

Package: needs-old
Version: 1
Architecture: amd64
Depends: web, libold (>= 3) | libold (= 2.9~rc1)
`

func TestInstall(t *testing.T) {
	a, err := debian.Read(strings.NewReader(small))
	require.NoError(t, err)
	var names []string
	solution, err := a.Install(t.Context(), "web")
	require.NoError(t, err)
	for _, step := range solution.Steps {
		p := step.Payload.(*debian.Package)
		names = append(names, p.Name+" "+p.Version.String())
	}
	require.Equal(t, []string{"libc6 2.36-9+deb12u14", "nginx 1.0", "python3 3.11", "web 2:1.0-1"}, names)
	solution, err = a.Install(t.Context(), "libold")
	require.NoError(t, err)
	require.Equal(t, "2.36-9", solution.Steps[0].Payload.(*debian.Package).Version.String())
	for _, names := range [][]string{{"needs-old"}, {"web", "libold"}, {"missing"}} {
		_, err = a.Install(t.Context(), names...)
		var conflict *resolver.Conflict
		require.ErrorAs(t, err, &conflict, names)
		require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", conflict.Text())
	}
	_, err = debian.Read(strings.NewReader("Package: a\nVersion: ü\n"))
	require.ErrorContains(t, err, "package a")
}

// drawn is a random list of a few packages.
func drawn(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	names := []string{"a", "b", "c", "d", "e", "f"}
	relation := func(names ...string) string {
		switch rng.IntN(8) {
		case 0:
			return pick(names...) + ":any"
		case 1, 2, 3:
			return fmt.Sprintf("%s (%s %s)", pick(names...), pick("<<", "<=", "=", ">=", ">>"), pick("1", "1.5-1", "2"))
		}
		return pick(names...)
	}
	virtual := append([]string{"v", "w"}, names...)
	for _, name := range names {
		for _, v := range []string{"1", "1.5-1", "2"}[:1+rng.IntN(3)] {
			fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: amd64\nMulti-Arch: %s\n", name, v, pick("no", "allowed"))
			for i, field := range []string{"Depends", "Pre-Depends", "Conflicts", "Breaks"} {
				list := [][]string{virtual, virtual, virtual, names}[i]
				if rng.IntN(2) > 0 {
					fmt.Fprintf(&b, "%s: %s", field, relation(list...))
					for rng.IntN(3) == 0 && strings.HasSuffix(field, "Depends") {
						fmt.Fprintf(&b, " | %s", relation(list...))
					}
					b.WriteString("\n")
				}
			}
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&b, "Provides: %s\n", pick("v", "w", "v (= 1)", "a (= 2)"))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestAgreesWithDose: the packages of drawn lists of which no version can be installed are those of
// dose-debcheck, the tool of Debian's quality assurance.
func TestAgreesWithDose(t *testing.T) {
	dose, err := exec.LookPath("dose-debcheck")
	if err != nil {
		t.Skip("dose-debcheck is not installed, so there is nothing to compare with; Debian has it in the package dose-distcheck")
	}
	broken := 0
	for seed := range uint64(60) {
		text := drawn(rand.New(rand.NewPCG(seed, 1)))
		list := filepath.Join(t.TempDir(), "Packages")
		require.NoError(t, os.WriteFile(list, []byte(text), 0o666))
		out, err := exec.CommandContext(t.Context(), dose, "--successes", "--deb-ignore-essential", "--deb-native-arch=amd64", list).Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(out)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "package: "); ok && !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
		a, err := debian.Read(strings.NewReader(text))
		require.NoError(t, err)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			_, err := a.Install(t.Context(), name)
			if conflict := (*resolver.Conflict)(nil); err != nil {
				require.ErrorAs(t, err, &conflict)
				broken++
			}
			require.Equal(t, slices.Contains(want, name), err == nil, "seed %d, package %s\n%s\n%s", seed, name, text, out)
		}
	}
	require.Greater(t, broken, 20)
}
