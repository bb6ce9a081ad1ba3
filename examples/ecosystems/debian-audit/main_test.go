package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/debian"
	"github.com/seed109e2655/resolute/resolver"
)

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

// TestAgreesWithDose: the versions of drawn lists that cannot be installed are those of dose-debcheck, the tool of
// Debian's quality assurance, and a package can be installed if one of its versions can.
func TestAgreesWithDose(t *testing.T) {
	broken := 0
	for seed := range uint64(60) {
		text := drawn(rand.New(rand.NewPCG(seed, 1)))
		list := filepath.Join(t.TempDir(), "Packages")
		require.NoError(t, os.WriteFile(list, []byte(text), 0o666))
		want, err := execute(dose(t.Context(), "amd64", list))
		if errors.Is(err, errNoDose) {
			t.Skip(err)
		}
		require.NoError(t, err)
		var out bytes.Buffer
		found, err := run(t.Context(), []string{"-dose", list}, &out)
		require.NoError(t, err)
		require.Equal(t, want.broken, parse(out.Bytes()), "seed %d\n%s", seed, text)
		require.Len(t, want.broken, found)
		broken += found

		a, err := debian.Read(strings.NewReader(text))
		require.NoError(t, err)
		for _, name := range a.Names() {
			_, err := a.Install(t.Context(), name)
			if conflict := (*resolver.Conflict)(nil); err != nil {
				require.ErrorAs(t, err, &conflict)
			}
			versions := strings.Count(text, "Package: "+name+"\n")
			bad := len(slices.DeleteFunc(slices.Clone(want.broken), func(v string) bool { return !strings.HasPrefix(v, name+" ") }))
			require.Equal(t, bad < versions, err == nil, "seed %d, package %s\n%s", seed, name, text)
		}
	}
	require.Greater(t, broken, 20)
}

// TestExplains: the text says why a package cannot be installed in the words of its list, and a list is read whole.
func TestExplains(t *testing.T) {
	dir := t.TempDir()
	lists := []string{filepath.Join(dir, "a_Packages"), filepath.Join(dir, "b_Packages")}
	require.NoError(t, os.WriteFile(lists[0], []byte("Package: web\nVersion: 2\nArchitecture: amd64\nDepends: libc (>= 3) | libd"), 0o666))
	require.NoError(t, os.WriteFile(lists[1], []byte("Package: libc\nVersion: 2\nArchitecture: amd64\n"), 0o666))
	var out bytes.Buffer
	found, err := run(t.Context(), lists, &out)
	require.NoError(t, err)
	require.Equal(t, 1, found)
	require.Contains(t, out.String(), `web 2 requires any of nothing ("depends on libc (>= 3) | libd")`)
	require.Contains(t, out.String(), "total-packages: 2\nbroken-packages: 1\n")
	_, err = run(t.Context(), []string{filepath.Join(dir, "missing")}, &out)
	require.ErrorIs(t, err, os.ErrNotExist)
}
