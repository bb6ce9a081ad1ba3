package testkit

import (
	"io/fs"
	"os"
	"testing"
)

// Data is the folder with real catalogs and other data that lies beside a checkout, as
// ../shared/data, and is no part of the repository. The test is skipped where the folder has
// no file of that name.
func Data(t testing.TB, name string) fs.FS {
	t.Helper()
	for up := ".."; len(up) < len("../../../../../../../.."); up += "/.." {
		dir := os.DirFS(up + "/shared/data")
		if _, err := fs.Stat(dir, name); err == nil {
			return dir
		}
	}
	t.Skipf("LEFT OUT: %s is not beside the checkout", name)
	return nil
}
