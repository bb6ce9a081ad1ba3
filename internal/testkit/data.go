package testkit

import (
	"bufio"
	"compress/gzip"
	"io/fs"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Data returns the folder with real catalogs beside a checkout,
// ../shared/data, which is not part of the repository. It skips the test if
// the folder has no file of that name.
func Data(t testing.TB, name string) fs.FS {
	t.Helper()
	return os.DirFS(strings.TrimSuffix(Real(t, name), name))
}

// Real returns the path of a file of Data, or skips the test.
func Real(t testing.TB, name string) string {
	t.Helper()
	for up := ".."; len(up) < len("../../../../../../../.."); up += "/.." {
		path := up + "/shared/data/" + name
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("SKIPPED: %s is not beside the checkout", name)
	return ""
}

// Lines yields the lines of a compressed file of Data.
func Lines(t testing.TB, name string) iter.Seq[[]byte] {
	t.Helper()
	f := Must(Data(t, name).Open(name))(t)
	t.Cleanup(func() { f.Close() })
	lines := bufio.NewScanner(Must(gzip.NewReader(f))(t))
	lines.Buffer(nil, 64<<20)
	return func(yield func([]byte) bool) {
		for lines.Scan() && yield(lines.Bytes()) {
		}
		require.NoError(t, lines.Err())
	}
}
