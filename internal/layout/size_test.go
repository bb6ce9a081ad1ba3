package layout_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// What a reader can keep in mind, tests aside.
const (
	mostLines = 4000 // of a package
	mostFiles = 30   // of a folder
)

// TestSizes: no package or folder is larger than the bounds.
func TestSizes(t *testing.T) {
	found := testkit.Must(tooLarge(os.DirFS("../..")))(t)
	require.Empty(t, found)
}

// The check must find each thing that is too large, and nothing else.
func TestSizeCheckWorks(t *testing.T) {
	file := func(lines int, more string) *fstest.MapFile {
		src := "package p\n" + more
		return &fstest.MapFile{Data: []byte(src + strings.Repeat("//\n", lines-strings.Count(src, "\n")))}
	}
	tree := fstest.MapFS{
		"graph/a.go":             file(2500, ""),
		"graph/b.go":             file(1500, ""),
		"graph/b_test.go":        file(9000, ""),
		"cache/a.go":             file(2500, ""),
		"cache/b.go":             file(1501, ""),
		"cache/deep/a.go":        file(100, ""),
		"cache/grpc/go.mod":      {},
		"cache/grpc/a.go":        file(9000, ""),
		"resolver/testdata/a.go": file(9000, ""),
	}
	for i := range 31 {
		tree[fmt.Sprintf("resolver/a%d.go", i)] = file(10, "")
		tree[fmt.Sprintf("resolver/ready/a%d_test.go", i)] = file(10, "")
	}
	found := testkit.Must(tooLarge(tree))(t)
	require.Equal(t, map[string]string{
		"cache: lines":    "4001 lines, more than 4000",
		"resolver: files": "31 files, more than 30",
	}, found)
}

// tooLarge says of each package and folder of the root module that is larger than
// the bounds by how much, under its name and what there is too much of.
func tooLarge(tree fs.FS) (map[string]string, error) {
	sources, err := readSources(tree)
	if err != nil {
		return nil, err
	}
	lines, files := make(map[string]int), make(map[string]int)
	for _, s := range sources {
		if s.test {
			continue
		}
		src, err := fs.ReadFile(tree, s.file)
		if err != nil {
			return nil, err
		}
		lines[s.folder] += bytes.Count(src, []byte("\n"))
		files[s.folder]++
	}
	found := make(map[string]string)
	for _, bound := range []struct {
		of   map[string]int
		most int
		what string
	}{{lines, mostLines, "lines"}, {files, mostFiles, "files"}} {
		for name, n := range bound.of {
			if n > bound.most {
				found[name+": "+bound.what] = fmt.Sprintf("%d %s, more than %d", n, bound.what, bound.most)
			}
		}
	}
	return found, nil
}
