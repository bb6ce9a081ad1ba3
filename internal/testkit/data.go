package testkit

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Data is the folder with real catalogs and other data that lies beside a checkout, as
// ../shared/data, and is no part of the repository. The test is skipped where the folder has
// no file of that name.
func Data(t testing.TB, name string) fs.FS {
	t.Helper()
	return os.DirFS(strings.TrimSuffix(Real(t, name), name))
}

// Real is the path of a file of Data, or skips the test.
func Real(t testing.TB, name string) string {
	t.Helper()
	for up := ".."; len(up) < len("../../../../../../../.."); up += "/.." {
		path := up + "/shared/data/" + name
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("LEFT OUT: %s is not beside the checkout", name)
	return ""
}
