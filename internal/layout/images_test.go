package layout

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// imageLine finds the references of container images in files that build or run them: of a
// Dockerfile or a part of a document, of objects of Kubernetes, of parameters and of a builder.
var imageLine = regexp.MustCompile(`(?m)^\s*(?:FROM(?: --\S+)* +|ARG BASE=|(?:- )?image: +|default: +(?:docker\.io|quay\.io|ghcr\.io|gcr\.io)/)["']?([^\s"']+)|--driver-opt image=(\S+)`)

// unpinned returns the references in a text that another image can take the place of.
func unpinned(text string) (out []string) {
	pinned := regexp.MustCompile(`^[^\s@]+:[^\s@:/]+@sha256:[0-9a-f]{64}$`)
	own := regexp.MustCompile(`^(resolute|resolute-controller):\d+\.\d+\.\d+$`) // who runs it builds it
	for _, m := range imageLine.FindAllStringSubmatch(text, -1) {
		ref := m[1] + m[2]
		variable := strings.HasPrefix(ref, "$") || strings.HasPrefix(ref, "{")
		if !variable && ref != "scratch" && !pinned.MatchString(ref) && !own.MatchString(ref) {
			out = append(out, ref)
		}
	}
	return out
}

// TestImagesArePinned: every image that something in the repository builds on, or runs, is
// named by a version and its digest, or is one that users build themselves, by a version.
func TestImagesArePinned(t *testing.T) {
	root := os.DirFS("../..")
	found := 0
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "catalogs" || d.Name() == "scenarios"):
			return fs.SkipDir // what lies there is data
		case d.IsDir() || !strings.Contains(d.Name(), "Dockerfile") && !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") && path.Base(name) != "README.md":
			return nil
		}
		text := string(testkit.Must(fs.ReadFile(root, name))(t))
		found += len(imageLine.FindAllString(text, -1))
		require.Empty(t, unpinned(text), name)
		return nil
	}))
	require.Greater(t, found, 8)
}

// TestUnpinnedImagesAreFound: the pattern knows each way in which images are written.
func TestUnpinnedImagesAreFound(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0", 64)
	require.Equal(t, []string{"golang:1.26", "busybox:stable", "x", "a:latest", "quay.io/a/b", "c:1", "d@sha256:12"}, unpinned(
		"FROM golang:1.26 AS build\n  FROM --platform=linux/arm64 busybox:stable\nARG BASE=x\n image: a:latest\n - image: quay.io/a/b\n"+
			"run: docker buildx create --driver-opt image=c:1\nimage: 'd@sha256:12'\nimage: scratch\nimage: $(params.image)\nimage: e:1.2"+digest+"\nimage: resolute:1.2.3\n"))
}
