package upstream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// DebianSource downloads and unpacks a source package of Debian and returns the folder of its upstream
// files. It changes no setting of the machine. The test is skipped if apt-get is absent or fails.
func DebianSource(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skipf("apt-get is not installed, so the test cases of Debian's source package %s are not run", name)
	}
	dir := filepath.Join(cacheDir(t), name)
	if found, _ := filepath.Glob(filepath.Join(dir, "*", "")); len(found) > 0 {
		return found[0]
	}
	work, lists := t.TempDir(), filepath.Join(cacheDir(t), "lists")
	list := filepath.Join(work, "sources.list")
	write(t, list, "deb-src http://deb.debian.org/debian bookworm main\n")
	if err := os.MkdirAll(filepath.Join(lists, "partial"), 0o777); err != nil {
		t.Fatal(err)
	}
	options := []string{"-q", "-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=-", "-o", "Dir::State::lists=" + lists}
	steps := [][]string{{"update"}, {"source", "--download-only", name}}
	if known, _ := filepath.Glob(filepath.Join(lists, "*_Sources*")); len(known) > 0 {
		steps = steps[1:]
	}
	for _, args := range steps {
		cmd := exec.CommandContext(t.Context(), "apt-get", append(options, args...)...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil && args[0] == "update" {
			t.Skipf("Debian's source packages cannot be read, so the test cases of %s are not run: %v %s", name, err, out)
		}
	}
	archives, _ := filepath.Glob(filepath.Join(work, name+"_*.orig.tar.gz"))
	if len(archives) == 0 {
		t.Skipf("Debian's source package %s cannot be downloaded, so its test cases are not run", name)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-C", dir, "-xzf", archives[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return DebianSource(t, name)
}

// cacheDir returns the folder where source packages are kept for the next test.
func cacheDir(t *testing.T) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "resolute-test", "debian-bookworm")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Files returns the contents of the files below a folder whose names have a suffix, by path.
func Files(t *testing.T, dir, suffix string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(file string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, suffix) {
			return err
		}
		data, err := os.ReadFile(file)
		out[file] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
