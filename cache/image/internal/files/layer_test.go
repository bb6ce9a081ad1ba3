package files_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/files"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

// limits are small, so that a fuzzer exceeds them.
var limits = files.Limits{Entries: 1000, Files: 200, Bytes: 1 << 16}

// item is an entry of a layer.
type item struct {
	name, body string
	dir        bool
}

// tarOf returns a tar of items.
func tarOf(items []item) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, it := range items {
		h := &tar.Header{Name: it.name, Typeflag: tar.TypeReg, Size: int64(len(it.body))}
		if it.dir {
			h.Typeflag, h.Size = tar.TypeDir, 0
		}
		_ = w.WriteHeader(h)
		_, _ = io.WriteString(w, it.body)
	}
	_ = w.Close()
	return b.Bytes()
}

// model applies layers literally by the specification: hidden files are removed from the lower
// layers, then the entries are added.
func model(layers [][]item) map[string]string {
	state := map[string]string{} // content by path, "/" for a folder
	remove := func(m map[string]string, p string) {
		for q := range m {
			if q == p || strings.HasPrefix(q, p+"/") || p == "" {
				delete(m, q)
			}
		}
	}
	for _, l := range layers {
		for _, it := range l {
			dir, base := path.Split(it.name)
			dir = strings.TrimSuffix(dir, "/")
			if base == ".wh..wh..opq" {
				for q := range state {
					if strings.HasPrefix(q, dir+"/") || dir == "" {
						delete(state, q)
					}
				}
			} else if hidden, ok := strings.CutPrefix(base, ".wh."); ok {
				remove(state, path.Join(dir, hidden))
			}
		}
		for _, it := range l {
			if strings.HasPrefix(path.Base(it.name), ".wh.") {
				continue
			}
			parts := strings.Split(it.name, "/")
			for i := 1; i < len(parts); i++ {
				if dir := strings.Join(parts[:i], "/"); state[dir] != "/" {
					remove(state, dir)
					state[dir] = "/"
				}
			}
			if it.dir && state[it.name] == "/" {
				continue
			}
			remove(state, it.name)
			state[it.name] = it.body
			if it.dir {
				state[it.name] = "/"
			}
		}
	}
	return state
}

// TestModel: layers of random entries have the same result as the model.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.SampledFrom([]string{"a", "b", "c"})
		whiteout := rapid.SampledFrom([]string{".wh.a", ".wh.b", ".wh.c", ".wh..wh..opq"})
		draw := rapid.Custom(func(t *rapid.T) item {
			parts := append([]string{rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(t, "top")}, rapid.SliceOfN(element, 0, 3).Draw(t, "parts")...)
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				parts[len(parts)-1] = whiteout.Draw(t, "whiteout")
				return item{name: path.Join(parts...)}
			case 1:
				return item{name: path.Join(parts...), dir: true}
			}
			return item{name: path.Join(append(parts, element.Draw(t, "file"))...), body: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "body")}
		})
		layers := rapid.SliceOfN(rapid.SliceOfN(draw, 0, 6), 1, 4).Draw(t, "layers")
		spool := files.NewSpool(&files.Memory{})
		at := rapid.SampledFrom([]string{"a", "a", "a/b"}).Draw(t, "folder")
		tree := files.NewTree("/"+at, limits, spool)
		for _, l := range layers {
			require.NoError(t, tree.Apply(context.Background(), bytes.NewReader(tarOf(l))))
		}
		want := model(layers)
		entries, err := tree.Finish(context.Background())
		if want[at] != "/" {
			var refused *files.Error
			require.ErrorAs(t, err, &refused, "%v", want)
			return
		}
		require.NoError(t, err)
		got := map[string]string{at: "/"}
		fsys := packed(t, spool, entries)
		for _, e := range entries {
			got[at+"/"+e.Name] = "/"
			if e.Kind == files.File {
				got[at+"/"+e.Name] = content(t, fsys, e)
			}
		}
		maps.DeleteFunc(want, func(p, _ string) bool { return p != at && !strings.HasPrefix(p, at+"/") })
		require.Equal(t, want, got)
		require.True(t, slices.IsSortedFunc(entries, func(x, y files.Entry) int {
			return slices.Compare(strings.Split(x.Name, "/"), strings.Split(y.Name, "/"))
		}))
	})
}

// packed returns the resulting file system.
func packed(t require.TestingT, spool *files.Spool, entries []files.Entry) *files.FS {
	return testkit.Must(spool.Finish(context.Background(), entries, ""))(t)
}

// content returns the content of a file.
func content(t require.TestingT, fsys fs.FS, e files.Entry) string {
	data := testkit.Must(fs.ReadFile(fsys, e.Name))(t)
	return string(data)
}

// TestWork: the cost of hiding and linking is linear.
func TestWork(t *testing.T) {
	spool := files.NewSpool(&files.Memory{})
	wide := files.Limits{Entries: 1 << 20, Files: 1 << 20, Bytes: 1 << 20}
	tree := files.NewTree("/a", wide, spool)
	var lower, upper []item
	n := testkit.Times(2_000, 20_000)
	for i := range n {
		lower = append(lower, item{name: fmt.Sprintf("a/%d", i)})
		upper = append(upper, item{name: fmt.Sprintf("a/n%d", i)}, item{name: "a/.wh..wh..opq"}, item{name: ".wh.a"})
	}
	require.NoError(t, tree.Apply(context.Background(), bytes.NewReader(tarOf(lower))))
	require.NoError(t, tree.Apply(context.Background(), bytes.NewReader(tarOf(upper)))) // 20,000 × 20,000 steps would take too long
	require.Len(t, testkit.Must(tree.Finish(context.Background()))(t), n)

	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range 3000 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("a/l%d", i), Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("x/../", 800) + fmt.Sprintf("l%d", i+1)}))
	}
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "a/x/", Typeflag: tar.TypeDir}))
	require.NoError(t, w.Close())
	tree = files.NewTree("/a", wide, spool)
	require.NoError(t, tree.Apply(context.Background(), &b))
	_, err := tree.Finish(context.Background())
	require.Equal(t, "MaxLinkSteps", testkit.As[*cache.LimitError](t, err).Limit)
}

// described returns a tar of lines: a letter for the type, a name, and after a tab a link or
// content. An empty line begins the next layer.
func described(text string) [][]byte {
	var layers [][]byte
	for part := range strings.SplitSeq(text, "\n\n") {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for line := range strings.Lines(part) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" {
				continue
			}
			name, rest, _ := strings.Cut(line[1:], "\t")
			h := &tar.Header{Name: name, Linkname: rest, Typeflag: line[0]}
			if h.Typeflag == tar.TypeReg {
				h.Linkname, h.Size = "", int64(len(rest))
			}
			if w.WriteHeader(h) == nil && h.Typeflag == tar.TypeReg {
				_, _ = io.WriteString(w, rest)
			}
		}
		_ = w.Close()
		layers = append(layers, b.Bytes())
	}
	return layers
}

// FuzzApply: any layers are accepted or rejected without a panic, and the result is within the
// limits and the folder.
func FuzzApply(f *testing.F) {
	f.Add("0a/b/c\tx\n\n0a/.wh.b\n0a/b/.wh..wh..opq\n", "/a", []byte(nil))
	f.Add("0a/x\tX\n2a/l\tx\n1a/h\ta/x\n5a/d/\n2a/m\td/../l", "/a", []byte(nil))
	f.Add("2a/l\t../x\n2a/m\tl\n3a/null\n6a/pipe", "/", []byte(nil))
	f.Add("0../a/x\n0/a/y\n2a\tb", "a/../b", tarOf([]item{{name: "a/x", body: "x"}}))
	f.Fuzz(func(t *testing.T, text, folder string, raw []byte) {
		spool := files.NewSpool(&files.Memory{})
		tree := files.NewTree(folder, limits, spool)
		for _, l := range append(described(text), raw) {
			if err := tree.Apply(context.Background(), bytes.NewReader(l)); err != nil {
				_ = err.Error()
				return
			}
		}
		entries, err := tree.Finish(context.Background(), "/a/cache")
		var refused *files.Error
		if err != nil {
			if !errors.As(err, &refused) && !errors.As(err, new(*cache.LimitError)) {
				t.Fatal(err)
			}
			return
		}
		var total int64
		fsys := packed(t, spool, entries)
		for _, e := range entries {
			if e.Name != path.Clean(e.Name) || strings.HasPrefix(e.Name, "../") || path.IsAbs(e.Name) || e.Target == ".." || strings.HasPrefix(e.Target, "../") || path.IsAbs(e.Target) {
				t.Fatalf("%+v leads out of the folder", e)
			}
			if total += e.Content.Size; len(entries) < 5 && e.Kind == files.File && int64(len(content(t, fsys, e))) != e.Content.Size {
				t.Fatalf("%+v has the wrong size", e)
			}
		}
		if int64(len(entries)) > limits.Files || total > limits.Bytes {
			t.Fatalf("%d entries with %d bytes", len(entries), total)
		}
	})
}

// Reading the holes of a sparse file observes the context, although it does not read the layer.
func TestHolesLookAtTheContext(t *testing.T) {
	const hole = 16 << 20
	var b bytes.Buffer
	require.NoError(t, tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "configs/a.json", Typeflag: tar.TypeReg, Format: tar.FormatGNU}))
	h := b.Bytes()[:512]
	h[156] = tar.TypeGNUSparse
	copy(h[483:], fmt.Sprintf("%011o\x00", hole))
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00", sum))
	spool := files.NewSpool(&files.Memory{})
	tree := files.NewTree("/configs", files.Limits{Entries: 10, Files: 10, Bytes: 1 << 30}, spool)
	ctx := &testkit.CountingContext{Context: t.Context()}
	require.NoError(t, tree.Apply(ctx, bytes.NewReader(append(slices.Clone(h), make([]byte, 1024)...))))
	require.EqualValues(t, hole, testkit.Must(tree.Finish(t.Context()))(t)[0].Content.Size)
	require.Greater(t, ctx.Count.Load(), int64(hole>>20))
}
