//go:build linux || darwin

package fbc_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// soon fails the test if fn does not return.
func soon(t *testing.T, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
}

// oneCatalog writes a small catalog to a directory.
func oneCatalog(t *testing.T, dir string) {
	testkit.WriteFiles(t, dir, map[string]string{"a.json": `{"schema":"olm.package","name":"a","defaultChannel":"x"}`})
}

// TestBlockingFiles: whatever lies in the directory of a catalog, reading it does
// not wait for a writer.
func TestBlockingFiles(t *testing.T) {
	fifo := func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }
	for name, put := range map[string]func(t *testing.T, dir string) string{
		"ignore file": func(t *testing.T, dir string) string {
			fifo(t, filepath.Join(dir, ".indexignore"))
			return ".indexignore"
		},
		"link to one": func(t *testing.T, dir string) string {
			fifo(t, filepath.Join(dir, ".pipe"))
			require.NoError(t, os.Symlink(".pipe", filepath.Join(dir, ".indexignore")))
			return ".indexignore"
		},
		"link to one outside": func(t *testing.T, dir string) string {
			outside := filepath.Join(t.TempDir(), "pipe")
			fifo(t, outside)
			require.NoError(t, os.Symlink(outside, filepath.Join(dir, ".indexignore")))
			return ".indexignore"
		},
		"catalog file": func(t *testing.T, dir string) string { fifo(t, filepath.Join(dir, "b.json")); return "b.json" },
		"linked catalog file": func(t *testing.T, dir string) string {
			fifo(t, filepath.Join(dir, ".pipe"))
			require.NoError(t, os.Symlink(".pipe", filepath.Join(dir, "b.json")))
			return "b.json"
		},
		"linked catalog file outside": func(t *testing.T, dir string) string {
			outside := filepath.Join(t.TempDir(), "pipe")
			fifo(t, outside)
			require.NoError(t, os.Symlink(testkit.Must(filepath.Rel(dir, outside))(t), filepath.Join(dir, "b.json")))
			return "b.json"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			oneCatalog(t, dir)
			file := put(t, dir)
			// A directory of fs.Sub has no Stat.
			sub := testkit.Must(fs.Sub(os.DirFS(filepath.Dir(dir)), filepath.Base(dir)))(t)
			for _, fsys := range []fs.FS{os.DirFS(dir), sub} {
				soon(t, func() {
					c := testkit.Must(fbc.Load(context.Background(), fsys, fbc.Options{}))(t)
					require.NotNil(t, c.Package("a"))
					require.Contains(t, filesOf(c.Problems()), file)
					content := testkit.Must(fbc.Directory(fsys, fbc.Options{}).Load(context.Background(), nil))(t)
					require.Contains(t, filesOf(content.Catalog.Problems()), file)
				})
			}
			soon(t, func() {
				_, err := fbc.Load(context.Background(), os.DirFS(dir), fbc.Options{File: file})
				require.Error(t, err)
			})
		})
	}
}

// filesOf lists the files that problems name.
func filesOf(problems []graph.Problem) (names []string) {
	for _, p := range problems {
		names = append(names, p.File)
	}
	return names
}

// TestPipePaths: a pipe is read from when somebody writes to it, and waited for no
// longer than the context lives.
func TestPipePaths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.json")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	load := func(ctx context.Context) (err error) {
		soon(t, func() { _, err = fbc.LoadPath(ctx, path, fbc.Options{}) })
		return err
	}
	for _, wait := range []time.Duration{0, 30 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		require.ErrorIs(t, load(ctx), context.DeadlineExceeded, "nobody writes")
		cancel()
	}
	text := `{"schema":"olm.package","name":"a","defaultChannel":"x"}` + "\n"
	go func() {
		time.Sleep(20 * time.Millisecond)
		_ = os.WriteFile(path, []byte(text), 0)
	}()
	require.NoError(t, load(context.Background()))

	silent, err := os.OpenFile(path, os.O_RDWR, 0) // a writer that stops in the middle
	require.NoError(t, err)
	defer silent.Close()
	_, err = silent.WriteString(text + `{"schema":`)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, load(ctx), context.DeadlineExceeded)

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	soon(t, func() {
		_, err := fbc.Read(ctx, r, "", fbc.Options{})
		require.ErrorIs(t, err, context.Canceled)
	})
	go func() {
		_, _ = w.WriteString(text)
		_ = w.Close()
	}()
	_, err = fbc.Read(context.Background(), r, "", fbc.Options{})
	require.NoError(t, err, "the pipe can be read on")

	dir := t.TempDir()
	oneCatalog(t, dir)
	for _, name := range []string{dir, filepath.Join(dir, "a.json")} {
		require.NotNil(t, testkit.Must(fbc.LoadPath(context.Background(), name, fbc.Options{}))(t).Package("a"))
	}
	_, err = fbc.LoadPath(context.Background(), filepath.Join(dir, "none"), fbc.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	testkit.As[*fbc.UnreadableError](t, err)
}

// TestLinks: links are followed inside of the directory of a catalog, and nowhere
// else.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	testkit.WriteFiles(t, outside, map[string]string{"secret.json": `{"schema":"olm.package","name":"secret","defaultChannel":"token-4711"}`})
	tests := map[string]struct {
		links  [][2]string // name, target; {dir} and {out} stand for the directories
		inside bool
	}{
		"relative":                {[][2]string{{"b.json", ".data/real"}}, true},
		"through a directory":     {[][2]string{{".now", ".data"}, {"b.json", ".now/real"}}, true},
		"up and down":             {[][2]string{{"sub/b.json", "../.data/real"}}, true},
		"absolute, inside":        {[][2]string{{"b.json", "{dir}/.data/real"}}, true},
		"two links":               {[][2]string{{".one", ".data/real"}, {"b.json", ".one"}}, true},
		"absolute":                {[][2]string{{"b.json", "{out}/secret.json"}}, false},
		"relative, out":           {[][2]string{{"b.json", "../../../../../../../../../../../..{out}/secret.json"}}, false},
		"out by a directory":      {[][2]string{{".out", "{out}"}, {"b.json", ".out/secret.json"}}, false},
		"out through a link":      {[][2]string{{".one", "{out}/secret.json"}, {"b.json", ".one"}}, false},
		"to nothing":              {[][2]string{{"b.json", "{out}/none"}}, false},
		"to a directory":          {[][2]string{{"b.json", "{out}"}}, false},
		"ignore file from abroad": {[][2]string{{".indexignore", "{out}/secret.json"}}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			oneCatalog(t, dir)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
			testkit.WriteFiles(t, dir, map[string]string{".data/real": `{"schema":"olm.package","name":"linked","defaultChannel":"x"}`})
			file := ""
			for _, l := range tt.links {
				file = l[0]
				target := strings.NewReplacer("{dir}", dir, "{out}", outside).Replace(l[1])
				require.NoError(t, os.Symlink(target, filepath.Join(dir, file)))
			}
			c := testkit.Must(fbc.Load(context.Background(), os.DirFS(dir), fbc.Options{}))(t)
			require.Nil(t, c.Package("secret"))
			require.Equal(t, tt.inside, c.Package("linked") != nil)
			if !tt.inside {
				require.Contains(t, filesOf(c.Problems()), file)
			}
			for _, p := range c.Problems() {
				require.NotContains(t, p.Error(), "4711")
			}
		})
	}
}
