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

// imageLine matches references to container images: in Dockerfiles, documents,
// Kubernetes objects, parameters and builder options.
var imageLine = regexp.MustCompile(`(?m)^\s*(?:FROM(?: --\S+)* +|ARG BASE=|(?:- )?image: +|default: +(?:docker\.io|quay\.io|ghcr\.io|gcr\.io)/)["']?([^\s"']+)|--driver-opt image=(\S+)`)

// unpinned returns the mutable image references in a text.
func unpinned(text string) (out []string) {
	pinned := regexp.MustCompile(`^[^\s@]+:[^\s@:/]+@sha256:[0-9a-f]{64}$`)
	own := regexp.MustCompile(`^(resolute|resolute-controller):\d+\.\d+\.\d+$`) // built by its users
	for _, m := range imageLine.FindAllStringSubmatch(text, -1) {
		ref := m[1] + m[2]
		variable := strings.HasPrefix(ref, "$") || strings.HasPrefix(ref, "{")
		if !variable && ref != "scratch" && !pinned.MatchString(ref) && !own.MatchString(ref) {
			out = append(out, ref)
		}
	}
	return out
}

// TestImagesArePinned: every image that the repository builds on or runs is
// pinned by version and digest, or is built by its users and has a version.
func TestImagesArePinned(t *testing.T) {
	root := os.DirFS("../..")
	found := 0
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "catalogs" || d.Name() == "scenarios"):
			return fs.SkipDir // data only
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

// TestUnpinnedImagesAreFound: the pattern matches every form of image
// reference.
func TestUnpinnedImagesAreFound(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0", 64)
	require.Equal(t, []string{"golang:1.26", "busybox:stable", "x", "a:latest", "quay.io/a/b", "c:1", "d@sha256:12"}, unpinned(
		"FROM golang:1.26 AS build\n  FROM --platform=linux/arm64 busybox:stable\nARG BASE=x\n image: a:latest\n - image: quay.io/a/b\n"+
			"run: docker buildx create --driver-opt image=c:1\nimage: 'd@sha256:12'\nimage: scratch\nimage: $(params.image)\nimage: e:1.2"+digest+"\nimage: resolute:1.2.3\n"))
}
